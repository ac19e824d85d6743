"""The real `python -m bot` against a local Discord, ended while people play."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import shlex
import signal
import time
from functools import partial
from pathlib import Path

import pytest

from bot.ui.duplicate_bots import MAX_COLLISIONS
from tests.bot.cluster import Wire, cluster
from tests.bot.live import live_bot
from tests.discord_server import FakeDiscord, Interaction, Message, bot_command
from tests.working import MAX_TEST_WAIT_SECONDS

log = logging.getLogger(__name__)

HANGS_SECONDS = float(os.environ.get("HANGS_SECONDS", "5"))
"""How long PostgreSQL does not answer."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.postgres,
    pytest.mark.skipif(os.name == "nt", reason="Windows sends no signals to other processes"),
]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_a_press_during_shutdown_is_answered(number: signal.Signals) -> None:
    async with live_bot() as (server, bot):
        people = [server.user(f"p{count}") for count in range(6)]
        terms = {"game": "connect-four", "first": "me", "level": "vera"}
        boards = [await (await person.slash(server.channel, "play", **terms)).result() for person in people]
        pressing = [
            asyncio.create_task(person.click(board, "4"))
            for person, board in zip(people, boards, strict=True)
        ]
        await asyncio.sleep(0.01)
        os.kill(bot.pid, number)
        await asyncio.gather(*pressing)

        assert await asyncio.wait_for(bot.wait(), MAX_TEST_WAIT_SECONDS) == 0

        assert not [line for line in bot.lines if "Traceback" in line]
        for board in boards:
            assert "played **" in board.text, "whoever pressed has moved"
        await (await bot.restart()).ready()
        for board in boards:
            # An agent that had not begun to think does so now.
            await server.until(partial(_is_answered, board), 120, "the agent's answer")
        await server.verify()


def _is_answered(board: Message) -> bool:
    return "to move" in board.text


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
async def test_a_bot_that_cannot_write_its_log_still_plays(tmp_path: Path) -> None:
    async with FakeDiscord(ack_seconds=MAX_TEST_WAIT_SECONDS) as server:
        env = {"DATABASE_URL": f"sqlite+aiosqlite:///{tmp_path / 'bot.db'}"}
        mute = f"exec {shlex.join(bot_command())} > /dev/full 2>&1"
        bot = await server.start_bot(["bash", "-c", mute], env=env)
        await bot.ready(["play"])
        person = server.user("ada")
        board = await (await person.slash(None, "play", game="connect-four", first="me")).result()
        assert not (await person.click(board, "4")).failed
        os.kill(bot.pid, signal.SIGHUP)
        assert await asyncio.wait_for(bot.wait(), MAX_TEST_WAIT_SECONDS) == 0


@pytest.mark.parametrize("code", [4004, 4014])
async def test_a_permanent_gateway_refusal_prints_one_line_and_exits_with_2(code: int) -> None:
    async with live_bot() as (server, bot):
        await server.gateway.close(code)
        assert await asyncio.wait_for(bot.wait(), MAX_TEST_WAIT_SECONDS) == 2
        assert not [line for line in bot.lines if "Traceback" in line]


async def test_two_bots_with_one_token_log_a_warning(tmp_path: Path) -> None:
    async with live_bot() as (server, bot):
        env = {"DATABASE_URL": f"sqlite+aiosqlite:///{tmp_path / 'other.db'}"}
        other = await server.start_bot(bot_command(), env=env)
        await other.ready(["play"])
        person = server.user("ada")
        for _ in range(2 * MAX_COLLISIONS):
            await person.slash(server.channel, "match list")
        await server.settle()

        def said() -> list[str]:
            lines = [*bot.lines, *other.lines]
            return [line for line in lines if "does one run with the same token" in line]

        await server.until(said, MAX_TEST_WAIT_SECONDS, "the warning")
        assert len(said()) <= 2
        assert not [line for one in (bot, other) for line in one.lines if "Traceback" in line]
        await other.stop()


async def test_a_second_process_with_the_same_servers_on_one_postgresql_ends_with_one_line(
    tmp_path: Path,
) -> None:
    url = cluster().database(tmp_path / "bot.db")
    async with live_bot(DATABASE_URL=url) as (server, bot):
        other = await server.start_bot(bot_command(), env={"DATABASE_URL": url})
        assert await asyncio.wait_for(other.wait(), MAX_TEST_WAIT_SECONDS) == 2
        assert "Another Discade, process" in other.lines[-1]
        assert not [line for line in other.lines if "Traceback" in line]

        board = await (await server.user("ada").slash(None, "play", game="connect-four", first="me")).result()
        assert not (await server.user("ada").click(board, "4")).failed
        await bot.kill()
        await (await bot.restart()).ready(["play"])


async def test_a_process_cut_off_from_its_database_ends_once_another_has_its_servers(tmp_path: Path) -> None:
    url, wire = cluster().database(tmp_path / "bot.db"), Wire(cluster().port)
    async with wire.opened() as port:
        through = url.replace(f":{cluster().port}/", f":{port}/")
        async with live_bot(DATABASE_URL=through) as (server, bot):
            wire.hang()
            other = await server.start_bot(bot_command(), env={"DATABASE_URL": url})
            await other.ready(["play"])
            wire.go_on()
            assert await asyncio.wait_for(bot.wait(), MAX_TEST_WAIT_SECONDS) == 2
            assert "Another Discade, process" in bot.lines[-1]
            await other.stop()


@pytest.mark.parametrize("is_frozen", [True, False])
async def test_every_press_is_answered_in_words_while_postgresql_does_not_answer(
    tmp_path: Path, is_frozen: bool
) -> None:
    """With the server's processes stopped, and with a network that swallows everything."""
    url, wire = cluster().database(tmp_path / "bot.db"), Wire(cluster().port)
    async with wire.opened() as port:
        through = url.replace(f":{cluster().port}/", f":{port}/")
        async with live_bot(DATABASE_URL=through) as (server, bot):
            people = [server.user(f"p{count}") for count in range(4)]
            terms = {"game": "connect-four", "first": "me"}
            boards = [await (await one.slash(server.channel, "play", **terms)).result() for one in people]
            asked: list[Interaction] = []
            until = time.monotonic() + HANGS_SECONDS
            with cluster().frozen() if is_frozen else wire.hung():
                while time.monotonic() < until:
                    pressing = [one.click(board, "4") for one, board in zip(people, boards, strict=True)]
                    asked += await asyncio.gather(*pressing, people[0].slash(server.channel, "match list"))
                texts = [(await one.result()).text for one in asked]
            waits = sorted(one.resolve_latency or 0.0 for one in asked)
            log.info(
                "%d answers, after %.2f s, at most %.2f s", len(waits), waits[len(waits) // 2], waits[-1]
            )
            assert not [text for text in texts if "try again" not in text]
            assert "database unavailable" in "\n".join(bot.lines)

            for person, board in zip(people, boards, strict=True):
                # One of the presses may have been stored, once the server went on.
                await person.click(board, "4")
                await server.until(partial(_has_moved, board), MAX_TEST_WAIT_SECONDS, "a move on the board")
            await server.verify()


def _has_moved(board: Message) -> bool:
    ids = [str(button.get("custom_id", "")) for button in board.buttons]
    return not any(re.match(r"d1:m:\d+:0:", custom_id) for custom_id in ids)
