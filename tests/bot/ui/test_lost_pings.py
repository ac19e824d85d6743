"""The real process is killed before it has noted whom it called: no second call, and none that stays."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from bench import fake_discord

MODULE = fake_discord.load()

pytestmark = pytest.mark.skipif(MODULE is None, reason=fake_discord.MISSING)

MOVES = 5
"""So many in a row are a crowd: the last call goes through the press, and by it Discord knows no nonce."""

SAID = 120
"""More than one request gives."""


async def test_a_lost_ping_is_found_in_a_busy_channel(tmp_path: Path) -> None:
    assert MODULE is not None
    file = tmp_path / "bot.db"
    async with (
        MODULE.FakeDiscord() as server,
        fake_discord.online(server, DATABASE_URL=f"sqlite+aiosqlite:///{file}") as bot,
    ):
        pair = [server.user("ada"), server.user("ben")]
        asked = await pair[0].slash(None, "challenge", game="connect-four", opponent=pair[1], first="me")
        board = (await pair[1].click(await asked.result(), "Accept")).message
        for _ in range(SAID):
            await pair[0].send("who is winning?")
        for ply in range(MOVES):
            await pair[ply % 2].click(board, "4")
            await server.until(lambda ply=ply: _called(server) == [pair[(ply + 1) % 2]], 10.0, "one call")
        (standing,) = _calls(server)
        await server.settle()
        await bot.kill()
        with closing(sqlite3.connect(file)) as connection, connection:
            connection.execute("UPDATE matches SET ping_id = NULL, ping_ask = NULL")
        await bot.restart()
        await bot.ready(["play"], timeout=60)
        await server.until(lambda: _noted(file) == [int(standing.id)], 20.0, "the call to be found")
        assert [one.id for one in _calls(server)] == [standing.id], "and nobody is called twice"
        await pair[MOVES % 2].click(board, "5")
        await server.until(lambda: _called(server) == [pair[(MOVES + 1) % 2]], 10.0, "the next call alone")


def _calls(server: Any) -> list[Any]:
    return [message for message in server.messages() if message.content.startswith("<@")]


def _called(server: Any) -> list[Any]:
    """Who is called by the calls that stand."""
    people = {str(actor.id): actor for actor in (server.user("ada"), server.user("ben"))}
    return [people[message.content[2:].split(">")[0]] for message in _calls(server)]


def _noted(file: Path) -> list[int]:
    with closing(sqlite3.connect(file)) as connection:
        return [row[0] for row in connection.execute("SELECT ping_id FROM matches WHERE ping_id IS NOT NULL")]
