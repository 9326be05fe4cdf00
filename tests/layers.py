"""How the package is built: which module stands above which, and who may import what from outside.

`tests/test_layers.py` holds the source to it; README.md shows the same order to a reader.
"""

from __future__ import annotations

LAYERS: tuple[frozenset[str], ...] = (
    frozenset({"model", "paths", "credentials", "regex"}),
    frozenset({"compare"}),
    frozenset({"matchers"}),
    frozenset({"expected", "align", "rules"}),
    frozenset({"metrics", "score"}),
    frozenset({"policy"}),
    frozenset({"engine"}),
    frozenset({"spans", "dialects", "assemble", "otlp", "reports", "emit", "settings"}),
    frozenset({"evaluate", "one_call", "telemetry"}),
    frozenset({"cli"}),
    frozenset({"__init__", "__main__"}),
)
"""Lowest first. A module imports from its own layer and from those below it."""

PURE = frozenset().union(*LAYERS[:7]) - {"policy"} | {"spans", "dialects", "assemble"}
"""What does no IO, reads no clock, starts no thread and logs nothing."""

NOT_IN_PURE = frozenset(
    {
        *("asyncio", "concurrent", "glob", "http", "importlib.resources", "io", "logging", "multiprocessing", "os", "pathlib", "queue"),
        *("random", "secrets", "select", "shutil", "signal", "socket", "sqlite3", "subprocess", "sys", "tempfile", "threading", "time"),
        *("urllib.request", "uuid", "warnings", "opentelemetry"),
    }
)
"""Modules that a pure module does not import."""

CONFINED: dict[str, tuple[str, ...]] = {
    "msgspec": ("",),
    "yaml": ("policy",),
    "click": ("cli",),
    "rich": ("cli", "reports.table"),
    "re2": ("regex",),
    "rapidfuzz": ("metrics",),
    "jsonschema_rs": ("schema",),
    "google.protobuf": ("otlp",),
    "opentelemetry": ("otlp", "telemetry"),
}
"""Third-party package -> where it may be imported (`""`: anywhere). What is not named here is not a dependency."""

LONG: dict[str, str] = {}
"""Modules over 400 lines, with the reason why they are not split."""
