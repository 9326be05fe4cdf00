"""Credentials in text and values: found by the formats that providers publish, and masked.

Found are tokens with a published format, private keys, JSON web tokens, `Bearer` and `Basic` headers, passwords in URLs and
values that their name calls a credential (`password=`, `"api_key":`). Not found are UUIDs, hashes, encoded images and other
random text that nothing calls a credential. Time is linear in the length of the text: every repetition is bounded, and what a
search has passed is not searched again.
"""

from __future__ import annotations

import base64
import functools
import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

MAX_DEPTH: Final = 200
TOO_DEEP: Final = "[nested too deeply to be shown]"
"""Stands for what lies deeper than `MAX_DEPTH` in a masked value."""


class Credential(NamedTuple):
    """Where in a text a credential stands, and what it is."""

    start: int
    end: int
    kind: str


class _Candidate(NamedTuple):
    start: int
    end: int
    kind: str
    word: bool = False
    """It counts only where a word begins."""


class _Format(NamedTuple):
    kind: str
    prefixes: tuple[str, ...]
    """The text holds no such credential unless it holds one of these."""
    pattern: re.Pattern[str]


def _format(kind: str, prefixes: str, pattern: str) -> _Format:
    return _Format(kind, tuple(prefixes.split()), re.compile(pattern, re.ASCII))


_FORMATS: Final = (
    _format("AWS access key", "AKIA ASIA ABIA ACCA", r"A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    _format("AWS Bedrock key", "ABSK", r"ABSK[A-Za-z0-9+/]{80,300}={0,2}"),
    _format("GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_", r"g(?:h[pousr]_[A-Za-z0-9]{36,255}|ithub_pat_\w{22,255})"),
    _format("GitLab token", "glpat- glptt- gldt- glrt- gloas- glsoat- glcbt- glimt- glagent- glft- GR1348941",
            r"(?:gl(?:pat|ptt|dt|rt|oas|soat|cbt|imt|agent|ft)-|GR1348941)[\w-]{20,300}"),
    _format("Slack token", "xox xapp-", r"x(?:ox[abceoprs]|app)-[A-Za-z0-9-]{10,300}|xoxe\.xox[bp]-[A-Za-z0-9-]{10,300}"),
    _format("Slack webhook", "hooks.slack.com/", r"hooks\.slack\.com/(?:services|workflows|triggers)/[\w/-]{20,200}"),
    _format("Discord webhook", "/api/webhooks/", r"discord(?:app)?\.com/api/webhooks/\d{10,25}/[\w-]{30,120}"),
    _format("Telegram bot token", ":AA", r"\d{8,12}:AA[\w-]{33}(?![\w-])"),
    _format("Stripe key", "sk_live_ sk_test_ rk_live_ rk_test_ whsec_",
            r"(?:[rs]k_(?:live|test)_[A-Za-z0-9]{10,255}|whsec_[A-Za-z0-9+/=]{24,100})"),
    _format("Anthropic key", "sk-ant-", r"sk-ant-[\w-]{20,300}"),
    _format("OpenAI key", "sk-", r"sk-(?:(?:proj|svcacct|admin|None|or-v1|lf)-[\w-]{20,300}|[A-Za-z0-9]{32,255})"),
    _format("Google API key", "AIza", r"AIza[\w-]{35}(?![\w-])"),
    _format("Google OAuth secret", "GOCSPX-", r"GOCSPX-[\w-]{20,60}"),
    _format("Google access token", "ya29.", r"ya29\.[\w-]{20,500}"),
    _format("Azure account key", "AccountKey= SharedAccessKey=", r"(?:Account|SharedAccess)Key=[A-Za-z0-9+/]{32,100}={0,2}"),
    _format("Azure client secret", "Q~", r"[\w~.-]{3}\dQ~[\w~.-]{31,34}(?![\w~.-])"),
    _format("Azure signature", "sig=", r"sig=[A-Za-z0-9%+/]{40,100}(?:=|%3[dD])?"),
    _format("Hugging Face token", "hf_", r"hf_[A-Za-z0-9]{30,60}(?!\w)"),
    _format("model provider key", "gsk_ xai- pplx- nvapi- r8_ tvly- lsv2_ pcsk_ e2b_",
            r"(?:gsk_\w{40,80}|xai-\w{60,120}|pplx-\w{40,80}|nvapi-[\w-]{60,100}|r8_\w{37}|tvly-[\w-]{20,60}"
            r"|lsv2_(?:pt|sk)_\w{32,60}|pcsk_\w{40,100}|e2b_[0-9a-f]{40})(?!\w)"),
    _format("Databricks token", "dapi", r"dapi[0-9a-f]{32}(?:-\d)?(?!\w)"),
    _format("package registry token", "npm_ pypi-AgE rubygems_ dckr_pat_ dckr_oat_",
            r"(?:npm_[A-Za-z0-9]{36}|pypi-AgE[\w-]{50,1000}|rubygems_[0-9a-f]{48}|dckr_[po]at_[\w-]{27,60})(?!\w)"),
    _format("cloud provider token", "doo_v1_ dop_v1_ dor_v1_ HRKU-AA sbp_ pscale_",
            r"(?:do[opr]_v1_[0-9a-f]{64}|HRKU-AA[\w-]{50,70}|sbp_[0-9a-f]{40}|pscale_(?:tkn|pw|oauth)_[\w.=-]{32,64})(?!\w)"),
    _format("vault token", "hvs. hvb. hvr. .atlasv1. dp. AGE-SECRET-KEY-1 ops_eyJ",
            r"(?:hv[sbr]\.[\w-]{24,300}|\w{14}\.atlasv1\.[\w-]{60,70}|dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9]{40,44}"
            r"|AGE-SECRET-KEY-1[A-Z0-9]{58}|ops_eyJ[A-Za-z0-9+/=]{100,1500})"),
    _format("mail provider key", "SG. -us", r"(?:SG\.[\w-]{16,32}\.[\w-]{16,64}|[0-9a-f]{32}-us\d{1,2}(?!\w))"),
    _format("Twilio key", "SK", r"SK[0-9a-f]{32}(?!\w)"),
    _format("Square token", "sq0", r"sq0(?:atp|csp|idp)-[\w-]{22,43}"),
    _format("Shopify token", "shpat_ shpca_ shppa_ shpss_", r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    _format("observability token", "NRAK- glsa_ glc_ sntrys_ sntryu_ phx_",
            r"(?:NRAK-[A-Z0-9]{27}|glsa_\w{32,60}|glc_[A-Za-z0-9+/=]{32,400}|sntr[yu]s?_[A-Za-z0-9+/=_]{40,500}|phx_\w{40,60})"),
    _format("workspace token", "lin_api_ ntn_ secret_ ATATT3 PMAK- figd_",
            r"(?:lin_api_\w{32,60}|ntn_[A-Za-z0-9]{40,60}|secret_[A-Za-z0-9]{43}(?!\w)|ATATT3[\w=-]{50,400}"
            r"|PMAK-[0-9a-f]{24}-[0-9a-f]{34}|figd_[\w-]{40,60})"),
)  # fmt: skip

_ESCAPE_BEFORE: Final = re.compile(r"(?:\\[nrtbf]|\\u[0-9a-fA-F]{4}|%[0-9a-fA-F]{2})$")
_JWT_CHARACTERS: Final = re.compile(r"[\w.-]+", re.ASCII)
_JWT_HEADER: Final = "eyJ"
_KEY_BEGIN: Final = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
_KEY_END: Final = re.compile(r"-----END [A-Z0-9 ]{1,60}-----")
_HEADER: Final = re.compile(r"(bearer|basic)(?:[ \t]|%20|\+){1,4}([\w.~+/=-]{8,4000})", re.IGNORECASE | re.ASCII)
_URL_CREDENTIAL: Final = re.compile(r"://[^\s/?#:@'\"<>\\]{0,256}:([^\s/?#@'\"<>\\]{1,256})@")

_ALWAYS: Final = r"passw(?:or)?d|passphrase|passwort|pwd"
"""Names of which every value is a credential."""
_IF_RANDOM: Final = (
    r"(?:access|auth|refresh|id|bearer|api|session|secret|security|private|csrf|xsrf|oauth|personal[_-]?access)[_-]?token"
    r"|(?:x[_-])?api[_-]?key|(?:secret|private|encryption|signing|master|access|account|shared[_-]?access)[_-]?key(?:[_-]?id)?"
    r"|(?:client|app|consumer|webhook|shared|signing)[_-]?secret|secret[_-]?access[_-]?key|secret|authorization|credentials?"
)
"""Names of which a value that looks random is a credential."""
_SEPARATOR: Final = r"(?:\\{0,4}[\"'])?[ \t]{0,8}(?:=>|:=|[:=])[ \t]{0,8}"
_VALUE: Final = (
    r"(?:(?P<quote>\\{0,4}[\"'])(?P<quoted>(?:(?!(?P=quote))[^\r\n]){1,512})(?P=quote)"
    r"|(?P<bare>[^\s\"'\\,;&<>{}()\[\]]{1,512}))"
)
_PAIR_ALWAYS: Final = re.compile(rf"(?:{_ALWAYS}){_SEPARATOR}{_VALUE}", re.IGNORECASE)
_PAIR_IF_RANDOM: Final = re.compile(rf"(?:{_IF_RANDOM}){_SEPARATOR}(?:[A-Za-z-]{{2,20}}[ \t]{{1,4}}(?=\S{{8}}))?{_VALUE}", re.IGNORECASE)
_NAMING: Final = re.compile(r"passw|passphrase|pwd|token|key|secret|authorization|credential", re.IGNORECASE)

_MEMBER_ALWAYS: Final = re.compile(rf"(?:.{{0,64}}[_\-. ])?(?:{_ALWAYS})", re.IGNORECASE | re.DOTALL)
_MEMBER_IF_RANDOM: Final = re.compile(
    rf"(?!.{{0,64}}(?:page|next|continuation|sync|resume)[_-]?token)(?:.{{0,64}}[_\-. ])?(?:{_IF_RANDOM}|token)", re.IGNORECASE | re.DOTALL
)
_PLACEHOLDER: Final = re.compile(
    r"[<${\[*%(/].*|\*+|x+|\.+|-+|null|none|nil|true|false|undefined|string|str|text|required|optional|redacted|masked|hidden|changeme",
    re.IGNORECASE | re.DOTALL,
)
_MIN_RANDOM: Final = 8
_LONG: Final = 32
_SHORT: Final = 128
_SHORTEST_FORMAT: Final = 20
"""No text of letters and digits only that is shorter is a credential."""


def _given(text: str) -> bool:
    """Whether a value stands for itself, not for one that was left out."""
    return not _PLACEHOLDER.fullmatch(text)


def _random(text: str) -> bool:
    """Whether a value is long, and not a plain word."""
    if len(text) < _MIN_RANDOM or not _given(text):
        return False
    return len(text) >= _LONG or any(c.isdigit() for c in text) or (text != text.lower() and text != text.upper() and not text.istitle())


def _begins_word(text: str, start: int) -> bool:
    """Whether no letter, digit or `_` stands before, other than as the end of an escape."""
    before = text[start - 1 : start]
    return not (before.isalnum() or before == "_") or _ESCAPE_BEFORE.search(text, max(0, start - 6), start) is not None


def _provider_formats(text: str) -> Iterator[_Candidate]:
    for kind, prefixes, pattern in _FORMATS:
        for prefix in prefixes:  # a loop: a generator would take longer than the search
            if prefix in text:
                for found in pattern.finditer(text):
                    yield _Candidate(found.start(), found.end(), kind, word=True)
                break


def _web_tokens(text: str) -> Iterator[_Candidate]:
    """Signed (three parts) and encrypted (five parts) JSON web tokens."""
    if _JWT_HEADER not in text:
        return
    for run in _JWT_CHARACTERS.finditer(text):
        start = text.find(_JWT_HEADER, run.start(), run.end())
        parts = text[start : run.end()].rstrip(".").split(".") if start >= 0 else []
        whole = 5 if len(parts) >= 5 and not parts[1].startswith(_JWT_HEADER) else 3
        signed = len(parts) >= whole or (len(parts) == 2 and parts[1].startswith(_JWT_HEADER))
        if signed and len(parts[0]) >= _MIN_RANDOM:
            yield _Candidate(start, start + len(".".join(parts[:whole])), "JSON web token", word=True)


def _private_keys(text: str) -> Iterator[_Candidate]:
    position = 0
    while found := _KEY_BEGIN.search(text, position):
        end = _KEY_END.search(text, found.end())
        position = end.end() if end else len(text)
        yield _Candidate(found.start(), position, "private key")


def _headers(text: str) -> Iterator[_Candidate]:
    for found in _HEADER.finditer(text):
        if found[1].lower() == "basic":
            if _is_basic(found[2]):
                yield _Candidate(found.start(2), found.end(2), "basic credentials")
        elif any(c.isdigit() for c in found[2]) and _random(found[2]):
            yield _Candidate(found.start(2), found.end(2), "bearer token")


def _is_basic(value: str) -> bool:
    try:
        return b":" in base64.b64decode(value + "=" * (-len(value) % 4), validate=True)
    except ValueError:
        return False


def _url_credentials(text: str) -> Iterator[_Candidate]:
    for found in _URL_CREDENTIAL.finditer(text) if "://" in text else ():
        if _given(found[1]):
            yield _Candidate(found.start(1), found.end(1), "password")


def _named(text: str) -> Iterator[_Candidate]:
    if not _NAMING.search(text):
        return
    for kind, pattern, is_one in (("password", _PAIR_ALWAYS, _given), ("secret", _PAIR_IF_RANDOM, _random)):
        for found in pattern.finditer(text):
            group = "quoted" if found["quoted"] is not None else "bare"
            if is_one(found[group]):
                yield _Candidate(found.start(group), found.end(group), kind)


_FINDERS: Final[tuple[Callable[[str], Iterator[_Candidate]], ...]] = (
    _provider_formats,
    _web_tokens,
    _private_keys,
    _headers,
    _url_credentials,
    _named,
)


def find(text: str) -> tuple[Credential, ...]:
    """The credentials in a text, in order, none of which overlaps another."""
    if len(text) < 4:
        return ()
    apart: list[Credential] = []
    for start, end, kind, word in sorted((one for finder in _FINDERS for one in finder(text)), key=lambda one: (one.start, -one.end)):
        covered = apart[-1].end if apart else -1
        if word and start > covered and not _begins_word(text, start):
            continue
        if start >= covered:
            apart.append(Credential(start, end, kind))
        elif end > covered:
            apart[-1] = apart[-1]._replace(end=end)
    return tuple(apart)


_find_short = functools.lru_cache(maxsize=8192)(find)
"""Names and ids come again and again."""


def mask(text: str) -> str:
    """The text with what it is called in the place of each credential."""
    if len(text) < _SHORTEST_FORMAT and text.isalnum():
        return text
    found = _find_short(text) if len(text) <= _SHORT else find(text)
    if not found:
        return text
    parts, position = [], 0
    for start, end, kind in found:
        parts += [text[position:start], f"[masked {kind}]"]
        position = end
    return "".join([*parts, text[position:]])


def masked(value: object) -> object:
    """The same JSON value with each credential masked, in keys too, and with every text that its key calls a credential."""
    return _masked(value, 0)


def _masked(value: object, depth: int) -> object:
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, (dict, list, tuple)) and depth >= MAX_DEPTH:
        return TOO_DEEP
    if isinstance(value, dict):
        result: dict[object, object] = {}
        for key, item in value.items():
            shown = mask(key) if isinstance(key, str) else key
            while shown in result:
                shown = f"{shown}'"
            result[shown] = _member(key, item, depth)
        return result
    return [_masked(item, depth + 1) for item in value] if isinstance(value, (list, tuple)) else value


def _member(key: object, item: object, depth: int) -> object:
    if isinstance(key, str) and isinstance(item, str) and item:
        kind = _called(key) if len(key) <= _SHORT else None
        if kind is not None and (_given(item) if kind == "password" else _random(item)):
            return f"[masked {kind}]"
    return _masked(item, depth + 1)


@functools.lru_cache(maxsize=4096)
def _called(name: str) -> str | None:
    """What kind of credential a name calls its value; None: none."""
    if _MEMBER_ALWAYS.fullmatch(name):
        return "password"
    return "secret" if _MEMBER_IF_RANDOM.fullmatch(name) else None
