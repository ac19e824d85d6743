"""The greeting of a new server, and the Play message that stays in a channel."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import discord
import pytest

from bot.discord_events import DiscordEvents
from bot.domain.outgoing import Fate
from engine.games import GAMES
from tests.bot.made_once import locked
from tests.bot.table import Table, buttons_of, line_of, parts_of, text_of
from tests.bot.ui.test_panel import choose


def events_of(table: Table) -> DiscordEvents:
    events = table.bot.cogs["DiscordEvents"]
    assert isinstance(events, DiscordEvents)
    return events


async def join(table: Table, *, times: int = 1) -> None:
    """Send the event of a server that the bot is added to."""
    table.bot.parts.settings = replace(table.bot.parts.settings, greets=True)
    guild = table.bot.get_guild(table.guild.id)
    assert guild is not None
    for _ in range(times):
        await events_of(table).on_guild_join(guild)


def manager(table: Table) -> Any:
    role = table.guild.create_role("Crew", permissions=discord.Permissions(manage_guild=True))
    return table.guild.add_member(table.env.create_user("gil", global_name="Gil"), roles=[role])


def standing_in(channel: Any) -> list[Any]:
    """The messages to play from; that one was pinned, Discord says in a message of its own."""
    return [one for one in channel.history() if "Play here" in text_of(one)]


# The greeting


async def test_a_new_server_is_greeted_once_with_buttons_to_play(table: Table) -> None:
    await join(table, times=2)
    (greeting,) = table.games.history()
    assert "Hello, I’m Discade" in text_of(greeting)
    first = [line for line in text_of(greeting).splitlines() if line.startswith(("🎲", "🤝", "🧩"))]
    assert len(first) == 3, "three things to do first"
    assert "one setting matters, the channels where matches may be started" in text_of(greeting)
    *others, last = (rules.title for rules in GAMES.values())
    assert f"I host {', '.join(others)}, and {last} here" in text_of(greeting)
    panel = await table.ben.click(greeting, label="Play")
    assert panel.ephemeral
    await choose(table.ben, panel.response, "I go first")
    board = await table.ben.click(panel.response, label="Start")
    assert "**Ben**" in text_of(board.response)


async def test_a_server_is_greeted_once_also_after_a_restart(table: Table) -> None:
    await join(table)
    await table.restart()
    await join(table)
    assert len(table.games.history()) == 1


@pytest.mark.slow
@pytest.mark.sqlite
async def test_a_server_joined_while_the_database_is_locked_is_greeted_later(
    table: Table, caplog: pytest.LogCaptureFixture
) -> None:
    guild = table.bot.get_guild(table.guild.id)
    table.bot.parts.settings = replace(table.bot.parts.settings, greets=True)
    with locked(table.database):
        table.bot.dispatch("guild_join", guild)
        await table.env.settle()
    assert table.games.history() == []
    await table.soon(table.games.history)
    (greeting,) = table.games.history()
    assert "Hello, I’m Discade" in text_of(greeting)
    assert not [record for record in caplog.records if record.exc_info]


async def test_where_the_bot_may_not_write_the_owner_is_greeted(table: Table) -> None:
    table.bot.parts.settings = replace(table.bot.parts.settings, greets=True)
    bare = table.env.create_guild("Without a channel")
    guild = table.bot.get_guild(bare.id)
    assert guild is not None
    await events_of(table).on_guild_join(guild)
    assert table.writes("POST", "/users/@me/channels")
    assert len(table.writes("POST", "/channels/*/messages")) == 1


async def test_a_host_may_turn_the_greeting_off(own_table: Table) -> None:
    guild = own_table.bot.get_guild(own_table.guild.id)
    assert guild is not None
    await events_of(own_table).on_guild_join(guild)
    assert own_table.games.history() == []


async def test_a_greeting_that_cannot_be_sent_is_logged(table: Table) -> None:
    table.env.inject_error("POST", "/channels/*/messages", status=403, code=50013)
    await join(table)
    assert table.games.history() == []


# The Play message


@pytest.mark.slow
async def test_the_start_message_of_a_channel_works_after_a_restart(table: Table) -> None:
    boss = manager(table)
    panel = await table.settings(boss, "play")
    await boss.select(panel, [table.games], custom_id="d1:g:panel")
    await table.reconcile()
    (standing,) = standing_in(table.games)
    await table.restart()
    for person in (table.ada, table.ben):
        opened = await person.click(standing, label="Play")
        assert opened.ephemeral
        await choose(person, opened.response, "I go first", "Start")
    assert buttons_of(standing) == {"Play": True, "Puzzle of the day": True, "All commands": True}
    assert len(await table.bot.services.matches.running(table.ada.id)) == 1


async def test_the_start_message_follows_its_channel_setting_at_once(own_table: Table) -> None:
    boss, other = manager(own_table), own_table.guild.create_text_channel("arena")
    panel = await own_table.settings(boss, "play")
    for channels in ([own_table.games], [other], [own_table.games], [other]):
        changed = await boss.select(panel, channels, custom_id="d1:g:panel")
        assert not changed.followups, "a lone admin is never told that many people press"
    await own_table.reconcile()
    await own_table.reconcile()
    assert standing_in(own_table.games) == []
    (standing,) = standing_in(other)
    assert await noted(own_table) == standing.id
    await boss.select(panel, [], custom_id="d1:g:panel")
    await own_table.reconcile()
    assert standing_in(other) == []
    assert await noted(own_table) is None


async def noted(table: Table) -> int | None:
    """Return the message that is stored as the server's Play message."""
    notes = await table.bot.parts.stores.outgoing.of("start")
    return notes[0].message_id if notes else None


async def chosen(table: Table) -> Any:
    """Choose a channel for the Play message and return the message."""
    settings, guild_id = table.bot.services.settings, table.guild.id
    await settings.change(guild_id, lambda now: now.changed(panel_channel=table.games.id))
    await table.reconcile()
    (standing,) = standing_in(table.games)
    return standing


async def test_a_start_message_that_a_moderator_deletes_comes_back(own_table: Table) -> None:
    standing = await chosen(own_table)
    own_table.env.backend.delete_message(own_table.games.id, standing.id)
    await own_table.env.advance_time(1)
    await own_table.reconcile()
    (again,) = standing_in(own_table.games)
    assert await noted(own_table) == again.id != standing.id


@pytest.mark.slow
async def test_a_start_message_deleted_while_the_bot_was_down_comes_back(own_table: Table) -> None:
    standing = await chosen(own_table)
    await own_table.bot.close()
    own_table.env.backend.delete_message(own_table.games.id, standing.id)
    await own_table.restart()
    for _ in range(4):
        await own_table.env.advance_time(4)
        await own_table.reconcile()
    (again,) = standing_in(own_table.games)
    assert await noted(own_table) == again.id


async def test_a_process_that_dies_before_it_stores_the_start_message_leaves_one(own_table: Table) -> None:
    standing = await chosen(own_table)
    (note,) = await own_table.bot.parts.stores.outgoing.of("start")
    await own_table.bot.parts.stores.outgoing.save(replace(note, message_id=None, fate=Fate.SENDING))
    await own_table.restart()
    await own_table.reconcile()
    assert [one.id for one in standing_in(own_table.games)] == [standing.id]
    assert await noted(own_table) == standing.id


async def test_the_start_message_follows_the_servers_language(table: Table) -> None:
    standing = await chosen(table)
    assert "Play" in buttons_of(standing)
    settings, guild_id = table.bot.services.settings, table.guild.id
    await settings.change(guild_id, lambda now: now.changed(language="de"))
    await table.reconcile()
    (again,) = (one for one in table.games.history() if one.id == standing.id)
    assert "Spielen" in buttons_of(again)


async def test_a_channel_in_which_the_bot_may_not_write_is_refused(table: Table) -> None:
    boss = manager(table)
    closed = table.guild.create_text_channel(
        "closed", overwrites={table.guild.default_role: discord.PermissionOverwrite(send_messages=False)}
    )
    panel = await table.settings(boss, "play")
    refused = await boss.select(panel, [closed], custom_id="d1:g:panel")
    assert "may not write" in line_of(refused.response)
    assert table.bot.services.settings.server(table.guild.id).panel_channel is None


async def test_the_settings_fit_into_a_message(table: Table) -> None:
    panel = await table.settings(manager(table), "play")
    assert len(parts_of(panel)) <= 40
