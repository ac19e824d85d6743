"""The real bot with few open files: a crowd at its pages, and presses in Discord meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import re
import shlex
from collections import Counter
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import aiohttp
import pytest

from bot.process.open_files import raise_open_files
from tests.discord_server import FakeDiscord, Message, Person, bot_command
from tests.ports import unused_port

log = logging.getLogger(__name__)

SPECTATORS = int(os.environ.get("CROWDED_SPECTATORS", "1000"))
PLAYERS = int(os.environ.get("CROWDED_PLAYERS", "40"))
ACK_SECONDS = float(os.environ.get("CROWDED_ACK_SECONDS", "60"))
"""The time after which a press counts as unanswered; 3 at Discord, which a busy machine may not keep."""

Reading = list[asyncio.Task[None]]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name == "nt", reason="needs limits of open files"),
]


@contextlib.asynccontextmanager
async def bot_with_files(soft: int, hard: int, folder: Path) -> AsyncIterator[tuple[FakeDiscord, str]]:
    """Run the bot with these limits; yields its Discord and the address of its pages."""
    if raise_open_files() < 2 * SPECTATORS:
        pytest.skip("the test itself may open too few files")
    url = f"http://127.0.0.1:{unused_port()}"
    env = {
        "DATABASE_URL": f"sqlite+aiosqlite:///{folder / 'bot.db'}",
        "DISCADE_EMOJI": "off",
        "DISCADE_WEB_URL": url,
        "DISCADE_WEB_LISTEN": url.removeprefix("http://"),
    }
    async with FakeDiscord(ack_seconds=ACK_SECONDS) as server:
        limited = f"ulimit -S -n {soft} && ulimit -H -n {hard} && exec {shlex.join(bot_command())}"
        bot = await server.start_bot(["bash", "-c", limited], env=env)
        try:
            await bot.ready(["play"])
            await bot.wait_output("the agents are ready", timeout=240)
            yield server, url
            assert not [line for line in bot.lines if " ERROR " in line or "Traceback" in line]
        finally:
            await bot.stop()


async def spectate(http: aiohttp.ClientSession, url: str, key: str, number: int, reading: Reading) -> int:
    """Open the page and keep it open; return 200 once it has the match, 503 if all pages are taken."""
    headers = {"Origin": url, "X-Forwarded-For": f"10.1.{number // 250}.{number % 250}"}
    try:
        ws = await http.ws_connect(f"{url}/live", headers=headers)
    except aiohttp.WSServerHandshakeError as error:
        return error.status
    except aiohttp.ClientConnectionError:
        return 0
    await ws.send_json({"type": "watch", "match": key, "have": -1})
    first = await ws.receive_json()
    if first["type"] not in ("match", "presence"):
        # A socket is opened to say why it is refused, and closed at once.
        await ws.close()
        return 503 if first["reason"] == "web_full" else 1
    reading.append(asyncio.create_task(_read(ws)))
    return 200


async def _read(ws: aiohttp.ClientWebSocketResponse) -> None:
    async for _ in ws:
        pass


async def board_of(person: Person) -> Message:
    begun = await person.slash(None, "play", game="connect-four", level="pip", first="me", rated=False)
    return await begun.result()


async def shared_key(person: Person, board: Message) -> str:
    menu = await (await person.click(board, "More…")).result()
    answer = await (await person.click(menu, "Share on the web")).result()
    found = re.search(r"/m/([\w-]{22})", str(answer.text) + str([one.get("url") for one in answer.buttons]))
    assert found is not None
    return found[1]


def has_moved(board: Message) -> bool:
    return "played" in board.text


@pytest.mark.parametrize(("hard", "most"), [(4096, 2000), (1024, 409)])
async def test_a_crowd_of_pages_keeps_no_press_in_discord_waiting(
    tmp_path: Path, hard: int, most: int
) -> None:
    async with bot_with_files(1024, hard, tmp_path) as (server, url):
        people = [server.user(f"p{number}") for number in range(PLAYERS)]
        boards = [await board_of(one) for one in people[: PLAYERS // 2]]
        key = await shared_key(people[0], boards[0])
        connector = aiohttp.TCPConnector(limit=0)
        async with aiohttp.ClientSession(connector=connector) as http:
            opened, reading = list[int](), Reading()
            for begin in range(0, SPECTATORS, 100):
                opened += await asyncio.gather(
                    *(spectate(http, url, key, number, reading) for number in range(begin, begin + 100))
                )
            told = Counter(opened)
            log.info("%d pages: %s", SPECTATORS, dict(told))
            assert told[200] == min(SPECTATORS, most)
            assert told[503] == SPECTATORS - told[200]

            before = len(server.ack_latencies())
            boards += await asyncio.gather(*(board_of(one) for one in people[PLAYERS // 2 :]))
            await asyncio.gather(*(one.click(board, "4") for one, board in zip(people, boards, strict=True)))
            for board in boards:
                await server.until(partial(has_moved, board), 60, "a move")
            waits = sorted(seconds for _, seconds in server.ack_latencies()[before:])
            assert not [one for one in reading if one.done()], "pages stay open"
            log.info(
                "%d presses, median %.3f s, at most %.3f s", len(waits), waits[len(waits) // 2], waits[-1]
            )
            await server.verify()
            for one in reading:
                one.cancel()
