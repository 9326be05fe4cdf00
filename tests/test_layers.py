"""The structure of the package: imports point downwards, dependencies stay where they belong, modules stay small."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import layers
import pytest

PACKAGE = Path(__file__).parent.parent / "otel_toolscore"
TESTS = Path(__file__).parent
MAX_LINES = 400
NAMES_THAT_SAY_NOTHING = {"util", "utils", "common", "helper", "helpers", "core", "base", "manager", "managers", "misc"}


def modules() -> dict[str, ast.Module]:
    """Dotted name below the package (`rules.pattern`) -> its syntax tree; a package is named after its folder."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)
        found[name] = ast.parse(path.read_text(encoding="utf-8"))
    return found


MODULES = modules()


def imports(tree: ast.AST, *, typing_only: bool = True) -> Iterator[str]:
    """Dotted names of what is imported anywhere in the tree; with `typing_only` also what only type checkers see."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING") and not typing_only:
            yield from (name for other in node.orelse for name in imports(other, typing_only=False))
        else:
            yield from imports(node, typing_only=typing_only)


def inside(tree: ast.AST, *, typing_only: bool = True) -> set[str]:
    """The package's own modules among the imports, by their names below the package."""
    found = set()
    for name in imports(tree, typing_only=typing_only):
        if name == "otel_toolscore" or name.startswith("otel_toolscore."):
            below = name.removeprefix("otel_toolscore").removeprefix(".")
            while below and below not in MODULES:
                below = below.rpartition(".")[0]
            found.add(below or "__init__")
    return found


def layer(module: str) -> int:
    top = module.partition(".")[0]
    return next(rank for rank, names in enumerate(layers.LAYERS) if top in names)


def within(module: str, places: tuple[str, ...]) -> bool:
    return any(place in ("", module) or module.startswith(place + ".") for place in places)


def test_every_module_has_its_layer() -> None:
    """A new top-level module is given a place before anything can import it; a place without a module is struck out."""
    placed = frozenset().union(*layers.LAYERS)
    assert {name.partition(".")[0] for name in MODULES} == placed


@pytest.mark.parametrize("module", MODULES)
def test_imports_point_downwards(module: str) -> None:
    """A module imports from its own layer and those below, never from above."""
    above = {other for other in inside(MODULES[module]) - {"__init__"} if layer(other) > layer(module)}
    assert above == set()


def test_no_import_cycle() -> None:
    """Modules can be put in an order in which each imports only earlier ones."""
    graph = {name: inside(tree, typing_only=False) - {name, "__init__"} for name, tree in MODULES.items()}
    try:
        list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        pytest.fail(f"a cycle of imports: {' -> '.join(error.args[1])}")


@pytest.mark.parametrize("module", MODULES)
def test_third_party_imports_are_confined(module: str) -> None:
    """Each dependency is imported only where the table says."""
    for name in imports(MODULES[module]):
        top = name.partition(".")[0]
        if top in sys.stdlib_module_names or top in ("otel_toolscore", "_typeshed"):
            continue
        places = [places for package, places in layers.CONFINED.items() if name == package or name.startswith(package + ".")]
        assert places, f"{name} is not in the table of dependencies"
        assert within(module, places[0]), f"{name} belongs to {places[0]}"


def test_every_place_of_a_dependency_is_used() -> None:
    """The table names no dependency that nothing imports any more."""
    imported = {name for tree in MODULES.values() for name in imports(tree)}
    unused = {package for package in layers.CONFINED if not any((name + ".").startswith(package + ".") for name in imported)}
    assert unused == set()


@pytest.mark.parametrize("module", [name for name in MODULES if name.partition(".")[0] in layers.PURE])
def test_the_core_is_pure(module: str) -> None:
    """No IO, clock, thread, logging or OpenTelemetry below the edges."""
    names = set(imports(MODULES[module]))
    found = {name for name in names for banned in layers.NOT_IN_PURE if name == banned or name.startswith(banned + ".")}
    clock = {
        ast.unparse(node.func)
        for node in ast.walk(MODULES[module])
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("now", "utcnow", "today")
    }
    calls = {
        node.func.id
        for node in ast.walk(MODULES[module])
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("open", "print", "input")
    }
    assert found | clock | calls == set()


def source_files() -> list[Path]:
    return [path for folder in (PACKAGE, TESTS, PACKAGE.parent / "examples") for path in sorted(folder.rglob("*.py"))]


def test_modules_are_small() -> None:
    """No module has over 400 lines, unless the table says why; the table names only modules that have."""
    lengths = {
        str(path.relative_to(PACKAGE.parent)): len(path.read_text(encoding="utf-8").splitlines()) for path in sorted(PACKAGE.rglob("*.py"))
    }
    assert {name: length for name, length in lengths.items() if length > MAX_LINES and name not in layers.LONG} == {}
    assert {name for name in layers.LONG if lengths.get(name, 0) <= MAX_LINES} == set()


def test_names_say_something() -> None:
    """No file or folder is called utils, helpers, common, base or manager."""
    words = {part for path in source_files() for part in path.relative_to(PACKAGE.parent).with_suffix("").parts}
    assert words & NAMES_THAT_SAY_NOTHING == set()


def test_nothing_provisional_in_the_source() -> None:
    """The package holds no unfinished piece by its own word."""
    words = ("TODO", "FIXME", "XXX", "NotImplementedError", "not implemented", "for now")
    found = [(path.name, word) for path in PACKAGE.rglob("*.py") for word in words if word in path.read_text(encoding="utf-8")]
    assert found == []


def test_names_of_test_modules_are_unique() -> None:
    """Pytest imports them by their names alone."""
    names = [path.name for path in TESTS.rglob("*.py") if path.name != "conftest.py"]
    assert sorted(names) == sorted(set(names))


def test_tests_are_skipped_only_for_a_missing_program() -> None:
    """The fixture `program` is the only way in which a test may be skipped, so that its reason can be trusted."""
    skipping = {
        path.name
        for path in TESTS.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in ("skip", "skipif", "xfail", "importorskip")
    }
    assert skipping <= {"conftest.py"}


def test_importing_the_package_is_light() -> None:
    """`import otel_toolscore` and the listing of its names load none of the heavy dependencies."""
    script = "import json, sys, otel_toolscore; dir(otel_toolscore); print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    loaded = {name.partition(".")[0] for name in json.loads(done.stdout)}
    assert loaded & {"re2", "yaml", "rich", "click", "jsonschema_rs", "rapidfuzz", "grpc", "google", "opentelemetry", "asyncio"} == set()


def test_importing_the_package_loads_no_module_of_its_own() -> None:
    """What is public is loaded when it is first used."""
    script = "import sys, otel_toolscore; print([name for name in sys.modules if name.startswith('otel_toolscore.')])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"
