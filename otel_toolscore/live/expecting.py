"""`with expecting("refund"):` - the code around a run says what the run should do."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, Protocol

from opentelemetry import context as otel_context
from opentelemetry.context import Context

from otel_toolscore.policy.records import Policy

KEY: Final = otel_context.create_key("toolscore-expecting")


class Expected(Protocol):
    """What scores by a policy."""

    policy: Policy | None


EXPECTED_BY: Final[weakref.WeakSet[Expected]] = weakref.WeakSet()
"""The processors whose policies can be meant."""


_used: list[bool] = []
"""Not empty once something was expected; until then no span looks for it."""


def expected_in(context: Context | None) -> tuple[str, ...]:
    """The expectations that are named around, outermost first; None is the current context."""
    if not _used:
        return ()
    names = otel_context.get_value(KEY, context)
    return names if isinstance(names, tuple) else ()


@contextmanager
def expecting(expectation_id: str) -> Iterator[None]:
    """Scores the runs that start inside by this expectation of the policy, whatever its `when` selects.

    It is asked of the topmost scopes that start inside, also those that other tasks start there. Raises LookupError where
    there are running processors and no policy of theirs has such an expectation.
    """
    policies = [each.policy for each in list(EXPECTED_BY) if each.policy is not None]
    known = sorted({expectation.id for policy in policies for expectation in policy.expectations})
    if policies and expectation_id not in known:
        raise LookupError(f"no policy in force has the expectation {expectation_id!r}; there are {', '.join(known) or 'none'}")
    _used[:] = [True]
    token = otel_context.attach(otel_context.set_value(KEY, (*expected_in(None), expectation_id)))
    try:
        yield
    finally:
        otel_context.detach(token)
