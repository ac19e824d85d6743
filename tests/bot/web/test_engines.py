"""An engine of the host's file plays in the browser."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.bot.web.test_reconnecting import opened
from tests.bot.web.visitors import web_site

PLAIN = Path(__file__).parents[2] / "data" / "engines" / "plain.py"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="needs what Linux has")
async def test_an_engine_is_offered_in_the_browser_and_plays(tmp_path: Path) -> None:
    command = [sys.executable, "-I", str(PLAIN), "htp"]
    (tmp_path / "engines.toml").write_text(f"[plain]\nprotocol = 'htp'\ncommand = {command}\n", "utf-8")
    async with (
        web_site(tmp_path / "discade.db", agents_folder=tmp_path) as site,
        site.browser() as browser,
    ):
        asked = {"game": "hex", "level": "engine:plain", "first": "me"}
        status, answer = await browser.post("/api/matches", asked)
        assert status == 200, answer
        page = await opened(browser, "", match=answer["match"])
        document = await page.match()
        assert [seat["name"] for seat in document["seats"]] == ["Guest", "Plain (engine)"]
        await page.send(type="play", id=1, turn=document["turn"], move=0)
        document = await page.match(turn=document["turn"] + 2)
        assert "Plain (engine) played f6" in document["last"]
        assert not (await site.process.services.matches.match(1)).rated
