"""valid_arguments: calls whose arguments their JSON Schema refuses."""

from __future__ import annotations

import msgspec

from otel_toolscore.rules.pattern import Pattern


class ValidArguments(msgspec.Struct, frozen=True):
    """Violated when the arguments do not validate; silent where there is no schema."""

    call: Pattern
