"""The `$host_in` matcher: whether the host of a URL is one of some hosts.

Parsers of URLs disagree about odd ones, and attacks live on that. `certain_host` therefore reads only what every parser
reads in the same way, and `possible_hosts` everything that some parser may take for the host.
"""
# ruff: noqa: ARG002, D102 - every matcher has the signature and the documentation of Matcher

from __future__ import annotations

import ipaddress
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import unquote

from otel_toolscore.compare import NO_ATTRIBUTES, Attributes, Matcher
from otel_toolscore.matchers.faults import Fault, MatcherError, refused
from otel_toolscore.matchers.leniency import text_truth
from otel_toolscore.model import Missing, Truth

_CERTAIN: Final = re.compile(
    r"[A-Za-z][A-Za-z0-9+.-]*://"
    r"(?:[A-Za-z0-9._~!$&'()*+,;=:%-]*@)?"
    r"(?P<host>\[[0-9A-Fa-f:.]+\]|[\w.-]+)"
    r"(?::(?P<port>[0-9]{0,5}))?"
    r"(?P<rest>[/?#][^\s\\\x00-\x1f\x7f]*)?"
)
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_AROUND: Final = "".join(map(chr, range(0x21)))
_IGNORED: Final = re.compile(r"[\t\r\n\x7f\u00ad\u200b-\u200f\u2060-\u2064\ufeff]")
_MAIL: Final = re.compile(r"\s*(?:mailto:)?[^/\\:@\s?#]+@[^/\\:@\s]+\s*", re.IGNORECASE)
MAX_CHARACTERS: Final = 100_000
"""Of a longer text that is not clearly a URL, only the beginning is searched for hosts."""
MAX_HOST: Final = 1_000
"""A longer text is no host name (those have up to 253 characters)."""
_PORT: Final = re.compile(r":[0-9]*$")
_LABEL: Final = re.compile(r"[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?", re.ASCII)
_EMBEDDING: Final = frozenset({0xFFFF, 0, 0x0064_FF9B << 64})
"""The 96 bits before an IPv4 address in an IPv6 address that leads to it."""
_DOTS: Final = str.maketrans({"\u3002": ".", "\uff0e": ".", "\uff61": "."})


def normal_host(host: str) -> str | None:
    """The host in one spelling: lower case, ASCII (`xn--`), without the root's dot, an address in its usual form.

    None where it is no host name. Numeric forms of IPv4 addresses (`0x7f.1`, `2130706433`) are read as browsers do.
    """
    if len(host) > MAX_HOST:
        return None
    if host.startswith("["):
        try:
            return f"[{ipaddress.IPv6Address(host.removeprefix('[').removesuffix(']'))}]"
        except ValueError:
            return None
    folded = unicodedata.normalize("NFKC", host.translate(_DOTS)).casefold().removesuffix(".")
    labels = [_ascii_label(label) for label in folded.split(".")]
    if any(label is None or not _LABEL.fullmatch(label) for label in labels):
        return None
    name = ".".join(label for label in labels if label is not None)
    return _ipv4(name) if re.fullmatch(r"(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)", name) else name


def _ascii_label(label: str) -> str | None:
    if label.isascii():
        return label
    try:
        return "xn--" + label.encode("punycode").decode("ascii")
    except UnicodeError:
        return None


def _ipv4(name: str) -> str | None:
    parts = name.split(".")
    if len(parts) > 4:
        return None
    try:
        numbers = [_number(part) for part in parts]
    except ValueError:
        return None
    if any(number > 255 for number in numbers[:-1]) or numbers[-1] >= 256 ** (5 - len(numbers)):
        return None
    address = numbers[-1] + sum(number << (8 * (3 - place)) for place, number in enumerate(numbers[:-1]))
    return str(ipaddress.IPv4Address(address))


def _number(part: str) -> int:
    if len(part) > 20:
        raise ValueError("no part of an address has so many digits")
    if part.startswith("0x"):
        return int(part.removeprefix("0x") or "0", base=16)
    return int(part, base=8) if len(part) > 1 and part.startswith("0") else int(part)


def certain_host(url: str) -> str | None:
    """The host of a URL that every parser reads in the same way; None for any other text."""
    match = _CERTAIN.fullmatch(url)
    if match is None or int(match["port"] or 0) > 65_535:
        return None
    host, rest = match["host"], match["rest"] or ""
    if rest[:1] in ("?", "#") and "@" in rest:
        return None
    if not host.isascii() and unicodedata.normalize("NFKC", host).casefold() != host.lower():
        return None
    normal = normal_host(host)
    if normal is None or host.endswith(".."):
        return None
    is_address = normal[:1] != "[" and normal.replace(".", "").isdigit()
    return None if is_address and normal != host else normal


def possible_hosts(text: str) -> Iterator[str]:
    """Every host that some parser may find in the text, which need not be a clear URL; none in a mail address."""
    text = text[:MAX_CHARACTERS]
    if _MAIL.fullmatch(text):
        return
    authorities: dict[str, None] = {}
    for form in dict.fromkeys((text, _bare(text), _bare(unquote(text)))):
        scheme = _SCHEME.match(form)  # only where it begins: looked for everywhere, it takes time quadratic in the text
        for rest in (form, form[scheme.end() :] if scheme else form):
            rest = rest.lstrip("/\\")
            # Where the authority ends: for most, for those that take a backslash for a slash, for those that know only slashes.
            for end in (r"[/?#]", r"[/\\?#]", r"/"):
                authorities[re.split(end, rest, maxsplit=1)[0]] = None
    for authority in authorities:
        for part in {authority, authority.rpartition("@")[2], authority.partition("@")[2].partition("@")[0]}:
            yield from _hosts_of(part)


def _bare(text: str) -> str:
    """The text without what browsers drop from URLs."""
    return _IGNORED.sub("", text.strip(_AROUND))


def _hosts_of(authority: str) -> Iterator[str]:
    for host in (_PORT.sub("", authority), authority.partition(":")[0], unquote(_PORT.sub("", authority))):
        normal = normal_host(host) if host else None
        if normal is not None:
            yield from _with_embedded(normal)


def _with_embedded(host: str) -> Iterator[str]:
    """The host, and the IPv4 address to which an IPv6 address leads: mapped, compatible, or behind the prefix of NAT64."""
    yield host
    if host.startswith("["):
        address = int(ipaddress.IPv6Address(host[1:-1]))
        if address >> 32 in _EMBEDDING and address > 1:
            yield str(ipaddress.IPv4Address(address & 0xFFFF_FFFF))


@dataclass(frozen=True, slots=True, eq=False, repr=False, init=False)
class HostIn(Matcher):
    """The text is a URL whose host is one of these: `HostIn("api.example.com", "*.internal.example")`.

    `*.x` is any host below x, not x itself. Port, user and a dot at the end do not count, nor does case. Where a fit
    clears, only a URL that all parsers read alike can fit. Where it accuses, it fits if any parser may find one of the hosts,
    also in a text without scheme; other text that is not clearly a URL is then unknown.
    """

    hosts: tuple[str, ...]
    _names: frozenset[str] = field(repr=False)
    _suffixes: tuple[str, ...] = field(repr=False)

    def __init__(self, *hosts: object) -> None:
        if len(hosts) == 1 and isinstance(hosts[0], list | tuple):
            hosts = tuple(hosts[0])
        if not hosts:
            raise refused("`$host_in` takes a host name or a list of at least one")
        names = [_pattern(host) for host in hosts]
        faults = [Fault((number,), _EXPECTED) for number, name in enumerate(names) if name is None]
        if faults:
            raise MatcherError([Fault((), _EXPECTED)] if len(hosts) == 1 else faults)
        object.__setattr__(self, "hosts", hosts)
        object.__setattr__(self, "_names", frozenset(name for name in names if name and not name.startswith(".")))
        object.__setattr__(self, "_suffixes", tuple(name for name in names if name and name.startswith(".")))

    def test(self, value: object | Missing, *, accuse: bool, attributes: Attributes = NO_ATTRIBUTES) -> Truth:
        return text_truth(value, accuse, self._may_be_at if accuse else self._is_at, costly=True)

    def _is_at(self, text: str) -> bool:
        host = certain_host(text)
        return host is not None and self._listed(host)

    def _may_be_at(self, text: str) -> Truth:
        host = certain_host(text)
        if host is not None:
            return any(map(self._listed, _with_embedded(host)))
        return True if any(self._listed(possible) for possible in possible_hosts(text)) else None

    def _listed(self, host: str) -> bool:
        return host in self._names or (bool(self._suffixes) and host.endswith(self._suffixes))

    def spelled(self) -> dict[str, Any]:
        return {"$host_in": self.hosts[0] if len(self.hosts) == 1 else list(self.hosts)}

    def __repr__(self) -> str:
        return f"HostIn({', '.join(map(repr, self.hosts))})"


_EXPECTED: Final = "`$host_in` takes host names without scheme, port or path, as in api.example.com or *.example.com"


def _pattern(host: object) -> str | None:
    """The host in its one spelling, `.x` for `*.x`; None where it is no host."""
    if not isinstance(host, str):
        return None
    below = host.startswith("*.")
    if host.count(":") > 1 and not host.startswith("["):
        host = f"[{host}]"
    normal = normal_host(host.removeprefix("*."))
    return normal and (f".{normal}" if below else normal)
