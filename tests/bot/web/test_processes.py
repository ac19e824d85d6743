"""Pages of one process, and changes that another process on the same database stores."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from bot.domain.location import Web
from bot.web.live import OTHERS_SECONDS
from tests.bot.services.test_web_matches import Process, process
from tests.bot.sittings import ADA, Clock
from tests.bot.web.test_server import pair
from tests.bot.web.visitors import GUEST, LivePage, WebSite, web_site


@asynccontextmanager
async def two_processes(folder: Path) -> AsyncIterator[tuple[WebSite, Process, LivePage, str]]:
    """A process with a page that Ada shares, the other process, and the page open in a browser."""
    async with AsyncExitStack() as closing:
        file, clock = folder / "discade.db", Clock()
        site = await closing.enter_async_context(web_site(file, is_local=False, clock=clock))
        other = await closing.enter_async_context(process(file, clock))
        match = await pair(site)
        key = (await site.process.parts.stores.web.page_of(match.id, ADA.user_id)).key
        browser = await closing.enter_async_context(site.browser())
        page = await browser.watch(key)
        await page.match()
        await site.server.live.follow_others()
        yield site, other, page, key


async def test_a_move_of_another_process_reaches_open_pages(tmp_path: Path) -> None:
    async with two_processes(tmp_path) as (site, other, page, key):
        await other.services.playing.play(1, ADA, 3)
        await site.server.live.follow_others()
        assert (await page.match(1))["moves"][0]["name"] == "4"
        async with site.browser() as browser:
            assert (await browser.first(key))["turn"] == 1


async def test_a_page_that_another_process_withdraws_closes(tmp_path: Path) -> None:
    async with two_processes(tmp_path) as (site, other, page, _):
        await other.services.web.withdraw(1, ADA)
        await site.server.live.follow_others()
        assert await page.close_code() == 1008


async def test_pages_are_compared_with_the_database_where_there_may_be_other_processes(
    tmp_path: Path,
) -> None:
    async with web_site(tmp_path / "discade.db") as site:
        periods = [job.seconds for job in site.server.live.jobs()]
        is_shared = not site.process.parts.stores.database.is_sqlite
        assert (OTHERS_SECONDS in periods) == is_shared


async def test_players_are_sent_to_a_rematch_that_another_process_begins_once(tmp_path: Path) -> None:
    file, clock = tmp_path / "discade.db", Clock()
    async with (
        web_site(file, clock=clock) as site,
        process(file, clock) as other,
        site.browser() as browser,
    ):
        match, key = await site.begin()
        await site.process.services.playing.resign(match.id, GUEST)
        page = await browser.watch(key)
        await page.match()
        await site.server.live.follow_others()
        rematch = await other.services.starting.rematch(match.id, GUEST, Web())
        await site.server.live.follow_others()
        assert (await browser.first((await page.next("moved"))["to"].removeprefix("/m/")))["match"]
        assert rematch.rematch_of == match.id
        await page.ws.close()
        while site.server.live.sockets:
            await asyncio.sleep(0.01)
        # A page of the old match that is opened later shows the old match.
        late = await browser.watch(key)
        await late.match()
        await site.server.live.follow_others()
        await site.process.services.background.drain()
        await late.send(type="draw", id=1, turn=0)
        kinds = []
        while "refused" not in kinds:
            kinds.append((await late.ws.receive_json(timeout=60))["type"])
        assert "moved" not in kinds
