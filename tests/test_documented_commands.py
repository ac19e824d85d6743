"""Every command in a shell block of the documents runs as it stands."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.__main__ import _parser
from tests.engine.cli.commands import engine

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
PLUGINS = re.compile(r"<!-- dropped: (\w+\.py) -->\n```python\n(.*?)```", re.DOTALL)
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]

QUICKLY = {"arena": ("--games", "2", "--seconds", "0.3", "--board", "4x5x3")}
"""What is added to a command that would take minutes."""

OTHERS = {"docker", "createdb", "openssl", "sqlite3", "dask", "export", "pip"}
"""Programs that a reader has, and the tests may not have."""


def blocks(page: Path) -> Iterator[str]:
    """The shell blocks of the page, comments removed."""
    for block in re.findall(r"^```sh\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE):
        yield re.sub(r"\s+# .*", "", block)


def commands() -> Iterator[tuple[str, list[str]]]:
    """Every command with its page: its words, without settings before it."""
    for page in PAGES:
        for block in blocks(page):
            for line in block.replace("\\\n", " ").splitlines():
                words = shlex.split(line)
                while words and re.match(r"[A-Z_]+=", words[0]):
                    del words[0]
                if words:
                    yield page.name, words


COMMANDS = list(commands())


def module_of(words: list[str]) -> str | None:
    """The module of a `python -m` command."""
    return words[2] if words[0] in ("python", ".venv/bin/python") and words[1] == "-m" else None


@pytest.fixture(scope="module")
def players(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the players of the pages."""
    folder = tmp_path_factory.mktemp("players")
    for page in PAGES:
        for name, code in PLUGINS.findall(page.read_text("utf-8")):
            (folder / name).write_text(code, "utf-8")
    return folder


ENGINE = [words for _, words in COMMANDS if "engine" in words]


@pytest.mark.slow
@pytest.mark.parametrize("words", ENGINE, ids=" ".join)
def test_every_documented_command_of_the_engine_runs(words: list[str], players: Path, tmp_path: Path) -> None:
    typed = ""
    if words[0] == "echo":
        typed, words = f"{words[1]}\n", words[words.index("|") + 1 :]
    assert module_of(words) == "engine"
    # Readers write the game caro themselves.
    instead = {"caro": "tic-tac-toe", "drawn": str(tmp_path)}
    arguments = [instead.get(word, word) for word in words[3:]]
    done = engine(*arguments, *QUICKLY.get(arguments[0], ()), typed=typed, DISCADE_AGENTS=str(players))
    assert (done.returncode, done.stderr) == (0, "")


def test_every_other_documented_command_exists() -> None:
    assert len(ENGINE) >= 14
    for page, words in COMMANDS:
        if words in ENGINE:
            continue
        module = module_of(words)
        if module == "bot":
            _parser().parse_args(words[3:])
        elif module is not None:
            assert module.startswith(("bench", "tools")), f"{page}: {words}"
        elif words[0] == "cp":
            assert (ROOT / words[1]).is_file(), f"{page}: {words}"
        elif words[0] == "make":
            if shutil.which("make"):
                subprocess.run(["make", "--dry-run", *words[1:]], cwd=ROOT, check=True, capture_output=True)
        else:
            assert words[0] in OTHERS or words[0].endswith("/discade"), f"{page}: {words}"


def test_packages_are_installed_from_the_checkout_with_extras_that_exist() -> None:
    """Discade is in no package index."""
    files = [*PAGES, *(ROOT / "bot").rglob("*.py"), *(ROOT / "bench").rglob("*.py")]
    for file in files:
        for name, extra in re.findall(r"pip install ['\"]([^'\"\[]*)\[(\w+)\]", file.read_text("utf-8")):
            assert name == ".", file
            assert extra in EXTRAS, file
