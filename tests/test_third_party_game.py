"""A package with a game, installed beside Discade into a virtual environment of its own, is played like ours.

The package is what docs/adding-a-game.md shows, and every command of that page is run. No network is needed:
both wheels are zipped here, and what Discade depends on is lent by the environment of the tests, through a
path file.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "adding-a-game.md").read_text("utf-8")

pytestmark = pytest.mark.slow


def blocks(language: str) -> list[str]:
    """The page's blocks of that language."""
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def commands() -> list[list[str]]:
    """The page's commands, without the interpreter's name."""
    found = [line.split() for block in blocks("sh") for line in block.splitlines()]
    assert all(words[0] == "python" for words in found)
    return [words[1:] for words in found]


def wheel(folder: Path, name: str, version: str, sources: Mapping[str, Path], groups: str) -> Path:
    """A wheel of those packages. groups: the text of its entry points."""
    info = f"{name}-{version}.dist-info"
    files = {
        f"{package}/{file.relative_to(source).as_posix()}": file.read_bytes()
        for package, source in sources.items()
        for file in sorted(source.rglob("*"))
        if file.is_file() and "__pycache__" not in file.parts
    }
    files[f"{info}/METADATA"] = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".encode()
    files[f"{info}/WHEEL"] = (
        b"Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    )
    files[f"{info}/entry_points.txt"] = groups.encode()
    record = [*(f"{path},," for path in files), f"{info}/RECORD,,"]
    path = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for place, content in files.items():
            archive.writestr(place, content)
        archive.writestr(f"{info}/RECORD", "\n".join(record) + "\n")
    return path


def package_of_the_page(folder: Path) -> Path:
    """The wheel of the page's package, made as its pyproject.toml says."""
    (said,) = blocks("toml")
    project = tomllib.loads(said)["project"]
    game, *_ = blocks("python")
    source = folder / "my_games"
    source.mkdir()
    (source / "__init__.py").touch()
    (source / "caro.py").write_text(game, "utf-8")
    groups = "".join(
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in entries.items())
        for group, entries in project["entry-points"].items()
    )
    return wheel(folder, project["name"].replace("-", "_"), project["version"], {"my_games": source}, groups)


@pytest.fixture(scope="module")
def venv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of a fresh virtual environment with both wheels in it."""
    folder = tmp_path_factory.mktemp("installed")
    discade = wheel(folder, "discade", "0.2.0", {name: ROOT / name for name in ("engine", "bot")}, "")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
    python = folder / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
    pip: list[str | Path] = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        python,
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
    ]
    subprocess.run([*pip, str(discade), str(package_of_the_page(folder))], check=True)
    asked = [str(python), "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])"]
    packages = Path(subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip())
    (packages / "lent.pth").write_text(sysconfig.get_paths()["purelib"] + "\n", "utf-8")
    return python


def run(
    python: Path, arguments: Iterable[str], folder: Path, seconds: float = 300
) -> subprocess.CompletedProcess[str]:
    """In that folder, where no source of ours lies."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    return subprocess.run(
        [python, *arguments],
        cwd=folder,
        env=kept,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )


def test_both_come_from_the_virtual_environment(venv: Path, tmp_path: Path) -> None:
    code = "import engine, bot, my_games; print(engine.__file__, bot.__file__, my_games.__file__)"
    said = run(venv, ["-c", code], tmp_path)
    assert all(place.startswith(str(venv.parents[1])) for place in said.stdout.split()), said.stderr
    assert len(said.stdout.split()) == 3


def test_every_command_of_the_page_works_as_described(venv: Path, tmp_path: Path) -> None:
    said = {}
    for arguments in commands():
        done = run(venv, arguments, tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
        said[arguments[2]] = done.stdout
    assert said["check-game"].splitlines()[-1] == "Caro (9x9): it can be played."
    assert "6,480" in said["perft"]
    assert "wins." in said["play"]
    assert set(said) == {"check-game", "perft", "play"}


def test_the_bot_plays_reviews_replays_and_ranks_it(venv: Path, tmp_path: Path) -> None:
    """By buttons, against an agent and between two people, in the bot that was installed."""
    for name in ("tests", "docs"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    target = "tests/bot/added_game/whole_match.py"
    done = run(venv, ["-m", "pytest", "-q", "-p", "no:cacheprovider", target], tmp_path, 600)
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
