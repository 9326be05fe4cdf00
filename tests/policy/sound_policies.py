"""Sound policies to try things on: the examples, and one that uses every key."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent.parent.parent / "examples"
EXAMPLES = sorted(path for path in FOLDER.rglob("*.yaml") if not path.stem.endswith("_test"))
"""Policies and lists of calls; what ends in `_test` are tests of policies."""

EVERY_KEY = """
version: 1
extends: [toolscore:recommended]
runs: agent
fail_on: low
x-anything: [{a: 1}]
tools:
  pay: {server: bank, parameters: {type: object, properties: {amount: {type: number}}, required: [amount]}}
expectations:
  - id: every
    when: {agent: a*, workflow: [w], service: s, input: {$contains: refund}, attributes: {k: v, l: {$exists: true}}}
    include_subagents: true
    per: conversation
    order: any
    extra_calls: [get_*, {tool: list_*, outcome: ok}]
    min_score: 0.9
    required: true
    strict: true
    weights: {selection_accuracy: 1, argument_f1: 0.5, sequence_accuracy: 0, redundant_rate: 0, required_call_recall: 2}
    calls:
      - tool: pay
        server: bank
        args: {amount: {$gt: 0, $lte: 100}, to: [1, {$any: true}, {deep: {$regex: x}}], none: null}
        fields:
          amount: {abs_tol: 0.01, rel_tol: 0.001, numeric: true}
          'to[*].name': {ignore: true, case_insensitive: true, order_independent_list: true, default: {x: 1}}
        allow_extra_fields: true
        must: true
        outcome: any
        times: {min: 1, max: 3}
        reason: because
      - {tool: log, optional: true, args: {}}
      - any_of: [{tool: a, times: 2}, [{tool: b}, {group: [{tool: c}, {tool: d}]}]]
rules:
  - id: forbidden
    severity: critical
    message: m
    enforcement: shadow
    when: {agent: a}
    except: [{call: {tool: t, args: {x: 1}}, when: {service: s}, until: 2027-01-31, reason: r}]
    labels: {team: pay}
    runbook: https://wiki.example.com/r
    forbid:
      tool: [a, b*]
      server: s
      agent: [x]
      args: {'a.b[0]': {$not: {$one_of: [1, 2]}}, "['$x']": {$len: {$gt: 2}}}
      any_arg: {$any_of: [{$glob: '*x*'}, {$fullmatch: y}]}
      result: {'$.ok': {$type: [boolean, 'null']}}
      outcome: [ok, error]
      allow_extra_fields: false
  - {id: allowed, allow: [a, {tool: b, result: {$contains: x}}]}
  - {id: required, require: {tool: a, result: done}}
  - {id: before, before: {call: a, needs: b, same: {x: y}, once: true, per: agent}}
  - {id: after, never_after: {call: a, after: b, per: run}}
  - {id: limited, limit: {call: a, max: 1.5, within: 60s, by: x, sum: y.z, per: conversation}}
  - {id: repeated, repeats: {call: a, max: 3, per: run}}
  - {id: valid, valid_arguments: {call: a}}
spans:
  - {match: {attributes: {k: {$exists: true}}}, call: {tool: t, args: a, result: r, id: i}}
"""


def sound_texts() -> list[str]:
    """The texts of all whole policies."""
    texts = [path.read_text(encoding="utf-8") for path in EXAMPLES]
    return [*(text for text in texts if "\nversion:" in f"\n{text}"), EVERY_KEY]
