"""The real process is killed before it has noted what it sent: nothing is sent twice, and no call stays."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.bot.live import live_bot
from tests.discord_server import FakeDiscord, Message, Person
from tests.working import MAX_TEST_WAIT_SECONDS

MOVES = 5
"""So many in a row are a crowd: the last call goes through the press, and by it Discord knows no nonce."""

SAID = 120
"""More than one request gives."""


@pytest.mark.slow
async def test_a_lost_ping_and_a_lost_mirror_are_found_after_a_kill(tmp_path: Path) -> None:
    file = tmp_path / "bot.db"
    async with live_bot(DATABASE_URL=f"sqlite+aiosqlite:///{file}") as (server, bot):

        async def called_alone(person: Person) -> None:
            await server.until(lambda: _called(server) == [person], MAX_TEST_WAIT_SECONDS, "one call")

        pair = [server.user("ada"), server.user("ben")]
        asked = await pair[0].slash(None, "challenge", game="connect-four", opponent=pair[1], first="me")
        board = await (await pair[1].click(await asked.result(), "Accept")).result()
        for _ in range(SAID):
            await pair[0].send("who is winning?")
        for ply in range(MOVES):
            await pair[ply % 2].click(board, "4")
            await called_alone(pair[(ply + 1) % 2])
        (standing,) = _calls(server)
        arena = server.new_channel("arena")
        await pair[0].slash(arena, "match board", watch=True)
        await server.until(lambda: pair[1].messages(arena), MAX_TEST_WAIT_SECONDS, "a mirror")
        (mirror,) = pair[1].messages(arena)
        await server.settle()
        await bot.kill()
        with closing(sqlite3.connect(file)) as connection, connection:
            connection.execute("UPDATE matches SET ping_id = NULL, ping_ask = NULL")
            connection.execute("UPDATE outgoing SET message_id = NULL, fate = 'sending'")
        await bot.restart()
        await bot.ready(["play"])
        await server.until(
            lambda: _noted(file) == [standing.id], MAX_TEST_WAIT_SECONDS, "the call to be found"
        )
        assert [one.id for one in _calls(server)] == [standing.id], "and nobody is called twice"
        await pair[MOVES % 2].click(mirror, "5")
        await called_alone(pair[(MOVES + 1) % 2])
        await server.until(lambda: _ids(board) == _ids(mirror), MAX_TEST_WAIT_SECONDS, "both boards")
        assert pair[1].messages(arena) == [mirror], "and it is sent once"


def _calls(server: FakeDiscord) -> list[Message]:
    return [message for message in server.messages() if message.content.startswith("<@")]


def _ids(board: Message) -> list[str]:
    """The custom_ids on the board, which name its turn."""
    return [str(button["custom_id"]) for button in board.buttons]


def _called(server: FakeDiscord) -> list[Person]:
    """Who is called by the calls that stand."""
    people = {str(actor.id): actor for actor in (server.user("ada"), server.user("ben"))}
    return [people[message.content[2:].split(">")[0]] for message in _calls(server)]


def _noted(file: Path) -> list[int]:
    with closing(sqlite3.connect(file)) as connection:
        return [row[0] for row in connection.execute("SELECT ping_id FROM matches WHERE ping_id IS NOT NULL")]
