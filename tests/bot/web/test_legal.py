"""Terms of use and privacy: in the host's name only if they want that, in the language of their reader."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

import pytest

from bot.domain import challenge, guest, imported, prediction, web_session
from bot.web.assets import Assets
from bot.web.legal import SECTIONS
from tests.bot.made_once import all_texts
from tests.bot.web.test_home import inside
from tests.bot.web.visitors import WebSite, web_site

FOOT = ('<a href="/terms">Terms of use</a>', '<a href="/privacy">Privacy</a>')


async def statuses(site: WebSite) -> Mapping[str, int]:
    async with site.browser() as browser:
        return {name: (await browser.get(f"/{name}"))[0] for name in SECTIONS}


@pytest.mark.parametrize("language", ["en", "de", "es", "fr", "pt-BR", "fa"])
async def test_both_pages_name_the_contact_in_the_language_of_their_reader(
    tmp_path: Path, language: str
) -> None:
    t = all_texts().of(language)
    async with (
        web_site(tmp_path / "discade.db", is_local=False, contact="ada@example.org") as site,
        site.browser() as browser,
    ):
        for name, parts in SECTIONS.items():
            status, _, text = await browser.get(f"/{name}", **{"Accept-Language": language})
            page = inside(text, "first")
            assert (status, page["title"], page["contact"]) == (200, t(f"legal_{name}"), "ada@example.org")
            assert len(page["sections"]) == len(parts) + 1
            assert all(heading and body for heading, body in page["sections"]), "each text has a heading"
            assert "`" not in str(page)


async def test_every_page_leads_to_both_at_its_foot(tmp_path: Path) -> None:
    async with (
        web_site(tmp_path / "discade.db", is_local=False, contact="https://discord.gg/x") as site,
        site.browser() as browser,
    ):
        for path in ("/play", "/privacy", "/m/nothing"):
            _, _, text = await browser.get(path)
            assert all(link in text for link in FOOT), path


async def test_without_a_contact_neither_exists_and_no_page_names_them(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db", is_local=False) as site, site.browser() as browser:
        assert await statuses(site) == {"terms": 404, "privacy": 404}
        assert 'href="/terms"' not in (await browser.get("/play"))[2]


def test_inside_discord_the_page_has_no_foot() -> None:
    assets, t = Assets(contact="ada@example.org"), all_texts().of("en")
    assert "<footer" not in assets.page(t, "activity", "Discade", {})
    assert "<footer" in assets.page(t, "home", "Discade", {})


def test_the_times_that_privacy_promises_are_those_of_the_code() -> None:
    t = all_texts().of("en")
    kept = {
        "half an hour": timedelta(minutes=30) == challenge.EXPIRES_AFTER,
        "30 days": timedelta(days=30) == imported.KEPT_FOR,
        "guesses after a year": timedelta(days=366) == prediction.KEPT_FOR,
    }
    shown = {
        "for seven days": timedelta(days=7) == web_session.SESSION_LIFETIME,
        "for one day": timedelta(days=1) == guest.GUEST_LIFETIME,
    }
    for part, promises in (("kept", kept), ("web", shown)):
        text = t(f"legal_privacy_{part}")
        assert [words for words, is_kept in promises.items() if words not in text or not is_kept] == []
