"""Conditions on values: Python objects and their `$` spelling.

A matcher is tested in one of two polarities. Where a fit *accuses* (a `forbid` rule), every plausible reading of a value
counts, so that nothing slips through; where a fit *clears* (an `allow` rule, an expected argument), only the value as it
was recorded does, so that nothing is excused by guesswork. `$not` turns the polarity. Answers are True, False, or None:
unknown. `leniency` says how values are read, `literals.literal_truth` how they are compared.
"""

from otel_toolscore.compare import NO_ATTRIBUTES, Attributes, Matcher
from otel_toolscore.matchers.asked import attributes_asked
from otel_toolscore.matchers.date import Date
from otel_toolscore.matchers.faults import Fault, MatcherError
from otel_toolscore.matchers.host_in import HostIn
from otel_toolscore.matchers.literals import Attr, Eq, Literal, OneOf, Unordered
from otel_toolscore.matchers.logic import ANY, All, AllOf, AnyOf, AnyValue, Exists, IsType, Len, Not, Some
from otel_toolscore.matchers.numbers import Approx, Gt, Gte, Lt, Lte
from otel_toolscore.matchers.path_under import PathUnder
from otel_toolscore.matchers.search import costly, test_anywhere, test_at, test_text
from otel_toolscore.matchers.spelling import OPERATORS, Operator, build, build_expected, json_schema
from otel_toolscore.matchers.text import Contains, FullMatch, Glob, IgnoreCase, Regex
from otel_toolscore.matchers.truth import every, negated, some

__all__ = [
    "ANY",
    "NO_ATTRIBUTES",
    "OPERATORS",
    "All",
    "AllOf",
    "AnyOf",
    "AnyValue",
    "Approx",
    "Attr",
    "Attributes",
    "Contains",
    "Date",
    "Eq",
    "Exists",
    "Fault",
    "FullMatch",
    "Glob",
    "Gt",
    "Gte",
    "HostIn",
    "IgnoreCase",
    "IsType",
    "Len",
    "Literal",
    "Lt",
    "Lte",
    "Matcher",
    "MatcherError",
    "Not",
    "OneOf",
    "Operator",
    "PathUnder",
    "Regex",
    "Some",
    "Unordered",
    "attributes_asked",
    "build",
    "build_expected",
    "costly",
    "every",
    "json_schema",
    "negated",
    "some",
    "test_anywhere",
    "test_at",
    "test_text",
]
