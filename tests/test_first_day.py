"""docs/first-day.md: what a host does on the first day, tried against the code and a local Discord."""

from __future__ import annotations

import re
from pathlib import Path

import discord
import pytest

from bot.operation.live import PERMISSIONS
from bot.ui.permissions import FOR_THREADS
from tests.discord_server import FakeDiscord, online
from tests.working import MAX_TEST_WAIT_SECONDS

PAGE = (Path(__file__).parents[1] / "docs" / "first-day.md").read_text("utf-8")


def permissions() -> list[str]:
    """The permissions of the table, by discord.py's names, in its order."""
    rows = re.findall(r"^\| \*([\w ]+)\*", PAGE, re.MULTILINE)
    return [row.lower().replace(" ", "_") for row in rows]


def test_the_upper_permissions_of_the_table_are_those_that_the_link_asks_for() -> None:
    named = permissions()
    # Discord's page and discord.py name the first one otherwise.
    asked = {"view_channels" if name == "read_messages" else name for name, is_on in PERMISSIONS if is_on}
    assert set(named[: len(asked)]) == asked
    assert {FOR_THREADS[0], "create_events", "manage_roles", "pin_messages"} == set(named[len(asked) :])


@pytest.mark.slow
@pytest.mark.sqlite
async def test_a_host_finds_the_link_a_board_and_the_name_of_a_missing_permission() -> None:
    async with FakeDiscord(ack_seconds=MAX_TEST_WAIT_SECONDS) as server, online(server) as bot:
        assert any("Invite the bot to a server: https://" in line for line in bot.lines)
        ada = server.user("ada")
        for denied in (0, discord.Permissions(send_messages=True).value):
            server.deny_bot(server.channel, denied)
            board = await (await ada.slash(None, "play", game="connect-four", level="pip")).result()
            assert not board.ephemeral
        refused = await (await ada.slash(None, "tournament create", game="tic-tac-toe")).result()
        assert refused.ephemeral
        assert "**Send Messages**" in refused.text
        await server.verify()
