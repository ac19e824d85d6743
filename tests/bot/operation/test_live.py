"""The real `python -m bot` against a local Discord, ended while people play; skipped without that."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

from bench import fake_discord
from bot.ui.duplicate_bots import MAX_COLLISIONS
from tests.working import MAX_TEST_WAIT_SECONDS

fakediscord = fake_discord.load()
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(fakediscord is None, reason=fake_discord.MISSING),
    pytest.mark.skipif(os.name == "nt", reason="Windows sends no signals to other processes"),
]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_a_press_during_shutdown_is_answered(number: signal.Signals) -> None:
    assert fakediscord is not None
    async with fakediscord.FakeDiscord() as server, fake_discord.online(server) as bot:
        people = [server.user(f"p{count}") for count in range(6)]
        terms = {"game": "connect-four", "first": "me", "level": "vera"}
        boards = [await person.slash(server.channel, "play", **terms) for person in people]
        pressing = [
            asyncio.create_task(person.click(board.message, "4"))
            for person, board in zip(people, boards, strict=True)
        ]
        await asyncio.sleep(0.01)
        os.kill(bot.pid, number)
        await asyncio.gather(*pressing)

        assert await asyncio.wait_for(bot.wait(), MAX_TEST_WAIT_SECONDS) == 0

        assert not [line for line in bot.lines if "Traceback" in line]
        for board in boards:
            assert "played **" in board.message.text, "whoever pressed has moved"
        await (await bot.restart()).ready()
        for board in boards:
            # An agent that had not begun to think does so now.
            await server.until(lambda board=board: "to move" in board.message.text, 120, "the agent's answer")
        await server.verify()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
async def test_a_bot_that_cannot_write_its_log_still_plays(tmp_path: Path) -> None:
    assert fakediscord is not None
    async with fakediscord.FakeDiscord() as server:
        env = {"DATABASE_URL": f"sqlite+aiosqlite:///{tmp_path / 'bot.db'}"}
        mute = f"exec {sys.executable} -m bot > /dev/full 2>&1"
        bot = await server.start_bot(["bash", "-c", mute], cwd=fake_discord.ROOT, env=env)
        await bot.ready(["play"], timeout=MAX_TEST_WAIT_SECONDS)
        person = server.user("ada")
        board = await (await person.slash(None, "play", game="connect-four", first="me")).result()
        assert not (await person.click(board, "4")).failed
        os.kill(bot.pid, signal.SIGHUP)
        assert await asyncio.wait_for(bot.wait(), MAX_TEST_WAIT_SECONDS) == 0


@pytest.mark.parametrize("code", [4004, 4014])
async def test_a_permanent_gateway_refusal_prints_one_line_and_exits_with_2(code: int) -> None:
    assert fakediscord is not None
    async with fakediscord.FakeDiscord() as server, fake_discord.online(server) as bot:
        await server.gateway.close(code)
        assert await asyncio.wait_for(bot.wait(), MAX_TEST_WAIT_SECONDS) == 2
        assert not [line for line in bot.lines if "Traceback" in line]


async def test_two_bots_with_one_token_log_a_warning(tmp_path: Path) -> None:
    assert fakediscord is not None
    async with fakediscord.FakeDiscord() as server, fake_discord.online(server) as bot:
        env = {"DATABASE_URL": f"sqlite+aiosqlite:///{tmp_path / 'other.db'}"}
        other = await server.start_bot([sys.executable, "-m", "bot"], cwd=fake_discord.ROOT, env=env)
        await other.ready(["play"], timeout=MAX_TEST_WAIT_SECONDS)
        person = server.user("ada")
        for _ in range(2 * MAX_COLLISIONS):
            await person.slash(server.channel, "games")
        await server.settle()
        said = [
            line for one in (bot, other) for line in one.lines if "does one run with the same token" in line
        ]
        assert 1 <= len(said) <= 2
        assert not [line for one in (bot, other) for line in one.lines if "Traceback" in line]
        await other.stop(timeout=15)
