"""Who may import whom: the rule of docs/architecture.md, read from the source of every file."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]

ORDER = (
    "engine.core",
    "engine.score",
    "engine.kernels",
    "engine.games",
    "engine.records",
    "engine.agents",
    "engine.plugins",
    "engine.analysis",
    "engine.arena",
    "engine.cli",
    "engine.__main__",
    "bot.config",
    "bot.domain",
    "bot.i18n",
    "bot.store",
    "bot.search",
    "bot.scheduler",
    "bot.services",
    "bot.presentation",
    "bot.parts",
    "bot.web",
    "bot.ui",
    "bot.ui.*.routes",
    "bot.ui.*.views",
    "bot.ui.*.handlers",
    "bot.ui.dispatch",
    "bot.commands",
    "bot.process",
    "bot.discord_events",
    "bot.housekeeping",
    "bot.app",
    "bot.operation",
    "bot.demo",
    "bot.__main__",
    "bench",
    "tools",
)
"""The rooms: each may import those above it and itself, whether at run time or for the type checker alone.

`bot.ui` alone is its ground floor. A feature folder there has three layers: routes; views (`views.py` and
`*_views.py`); handlers, which is every other file, such as `display.py`.
"""

APART = (("bench", "tools"), ("bot.web", "bot.ui"))
"""Pairs that never import each other, whatever the order says."""

OUTSIDE = {
    "engine": ("discord", "sqlalchemy", "simcord"),
    **dict.fromkeys(ORDER[: ORDER.index("engine.cli")], ("dotenv",)),
    "bot.domain": ("discord", "sqlalchemy"),
    "bot.i18n": ("discord", "sqlalchemy"),
    "bot.store": ("discord",),
    "bot.search": ("discord", "sqlalchemy"),
    "bot.scheduler": ("discord", "sqlalchemy"),
    "bot.services": ("discord", "sqlalchemy", "numba"),
    "bot.presentation": ("discord", "sqlalchemy"),
    "bot.parts": ("discord", "sqlalchemy"),
    "bot.web": ("discord", "sqlalchemy"),
    "bot.ui": ("sqlalchemy",),
    "bot.commands": ("sqlalchemy", "bot.store"),
}
"""What else a room must not know."""

NOT_YET: frozenset[tuple[str, str]] = frozenset()
"""Imports that still break the rule: (file, imported module)."""


def _module(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _files() -> Iterator[Path]:
    for folder in ("engine", "bot", "bench", "tools"):
        yield from sorted((ROOT / folder).rglob("*.py"))


MODULES = {_module(path) for path in _files()}


@cache
def _imports(path: Path) -> tuple[str, ...]:
    """Every module that a file imports, also inside functions and under `if TYPE_CHECKING`."""
    return tuple(_imports_of(ast.parse(path.read_text("utf-8"))))


def _imports_of(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name for name in names if name in MODULES)
            if not all(name in MODULES for name in names):
                yield node.module


def _is_in(module: str, room: str) -> bool:
    return module == room or module.startswith(room + ".")


def _feature(module: str) -> str | None:
    """Return the folder of a file in a feature of `bot.ui`."""
    parts = module.split(".")
    return parts[2] if parts[:2] == ["bot", "ui"] and len(parts) == 4 else None


def _room(module: str) -> str | None:
    """Return the room of a module; None for `engine` and `bot` themselves and for other people's modules."""
    if _feature(module):
        file = module.rpartition(".")[2]
        layer = "views" if file.endswith("views") else file if file == "routes" else "handlers"
        return f"bot.ui.*.{layer}"
    return module if module in ORDER else next((room for room in ORDER if _is_in(module, room)), None)


def _rank(module: str) -> int | None:
    room = _room(module)
    return None if room is None else ORDER.index(room)


def _arrows_up() -> Iterator[tuple[str, str]]:
    for path in _files():
        module = _module(path)
        rank = _rank(module)
        for name in _imports(path):
            other = _rank(name)
            is_upward = rank is not None and other is not None and other > rank
            if is_upward or _links_features(module, name):
                yield path.relative_to(ROOT).as_posix(), name


def _links_features(module: str, other: str) -> bool:
    """Whether a file of one feature of `bot.ui` imports more than the routes of another one."""
    features = {_feature(module), _feature(other)} - {None}
    return len(features) == 2 and not other.endswith(".routes")


def test_no_file_imports_a_higher_room_or_another_feature() -> None:
    wrong = sorted(set(_arrows_up()) - NOT_YET)
    assert not wrong, "\n".join(f"{file} imports {name}" for file, name in wrong)


def test_every_listed_exception_is_still_needed() -> None:
    assert set(_arrows_up()) >= NOT_YET


def test_every_file_has_a_room() -> None:
    assert not [module for module in MODULES if _rank(module) is None and module not in ("engine", "bot")]
    assert set(ORDER) == {_room(module) for module in MODULES} - {None}


def test_no_room_imports_a_forbidden_module() -> None:
    wrong = [
        f"{_module(path)} imports {name}"
        for path in _files()
        for room, forbidden in OUTSIDE.items()
        if _is_in(_module(path), room)
        for name in _imports(path)
        if any(_is_in(name, module) for module in forbidden)
    ]
    wrong += [
        f"{_module(path)} imports {name}"
        for path in _files()
        for pair in APART
        for here, there in (pair, pair[::-1])
        if _is_in(_module(path), here)
        for name in _imports(path)
        if _is_in(name, there)
    ]
    assert not wrong, "\n".join(wrong)


def test_modules_form_no_circle() -> None:
    """Two files that import each other, even through others, could only be read together."""
    arrows = {
        _module(path): {name for name in _imports(path) if name in MODULES and name != _module(path)}
        for path in _files()
    }
    done: set[str] = set()

    def visit(module: str, way: tuple[str, ...]) -> tuple[str, ...] | None:
        if module in way:
            return (*way[way.index(module) :], module)
        if module in done:
            return None
        for name in sorted(arrows[module]):
            found = visit(name, (*way, module))
            if found:
                return found
        done.add(module)
        return None

    for module in sorted(arrows):
        circle = visit(module, ())
        assert circle is None, " -> ".join(circle or ())


def test_an_import_names_the_defining_file() -> None:
    """All rooms except those imported as a whole instead of file by file."""
    handing_on = {
        _module(path) for path in _files() if path.name == "__init__.py" and "__all__" in path.read_text()
    }
    games = {name for name in MODULES if name.startswith("engine.games.") and f"{name}.spec" in MODULES}
    assert handing_on == {"bot.i18n", "bot.presentation", *games}


def test_only_the_configuration_reads_the_environment() -> None:
    readers = [
        path.relative_to(ROOT).as_posix()
        for path in sorted((ROOT / "bot").rglob("*.py"))
        if "os.environ" in path.read_text("utf-8") or "getenv" in path.read_text("utf-8")
    ]
    assert readers == ["bot/config.py"]


def test_only_the_demo_knows_the_simulated_discord() -> None:
    users = [
        path.relative_to(ROOT).as_posix()
        for path in sorted((ROOT / "bot").rglob("*.py"))
        if any(name.split(".")[0] == "simcord" for name in _imports(path))
    ]
    assert users
    assert {Path(user).parent.as_posix() for user in users} == {"bot/demo"}


def test_each_migration_follows_another_one() -> None:
    """Two that were landed at once under one number would leave no bot able to start."""
    versions = ROOT / "bot" / "store" / "migrations" / "versions"
    numbers = sorted(path.name[:4] for path in versions.glob("0*.py"))
    assert numbers == [f"{300 + number:04}" for number in range(len(numbers))]
    for path in versions.glob("0*.py"):
        assert f'revision = "{path.name[:4]}"' in path.read_text("utf-8")


def test_every_file_named_in_the_architecture_exists() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    named = {name for name in re.findall(r"`([\w/]+(?:\.(?:py|md|npz)|/))`", page) if "/" in name}
    missing = {name for name in named if not (ROOT / name).exists() and not (ROOT / "bot" / name).exists()}
    assert named
    assert not missing
