"""A changed English text marks its translations, until people who speak the language have mended them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bot.i18n.texts import read_catalog
from tests.tools.test_lint_words import git
from tools.translations import MARK, ROOT, TEXTS, Stale, base_of, mark, stale

HEAD = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=utf-8\\n"\n'


def write(repository: Path, language: str, **texts: str) -> None:
    folder = repository / TEXTS / language
    folder.mkdir(parents=True, exist_ok=True)
    entries = "".join(f'\nmsgid "{key}"\nmsgstr "{text}"\n' for key, text in texts.items())
    (folder / "play.po").write_text(HEAD + entries, "utf-8")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Two texts in three languages, committed to `main`."""
    git(tmp_path, "init", "--quiet", "--initial-branch", "main")
    for language, hello, bye in (("en", "Hello", "Bye"), ("de", "Hallo", "Tschüs"), ("es", "Hola", "Adiós")):
        write(tmp_path, language, hello=hello, bye=bye)
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "-m", "Add two texts")
    return tmp_path


def test_a_changed_english_text_names_the_translations_that_did_not_change_with_it(repository: Path) -> None:
    assert list(stale(repository, "HEAD")) == []
    write(repository, "en", hello="Good day", bye="Bye", new="New")
    write(repository, "de", hello="Guten Tag", bye="Tschüs", new="Neu")
    assert list(stale(repository, "HEAD")) == [Stale("bot/i18n/es/play.po", "hello", "Hello")]


def test_a_mark_keeps_the_text_and_the_english_one_that_it_was_made_from(repository: Path) -> None:
    write(repository, "en", hello=r"Good\nday", bye="Bye")
    for one in stale(repository, "HEAD"):
        mark(repository, one)
    assert list(stale(repository, "HEAD")) == []
    text = (repository / TEXTS / "de" / "play.po").read_text("utf-8")
    assert '\n# English was: Hello\nmsgid "hello"\nmsgstr "Hallo"\n' in text
    # As long as it is marked, the bot says what it said before.
    assert read_catalog(repository / TEXTS / "de")["hello"].string == "Hallo"
    write(repository, "en", hello="Hi", bye="Bye")
    assert list(stale(repository, "HEAD")) == [], "the first of two changes is still the one to tell"


def test_a_branch_is_compared_with_main_and_main_with_the_commit_before(repository: Path) -> None:
    first = git(repository, "rev-parse", "HEAD")
    assert base_of(repository) is None, "there is nothing before the first commit"
    git(repository, "commit", "--quiet", "--allow-empty", "-m", "Change nothing at all")
    assert base_of(repository) == first
    second = git(repository, "rev-parse", "HEAD")
    git(repository, "checkout", "--quiet", "-b", "mend")
    for _ in range(2):
        git(repository, "commit", "--quiet", "--allow-empty", "-m", "Change nothing at all")
    assert base_of(repository) == second


def test_the_page_about_mending_names_the_mark_and_every_language() -> None:
    page = (ROOT / "docs" / "mending-a-text.md").read_text("utf-8")
    assert f"# {MARK}" in page
    folders = {path.name for path in (ROOT / TEXTS).iterdir() if any(path.glob("*.po"))}
    assert set(re.findall(r"\(\.\./bot/i18n/(\w+)\)", page)) == folders
