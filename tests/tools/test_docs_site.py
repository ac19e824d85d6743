"""The documentation site: every page is on its way, and no link leads nowhere."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.presentation import names
from bot.web.home import rules_of
from engine.games import GAMES
from tests.bot.made_once import all_texts
from tools.docs_site import ROOT, build, lay_out, page_of

STUBS = {"mutants.md"}
"""Pages that only lead on."""

ADDRESS = "https://git.example/ada/discade"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    lay_out(folder, ADDRESS)
    return folder


def named(way: object) -> Iterator[str]:
    """The files of a navigation, section by section."""
    if isinstance(way, str):
        yield way
    elif isinstance(way, dict):
        yield from named(list(way.values()))
    elif isinstance(way, list):
        for part in way:
            yield from named(part)


def test_every_page_is_on_the_way_once_and_on_the_first_page() -> None:
    project = tomllib.loads((ROOT / "zensical.toml").read_text("utf-8"))["project"]
    pages = {page.name for page in (ROOT / "docs").glob("*.md")} - STUBS
    way = list(named(project["nav"]))
    assert sorted(way) == sorted({*pages, "games/index.md"})
    first = (ROOT / "docs" / "index.md").read_text("utf-8")
    assert set(re.findall(r"\]\(([\w-]+\.md)\)", first)) == pages - {"index.md"}


@pytest.mark.slow
def test_the_games_stand_there_with_their_rules_in_every_language(site: Path) -> None:
    texts = all_texts()
    assert len(texts.languages) == 6
    for language in texts.languages:
        t = texts.of(language)
        page = (site / "docs" / "games" / page_of(language)).read_text("utf-8")
        for game in GAMES:
            assert f"## {names.game_title(t, game)} " in page
            assert rules_of(t, game) in page
            assert (site / "docs" / "games" / f"{game}.png").stat().st_size > 1000
        assert ('dir="rtl"' in page) is (language == "fa")


@pytest.mark.slow
def test_links_to_the_projects_other_files_lead_to_its_address(site: Path) -> None:
    pages = [page.read_text("utf-8") for page in (site / "docs").glob("*.md")]
    links = {link for page in pages for link in re.findall(rf"\]\({ADDRESS}/blob/main/([^)#]+)", page)}
    assert {"README.md", "deploy/fly.toml", "bot/i18n/fa"} <= links
    assert [link for link in links if not (ROOT / link).exists()] == []
    assert [page[:40] for page in pages if "](../" in page] == []


@pytest.mark.slow
def test_the_site_is_built_and_a_link_that_leads_nowhere_is_an_error(site: Path) -> None:
    assert build(site) == 0
    made = (site / "site" / "deploying" / "index.html").read_text("utf-8")
    ways = re.findall(r"<ol>.*?</ol>", made, re.DOTALL)
    assert [way.count("<li") for way in ways] == [6, 6], "each code block belongs to its step"
    assert "/healthz" in (site / "site" / "search.json").read_text("utf-8")
    (site / "docs" / "mutants.md").write_text("[gone](hosting.md#no-such-part)\n", "utf-8")
    assert build(site) != 0
