"""Ids, integers, enums and times."""

from __future__ import annotations

import base64
import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_toolscore.otlp import scalars
from otel_toolscore.spans import INTERNAL, SERVER

ids = st.binary(min_size=16, max_size=16).filter(any)


@given(ids)
def test_every_encoding_of_an_id_is_the_same_id(raw: bytes) -> None:
    """Hex of either case, with 0x, base64 of either alphabet, padded or not, and the integer all name the same id."""
    spelled = [raw.hex(), raw.hex().upper(), "0x" + raw.hex(), base64.b64encode(raw).decode(), int.from_bytes(raw, "big")]
    spelled += [base64.b64encode(raw).decode().rstrip("="), base64.urlsafe_b64encode(raw).decode()]
    assert {scalars.identifier(text, 16) for text in spelled} == {raw.hex()}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("live-trace-1", "live-trace-1"),
        ("0x1", "0000000000000001"),
        (1, "0000000000000001"),
        ("", None),
        (None, None),
        ("0" * 16, None),
        (0, None),
    ],
)
def test_ids(given: object, expected: str | None) -> None:
    """An id that is neither hex nor base64 is kept as it is; nothing and zeros are no id."""
    assert scalars.identifier(given, 8) == expected


def test_all_zero_base64_is_no_id() -> None:
    """Zeros are no id in base64 either."""
    assert scalars.identifier("AAAAAAAAAAA=", 8) is None


@pytest.mark.parametrize("given", [5.5, [], True, -1, 1 << 64])
def test_no_id(given: object) -> None:
    """Numbers out of range and other types are refused."""
    with pytest.raises(ValueError, match="expected an id"):
        scalars.identifier(given, 8)


@given(st.integers())
def test_integers(number: int) -> None:
    """An integer of any size is the same as a number and as decimal text."""
    assert scalars.integer(number) == scalars.integer(str(number)) == number


@pytest.mark.parametrize("given", ["", "1.0", "0x5", "٣", "1_0", True, None, 1.5, float("nan"), "9" * 5000])
def test_no_integer(given: object) -> None:
    """What only Python would take for an integer is refused."""
    with pytest.raises(ValueError, match="expected an integer"):
        scalars.integer(given)


@pytest.mark.parametrize("given", ["nan", "inf", "1_0", "", "0x1p3", True, None])
def test_no_double(given: object) -> None:
    """What only Python would take for a double is refused."""
    with pytest.raises(ValueError, match='expected a number, "NaN"'):
        scalars.double(given)


@given(
    st.datetimes(dt.datetime(1973, 3, 4), dt.datetime(2261, 1, 1), timezones=st.timezones().filter(lambda zone: zone.key != "localtime"))
)
def test_iso_times(moment: dt.datetime) -> None:
    """ISO text of any zone gives the nanoseconds that arithmetic on the datetime gives."""
    offset = moment.utcoffset() or dt.timedelta()
    if offset % dt.timedelta(minutes=1):
        return
    since = moment - dt.datetime(1970, 1, 1, tzinfo=dt.timezone.utc)
    nanoseconds = (since.days * 86_400 + since.seconds) * 10**9 + since.microseconds * 1000
    assert scalars.time(moment.isoformat()) == nanoseconds


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("2026-09-21T13:33:20.123456789Z", 1_789_997_600_123_456_789),
        ("2026-09-21 13:33:20", 1_789_997_600_000_000_000),
        ("2026-09-21T15:33:20,5+0200", 1_789_997_600_500_000_000),
        ("2026-09-21T13:33Z", 1_789_997_580_000_000_000),
        (1_790_000_000, 1_790_000_000_000_000_000),
        (1_790_000_000.25, 1_790_000_000_250_000_000),
        (1_790_000_000_123, 1_790_000_000_123_000_000),
        (1_790_000_000_123_456, 1_790_000_000_123_456_000),
        (1_790_000_000_123_456_789, 1_790_000_000_123_456_789),
        ("1790000000123456789", 1_790_000_000_123_456_789),
        (1000, 1000),
        (0.5, 500_000_000),
        (0, 0),
        (None, None),
        ("", None),
    ],
)
def test_times(given: object, expected: int | None) -> None:
    """The unit of a number follows from its size; nanoseconds keep every digit."""
    assert scalars.time(given) == expected


@pytest.mark.parametrize(
    "given", ["2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z", "2026-01-01T25:00:00Z", "yesterday", -5, float("nan"), float("inf"), []]
)
def test_no_time(given: object) -> None:
    """A date or hour that does not exist, and what is no time, are refused."""
    with pytest.raises(ValueError, match="expected a time"):
        scalars.time(given)


def test_kinds_beyond_the_known() -> None:
    """A number that no kind has is internal; so is none."""
    assert [scalars.kind(value) for value in (99, 0, None, "2", "server")] == [INTERNAL, INTERNAL, INTERNAL, SERVER, SERVER]
