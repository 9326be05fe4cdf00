"""Policies that build on other policies."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from otel_toolscore.policy import RECOMMENDED, Policy, PolicyError, Tool, discover, load
from otel_toolscore.policy.files import read_file


def read(**files: str) -> Callable[[str], bytes]:
    """A reader of files that stand only here: `org_b` is org/b.yaml."""

    def reader(name: str) -> bytes:
        if name.startswith("toolscore:"):
            return read_file(name)
        key = name.replace("/", "_").replace(".yaml", "")
        if key not in files:
            raise FileNotFoundError(2, "No such file or directory")
        return files[key].encode()

    return reader


def policy(first: str = "p", **files: str) -> Policy:
    return load([f"{first}.yaml"], read=read(**files))


def refused(**files: str) -> list[str]:
    with pytest.raises(PolicyError) as caught:
        policy(**files)
    return [str(fault) for fault in caught.value.faults]


def test_later_rules_replace_earlier_ones_in_place() -> None:
    """An id that is known replaces the entry as a whole, where it stood; new ones come after."""
    found = policy(
        p="extends: [b.yaml]\nrules: [{id: two, forbid: z}, {id: four, forbid: d}]",
        b="rules: [{id: one, forbid: a}, {id: two, severity: low, message: m, forbid: b}, {id: three, forbid: c}]",
    )
    assert [(rule.id, rule.severity, rule.message, rule.where) for rule in found.rules] == [
        ("one", "high", None, "b.yaml:1:9"),
        ("two", "high", None, "p.yaml:2:9"),
        ("three", "high", None, "b.yaml:1:80"),
        ("four", "high", None, "p.yaml:2:31"),
    ]
    assert found.sources == ("b.yaml", "p.yaml")


def test_scalars_are_overridden_and_lists_concatenated() -> None:
    """The later scalar holds, even where it is the default; tools are merged key by key; spans add up."""
    span = "spans: [{match: {attributes: {k: %s}}, call: {tool: t}}]"
    found = policy(
        p="extends: [a.yaml, b.yaml]\nfail_on: low\ntools: {x: {server: s2}, z: {}}\n" + span % "p",
        a="fail_on: high\nruns: trace\ntools: {x: {server: s1, parameters: {type: object}}}\n" + span % "a",
        b="fail_on: critical\n" + span % "b",
    )
    assert (found.fail_on, found.runs) == ("low", "trace")
    assert found.tools == {"x": Tool(server="s2", parameters={"type": "object"}), "z": Tool()}
    assert [mapping.attributes[0][1].spelled() for mapping in found.spans] == [{"$eq": "a"}, {"$eq": "b"}, {"$eq": "p"}]
    assert found.sources == ("a.yaml", "b.yaml", "p.yaml")


def test_paths_are_relative_to_the_file_that_names_them() -> None:
    """`extends` in another folder is looked for from there."""
    found = policy(p="extends: org/b.yaml", org_b="extends: [c.yaml]\nrules: []", org_c="rules: [{id: r, forbid: a}]")
    assert found.sources == ("org/c.yaml", "org/b.yaml", "p.yaml")


def test_a_file_that_is_reached_twice_is_applied_once() -> None:
    """What two files build on does not come back after what stands between them."""
    found = policy(
        p="extends: [a.yaml, b.yaml]",
        a="extends: [c.yaml]\nfail_on: high",
        b="extends: ['./c.yaml']",
        c="fail_on: medium\nspans: [{match: {attributes: {k: v}}, call: {tool: t}}]",
    )
    assert found.fail_on == "high"
    assert len(found.spans) == 1


def test_a_cycle_is_refused_with_its_chain() -> None:
    """A policy that comes back to itself names every file on the way."""
    assert refused(p="extends: [a.yaml]", a="rules: []\nextends: [b.yaml]", b="extends:\n  - p.yaml") == [
        "b.yaml:2:5: `extends` `p.yaml`: `extends` comes back to where it was: p.yaml -> a.yaml -> b.yaml -> p.yaml"
    ]


def test_what_cannot_be_read_is_told_where_it_is_named() -> None:
    """A missing file is a fault of the line that names it; an unknown built-in gets a suggestion."""
    missing, unknown = refused(p="extends: [a.yaml, 'toolscore:recomended']")
    assert missing == "p.yaml:1:11: `extends` `a.yaml`: cannot be read: No such file or directory"
    assert unknown == (
        "p.yaml:1:19: `extends` `toolscore:recomended`: there is no such built-in policy;"
        " did you mean `toolscore:recommended`? (there is toolscore:recommended)"
    )


def test_faults_of_all_files_are_told_at_once() -> None:
    """A fault in one file hides none in another."""
    assert refused(p="extends: [a.yaml]\nruns: all", a="fail_on: never") == [
        "a.yaml:1:10: `fail_on`: expected low, medium, high or critical, found `never`",
        "p.yaml:2:7: `runs`: expected agent or trace, found `all`",
    ]


def test_several_policies_are_applied_in_order() -> None:
    """Naming several is as if one file extended them all."""
    files = {"a": "rules: [{id: r, forbid: x}]\nfail_on: high", "b": "extends: [a.yaml]\nrules: [{id: r, forbid: y}]"}
    both = load(["a.yaml", "b.yaml"], read=read(**files))
    assert both.digest == load(["p.yaml"], read=read(p="extends: [a.yaml, b.yaml]", **files)).digest
    assert both.sources == ("a.yaml", "b.yaml")
    assert len(both.rules) == 1


def test_no_policy_at_all_is_empty() -> None:
    """Without any file there is nothing to ask."""
    assert load([]).rules == ()


def test_files_on_disk(tmp_path: Path) -> None:
    """Files are read, and what cannot be read has a reason and no place in it."""
    (tmp_path / "base.yaml").write_text("rules: [{id: r, forbid: a}]")
    (tmp_path / "p.yaml").write_text(f"extends: [base.yaml, '{RECOMMENDED}']")
    found = load([tmp_path / "p.yaml"])
    assert found.sources == (str(tmp_path / "base.yaml"), RECOMMENDED, str(tmp_path / "p.yaml"))
    for name, reason in (("none.yaml", "No such file or directory"), (".", "Is a directory"), ("a\0b", "ValueError")):
        with pytest.raises(PolicyError, match=reason):
            load([f"{tmp_path}/{name}"])


def test_the_nearest_policy_is_found(tmp_path: Path) -> None:
    """`toolscore.yaml` is looked for in a folder and those above it."""
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    assert not (discover(below) or "").startswith(str(tmp_path))
    (tmp_path / "toolscore.yaml").write_text("version: 1")
    assert discover(below) == str(tmp_path / "toolscore.yaml")
    (tmp_path / "a" / "toolscore.yaml").write_text("version: 1")
    assert discover(below) == str(tmp_path / "a" / "toolscore.yaml")
