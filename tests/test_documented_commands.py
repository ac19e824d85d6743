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
FILES = re.compile(r"<!-- game: (\S+) -->\n```\w*\n(.*?)```", re.DOTALL)
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]

QUICKLY = {"arena": ("--games", "2", "--seconds", "0.3", "--board", "4x5x3")}
"""What is added to a command that would take minutes."""

OTHERS = {
    "docker", "createdb", "openssl", "sqlite3", "dask", "export", "pip", "apt", "git", "nano", "ls",
    "python3", "fly", "journalctl", "systemctl",
}  # fmt: skip
"""Programs that a reader has, and the tests may not have."""


def blocks(page: Path) -> Iterator[str]:
    """The shell blocks of the page, comments removed."""
    for block in re.findall(r"^ *```sh\n(.*?)^ *```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE):
        yield re.sub(r"\s+# .*", "", block)


def commands() -> Iterator[tuple[str, list[str]]]:
    """Every command with its page: its words, without settings before it."""
    for page in PAGES:
        for block in blocks(page):
            for line in block.replace("\\\n", " ").splitlines():
                words = shlex.split(line)
                while words and (words[0] == "sudo" or re.match(r"[A-Z_]+=", words[0])):
                    del words[0]
                if words:
                    yield page.name, words


COMMANDS = list(commands())


@pytest.mark.parametrize("page", ["docs/first-day.md", "CONTRIBUTING.md", "docs/hosting.md"])
def test_the_pages_that_readers_begin_with_say_which_python_has_the_packages(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    assert "`.venv/bin/python`" in re.split(r"^python -m", text, maxsplit=1, flags=re.MULTILINE)[0]


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


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The paths of the files of games that the pages have, by their names."""
    folder, found = tmp_path_factory.mktemp("files"), dict[str, str]()
    for page in PAGES:
        for name, content in FILES.findall(page.read_text("utf-8")):
            (folder / name).write_text(content, "utf-8")
            found[name] = str(folder / name)
    return found


ENGINE = [words for _, words in COMMANDS if "engine" in words]


@pytest.mark.slow
@pytest.mark.parametrize("words", [one for one in ENGINE if "engine:centre" not in one], ids=" ".join)
def test_every_documented_command_of_the_engine_runs(
    words: list[str], players: Path, files: dict[str, str], tmp_path: Path
) -> None:
    """Those with the engine of docs/engines.md run in `tests/engine/plugins/test_engines_page.py`."""
    typed = ""
    if words[0] == "echo":
        typed, words = f"{words[1]}\n", words[words.index("|") + 1 :]
    assert module_of(words) == "engine"
    # Readers write the game caro themselves.
    instead = {"caro": "tic-tac-toe", "drawn": str(tmp_path), **files}
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
            assert module.startswith(("bench", "tools", "engine.agents")), f"{page}: {words}"
        elif words[0] in ("cp", "install"):
            # .env is the reader's own by then.
            assert words[-2] == ".env" or (ROOT / words[-2]).is_file(), f"{page}: {words}"
        elif words[0].endswith("/pip"):
            assert words[-1] == "." or (ROOT / words[-1]).is_file(), f"{page}: {words}"
        elif words[0] == "make":
            if shutil.which("make"):
                subprocess.run(["make", "--dry-run", *words[1:]], cwd=ROOT, check=True, capture_output=True)
        else:
            assert words[0] in OTHERS or words[0].endswith("/discade"), f"{page}: {words}"


def test_packages_are_installed_from_the_checkout_with_extras_that_exist() -> None:
    """Discade is in no package index."""
    for file in [*PAGES, *(ROOT / "bench").rglob("*.py")]:
        for name, extra in re.findall(r"pip install ['\"]([^'\"\[]*)\[(\w+)\]", file.read_text("utf-8")):
            assert name == ".", file
            assert extra in EXTRAS, file


def test_messages_of_the_bot_name_extras_that_exist() -> None:
    sources = "".join(file.read_text("utf-8") for file in (ROOT / "bot").rglob("*.py"))
    named = set(re.findall(r"pip_install\('(\w+)'\)", sources))
    assert named == EXTRAS.keys() - {"dev", "docs", "bench", "mutation"}
