"""The ends of a page's connection: those after which it comes back, and those after which it need not."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import sqlalchemy as sa

from bot.web.live import MAX_OF_PERSON
from tests.bot.web.test_attacks import shared
from tests.bot.web.test_server import wait_for
from tests.bot.web.visitors import Browser, LivePage, WebSite, web_site


async def said(ws: aiohttp.ClientWebSocketResponse) -> tuple[str, bool, bool]:
    """The reason of the server's last word, whether it is for good, and whether it has a sentence."""
    bye = await LivePage(ws).next("bye")
    assert (await ws.receive()).type in (aiohttp.WSMsgType.CLOSE, aiohttp.WSMsgType.CLOSED)
    return bye["reason"], bye["final"], bool(bye.get("text"))


async def opened(browser: Browser, name: str, **watch: Any) -> LivePage:
    """An open page that gave itself that name."""
    headers = {"Origin": browser.origin}
    page = LivePage(await browser.http.ws_connect(f"{browser.url}/live?page={name}", headers=headers))
    await page.send(type="watch", **{"have": -1} | watch)
    return page


@contextmanager
def locked_database(site: WebSite) -> Iterator[None]:
    """Every read fails inside the block, as those of a locked file do."""
    reader = site.process.parts.stores.database.reader
    assert reader is not None

    def fail(*_: object) -> None:
        error = sqlite3.OperationalError("database is locked")
        error.sqlite_errorcode = sqlite3.SQLITE_BUSY
        raise error

    sa.event.listen(reader.sync_engine, "before_cursor_execute", fail)
    try:
        yield
    finally:
        sa.event.remove(reader.sync_engine, "before_cursor_execute", fail)


@pytest.mark.sqlite
async def test_a_page_comes_back_after_all_but_a_lost_page_and_rubbish(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with web_site(tmp_path / "discade.db") as site, site.browser() as browser:
        _, key = await site.begin()
        assert await said((await browser.watch("nothing")).ws) == ("page_gone", True, True)
        ws = await browser.connect()
        await ws.send_str("rubbish")
        assert await said(ws) == ("web_bad_message", True, True)
        with locked_database(site):
            assert await said((await browser.watch(key)).ws) == ("database_unavailable", False, True)
        monkeypatch.setattr("bot.web.sockets.FIRST_MESSAGE_SECONDS", 0.05)
        assert await said(await browser.connect()) == ("late", False, False)
        monkeypatch.undo()
        monkeypatch.setattr("bot.web.sockets.PAGE_COST", 100_000.0)
        assert await said((await browser.watch(key)).ws) == ("web_slow_down", False, True)
        monkeypatch.undo()
        page = await browser.watch(key)
        await page.match()
        await site.server.live.close()
        assert await said(page.ws) == ("restart", False, False)


async def test_a_page_in_a_bad_network_is_let_in_again_and_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with web_site(tmp_path / "discade.db") as site, site.browser() as browser:
        _, key = await site.begin()
        # None of its earlier connections ever says that it has ended.
        pages = [await opened(browser, "phone", match=key) for _ in range(3 * MAX_OF_PERSON)]
        await pages[-1].match()
        await wait_for(lambda: site.server.live.sockets == 1)
        await wait_for(lambda: len(next(iter(site.server.live._watched.values())).sockets) == 1)
        await pages[-1].send(type="play", id=1, turn=0, move=3)
        assert (await pages[-1].next("done"))["id"] == 1
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


async def test_ones_own_machine_shows_as_many_pages_as_one_opens(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db") as site, site.browser() as browser:
        _, key = await site.begin()
        pages = [await opened(browser, f"tab{number}", match=key) for number in range(2 * MAX_OF_PERSON)]
        for page in pages:
            await page.match()


async def test_pages_with_other_names_or_of_other_readers_are_not_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.web.live.MAX_OF_ADDRESS", 4)
    async with web_site(tmp_path / "discade.db", is_local=False) as site, site.browser() as browser:
        key = await shared(site)
        pages = [await opened(browser, f"tab{number}", match=key) for number in range(4)]
        for page in pages:
            await page.match()
        refused = await opened(browser, "one more", match=key)
        assert await said(refused.ws) == ("web_too_many_pages", False, True)
        assert site.server.live.sockets == 4
        again = await opened(browser, "tab0", match=key)
        await again.match()
        assert site.server.live.sockets == 4
    async with web_site(tmp_path / "other.db", is_local=False) as site, site.browser() as browser:
        key = await shared(site)
        one = await opened(browser, "same", match=key)
        browser.http.headers["X-Forwarded-For"] = "192.0.2.1"
        other = await opened(browser, "same", match=key)
        for page in (one, other):
            await page.match()
        assert site.server.live.sockets == 2


async def test_a_page_that_shows_the_newest_version_is_told_so_once(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db") as site, site.browser() as browser:
        _, key = await site.begin()
        first = await browser.first(key)
        page = await opened(browser, "", match=key, have=first["version"], epoch=first["epoch"])
        assert (await page.ws.receive_json(timeout=60))["type"] == "current"
        await page.send(type="play", id=1, turn=0, move=3)
        kinds = list[str]()
        async with asyncio.timeout(60):
            while "match" not in kinds:
                kinds.append((await page.ws.receive_json())["type"])
        assert "current" not in kinds
