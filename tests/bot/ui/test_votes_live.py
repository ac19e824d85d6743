"""The real process at a local Discord: a crowd votes at once, and a kill loses no vote."""

from __future__ import annotations

import asyncio
import time

import pytest

from bot.services.votes import RECOUNT_SECONDS
from tests.bot.live import live_bot
from tests.discord_server import FakeDiscord, Message
from tests.working import MAX_TEST_WAIT_SECONDS

CROWD = 60


def boards(server: FakeDiscord) -> list[Message]:
    return [
        one
        for one in server.messages()
        if any("d1:vm:" in button["custom_id"] for button in one.enabled_buttons)
    ]


@pytest.mark.slow
async def test_a_kill_amid_a_crowds_votes_loses_none_and_the_board_is_edited_seldom() -> None:
    async with live_bot() as (server, bot):
        starter = server.user("starter")
        panel = await (await starter.slash(None, "play")).result()
        menu = next(one["custom_id"] for one in panel.selects if ":pick-opponent:" in one["custom_id"])
        await starter.select(panel, menu, "channel")
        await starter.click(panel, "Start")
        await server.until(lambda: boards(server), MAX_TEST_WAIT_SECONDS, "the board")
        (board,) = boards(server)
        column = next(one["custom_id"] for one in board.enabled_buttons if "d1:vm:" in one["custom_id"])
        people = [server.user(f"voter{number}") for number in range(CROWD)]
        before, began = len(server.recorder.asked("PATCH", "*")), time.monotonic()
        presses = [person.start_click(board, column) for person in people]
        await asyncio.gather(*(press.acknowledged() for press in presses))
        edits, seconds = len(server.recorder.asked("PATCH", "*")) - before, time.monotonic() - began
        assert edits < max(CROWD / 4, 2 + seconds / RECOUNT_SECONDS)
        await bot.kill()
        await bot.start()
        await bot.ready()
        told = f"{CROWD} votes so far."
        await server.until(lambda: told in boards(server)[0].text, MAX_TEST_WAIT_SECONDS, "the count")
