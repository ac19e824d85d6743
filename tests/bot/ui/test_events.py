"""Tournaments as scheduled events: created, started, prolonged and ended with them."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import discord
import pytest
from simcord.backend.serializers import guild_create_payload

from bot.domain.clock import Clock
from bot.domain.preferences import ServerSettings
from bot.domain.tournament.model import Stage, System
from bot.services.sources.tournament_events import (
    ENDS_SOON,
    LONGEST,
    PROLONGED_BY,
    SHORTEST,
    expected_end,
)
from bot.services.tournaments import Organiser
from tests.bot.domain.tournament.playing import signed_up
from tests.bot.table import Table, behind_more, text_of


@pytest.fixture
def table(own_table: Table) -> Table:
    """A bot of its own for each test: they look through everything that a restart finds."""
    return own_table


SCHEDULED, ACTIVE, COMPLETED, CANCELLED = 1, 2, 3, 4
"""Discord's numbers for the status of an event."""


async def wanted(table: Table, *, is_wanted: bool = True) -> None:
    await table.bot.services.settings.save(table.guild.id, ServerSettings(is_scheduling=is_wanted))


async def created(table: Table, **options: Any) -> Any:
    chosen = {"game": "tic-tac-toe", "name": "Spring Cup", "sign_up": 3600, **options}
    message = (await table.ada.slash(table.games, "tournament create", **chosen)).response
    await table.reconcile()
    return message


async def started(table: Table, message: Any) -> None:
    for person in (table.ada, table.ben, table.eve):
        await person.click(message, label="Join")
    await table.ada.click(message, label="Start now")
    await table.reconcile()


def events_of(table: Table) -> list[Any]:
    return list(table.env.backend.guilds[table.guild.id].scheduled_events.values())


def permit(table: Table, *, events: bool) -> None:
    """Set the bot's permission to create events and keep its other permissions."""
    guild = table.bot.get_guild(table.guild.id)
    assert guild is not None
    flags = discord.Permissions.create_events.flag | discord.Permissions.administrator.flag
    had = guild.me.top_role.permissions.value & ~flags
    value = had | (discord.Permissions.create_events.flag if events else 0)
    table.env.backend.edit_role(table.guild.id, guild.me.top_role.id, {"permissions": value})


async def test_a_tournament_gets_an_event_that_starts_when_sign_up_closes(table: Table) -> None:
    await wanted(table)
    message = await created(table, start="pie")
    (event,) = events_of(table)
    tournament = await table.bot.services.tournaments.tournament(1)
    assert (event.name, event.status, event.entity_type) == ("Spring Cup", SCHEDULED, 3)
    assert datetime.fromisoformat(event.scheduled_start_time) == tournament.closes_at
    assert datetime.fromisoformat(event.scheduled_end_time) >= tournament.closes_at + SHORTEST
    assert event.entity_metadata["location"].endswith(f"/{table.games.id}/{message.id}")
    assert "Tic-tac-toe · 3×3 · Swiss · pie rule · Rated" in event.description
    for _ in range(2):
        await table.reconcile()
    assert len(events_of(table)) == 1


async def test_without_the_setting_no_event_is_created(table: Table) -> None:
    await created(table)
    assert events_of(table) == []


@pytest.mark.slow
async def test_a_championship_of_agents_gets_no_event(table: Table) -> None:
    await wanted(table)
    await table.ada.slash(table.games, "tournament create", players="bots", game="tic-tac-toe")
    await table.reconcile()
    assert events_of(table) == []


@pytest.mark.slow
async def test_the_event_starts_and_ends_with_the_tournament_across_restarts(table: Table) -> None:
    await wanted(table)
    message = await created(table, system="knockout")
    await table.restart()
    await started(table, message)
    assert [event.status for event in events_of(table)] == [ACTIVE]
    await table.restart()
    for _ in range(4):
        await resign_all(table)
    assert (await table.bot.services.tournaments.tournament(1)).stage is Stage.OVER
    await table.reconcile()
    assert [event.status for event in events_of(table)] == [COMPLETED]
    assert await table.bot.parts.stores.events.all() == ()


async def resign_all(table: Table) -> None:
    """Resign every match of the round for the player to move."""
    await table.env.advance_time(10)
    people = {person.id: person for person in (table.ada, table.ben, table.eve)}
    for pairing in (await table.bot.services.tournaments.tournament(1)).pairings:
        if pairing.is_settled or pairing.match_id is None:
            continue
        match = await table.bot.services.matches.match(pairing.match_id)
        actor = people[match.seat_to_move.user_id or 0]
        board = next(one for one in table.games.history() if one.id == match.location.message_id)
        asked = await behind_more(actor, board, "Resign")
        await actor.click(asked.response, label="Yes, resign")
    await table.env.advance_time(10)


@pytest.mark.slow
async def test_a_cancelled_tournament_cancels_its_event(table: Table) -> None:
    await wanted(table)
    await created(table)
    await table.cancel_tournament(table.ada)
    await table.reconcile()
    assert [event.status for event in events_of(table)] == [CANCELLED]


@pytest.mark.slow
async def test_an_events_end_is_postponed_while_matches_are_running(table: Table) -> None:
    await wanted(table)
    await started(table, await created(table))
    (known,) = await table.bot.parts.stores.events.all()
    table.clock.ahead += known.ends_at - ENDS_SOON / 2 - table.bot.services.clock()
    await table.reconcile()
    (event,) = events_of(table)
    assert datetime.fromisoformat(event.scheduled_end_time) > known.ends_at
    assert datetime.fromisoformat(event.scheduled_end_time) - table.bot.services.clock() > PROLONGED_BY / 2


@pytest.mark.slow
async def test_an_event_whose_id_was_lost_is_found_again(table: Table) -> None:
    await wanted(table)
    await created(table)
    await table.bot.parts.stores.events.forget(1)
    await table.restart()
    await table.reconcile()
    assert len(events_of(table)) == 1
    assert [known.event_id for known in await table.bot.parts.stores.events.all()] == [events_of(table)[0].id]


@pytest.mark.slow
async def test_a_deleted_event_stays_deleted(table: Table) -> None:
    await wanted(table)
    message = await created(table)
    table.env.backend.delete_scheduled_event(table.guild.id, events_of(table)[0].id)
    await table.reconcile()
    await started(table, message)
    assert events_of(table) == []
    await table.cancel_tournament(table.ada)


async def test_turning_the_setting_off_cancels_events(table: Table) -> None:
    await wanted(table)
    await created(table)
    await wanted(table, is_wanted=False)
    await table.reconcile()
    assert [event.status for event in events_of(table)] == [CANCELLED]


@pytest.mark.slow
async def test_a_refused_event_is_retried_within_a_minute(table: Table) -> None:
    await wanted(table)
    table.env.inject_error("POST", "/guilds/*/scheduled-events", status=400)
    await created(table)
    assert events_of(table) == []
    await table.env.advance_time(61)
    assert len(events_of(table)) == 1


@pytest.mark.slow
async def test_without_the_permission_the_owner_is_told_once_and_the_tournament_runs(
    table: Table,
) -> None:
    await wanted(table)
    permit(table, events=False)
    await table.env.advance_time(1)
    message = await created(table)
    table.clock.ahead += timedelta(minutes=2)
    await table.reconcile()
    assert events_of(table) == []
    owner = table.env.backend.guilds[table.guild.id].owner_id
    told = [one.content for one in table.env.backend.messages[table.env.backend.dm_channels[owner]].values()]
    assert len(told) == 1
    assert "**Create Events**" in told[0]
    await started(table, message)
    assert (await table.bot.services.tournaments.tournament(1)).stage is Stage.RUNNING


async def test_settings_turn_events_on_and_name_the_missing_permission(table: Table) -> None:
    permit(table, events=False)
    await table.env.advance_time(1)
    role = table.guild.create_role("Crew", permissions=discord.Permissions(manage_guild=True))
    boss = table.guild.add_member(table.env.create_user("gil", global_name="Gil"), roles=[role])
    panel = await table.settings(boss, "daily")
    assert "Create Events" not in text_of(panel)
    await boss.click(panel, label="Server events: off")
    assert table.bot.services.settings.server(table.guild.id).is_scheduling
    assert "I still need the permission **Create Events**" in text_of(panel)
    await boss.click(panel, label="Server events: on")
    assert not table.bot.services.settings.server(table.guild.id).is_scheduling


@pytest.mark.parametrize("number", [10, 3600, 259_200, Clock(180, 2).number, Clock(1800, 20).number])
def test_the_estimated_end_is_within_a_week_of_the_start(number: int) -> None:
    for entrants in (3, 32):
        tournament = replace(signed_up(System.SWISS, entrants), clock_seconds=number)
        assert SHORTEST <= expected_end(tournament) - tournament.closes_at <= LONGEST


# Where the bot is no member


def kick(table: Table) -> None:
    table.bot._connection.parsers["GUILD_DELETE"]({"id": str(table.guild.id)})


def invite(table: Table) -> None:
    backend = table.env.backend
    joined = dict(guild_create_payload(backend, backend.get_guild(table.guild.id)))
    joined.pop("unavailable", None)
    table.bot._connection.parsers["GUILD_CREATE"](joined)


async def test_an_event_is_created_once_the_bot_is_back_in_the_server(table: Table) -> None:
    await created(table)
    kick(table)
    await wanted(table)
    for _ in range(3):
        await table.reconcile()
    assert events_of(table) == []
    invite(table)
    await table.reconcile()
    assert [event.status for event in events_of(table)] == [SCHEDULED]


async def test_an_event_starts_once_the_bot_is_back_in_the_server(table: Table) -> None:
    await wanted(table)
    message = await created(table)
    for person in (table.ada, table.ben, table.eve):
        await person.click(message, label="Join")
    kick(table)
    await table.bot.services.tournaments.start(1, Organiser(table.ada.id))
    for _ in range(3):
        await table.reconcile()
    assert [event.status for event in events_of(table)] == [SCHEDULED]
    invite(table)
    await table.reconcile()
    assert [event.status for event in events_of(table)] == [ACTIVE]


async def test_an_event_that_was_to_end_in_a_server_that_the_bot_has_left_is_forgotten(table: Table) -> None:
    await wanted(table)
    await created(table)
    kick(table)
    await wanted(table, is_wanted=False)
    for _ in range(3):
        await table.reconcile()
    assert await table.bot.parts.stores.events.all() == ()
    assert [event.status for event in events_of(table)] == [SCHEDULED]
