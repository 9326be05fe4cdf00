"""Credentials are found by their published formats and by their names; what only looks random is left alone.

Every example is put together from pieces, so that no text in this file has the format of a credential.
"""

from __future__ import annotations

import base64
import json
import time
import urllib.parse

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_toolscore.credentials import MAX_DEPTH, TOO_DEEP, find, mask, masked

A = "aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA"
HEX = "0123456789abcdef"
JWT_HEAD = "ey" + base64.urlsafe_b64encode(b'{"alg":"HS256"}').decode().rstrip("=")[2:]
JWT_BODY = "ey" + base64.urlsafe_b64encode(b'{"sub":"1234567890"}').decode().rstrip("=")[2:]

CREDENTIALS = {
    "AWS access key": "AK" + "IAIOSFODNN7EXAMPLE",
    "AWS temporary key": "AS" + "IAIOSFODNN7EXAMPLE",
    "GitHub token": "gh" + "p_" + (A * 2)[:36],
    "GitHub fine-grained": "github" + "_pat_" + A + "_" + A,
    "GitLab": "glp" + "at-" + A[:20],
    "Slack bot": "xo" + "xb-1234567890-" + A[:24],
    "Slack app": "xa" + "pp-1-A0123456789-1234567890-" + HEX,
    "Slack webhook": "https://hooks.sl" + "ack.com/services/T00000000/B00000000/" + A[:24],
    "Stripe": "sk_" + "live_" + A[:24],
    "Stripe restricted": "rk_" + "test_" + A[:24],
    "OpenAI project": "sk-" + "proj-" + A + A,
    "OpenAI": "sk-" + (A * 2)[:48],
    "Anthropic": "sk-" + "ant-api03-" + A + A,
    "OpenRouter": "sk-" + "or-v1-" + HEX * 4,
    "Google API": "AI" + "za" + (A * 2)[:35],
    "Google OAuth": "GOC" + "SPX-" + A[:28],
    "Google access": "ya" + "29." + A + A,
    "Hugging Face": "hf" + "_" + (A * 2)[:34],
    "Groq": "gs" + "k_" + (A * 2)[:52],
    "npm": "np" + "m_" + (A * 2)[:36],
    "PyPI": "pyp" + "i-AgE" + A * 2,
    "DigitalOcean": "do" + "p_v1_" + HEX * 4,
    "Vault": "hv" + "s." + A[:24],
    "SendGrid": "SG" + "." + A[:22] + "." + (A * 2)[:43],
    "Twilio": "S" + "K" + HEX * 2,
    "Shopify": "shp" + "at_" + HEX * 2,
    "Databricks": "dap" + "i" + HEX * 2,
    "Telegram": "123456789:" + "AA" + (A * 2)[:33],
    "Azure storage": "Account" + "Key=" + (A * 3)[:86] + "==",
    "Azure client secret": A[:3] + "8" + "Q~" + A[:32],
    "JSON web token": f"{JWT_HEAD}.{JWT_BODY}.{A}",
    "unsigned JSON web token": f"{JWT_HEAD}.{JWT_BODY}.",
    "encrypted JSON web token": ".".join([JWT_HEAD, A, A, A, A]),
    "private key": "-----BEGIN RSA PRIV" + "ATE KEY-----\nMIIE" + A + "\n-----END RSA PRIV" + "ATE KEY-----",
    "OpenSSH key": "-----BEGIN OPENSSH PRIV" + "ATE KEY-----\nb3Bl" + A + "\n-----END OPENSSH PRIV" + "ATE KEY-----",
    "PGP key": "-----BEGIN PGP PRIV" + "ATE KEY BLOCK-----\n\nlQ" + A + "\n-----END PGP PRIV" + "ATE KEY BLOCK-----",
    "cut private key": "-----BEGIN PRIV" + "ATE KEY-----\nMIIE" + A,
}
SURROUNDINGS = ["{}", "key is {} and more", '"{}"', "['{}']", "a={};b=c", "line\\n{}\\nline", "https://x.test/?k={}&b=c", "%20{}"]


@pytest.mark.parametrize("surrounding", SURROUNDINGS)
@pytest.mark.parametrize("name", CREDENTIALS)
def test_published_formats_are_masked(name: str, surrounding: str) -> None:
    """Nothing of a credential is left, whatever stands around it."""
    if "{}&" in surrounding and "://" in CREDENTIALS[name]:
        return
    text = mask(surrounding.format(CREDENTIALS[name]))
    assert CREDENTIALS[name] not in text
    assert "[masked " in text
    assert not any(
        CREDENTIALS[name][at : at + 12] in text for at in range(12, len(CREDENTIALS[name]) - 12) if "://" not in CREDENTIALS[name]
    )


PAIRS = [
    ("password=", "hunter2", ""),
    ("PGPASSWORD=", "hunter2", " psql"),
    ("password: ", "hunter2", "\nuser: ada"),
    ('{"password": "', "correct horse", '"}'),
    ('{\\"password\\": \\"', "hunter2", '\\"}'),
    ("{'passwd': '", "hunter2", "'}"),
    ("Server=db;Uid=sa;Pwd=", "hunter2", ";"),
    ("api_key=", "d41d8cd98f00b204", "&x=1"),
    ("x-api-key: ", "abc123def456", ""),
    ('"apiKey":"', "abc123def456", '"'),
    ("aws_secret_access_key = ", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", ""),
    ("client_secret=", "Zz9Yy8Xx7Ww6", ""),
    ("access_token=", "abc123def456", ""),
    ("Authorization: Bearer ", "abc123.def-456", "\r\n"),
    ("authorization: token ", "abc123def456", ""),
    ("Authorization: ", "abc123def456", ""),
    ("curl -H 'Authorization: Basic ", base64.b64encode(b"ada:lovelace").decode(), "' x"),
    ("\\nBearer ", "abc123.def-456", ""),
    ("postgresql://ada:", "hunter2", "@db.test:5432/x"),
    ("https://:", "hunter2", "@example.test/"),
    ("redis://default:", "p%40ss", "@cache:6379"),
]


@pytest.mark.parametrize(("before", "secret", "after"), PAIRS)
def test_what_its_name_calls_a_credential_is_masked(before: str, secret: str, after: str) -> None:
    """The value is masked, its name and what follows it stay."""
    text = mask(before + secret + after)
    assert secret not in text
    assert text.startswith(before[:-8])
    assert text.endswith(after)


BENIGN = [
    "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
    "da39a3ee5e6b4b0d3255bfef95601890afd80709",
    "d41d8cd98f00b204e9800998ecf8427e",
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "registry.test/app@sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "data:image/png;base64," + base64.b64encode(bytes(range(256)) * 4).decode(),
    base64.b64encode(bytes(range(256)) * 40).decode(),
    "toolu_01A09q90qw90lq917835lq9",
    "call_s6F0eFD5axqDZTStwEzNBOBw",
    "chatcmpl-" + A,
    "resp_0199dc379c066a05006a7f4274638887d2a73b90ef4ec3abf9",
    "tooluse_ThYFd3WOkO59ZUHC77SIdX",
    "01HF8ZQJ5T3N7V8W9X0Y1Z2A3B",
    "4111 1111 1111 1111",
    "sk-learn and sk-image are libraries",
    "pk_" + "live_" + A[:24],
    "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
    "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
    "max_tokens=150, total_tokens: 12345678",
    "the token was refused",
    "bearer authentication is needed",
    "basic training takes long",
    "password=***",
    "password: <redacted>",
    "password=${DB_PASSWORD}",
    "api_key: required",
    "secret: santa",
    "PWD=/home/ada/project",
    "http://example.test:8080/path?at=12:30@noon",
    "mailto:ada@example.test",
    "git@github.test:org/repo.git",
    "ssh://git@github.test:22/org/repo",
    "eyJ is how encoded JSON begins",
    "version 1.2.3.4",
    "AKIA is a prefix; AKIAI too",
    "xoxo, yours",
    "",
]


@pytest.mark.parametrize("text", BENIGN)
def test_benign_twins_are_left_alone(text: str) -> None:
    """Ids, hashes, images, words and placeholders are no credentials."""
    assert find(text) == ()
    assert mask(text) == text
    assert masked({"value": text, "id": [text]}) == {"value": text, "id": [text]}


def test_values_are_masked_at_any_depth() -> None:
    """Texts in lists and objects are masked, and so are keys; other types stay."""
    key = CREDENTIALS["AWS access key"]
    given = {"a": [{"b": f"x {key}"}], key: 1, "n": [1, 2.5, True, None]}
    assert masked(given) == {"a": [{"b": "x [masked AWS access key]"}], "[masked AWS access key]": 1, "n": [1, 2.5, True, None]}


def test_two_masked_keys_stay_two() -> None:
    """No member is lost where two keys are masked to the same text."""
    first, second = CREDENTIALS["AWS access key"], "AK" + "IA" + "Z" * 16
    assert list(masked({first: 1, second: 2}).values()) == [1, 2]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "name", ["password", "Password", "db_password", "user-passwd", "apiKey", "x-api-key", "access_token", "token", "client_secret"]
)
def test_members_that_their_name_calls_a_credential(name: str) -> None:
    """A text under such a name is masked whole; a number, a list of words and a placeholder are not."""
    assert masked({name: "hunter2 is 4 me"}) in ({name: "[masked password]"}, {name: "[masked secret]"})
    given = {name: 5, "o": {name: ["a"]}, "p": {name: "<hidden>"}}
    assert masked(given) == given


@pytest.mark.parametrize("name", ["next_page_token", "pageToken", "max_tokens", "password_hint", "primary_key", "secretary"])
def test_members_of_other_names(name: str) -> None:
    """Cursors, counts and the like are no credentials."""
    assert masked({name: "CAUQAA123456"}) == {name: "CAUQAA123456"}


def test_nesting_without_end() -> None:
    """What lies too deep to be masked is not shown."""
    value: object = CREDENTIALS["AWS access key"]
    for _ in range(MAX_DEPTH * 20):
        value = [value]
    text = json.dumps(masked(value))
    assert TOO_DEEP in text
    assert CREDENTIALS["AWS access key"] not in text


@given(
    st.lists(st.sampled_from([*CREDENTIALS.values(), *BENIGN, "password", "token"]), max_size=6),
    st.sampled_from([" ", "=", '"', "\n", ": ", "://", "@", ", ", "/", "&"]),
)
def test_masking_again_changes_nothing(texts: list[str], between: str) -> None:
    """What was masked holds no credential."""
    once = mask(between.join(texts))
    assert mask(once) == once


@given(st.text())
def test_findings_are_apart_and_in_order(text: str) -> None:
    """Findings lie inside the text and do not overlap."""
    found = find(text + "password=hunter2 " + text)
    edges = [edge for one in found for edge in (one.start, one.end)]
    assert edges == sorted(edges)


@pytest.mark.parametrize(
    "piece",
    [
        *("eyJ", "eyJ.", "sk-", "xoxb-", "AKIA", "://a:", "://", "password=", 'password="', "password='a", "\\\\\\\\", "bearer "),
        *("basic aaaaaaaa", "-----BEGIN PRIV" + "ATE KEY-----", "-----BEGIN ", "0", "a.", "Q~", "a-us1", "token: ", "api_key", "%3D"),
        *(":AA", "secret=>", "pypi-AgE"),
    ],
)
def test_time_is_linear(piece: str) -> None:
    """No repetition of the beginning of a credential stalls the search: twenty times the text takes no hundred times as long."""

    def seconds(size: int) -> float:
        text = piece * (size // len(piece)) + "é"
        began = time.process_time()
        find(text)
        return time.process_time() - began

    assert seconds(200_000) < 100 * max(min(seconds(10_000) for _ in range(3)), 0.002)


def test_a_query_keeps_its_other_members() -> None:
    """Only the value is taken out of a query."""
    query = urllib.parse.urlencode({"api_key": "abc123def456", "page": "2"})
    assert mask(query) == "api_key=[masked secret]&page=2"
