"""Champions' roles: given and removed by the bot, and the permissions they need."""

from __future__ import annotations

from typing import Any

import discord
import pytest
from simcord.backend.serializers import guild_create_payload

from bot.domain.champion import ChampionRole, Title
from bot.domain.person import Person
from bot.domain.preferences import ServerSettings
from bot.operation.administration import _forget
from tests.bot.table import Table, behind_more, line_of, text_of


def roles_of(table: Table, person: Any) -> set[int]:
    return set(table.env.backend.guilds[table.guild.id].members[person.id].role_ids)


def boss_of(table: Table) -> Any:
    """Return a person who manages the server and its roles, with the highest role."""
    permissions = discord.Permissions(manage_guild=True, manage_roles=True)
    role = table.guild.create_role("Crew", permissions=permissions, position=60)
    return table.guild.add_member(table.env.create_user("gil", global_name="Gil"), roles=[role])


async def won_by(table: Table, winner: Any) -> None:
    """Play a knockout of three in which the other players resign."""
    number = len(await table.bot.services.tournaments.of_guild(table.guild.id)) + 1
    chosen = {"game": "tic-tac-toe", "system": "knockout"}
    message = (await table.ada.slash(table.games, "tournament create", **chosen)).response
    people = (table.ada, table.ben, table.eve)
    for person in people:
        await person.click(message, label="Join")
    await table.ada.click(message, label="Start now")
    await table.env.advance_time(10)
    for _ in range(4):
        for pairing in (await table.bot.services.tournaments.tournament(number)).pairings:
            if pairing.match_id is None or pairing.is_settled:
                continue
            match = await table.bot.services.matches.match(pairing.match_id)
            seated = [one for one in people if match.players_of(one.id)]
            loser = next(one for one in seated if one is not winner)
            board = next(one for one in table.games.history() if one.id == match.location.message_id)
            asked = await behind_more(loser, board, "Resign")
            await loser.click(asked.response, label="Yes, resign")
        await table.env.advance_time(10)


@pytest.mark.slow
async def test_the_winner_of_a_tournament_has_the_role_until_the_next_one(table: Table) -> None:
    role = table.guild.create_role("Champion")
    await table.bot.services.settings.save(table.guild.id, ServerSettings(winner_role=role.id))
    await won_by(table, table.ben)
    await table.reconcile()
    assert role.id in roles_of(table, table.ben)
    await won_by(table, table.eve)
    await table.restart()
    await table.reconcile()
    assert role.id not in roles_of(table, table.ben)
    assert role.id in roles_of(table, table.eve)
    await table.bot.services.settings.save(table.guild.id, ServerSettings())
    await table.reconcile()
    assert role.id not in roles_of(table, table.eve)
    assert await table.bot.parts.stores.champions.all() == ()


async def test_a_role_given_by_people_is_never_removed(table: Table) -> None:
    role = table.guild.create_role("Champion")
    table.env.backend.add_member_role(table.guild.id, table.ada.id, role.id)
    await table.bot.services.settings.save(table.guild.id, ServerSettings(leader_role=role.id))
    await table.reconcile()
    assert role.id in roles_of(table, table.ada)


async def test_deleting_data_removes_the_role_first(table: Table) -> None:
    role = table.guild.create_role("Champion")
    held = ChampionRole(table.guild.id, Title.LEADER, table.ada.id, role.id)
    table.env.backend.add_member_role(table.guild.id, table.ada.id, role.id)
    await table.bot.parts.stores.champions.note(held)
    await table.bot.services.privacy.delete(Person(table.ada.id, "Ada"))
    assert role.id not in roles_of(table, table.ada)
    assert await table.bot.parts.stores.champions.all() == ()


async def test_a_role_that_cannot_be_removed_during_a_deletion_is_removed_later(table: Table) -> None:
    role = table.guild.create_role("Champion")
    await table.bot.services.settings.save(table.guild.id, ServerSettings(leader_role=role.id))
    table.env.backend.add_member_role(table.guild.id, table.ada.id, role.id)
    await table.bot.parts.stores.champions.note(
        ChampionRole(table.guild.id, Title.LEADER, table.ada.id, role.id)
    )
    table.env.backend.edit_role(table.guild.id, role.id, {"position": 50})
    await table.env.advance_time(1)
    await table.bot.services.privacy.delete(Person(table.ada.id, "Ada"))
    await table.reconcile()
    assert role.id in roles_of(table, table.ada)
    await table.restart()
    table.env.backend.edit_role(table.guild.id, role.id, {"position": 1})
    await table.env.advance_time(1)
    await table.reconcile()
    assert role.id not in roles_of(table, table.ada)
    assert await table.bot.parts.stores.champions.all() == ()


async def test_the_role_of_a_person_deleted_by_the_host_is_removed_after_the_start(
    table: Table,
) -> None:
    role = table.guild.create_role("Champion")
    await table.bot.services.settings.save(table.guild.id, ServerSettings(winner_role=role.id))
    table.env.backend.add_member_role(table.guild.id, table.ada.id, role.id)
    for title in (Title.LEADER, Title.WINNER):
        await table.bot.parts.stores.champions.note(
            ChampionRole(table.guild.id, title, table.ada.id, role.id)
        )
    url = table.bot.parts.settings.database_url
    await table.bot.close()
    assert await _forget(url, table.ada.id)
    await table.restart()
    await table.reconcile()
    assert role.id not in roles_of(table, table.ada)
    assert await table.bot.parts.stores.champions.all() == ()


@pytest.mark.slow
async def test_deleting_data_forgets_roles_in_servers_that_the_bot_has_left(table: Table) -> None:
    elsewhere = 77
    await table.bot.services.settings.save(elsewhere, ServerSettings(winner_role=5))
    await table.bot.parts.stores.champions.note(ChampionRole(elsewhere, Title.WINNER, table.ada.id, 5))
    await table.bot.services.privacy.delete(Person(table.ada.id, "Ada"))
    await table.reconcile()
    await table.env.advance_time(250)  # Discord is believed the second time
    assert await table.bot.parts.stores.champions.all() == ()


async def test_settings_name_the_role_that_stands_too_high(table: Table) -> None:
    low = table.guild.create_role("Champion")
    high = table.guild.create_role("Too high", position=50)
    boss = boss_of(table)
    panel = await table.settings(boss, "daily")
    refused = await boss.select(panel, [high], custom_id="d1:g:leader")
    assert "Server Settings → Roles" in line_of(refused.response)
    assert table.bot.services.settings.server(table.guild.id).leader_role is None
    await boss.select(panel, [low], custom_id="d1:g:leader")
    assert table.bot.services.settings.server(table.guild.id).leader_role == low.id
    assert "Role of the month’s leader" in text_of(panel)


async def test_without_manage_roles_the_bot_says_so(table: Table) -> None:
    role = table.guild.create_role("Champion")
    boss = boss_of(table)
    guild = table.bot.get_guild(table.guild.id)
    assert guild is not None
    less = discord.Permissions(guild.me.top_role.permissions.value & ~discord.Permissions.manage_roles.flag)
    table.env.backend.edit_role(table.guild.id, guild.me.top_role.id, {"permissions": less.value})
    await table.env.advance_time(1)
    panel = await table.settings(boss, "daily")
    refused = await boss.select(panel, [role], custom_id="d1:g:winner")
    assert "I still need the permission **Manage Roles**" in line_of(refused.response)


async def test_people_cannot_choose_a_role_that_they_could_not_give(table: Table) -> None:
    role = table.guild.create_role("Champion")
    manager = table.guild.create_role("Crew", permissions=discord.Permissions(manage_guild=True))
    boss = table.guild.add_member(table.env.create_user("gil", global_name="Gil"), roles=[manager])
    panel = await table.settings(boss, "daily")
    refused = await boss.select(panel, [role], custom_id="d1:g:winner")
    assert "Only people who can give that role themselves" in line_of(refused.response)
    assert table.bot.services.settings.server(table.guild.id).winner_role is None


@pytest.mark.slow
async def test_a_role_is_given_once_the_bot_is_back_in_the_server(own_table: Table) -> None:
    role = own_table.guild.create_role("Champion")
    await won_by(own_table, own_table.ben)
    backend, tell = own_table.env.backend, own_table.bot._connection.parsers
    tell["GUILD_DELETE"]({"id": str(own_table.guild.id)})
    await own_table.bot.services.settings.save(own_table.guild.id, ServerSettings(winner_role=role.id))
    for _ in range(3):
        await own_table.reconcile()
    assert await own_table.bot.parts.stores.champions.all() == ()
    joined = dict(guild_create_payload(backend, backend.get_guild(own_table.guild.id)))
    joined.pop("unavailable", None)
    tell["GUILD_CREATE"](joined)
    await own_table.reconcile()
    assert role.id in roles_of(own_table, own_table.ben)


async def test_a_role_is_taken_once_the_bot_is_back_in_the_server(table: Table) -> None:
    role = table.guild.create_role("Champion")
    held = ChampionRole(table.guild.id, Title.WINNER, table.ada.id, role.id)
    table.env.backend.add_member_role(table.guild.id, table.ada.id, role.id)
    await table.bot.parts.stores.champions.note(held)
    backend, tell = table.env.backend, table.bot._connection.parsers
    tell["GUILD_DELETE"]({"id": str(table.guild.id)})
    await table.bot.services.settings.save(table.guild.id, ServerSettings())
    for _ in range(3):
        await table.reconcile()
    assert await table.bot.parts.stores.champions.all() == (held,)
    joined = dict(guild_create_payload(backend, backend.get_guild(table.guild.id)))
    joined.pop("unavailable", None)
    tell["GUILD_CREATE"](joined)
    await table.reconcile()
    assert role.id not in roles_of(table, table.ada)
    assert await table.bot.parts.stores.champions.all() == ()
