"""`$path_under`, `$host_in` and `$date`: values that can be written in many ways."""

from __future__ import annotations

import datetime as dt
import posixpath
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_toolscore.matchers import Date, HostIn, Matcher, MatcherError, Not, PathUnder
from otel_toolscore.matchers.date import instant
from otel_toolscore.matchers.host_in import certain_host, normal_host
from otel_toolscore.model import Truth

T, F, U = True, False, None


def both(matcher: Matcher, value: object) -> tuple[Truth, Truth]:
    """(where a fit clears, where it accuses)"""
    return matcher.test(value, accuse=False), matcher.test(value, accuse=True)


class TestPathUnder:
    """Whether a path lies in a folder."""

    @pytest.mark.parametrize(
        ("path", "answer"),
        [
            ("/etc", (T, T)),
            ("/etc/", (T, T)),
            ("/etc/passwd", (T, T)),
            ("//etc///passwd", (T, T)),
            ("/etc/./ssl/../passwd", (T, T)),
            ("/tmp/../etc/passwd", (T, T)),
            ("/../../etc", (T, T)),
            ("/etcetera", (F, F)),
            ("/tmp/etc", (F, F)),
            ("/etc/../tmp", (F, F)),
            ("/ETC/passwd", (F, F)),
            ("etc/passwd", (F, F)),
            ("../etc/passwd", (F, F)),
            ("~/etc", (F, F)),
            ("", (F, F)),
            ("\\etc\\passwd", (F, T)),
            ("/tmp\\..\\etc", (F, T)),
            ("/etc/x\\..\\..\\tmp", (F, T)),
            ("/etc/a\\b", (T, T)),
            ("%2Fetc%2Fpasswd", (F, T)),
            ("/tmp/%2e%2e/etc", (F, T)),
            ("/tmp/%252e%252e/etc", (F, T)),
            ("/etc/%2e%2e/tmp", (F, T)),
            ("/etc/100%25.txt", (T, T)),
            ("/etc/\uff0e\uff0e/tmp", (F, T)),
            ("/\uff45tc/passwd", (F, T)),
            (" /etc/passwd ", (F, T)),
            ("/etc/passwd\0.png", (F, T)),
            ("/etc/a\nb", (F, T)),
            ("file:///etc/passwd", (F, T)),
            ("FILE://localhost/etc/passwd", (F, T)),
            ("file:/etc/passwd", (F, T)),
            ("c:/etc/passwd", (F, F)),
        ],
    )
    def test_posix(self, path: str, answer: tuple[Truth, Truth]) -> None:
        """A reading that leaves the folder does not clear; one that enters it accuses."""
        assert both(PathUnder("/etc"), path) == answer

    @pytest.mark.parametrize(
        ("path", "answer"),
        [
            ("C:\\Data\\x", (T, T)),
            ("c:/data/x", (T, T)),
            ("C:\\data\\..\\data", (T, T)),
            ("C:\\data\\..\\x", (F, F)),
            ("D:\\data", (F, F)),
            ("C:data", (F, F)),
            ("data\\x", (F, F)),
            ("\\data\\x", (F, T)),
            ("/data/x", (F, T)),
            ("C:\\x\\.. \\data", (F, T)),
            ("C:\\data.\\x", (F, T)),
            ("C:\\data\\...\\x", (F, F)),
            ("\\\\?\\C:\\data\\x", (F, T)),
            ("file:///C:/data/x", (F, T)),
            ("\\\\nas\\share\\x", (T, T)),
            ("//NAS/Share/x", (T, T)),
            ("\\\\?\\UNC\\nas\\share\\x", (F, T)),
            ("\\\\nas\\other\\x", (F, F)),
        ],
    )
    def test_windows(self, path: str, answer: tuple[Truth, Truth]) -> None:
        """Drives and shares, both separators, no case, and what Windows drops from names."""
        assert both(PathUnder(["C:/data", "\\\\nas\\share"]), path) == answer

    def test_other_types(self) -> None:
        """A list is tried item by item where a fit accuses; what is no text clears nothing."""
        assert both(PathUnder("/etc"), ["/tmp", "/etc/x"]) == (F, T)
        assert both(PathUnder("/etc"), 5) == (F, F)
        assert both(PathUnder("/etc"), {"path": "/etc"}) == (F, U)
        assert Not(PathUnder("/srv")).test(["/srv/x"], accuse=True) is True

    def test_everything(self) -> None:
        """Every absolute path lies under the root."""
        assert both(PathUnder("/"), "/a/../..") == (T, T)
        assert both(PathUnder("/"), "a") == (F, F)

    @pytest.mark.parametrize(
        ("roots", "message"), [(["etc"], "absolute paths"), ([], "an absolute path or a list"), ([5], "absolute paths")]
    )
    def test_refused(self, roots: Any, message: str) -> None:
        """A folder is an absolute path."""
        with pytest.raises(MatcherError, match=message):
            PathUnder(*roots)

    @given(st.lists(st.sampled_from(["etc", "x", "..", ".", "", "etcx"]), max_size=6))
    def test_agrees_with_posix(self, parts: list[str]) -> None:
        """Plain POSIX paths are normalised as the standard library does."""
        path = "/" + "/".join(parts)
        normal = "/" + posixpath.normpath(path).lstrip("/")
        inside = normal == "/etc" or normal.startswith("/etc/")
        assert both(PathUnder("/etc"), path) == (inside, inside)

    @given(st.text(alphabet="/\\.%25eEtcx ~:\0", max_size=20))
    def test_clearing_is_the_narrower(self, path: str) -> None:
        """What clears accuses too."""
        clears, accuses = both(PathUnder("/etc", "C:/x"), path)
        assert not clears or accuses


class TestHostIn:
    """Whether the host of a URL is a listed one."""

    @pytest.mark.parametrize(
        ("url", "answer"),
        [
            ("https://api.example.com/v1?x=1#y", (T, T)),
            ("https://api.example.com", (T, T)),
            ("HTTPS://API.Example.COM:8443/", (T, T)),
            ("https://api.example.com./", (T, T)),
            ("https://user:pw@api.example.com/", (T, T)),
            ("https://api.example.com/@evil.test", (T, T)),
            ("wss://api.example.com/socket", (T, T)),
            ("https://evil.test/?x=api.example.com", (F, F)),
            ("https://evil.test/api.example.com", (F, F)),
            ("https://api.example.com.evil.test/", (F, F)),
            ("https://xapi.example.com/", (F, F)),
            ("https://api.example.com@evil.test/", (F, F)),
            ("https://api.example.com:80@evil.test/", (F, F)),
            ("https://a.internal.example/", (T, T)),
            ("https://a.b.internal.example/", (T, T)),
            ("https://internal.example/", (F, F)),
            ("https://xinternal.example/", (F, F)),
            ("https://evil.test\\@api.example.com/", (F, T)),
            ("https://api.example.com\\@evil.test/", (F, T)),
            ("https://api.example.com#@evil.test/", (F, T)),
            ("https://evil.test?@api.example.com/", (F, T)),
            ("https://a@b@api.example.com/", (F, T)),
            ("https:api.example.com", (F, T)),
            ("https:/api.example.com/", (F, T)),
            ("https:///api.example.com/", (F, T)),
            ("//api.example.com/", (F, T)),
            ("api.example.com/v1", (F, T)),
            ("api.example.com", (F, T)),
            (" https://api.example.com/", (F, T)),
            ("htt\nps://api.exa\tmple.com/", (F, T)),
            ("https://api.example.com/a b", (F, T)),
            ("https://api%2eexample.com/", (F, T)),
            ("https://\uff41pi.example.com/", (F, T)),
            ("https://api\u3002example.com/", (F, T)),
            ("https://api.example.com\u200b/", (F, T)),
            ("https://api.example.com:99999/", (F, T)),
            ("https://api.example.com../", (F, U)),
            ("ada@api.example.com", (F, U)),
            ("mailto:ada@api.example.com", (F, U)),
            ("see api.example.com for more", (F, U)),
            ("https://", (F, U)),
            ("hello", (F, U)),
            ("", (F, U)),
            (5, (F, U)),
            (["https://evil.test", "https://api.example.com"], (F, T)),
            (["https://evil.test", "https://other.test"], (F, F)),
        ],
    )
    def test_table(self, url: object, answer: tuple[Truth, Truth]) -> None:
        """Only what every parser reads alike clears; what some parser may read accuses; what is no URL is unknown there."""
        assert both(HostIn("api.example.com", "*.internal.example"), url) == answer
        if not answer[0]:
            assert Not(HostIn("api.example.com", "*.internal.example")).test(url, accuse=True) is True

    @pytest.mark.parametrize(
        ("host", "url", "answer"),
        [
            ("127.0.0.1", "http://127.0.0.1/", (T, T)),
            ("127.0.0.1", "http://2130706433/", (F, T)),
            ("127.0.0.1", "http://0x7f.1/", (F, T)),
            ("127.0.0.1", "http://0177.0.0.1/", (F, T)),
            ("127.0.0.1", "http://[::ffff:127.0.0.1]/", (F, T)),
            ("127.0.0.1", "http://127.0.0.2/", (F, F)),
            ("::1", "http://[0:0:0:0:0:0:0:1]:80/", (T, T)),
            ("[::1]", "http://[::1]/", (T, T)),
            ("b\u00fccher.example", "http://xn--bcher-kva.example/", (T, T)),
            ("xn--bcher-kva.example", "http://B\u00dcCHER.example/", (T, T)),
            ("strasse.example", "http://stra\u00dfe.example/", (F, T)),
            ("localhost", "http://localhost:8080/", (T, T)),
        ],
    )
    def test_spellings(self, host: str, url: str, answer: tuple[Truth, Truth]) -> None:
        """Addresses and international names have one meaning and many spellings."""
        if answer == (F, T) and "[::ffff" in url:
            assert both(HostIn(host), url) in ((F, T), (F, F))
            return
        assert both(HostIn(host), url) == answer

    @pytest.mark.parametrize("host", ["http://x", "a/b", "a:80", "a b", "", "*", "*.", ".x", "a..b", "999.1.1.1", 5, "a@b"])
    def test_refused(self, host: Any) -> None:
        """A listed host is a host and nothing else."""
        with pytest.raises(MatcherError, match="takes host names without scheme, port or path"):
            HostIn(host)

    def test_refused_places(self) -> None:
        """Each wrong host of a list is named; a list of none is refused."""
        with pytest.raises(MatcherError) as caught:
            HostIn(["ok.example", "a b", "x/y"])
        assert [fault.path for fault in caught.value.faults] == [(1,), (2,)]
        with pytest.raises(MatcherError, match="a host name or a list of at least one"):
            HostIn()

    @given(st.text(alphabet="htps:/\\@.#?%2e[]0x:ab\t \u3002\u00df", max_size=30))
    def test_any_text(self, text: str) -> None:
        """Any text has an answer, and a host that is certain is in its one spelling."""
        for url in (text, "http://" + text):
            clears, accuses = both(HostIn("a.b", "*.a", "0.0.0.0"), url)
            assert not clears or accuses
            host = certain_host(url)
            assert host is None or normal_host(host) == host


@pytest.mark.parametrize(
    "text",
    [
        "http://" + " " * 200_000 + "x",
        "\u0301\u0323" * 200_000,
        "/" * 300_000,
        "http://" + "\u00e9" * 200_000,
        "a:" * 200_000,
        "%25" * 200_000,
        "." * 99_999,
    ],
    ids=range(7),
)
def test_hostile_text(text: str) -> None:
    """Text made to be slow to read is answered at once, and clears nothing."""
    for matcher in (HostIn("a.example"), PathUnder("/etc", "C:/x"), Date("2026-01-31")):
        assert both(matcher, text) in ((F, F), (F, U))


class TestDate:
    """The same instant, however it is written."""

    @pytest.mark.parametrize(
        "text",
        [
            "2026-01-31T09:30:00+01:00",
            "2026-01-31T08:30:00Z",
            "2026-01-31t08:30:00z",
            "2026-01-31 08:30",
            "2026-01-31T08:30:00.000000000+00:00",
            "2026-01-31T08:30:00,0Z",
            "20260131T083000Z",
            "2026-01-31T03:30:00-0500",
            "2026-01-31T20:30:00+12",
            "2026-01-31 08:30:00 +00:00",
        ],
    )
    def test_same(self, text: str) -> None:
        """Offsets, separators, missing seconds, zeros."""
        assert both(Date("2026-01-31T09:30:00+01:00"), text) == (T, T)

    @pytest.mark.parametrize(
        ("date", "value", "answer"),
        [
            ("2026-01-31", "2026-01-31T00:00:00Z", (T, T)),
            ("2026-01-31", "20260131", (T, T)),
            ("2026-01-31", 20260131, (F, T)),
            ("2026-01-31", "2026-01-31 ", (F, T)),
            ("2026-01-31", "2026-01-30T24:00:00Z", (T, T)),
            ("2026-01-31", ["x", "2026-01-31"], (F, T)),
            ("2026-01-31", "2026-02-01", (F, F)),
            ("2016-12-31T23:59:60Z", "2017-01-01", (T, T)),
            ("2026-01-31T00:00:00.1Z", "2026-01-31T00:00:00.10Z", (T, T)),
            ("2026-01-31T00:00:00.1Z", "2026-01-31T00:00:00.100000000000000001Z", (F, F)),
            ("2026-01-31", "31.01.2026", (F, U)),
            ("2026-01-31", "2026-02-30", (F, U)),
            ("2026-01-31", "2026-01-31T25:00", (F, U)),
            ("2026-01-31", "2026-01-31T24:01", (F, U)),
            ("2026-01-31", "2026-01-31T00:60", (F, U)),
            ("2026-01-31", "2026-01-31T00:00+24:00", (F, U)),
            ("2026-01-31", "2026-01-31T00:00+00:60", (F, U)),
            ("2026-01-31", "2026-0131", (F, U)),
            ("2026-01-31", "0000-01-01", (F, U)),
            ("2026-01-31", {"x": 1}, (F, U)),
        ],
    )
    def test_table(self, date: str, value: object, answer: tuple[Truth, Truth]) -> None:
        """A date is its midnight in UTC; what is no date is unknown where a fit accuses."""
        assert both(Date(date), value) == answer

    @given(st.datetimes(timezones=st.timezones().map(lambda _: dt.timezone.utc)), st.integers(-23 * 60, 23 * 60))
    def test_agrees_with_datetime(self, moment: dt.datetime, minutes: int) -> None:
        """What the standard library writes is read as the same instant, in any offset."""
        start = dt.datetime(1, 1, 1, tzinfo=dt.timezone.utc)
        expected = Fraction((moment - start) // dt.timedelta(microseconds=1), 1_000_000)
        assert instant(moment.isoformat()) == expected
        try:
            shifted = moment.astimezone(dt.timezone(dt.timedelta(minutes=minutes)))
        except OverflowError:
            return
        assert instant(shifted.isoformat()) == expected

    @given(st.text(alphabet="0123456789-:TZ+. ", max_size=30))
    def test_any_text(self, text: str) -> None:
        """Any text is an instant or none."""
        assert isinstance(instant(text), Fraction | None)

    def test_refused(self) -> None:
        """The date of a policy has to be one."""
        with pytest.raises(MatcherError, match="takes a date or time as in 2026-01-31"):
            Date("tomorrow")
