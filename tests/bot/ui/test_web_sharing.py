"""Watch links: a match in Discord that its players share on the web."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest
from aiohttp.test_utils import TestServer

from bot.domain.preferences import ServerSettings
from bot.web.security import Site
from bot.web.server import WebServer
from tests.bot.table import Table, buttons_of, line_of
from tests.bot.web.visitors import LivePage


@asynccontextmanager
async def web_beside(table: Table) -> AsyncIterator[str]:
    """The web server of the bot; yields its address, which the bot then offers."""
    server = TestServer(WebServer(table.bot.services, Site()).application())
    await server.start_server()
    table.bot.services.web.url = str(server.make_url("")).rstrip("/")
    try:
        yield table.bot.services.web.url
    finally:
        await server.close()


async def share(table: Table, board: Any) -> Any:
    """The private answer with the address, from Ada's menu."""
    menu = await table.ada.click(board, label="More…")
    return (await table.ada.click(menu.response, label="Share on the web")).response


def address_in(answer: Any) -> str:
    found = re.search(r"http://\S+/m/[\w-]{22}", line_of(answer))
    assert found is not None
    return found[0]


async def status_of(address: str) -> tuple[int, str, bytes]:
    async with aiohttp.ClientSession() as http, http.get(address) as answer:
        return answer.status, answer.content_type, await answer.read()


async def test_a_shared_match_is_watched_live_until_it_is_withdrawn(table: Table) -> None:
    board = await table.pair()
    async with web_beside(table) as url, aiohttp.ClientSession() as http:
        answer = await share(table, board)
        address = address_in(answer)
        assert answer.flags.ephemeral
        code, _, page = await status_of(address)
        assert code == 200
        assert b"og:image" in page
        code, kind, picture = await status_of(f"{address}/picture.png")
        assert (code, kind, picture[:4]) == (200, "image/png", b"\x89PNG")
        live = LivePage(await http.ws_connect(f"{url}/live", headers={"Origin": url}))
        await live.send(type="watch", match=address.rpartition("/")[2], have=-1)
        first = await live.match()
        # Ben is not listed everywhere, and Ada shared the page.
        assert [seat["name"] for seat in first["seats"]] == ["Ada", "Second player"]
        await table.ada.click(board, label="4")
        assert (await live.match(1))["moves"][0]["name"] == "4"
        await table.ada.click(answer, label="Stop sharing")
        assert await live.close_code() == 1008
        assert (await status_of(address))[0] == 404
        again = address_in(await share(table, board))
        assert again != address


@pytest.mark.parametrize("opened", ["Review", "Replay"])
async def test_a_finished_match_is_shared_by_its_players_alone(table: Table, opened: str) -> None:
    board = await table.pair(game="tic-tac-toe", rated=False)
    await table.play(board, "b2 a1 b1 a2 b3")
    async with web_beside(table):
        answer = (await table.ada.click(board, label=opened)).response
        address = address_in((await table.ada.click(answer, label="Share on the web")).response)
        assert (await status_of(address))[0] == 200
        assert "Share on the web" not in buttons_of((await table.eve.click(board, label=opened)).response)


async def test_a_server_that_forbids_sharing_has_no_watch_links(table: Table) -> None:
    board = await table.pair()
    async with web_beside(table):
        address = address_in(await share(table, board))
        menu = (await table.ada.click(board, label="More…")).response
        await table.bot.services.settings.save(table.guild.id, ServerSettings(is_sharing=False))
        assert (await status_of(address))[0] == 404
        assert await table.refused(table.ada.click(menu, label="Share on the web"))
        menu = (await table.ada.click(board, label="More…")).response
        assert "Share on the web" not in buttons_of(menu)


@pytest.mark.slow
async def test_without_an_address_nothing_is_offered(table: Table) -> None:
    board = await table.pair()
    menu = (await table.ada.click(board, label="More…")).response
    assert "Share on the web" not in buttons_of(menu)
