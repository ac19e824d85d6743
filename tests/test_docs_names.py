"""The documents name only files, tests and commands that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = (
    *sorted((ROOT / "docs").glob("*.md")),
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "bench/results.md")),
)

FOLDER = r"(?:bot|engine|bench|tools|tests|docs|deploy)"
FILE = re.compile(rf"(?<![\w./-])({FOLDER}/[\w./*-]*\w|[\w/]+/\w+\.py)")
LINK = re.compile(r"\]\(([^):#]+)(?:#[^)]*)?\)")
MODULE = re.compile(rf"python -m ({FOLDER}(?:\.\w+)*)")
VERB = re.compile(r"python -m (bot|engine|bench) ([a-z][\w-]*)")
TARGET = re.compile(r"(?:`|^|; )make ([a-z][\w-]*)", re.MULTILINE)
SELECTION = re.compile(r"pytest\b[^`\n]*? -k (\"[^\"]+\"|'[^']+'|\w+)")

EXAMPLES = (
    "engine/games/caro/", "engine/agents/cramp.py", "my_games/",
    "bot/commands/coin.py", "tests/bot/ui/test_coin.py", "bot/i18n/it/",
    "bot/ui/puzzle/evening.py", "tests/bot/ui/test_evening.py", "engine/kernels/__pycache__",
)  # fmt: skip
"""Files that a reader of the documents makes, or that the bot makes when it runs."""


def missing_names(page: Path) -> list[str]:
    """Return the names on the page that stand for nothing in the project."""
    text = page.read_text("utf-8")
    files = [name for name in FILE.findall(text) if not f"{name}/".startswith(EXAMPLES)]
    missing = [name for name in files if not any(any(top.glob(name)) for top in (ROOT, ROOT / "bot"))]
    missing += [name for name in LINK.findall(text) if not (page.parent / name).exists()]
    for module in MODULE.findall(text):
        path = ROOT.joinpath(*module.split("."))
        if not (path.with_suffix(".py").exists() or (path / "__main__.py").exists()):
            missing.append(f"python -m {module}")
    missing += [f"python -m {name} {verb}" for name, verb in VERB.findall(text) if verb not in _verbs(name)]
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    missing += [f"make {target}" for target in TARGET.findall(text) if target not in targets]
    tests = _test_names()
    for selection in SELECTION.findall(text):
        words = set(re.findall(r"\w+", selection)) - {"and", "or", "not"}
        missing += [f"-k {word}" for word in sorted(words) if not any(word in name for name in tests)]
    return missing


def _verbs(package: str) -> set[str]:
    """Return every short text in the files that read the package's command line."""
    files = (
        (ROOT / "engine" / "cli").glob("*.py") if package == "engine" else [ROOT / package / "__main__.py"]
    )
    return {text for file in files for text in re.findall(r'"([\w-]+)"', file.read_text("utf-8"))}


def _test_names() -> set[str]:
    """Return the names of the tests and of their files."""
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    found = {name for file in files for name in re.findall(r"def (test_\w+)", file.read_text("utf-8"))}
    return found | {file.stem for file in files}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_file_test_and_command_that_a_document_names_exists(page: Path) -> None:
    assert missing_names(page) == []


def test_a_name_that_does_not_exist_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "`bot/stores/gone.py`, `ui/gone.py`, [a page](gone.md), `python -m tools.gone`, `make gone`,"
        ' `python -m bench gone`, `python -m pytest -k "gone_too or lint_words"`\n',
        "utf-8",
    )
    assert missing_names(page) == [
        "bot/stores/gone.py", "ui/gone.py", "gone.md", "python -m tools.gone", "python -m bench gone",
        "make gone", "-k gone_too",
    ]  # fmt: skip


def test_every_folder_has_tests_to_run_while_it_is_changed() -> None:
    page = (ROOT / "docs" / "changing-one-thing.md").read_text("utf-8")
    rows = {
        row[0]: re.findall(r"tests/[\w./]+", row[1])
        for row in re.findall(r"^\| `([\w/]+)` \| (.*) \| \d+ \|$", page, re.MULTILINE)
    }
    folders = {
        f"{top}/{path.name}"
        for top in ("bot", "engine")
        for path in (ROOT / top).iterdir()
        if any(path.glob("*.py"))
    }
    assert folders - rows.keys() == set()
    for folder, tests in rows.items():
        files = [
            file
            for name in tests
            for file in ((ROOT / name).rglob("test_*.py") if (ROOT / name).is_dir() else [ROOT / name])
        ]
        assert files, folder
        assert any("def test_" in file.read_text("utf-8") for file in files), folder
