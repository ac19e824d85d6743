"""The documents name every command, and their worked examples work as written."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from discord import app_commands

from bot.commands import COMMANDS
from bot.i18n import Texts

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def test_players_find_every_command_and_every_option() -> None:
    text = (ROOT / "docs" / "playing.md").read_text("utf-8")
    for command in COMMANDS:
        is_menu = isinstance(command, app_commands.ContextMenu)
        assert (f"**{command.name}**" if is_menu else f"`/{command.name}") in text
    options = {parameter.name for command in COMMANDS for parameter in getattr(command, "parameters", ())}
    assert [name for name in sorted(options) if not re.search(rf"`{name}`|`/\w+ {name}`", text)] == []


def _follow(page: Path, copy: Path) -> list[str]:
    """Apply the page's code blocks to a copy of the project; return the touched files."""
    touched = []
    for language, block in BLOCK.findall(page.read_text("utf-8")):
        first, _, rest = block.partition("\n")
        name = first.removeprefix("--- ").removeprefix("# ")
        path = copy / name
        touched.append(name)
        if language == "diff":
            old = "".join(line[1:] + "\n" for line in rest.splitlines() if line.startswith("-"))
            new = "".join(line[1:] + "\n" for line in rest.splitlines() if line.startswith("+"))
            text = path.read_text("utf-8")
            assert text.count(old) == 1, f"{name} has changed: {old!r}"
            path.write_text(text.replace(old, new), "utf-8")
        elif path.exists():
            path.write_text(path.read_text("utf-8") + "\n" + rest, "utf-8")
        else:
            path.write_text(rest, "utf-8")
    return touched


def _copy_project(copy: Path) -> None:
    skipped = shutil.ignore_patterns("__pycache__", "*.nbi", "*.nbc")
    for part in ("bot", "engine", "bench", "tools", "tests", "docs"):
        shutil.copytree(ROOT / part, copy / part, ignore=skipped)
    shutil.copy(ROOT / "pyproject.toml", copy)


def _passes(page: str, file: str, copy: Path, *tests: str) -> None:
    """Follow the page in a copy of the project, and run these tests there."""
    _copy_project(copy)
    assert file in _follow(ROOT / "docs" / page, copy)
    # The example has no translations, as the page says.
    _pass(copy, "-k", "not same_file", *tests)


def _pass(copy: Path, *tests: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *tests],
        cwd=copy, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:]


@pytest.mark.slow
def test_following_adding_a_command_adds_a_command(tmp_path: Path) -> None:
    _passes(
        "adding-a-command.md",
        "bot/commands/coin.py",
        tmp_path,
        "tests/bot/ui/test_coin.py",
        "tests/bot/test_i18n.py",
        "tests/bot/ui/test_commands.py::test_help_knows_every_command",
        "tests/bot/ui/test_command_queue.py",
        "tests/test_dependencies.py",
    )


@pytest.mark.slow
def test_following_adding_a_message_adds_a_message(tmp_path: Path) -> None:
    _passes(
        "adding-a-message.md",
        "bot/ui/puzzle/evening.py",
        tmp_path,
        "tests/bot/ui/test_evening.py",
        "tests/test_dependencies.py",
    )


def test_following_adding_a_language_adds_a_language(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "bot" / "i18n", tmp_path / "bot" / "i18n", ignore=shutil.ignore_patterns("*.py"))
    (tmp_path / "bot" / "i18n" / "it").mkdir()
    assert _follow(ROOT / "docs" / "adding-a-language.md", tmp_path) == ["bot/i18n/it/play.po"]
    t = Texts.load(tmp_path / "bot" / "i18n").of("it")
    assert t("to_move", disc="🔴", name="Ada") == "🔴 Tocca a **Ada**"
    assert t("time_days", n=3) == "3 giorni"
    assert t("rated") == "Rated", "what is not translated yet is English"


@pytest.mark.slow
@pytest.mark.parametrize(("language", "has_names"), [("it", True), ("eu", False)])
def test_a_new_language_passes_the_tests_as_they_stand(
    tmp_path: Path, language: str, has_names: bool
) -> None:
    """Discord offers Italian and no Basque."""
    _copy_project(tmp_path)
    texts = tmp_path / "bot" / "i18n"
    shutil.copytree(texts / "en", texts / language)
    names = [*((texts / "de").glob("names.po") if has_names else ())]
    for part in (*(texts / language).glob("*.po"), *names):
        head = re.sub(r"(?<=Language: )\w+", language, part.read_text("utf-8"), count=1)
        (texts / language / part.name).write_text(head, "utf-8")
    if has_names:
        own = (texts / language / "names.po").read_text("utf-8")
        english = re.sub(
            r'msgid "(name_(?:command|option)_([\w-]+))"\nmsgstr ".*"', r'msgid "\1"\nmsgstr "\2"', own
        )
        (texts / language / "names.po").write_text(english, "utf-8")
    _pass(tmp_path, "tests/bot/test_i18n.py")
