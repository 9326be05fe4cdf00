"""A policy file's bytes become one document, or a fault with its place."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
import yaml

from otel_toolscore.policy import yaml_text
from otel_toolscore.policy.entries import LARGEST_FILE, Limits
from otel_toolscore.policy.faults import Faults
from otel_toolscore.policy.nodes import MapNode, Node, ScalarNode, plain
from otel_toolscore.policy.scalars import exact, scalar
from otel_toolscore.policy.source import read_document

PARSERS = [yaml.SafeLoader, *([yaml.CSafeLoader] if hasattr(yaml, "CSafeLoader") else [])]


def document(text: str | bytes, name: str = "p.yaml") -> object:
    faults = Faults(name)
    node = read_document(text.encode() if isinstance(text, str) else text, faults)
    assert faults.found == []
    assert node is not None
    return plain(node)


def faults_of(text: str | bytes, name: str = "p.yaml") -> list[str]:
    faults = Faults(name)
    read_document(text.encode() if isinstance(text, str) else text, faults)
    return [str(fault) for fault in faults.found]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *((word, word) for word in ("NO", "no", "yes", "Yes", "on", "off", "y", "n", "1_000", "12:30:45", "2027-01-31")),
        *((word, word) for word in ("0b11", "1e", "+", "nan", "NaN", "Infinity")),
        *((word, None) for word in ("null", "Null", "NULL", "~", "")),
        *((word, True) for word in ("true", "True", "TRUE")),
        *((word, False) for word in ("false", "False", "FALSE")),
        ("tRUE", "tRUE"),
        ("017", 17),
        ("-12", -12),
        ("+12", 12),
        ("0o14", 12),
        ("0x1F", 31),
        ("0X1F", "0X1F"),
        ("-0x1F", "-0x1F"),
        ("123456789012345678901234567890", 123456789012345678901234567890),
        ("1.", 1.0),
        (".5", 0.5),
        ("-1.5e3", -1500.0),
        ("1e3", 1000.0),
        (".inf", math.inf),
        ("-.INF", -math.inf),
        ("+.Inf", math.inf),
    ],
)
def test_scalars_are_those_of_yaml_1_2(text: str, value: object) -> None:
    """An unquoted word is null, a boolean or a number only where the core schema of YAML 1.2 says so."""
    assert scalar(text) == value
    assert type(scalar(text)) is type(value)


def test_nan_is_a_number() -> None:
    """`.nan` is not text."""
    assert math.isnan(scalar(".NaN"))


def test_numbers_are_exact() -> None:
    """A number is the one that is written, not the nearest float."""
    assert exact("0.1") == Fraction(1, 10)
    assert exact("1e-3") == Fraction(1, 1000)
    assert exact("0x10") == 16
    assert exact(".inf") is None
    assert exact("ten") is None


@pytest.mark.parametrize("parser", PARSERS)
def test_places_count_from_one_and_in_characters(parser: type) -> None:
    """A place is line and column as an editor shows them."""
    faults = Faults("p.yaml")
    node = yaml_text.parse("ä: 1\nb:\n  - 'x'\n  - {é: y}\n", faults, Limits(), loader=parser)
    assert isinstance(node, MapNode)
    items = node.get("b")
    assert [(item.line, item.column) for item in items.items] == [(3, 5), (4, 5)]
    assert [(key.line, key.column) for key, _ in node.pairs] == [(1, 1), (2, 1)]


def test_both_yaml_parsers_read_the_same() -> None:
    """It makes no difference whether PyYAML was built with its parser in C."""
    text = "a: &x [1, 'two', \"\\u00e9\"]\nb: *x\nc: >-\n  folded\n  text\nd: {e: , f: null}\ng: |\n  block\n"
    trees = [yaml_text.parse(text, Faults("p"), Limits(), loader=parser) for parser in PARSERS]
    values = {repr(plain(tree)) for tree in trees if tree is not None}
    assert len(values) == 1


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("a: 1\nb: 2\na: 3\n", "p.yaml:3:1: duplicate key `a`: it stands at line 1 already"),
        ("a: &x {b: 1}\nc:\n  <<: *x\n", "p.yaml:3:3: merge key `<<`: merging is not read; write the keys out, or use `extends`"),
        ("1: a\n", "p.yaml:1:1: key `1` is not text: put it in quotes"),
        ("null: a\n", "p.yaml:1:1: key `null` is not text: put it in quotes"),
        ("[a]: b\n", "p.yaml:1:1: a key is text, not a list"),
        ("a: !!str 5\n", "p.yaml:1:4: tag `tag:yaml.org,2002:str`: tags are not read; text is put in quotes"),
        ("a: !secret x\n", "p.yaml:1:4: tag `!secret`: tags are not read; text is put in quotes"),
        ("a: 1\n---\nb: 2\n", "p.yaml:2:1: a second document: a policy is one document"),
        ("a: *x\n", "p.yaml:1:4: alias `*x` has no anchor before it"),
        ("a: &x [*x]\n", "p.yaml:1:8: alias `*x` stands inside its own anchor"),
        ("a: 1e999\n", "p.yaml:1:4: a number that is out of range; infinity is written .inf"),
        ("a: 1e-999\n", "p.yaml:1:4: a number that is out of range; infinity is written .inf"),
        ("a: 1e999999\n", "p.yaml:1:4: a number whose exponent is out of range"),
        (f"a: {'9' * 4000}\n", "p.yaml:1:4: a number of more than 3500 digits; put it in quotes if it is text"),
        ("a: \x01\n", "p.yaml:1:4: character U+0001 cannot stand here as it is; write it as an escape in double quotes"),
        ("a: x\nb: y\u2028z\n", "p.yaml:2:5: character U+2028 cannot stand here as it is; write it as an escape in double quotes"),
        ("", "p.yaml:1:1: the file is empty; expected a mapping that begins with `version: 1`"),
        ("# only a comment\n", "p.yaml:1:1: the file is empty; expected a mapping that begins with `version: 1`"),
        (b"a: 1\nb: \xff\n", "p.yaml:2:4: not UTF-8: byte 0xff"),
        ("a: 1".encode("utf-16"), "p.yaml:1:1: not UTF-8 but UTF-16; save the file as UTF-8"),
        (b" " * (LARGEST_FILE + 1), "p.yaml: too big: more than 8 MiB"),
    ],
)
def test_what_is_not_read(text: str | bytes, fault: str) -> None:
    """What YAML allows and people misread is refused with its place, and so is what is no YAML."""
    assert faults_of(text) == [fault]


@pytest.mark.parametrize(
    ("text", "place"),
    [("a: [1, 2", "p.yaml:"), ("a: 'x", "p.yaml:"), ("a:\n\t- b\n", "p.yaml:2:1:"), ("a: b: c", "p.yaml:1:5:"), ('a: "\\q"', "p.yaml:1:")],
)
def test_broken_yaml_has_a_place(text: str, place: str) -> None:
    """A syntax error is one fault, at its place."""
    (fault,) = faults_of(text)
    assert fault.startswith(place)
    assert "not YAML" in fault


def test_another_version_of_yaml_is_refused() -> None:
    """A file that asks for YAML 1.1 would mean other values; one that asks for 1.2 gets it."""
    (fault,) = faults_of("%YAML 1.1\n---\na: NO\n")
    assert fault.endswith("`%YAML`: policies are YAML 1.2")
    assert document("%YAML 1.2\n---\na: NO\n") == {"a": "NO"}


def test_every_fault_of_a_document_is_noted() -> None:
    """Reading goes on after a fault that hides nothing."""
    assert faults_of("a: 1\na: 2\n2: x\n<<: {}\n!!x b: 1e999\n") == [
        "p.yaml:2:1: duplicate key `a`: it stands at line 1 already",
        "p.yaml:3:1: key `2` is not text: put it in quotes",
        "p.yaml:4:1: merge key `<<`: merging is not read; write the keys out, or use `extends`",
        "p.yaml:5:1: tag `tag:yaml.org,2002:x`: tags are not read; text is put in quotes",
        "p.yaml:5:8: a number that is out of range; infinity is written .inf",
    ]


def test_aliases_repeat_what_is_anchored() -> None:
    """An alias is the value of its anchor; a quoted `<<` is a key."""
    assert document("a: &x [1, {b: c}]\nd: *x\n'<<': e\n") == {"a": [1, {"b": "c"}], "d": [1, {"b": "c"}], "<<": "e"}


def test_aliases_do_not_explode() -> None:
    """A few lines that mean billions of values are refused quickly."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]" for level in range(1, 12)]
    (fault,) = faults_of("\n".join(lines))
    assert "aliases repeat more than 100000 values" in fault


@pytest.mark.parametrize("name", ["p.yaml", "p.json"])
def test_nesting_is_bounded(name: str) -> None:
    """A document that nests too deeply is refused, with the place."""
    (fault,) = faults_of("[" * 5000 + "]" * 5000, name)
    assert fault == f"{name}:1:65: nested more than 64 levels deep"


def test_nesting_through_aliases_is_bounded() -> None:
    """Aliases do not lead deeper than brackets may."""
    text = "a: &a " + "[" * 40 + "x" + "]" * 40 + "\nb: " + "[" * 40 + "*a" + "]" * 40
    (fault,) = faults_of(text)
    assert fault.endswith("nested more than 64 levels deep")


def test_json_is_read() -> None:
    """JSON with tabs, escapes and long keys is read as JSON has it, whatever the file is called."""
    text = '{\n\t"a":\t[1, -2.5e3, true, null, "\\ud83d\\ude00\\/\\n"],\n\t"' + "k" * 2000 + '": "NO\u2028\x7f"\n}'
    assert document(text) == {"a": [1, -2500.0, True, None, "\U0001f600/\n"], "k" * 2000: "NO\u2028\x7f"}
    assert document(text, "p.json") == document(text)


def test_a_flow_mapping_is_not_taken_for_json() -> None:
    """YAML that begins with a brace is read as YAML."""
    assert document("{version: 1, rules: []}") == {"version": 1, "rules": []}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('{"a": 1,}', "p.json:1:9: not JSON: expected text in double quotes, with control characters escaped"),
        ('{"a" 1}', "p.json:1:6: not JSON: expected `:`"),
        ('{"a": 1 "b": 2}', "p.json:1:9: not JSON: expected `,` or `}`"),
        ('["a"\n "b"]', "p.json:2:2: not JSON: expected `,` or `]`"),
        ('{"a": NaN}', "p.json:1:7: not JSON: expected a value"),
        ('{"a": 01}', "p.json:1:8: not JSON: expected `,` or `}`"),
        ("{}\n{}", "p.json:2:1: not JSON: expected the end of the file after the document"),
        ("a: 1", "p.json:1:1: not JSON: expected a value"),
        ('{"a": 1, "a": 2}', "p.json:1:10: duplicate key `a`: it stands at line 1 already"),
        ('{"a": 1e999}', "p.json:1:7: a number that is out of range; infinity is written .inf"),
        ('{"a": "\\ud83d"}', "p.json:1:7: half of a surrogate pair: not a character"),
    ],
)
def test_faults_of_json(text: str, fault: str) -> None:
    """JSON is refused with its place and what was expected there."""
    assert faults_of(text, "p.json") == [fault]


def test_a_byte_order_mark_is_no_fault() -> None:
    """A UTF-8 file may begin with a byte order mark."""
    assert document(b"\xef\xbb\xbfa: 1\n") == {"a": 1}


def test_an_empty_value_is_told_from_null() -> None:
    """Nothing written is not the same as null written."""
    node: Node | None = read_document(b"a:\nb: null\nc: ~\nd: ''\n", Faults("p.yaml"))
    assert isinstance(node, MapNode)
    assert [value.empty for _, value in node.pairs if isinstance(value, ScalarNode)] == [True, False, False, False]
