"""The lint of names and wording finds each kind of mistake and checks only recent commits."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tools.lint_words import HABITS, frequent_habits, long_subjects, prose_of, repeated_class_names


def write(folder: Path, **sources: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name, source in sources.items():
        (folder / f"{name}.py").write_text(source, encoding="utf-8")
    return folder


def test_a_class_name_used_twice_is_found_with_its_places(tmp_path: Path) -> None:
    package = write(tmp_path / "bot", one="class Row: ...\nclass Only: ...", two="\nclass Row: ...")

    assert repeated_class_names(package) == {"Row": ["bot/one.py:1", "bot/two.py:2"]}


def test_a_private_class_and_a_class_inside_a_function_count_too(tmp_path: Path) -> None:
    package = write(tmp_path / "bot", one="class _Row: ...", two="def make():\n    class _Row: ...")

    assert list(repeated_class_names(package)) == ["_Row"]


@pytest.mark.parametrize(
    ("habit", "text"),
    [
        ("'what' clause", "What was shown is noted."),
        ("'who' clause", "Whoever presses it gets a copy."),
        ("'nobody'", "Nobody reads it."),
        ("'so many'", "So long it is kept."),
        ("'of which'", "Of those the newest."),
    ],
)
def test_each_habit_is_found_in_docstrings_and_comments(tmp_path: Path, habit: str, text: str) -> None:
    package = write(tmp_path / "bot", docstring=f'"""{text}"""', comment=f"x = 1  # {text}")

    (found,) = frequent_habits(sorted(package.glob("*.py")))

    assert found.startswith(habit)
    assert "comment.py:1: " in found
    assert "docstring.py:1: " in found


def test_a_habit_that_is_rare_enough_is_no_finding(tmp_path: Path) -> None:
    plain = "The board shows the last move. " * 400
    package = write(tmp_path / "bot", rare=f'"""{plain}What is shown is stored."""')

    assert frequent_habits(sorted(package.glob("*.py"))) == []


def test_code_and_other_strings_are_not_read() -> None:
    source = 'text = "What is shown"\n# A reason.\ndef who_is():\n    """Docstring."""\n'

    assert [text for _, text in prose_of(source)] == ["Docstring.", "A reason."]


def git(repository: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false")
    command = ("git", "-C", str(repository), *identity, *arguments)
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def commit(repository: Path, subject: str) -> str:
    git(repository, "commit", "--quiet", "--allow-empty", "-m", subject)
    return git(repository, "rev-parse", "HEAD")


def test_only_long_subjects_after_the_first_checked_commit_are_found(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    first = commit(tmp_path, "o" * 73)
    commit(tmp_path, "s" * 72)
    commit(tmp_path, "l" * 73)

    (found,) = long_subjects(tmp_path, first)

    assert found.endswith("l" * 73)


def test_commits_are_not_checked_where_the_history_is_missing(tmp_path: Path) -> None:
    assert long_subjects(tmp_path) == []
    git(tmp_path, "init", "--quiet")
    commit(tmp_path, "l" * 73)

    assert long_subjects(tmp_path) == []


def test_contributing_names_the_limit_of_every_habit() -> None:
    page = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text("utf-8")
    named = sorted(float(limit) for limit in re.findall(r"^\| “.+”.* \| (0\.\d) \|$", page, re.MULTILINE))
    assert named == sorted(limit for _, limit in HABITS.values())
