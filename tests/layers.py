"""How the package is built: which module stands above which, and who may import what from outside.

`tests/test_layers.py` holds the source to it; README.md shows the same order to a reader.
"""

from __future__ import annotations

LAYERS: tuple[frozenset[str], ...] = (
    frozenset({"credentials", "identity_cache", "model", "nested_json", "paths", "regex", "schemas"}),
    frozenset({"compare"}),
    frozenset({"matchers"}),
    frozenset({"align", "expected", "rules"}),
    frozenset({"metrics", "score"}),
    frozenset({"policy"}),
    frozenset({"engine"}),
    frozenset({"dialects", "emit", "messages", "semconv", "settings", "spans"}),
    frozenset({"assemble", "assembly"}),
    frozenset({"otlp", "reports"}),
    frozenset({"behaviour", "calls_in", "evaluation", "forbidden_in", "one_call", "results"}),
    frozenset({"autoinstrument", "live", "policy_tests", "processor", "pytest_plugin"}),
    frozenset({"cli"}),
    frozenset({"__init__", "__main__"}),
)
"""Lowest first. A module imports from its own layer and from those below it."""

PURE = frozenset().union(*LAYERS[:7], *LAYERS[8:9]) - {"policy"} | {"dialects", "emit", "messages", "semconv", "spans"}
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
    "jsonschema_rs": ("schemas",),
    "google.protobuf": ("otlp",),
    "opentelemetry.proto": ("otlp",),
    "opentelemetry": ("otlp.sdk", "autoinstrument", "live", "processor", "pytest_plugin"),
    "pytest": ("pytest_plugin",),
}
"""Third-party package -> where it may be imported (`""`: anywhere). What is not named here is not a dependency."""

LONG: dict[str, str] = {}
"""Modules over 400 lines, with the reason why they are not split."""
