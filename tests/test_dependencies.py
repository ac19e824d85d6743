"""Who may import whom: the arrows of docs/architecture.md, read from the source."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]

FORBIDDEN = {
    "engine": ("bot", "discord", "sqlalchemy", "simcord"),
    "bot/render": ("discord", "sqlalchemy", "bot.store", "bot.service", "bot.ui"),
    "bot/store": ("discord", "bot.service", "bot.ui", "bot.commands", "bot.app"),
    "bot/i18n": ("sqlalchemy", "bot.store", "bot.service", "bot.ui"),
    "bot/match.py": ("discord", "sqlalchemy", "bot.store", "bot.service", "bot.ui"),
    "bot/challenge.py": ("discord", "sqlalchemy", "bot.store", "bot.service", "bot.ui"),
    "bot/seasons.py": ("discord", "sqlalchemy", "bot.store", "bot.service", "bot.ui"),
    "bot/achievements.py": ("discord", "sqlalchemy", "bot.store", "bot.service", "bot.ui"),
    "bot/tournaments": ("discord", "sqlalchemy", "bot.store", "bot.service", "bot.ui"),
    "bot/search.py": ("discord", "sqlalchemy", "bot.store", "bot.service", "bot.ui"),
    "bot/service": ("discord", "sqlalchemy", "bot.ui", "bot.commands", "bot.app", "numba"),
    "bot/ui": ("sqlalchemy", "bot.commands", "bot.app", "bot.store.tables", "bot.store.rows"),
    "bot/commands": ("sqlalchemy", "bot.store", "bot.app"),
}


def _files(place: str) -> Iterator[Path]:
    path = ROOT / place
    yield from [path] if path.suffix else sorted(path.rglob("*.py"))


def _imports(path: Path, *, at_run_time_only: bool = True) -> Iterator[str]:
    """The modules that a file imports; those under `if TYPE_CHECKING` are for the type checker only."""
    tree = ast.parse(path.read_text("utf-8"))
    hidden = {
        id(inner)
        for node in ast.walk(tree)
        if at_run_time_only and isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in hidden:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_no_module_imports_what_its_place_must_not_know() -> None:
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for place, forbidden in FORBIDDEN.items()
        for path in _files(place)
        for name in _imports(path)
        if any(name == module or name.startswith(module + ".") for module in forbidden)
    ]
    assert not wrong, "\n".join(wrong)


def test_every_place_of_the_rule_exists() -> None:
    missing = [place for place in FORBIDDEN if not list(_files(place)) or not (ROOT / place).exists()]
    assert not missing


def test_only_settings_reads_the_environment() -> None:
    readers = [
        str(path.relative_to(ROOT))
        for path in _files("bot")
        if "os.environ" in path.read_text("utf-8") or "getenv" in path.read_text("utf-8")
    ]
    assert readers == ["bot/settings.py"]


def test_only_one_module_knows_the_simulated_discord() -> None:
    users = [
        str(path.relative_to(ROOT))
        for path in _files("bot")
        if any(name.split(".")[0] == "simcord" for name in _imports(path))
    ]
    assert users == ["bot/simulated.py"]
