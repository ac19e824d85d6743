"""Discord's windows of minutes, as for threads: the bot uses every request that they have left."""

from __future__ import annotations

import discord
import pytest

from bot.ui.threads import FINISHED_MINUTES, RUNNING_MINUTES
from tests.bot.live import live_bot
from tests.discord_server import FakeDiscord, Message
from tests.working import MAX_TEST_WAIT_SECONDS

MATCHES = 5


@pytest.mark.slow
async def test_every_match_gets_its_thread_and_a_rematch_keeps_it_open() -> None:
    async with live_bot() as (server, _):
        ada = server.user("ada")
        allowed = discord.Permissions(manage_guild=True).value
        server.give_role(ada, server.add_role("Organiser", allowed))
        panel = await (await ada.slash(None, "settings")).result()
        await ada.click(panel, "d1:gg:play")
        (menu,) = (one for one in panel.selects if one["custom_id"].endswith("threads"))
        await ada.select(panel, menu["custom_id"], "always")

        for _ in range(MATCHES):
            await ada.slash(None, "play", game="tic-tac-toe", level="pip", first="me", rated=False)
        await server.until(
            lambda: len(boards_in_threads(server)) == MATCHES, MAX_TEST_WAIT_SECONDS, "a thread each"
        )

        board = boards_in_threads(server)[0]
        assert board.channel.archive_minutes == RUNNING_MINUTES
        asked = await (await ada.slash(board.channel, "match resign")).result()
        await ada.click(asked, "Yes, resign")
        await server.until(
            lambda: board.channel.archive_minutes == FINISHED_MINUTES, MAX_TEST_WAIT_SECONDS, "the end"
        )
        await ada.click(board, "Rematch")
        await server.until(
            lambda: board.channel.archive_minutes == RUNNING_MINUTES, MAX_TEST_WAIT_SECONDS, "the rematch"
        )
        await server.verify()


def boards_in_threads(server: FakeDiscord) -> list[Message]:
    return [one for one in server.messages() if one.channel.is_thread and one.enabled_buttons]
