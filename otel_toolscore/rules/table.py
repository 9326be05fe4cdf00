"""RULES: how each constraint judges."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from otel_toolscore.rules.arguments import ValidArguments, ValidArgumentsJudge
from otel_toolscore.rules.forbid import Allow, AllowJudge, Forbid, ForbidJudge, Require
from otel_toolscore.rules.history import OnHistory
from otel_toolscore.rules.judge import OnCall
from otel_toolscore.rules.limits import Limit, LimitJudge, Repeats, RepeatsJudge
from otel_toolscore.rules.order import Before, BeforeJudge, NeverAfter, NeverAfterJudge


class Family(NamedTuple):
    """What a constraint is judged by. One that has neither judges scopes (`forbid.judge_require`)."""

    on_call: Callable[[Any], OnCall] | None = None
    on_history: Callable[[Any], OnHistory] | None = None


RULES: Final[Mapping[type, Family]] = {
    Forbid: Family(on_call=ForbidJudge),
    Allow: Family(on_call=AllowJudge),
    Require: Family(),
    Before: Family(on_history=BeforeJudge),
    NeverAfter: Family(on_history=NeverAfterJudge),
    Limit: Family(on_history=LimitJudge),
    Repeats: Family(on_history=RepeatsJudge),
    ValidArguments: Family(on_call=ValidArgumentsJudge),
}
"""Constraint -> its family."""
