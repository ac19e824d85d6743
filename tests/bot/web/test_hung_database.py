"""Pages while PostgreSQL does not answer: readers get a sentence in time, and are served again afterwards."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from pathlib import Path

import pytest

from tests.bot.cluster import WANTED, cluster
from tests.bot.sittings import ADA
from tests.bot.web.test_server import pair
from tests.bot.web.visitors import Browser, LivePage, session_of_ada, web_site
from tests.working import MAX_TEST_WAIT_SECONDS

log = logging.getLogger(__name__)

pytestmark = pytest.mark.postgres


async def asked(browser: Browser, path: str, **headers: str) -> tuple[int, str, float]:
    began = time.monotonic()
    status, _, text = await browser.get(path, **headers)
    return status, text, time.monotonic() - began


@pytest.mark.slow
async def test_everybody_is_told_to_try_again_while_the_server_is_frozen_and_is_served_afterwards(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(WANTED, "postgresql")
    async with web_site(tmp_path / "discade.db", is_local=False) as site, site.browser() as browser:
        site.process.parts.stores.database.answer_seconds = 2.0
        match = await pair(site)
        key = (await site.process.parts.stores.web.page_of(match.id, ADA.user_id)).key
        cookie = await session_of_ada(site, match.id)
        page = await browser.watch(key)
        await page.match()
        paths = [f"/m/{key}", f"/api/matches/{key}", f"/m/{key}/picture.png", "/nothing"]
        asking = [(path, one) for path in paths for one in (cookie, "discade=made-up")] + [(paths[0], "")]
        with cluster().frozen():
            told = Counter[int]()
            waits = list[float]()
            for _ in range(3):
                answers = await asyncio.gather(
                    *(asked(browser, path, **({"Cookie": one} if one else {})) for path, one in asking)
                )
                told.update(status for status, _, _ in answers)
                waits += [seconds for _, _, seconds in answers]
                assert not [text for _, text, _ in answers if "right now" not in text]
            assert set(told) == {503}
            assert max(waits) < MAX_TEST_WAIT_SECONDS, "nobody waits for the end of the block"
            ws = await browser.http.ws_connect(
                f"{browser.url}/live", headers={"Origin": browser.origin, "Cookie": cookie}
            )
            assert (await LivePage(ws).next("bye"))["reason"] == "database_unavailable"
            status, answer = await browser.post("/api/session", {"token": "x"})
            assert (status, answer["reason"]) == (503, "database_unavailable")
            assert (await browser.get("/play", Cookie=cookie))[0] == 200
        log.info("%d answers, at most after %.2f s: %s", len(waits), max(waits), dict(told))
        async with asyncio.timeout(MAX_TEST_WAIT_SECONDS):
            while (await browser.get(f"/m/{key}", Cookie=cookie))[0] != 200:
                await asyncio.sleep(0.1)
        await site.process.services.playing.play(match.id, ADA, 3)
        assert (await page.match(1))["turn"] == 1, "the page that stayed open goes on"
        await page.ws.close()
    assert not [one for one in caplog.records if one.levelno >= logging.ERROR or one.exc_info]
