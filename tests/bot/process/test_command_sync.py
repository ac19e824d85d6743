"""Registering commands: only when needed, keeping Discord's own entries, and never stopping a start."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator

import discord
import pytest
from discord import app_commands

from bot.process.command_sync import CommandSync
from bot.store.stores import Stores
from bot.ui.translator import Translator
from tests.bot.made_once import all_texts
from tests.discord_server import FakeDiscord

PUT = ("PUT", "/applications/*/commands")
LAUNCH = {
    "id": "7", "application_id": "42", "version": "1", "type": 4, "handler": 2, "name": "Launch",
    "description": "", "contexts": [0, 1, 2], "integration_types": [0, 1], "nsfw": False,
    "default_member_permissions": None, "dm_permission": True,
}  # fmt: skip


@pytest.fixture
async def sync(far_discord: FakeDiscord, stores: Stores) -> AsyncIterator[CommandSync]:
    """Of a client with one command that has logged in."""
    async with discord.Client(intents=discord.Intents.none()) as client:
        tree = app_commands.CommandTree(client)

        @tree.command(name="ping", description="Whether I am awake")
        async def ping(press: discord.Interaction) -> None: ...

        await tree.set_translator(Translator(all_texts()))
        await client.login(far_discord.token)
        yield CommandSync(client, tree, stores.facts)


def names(far: FakeDiscord) -> set[str]:
    return {command["name"] for command in far.world.commands.values()}


@pytest.mark.slow
async def test_commands_are_registered_once_and_again_when_discord_has_lost_them(
    sync: CommandSync, far_discord: FakeDiscord
) -> None:
    assert await sync.sync()
    assert not await sync.sync()
    assert names(far_discord) == {"ping"}
    far_discord.world.commands.clear()
    assert await sync.sync()
    assert await sync.sync(force=True)
    assert len(far_discord.recorder.asked(*PUT)) == 3


@pytest.mark.slow
async def test_the_entry_point_of_an_activity_is_kept_as_it_is(
    sync: CommandSync, far_discord: FakeDiscord
) -> None:
    far_discord.world.commands[7] = LAUNCH

    assert await sync.sync(), "an entry point alone is no sign that our commands are there"

    assert names(far_discord) == {"ping", "Launch"}
    (request,) = far_discord.recorder.asked(*PUT)
    (kept,) = (command for command in request.body if command["name"] == "Launch")
    sent = {key: kept.get(key) for key in ("id", "type", "handler", "contexts", "integration_types")}
    assert sent == {key: LAUNCH[key] for key in sent}
    assert not {"version", "application_id"} & set(kept)


@pytest.mark.slow
async def test_a_refusal_logs_one_line_and_stops_nothing(
    sync: CommandSync, far_discord: FakeDiscord, caplog: pytest.LogCaptureFixture
) -> None:
    told = {"message": "You cannot remove this app's Entry Point command", "code": 50240}
    far_discord.faults.status(*PUT, 400, body=told)

    await sync.run_once()
    await sync.run_once()

    (record,) = (record for record in caplog.records if record.levelno >= logging.WARNING)
    assert "Discord refused the commands" in record.message
    assert "Entry Point" in record.message
    assert record.exc_info is None
    assert "\n" not in record.message


@pytest.mark.slow
async def test_a_transient_error_is_retried_until_it_passes(
    sync: CommandSync, far_discord: FakeDiscord, stores: Stores
) -> None:
    far_discord.faults.status(*PUT, 503, times=3)

    for _ in range(3):
        await sync.run_once()
        assert names(far_discord) == set()
    await sync.run_once()

    assert names(far_discord) == {"ping"}
