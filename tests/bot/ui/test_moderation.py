"""People who manage messages or the server end matches of their channel and stop those of bots."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import discord
import pytest
from simcord.backend.models.channel import Overwrite
from simcord.enums import OverwriteType

from bot.discord_events import DiscordEvents
from bot.domain.outgoing import MATCH_NOTICE, Place
from bot.domain.preferences import Starters
from bot.domain.result import End, Result
from tests.bot.table import Table, behind_more, buttons_of, parts_of, text_of

MENU = "End this match"
MODERATED = Result(None, End.MODERATED)


@pytest.fixture
def moderator(table: Table) -> Any:
    """Gil, who manages messages and plays nothing."""
    role = table.guild.create_role("Crew", permissions=discord.Permissions(manage_messages=True))
    return table.guild.add_member(table.env.create_user("gil", global_name="Gil"), roles=[role])


def notices(table: Table) -> list[str]:
    return [message.content for message in table.games.history() if message.content.startswith("🛑")]


async def ended(table: Table, match_id: int | None = None) -> Result | None:
    return (await table.bot.services.matches.match(match_id or table.first_match)).result


async def test_a_moderator_ends_a_match_from_its_boards_menu(table: Table, moderator: Any) -> None:
    board = await table.pair()
    await table.play(board, "1 2 1 2")
    asked = (await moderator.context_menu(table.games, MENU, board)).response
    assert "4 moves. It ends without a result, and no rating changes." in text_of(asked)
    assert list(buttons_of(asked)) == ["End it", "End it and remove the board", "Keep it"]
    assert await ended(table) is None
    await moderator.click(asked, label="End it")
    assert await ended(table) == MODERATED
    assert "Ended by a moderator** after 4 moves. No result; ratings stay" in text_of(board)
    await table.reconcile()
    (notice,) = notices(table)
    assert f"<@{table.ada.id}>" in notice
    assert f"<@{table.ben.id}>" in notice
    assert (await table.bot.services.matches.match(table.first_match)).rating_changes == ()
    await table.reconcile()
    assert len(notices(table)) == 1, "they are told once"


async def test_a_moderator_can_remove_the_board_as_well(table: Table, moderator: Any) -> None:
    board = await table.pair()
    menu = await behind_more(moderator, board, "End this match…")
    await moderator.click(menu.response, label="End it and remove the board")
    await table.env.settle()
    assert await ended(table) == MODERATED
    assert board.id not in [one.id for one in table.games.history()]
    await table.reconcile()
    assert len(notices(table)) == 1
    assert await table.bot.parts.stores.shown.stale_boards(5) == []


async def test_a_process_that_dies_right_after_tells_the_players_of_each_match_once_after_its_start(
    table: Table,
) -> None:
    await table.pair()
    await table.start()
    for number in (table.first_match, table.first_match + 1):
        await table.bot.services.playing.moderate(number, table.person(table.eve), table.games.id)
    await table.restart()
    for _ in range(3):
        await table.reconcile()
    lines = notices(table)
    assert len(lines) == 2
    assert [f"<@{table.ben.id}>" in line for line in lines].count(True) == 1
    assert await table.bot.parts.stores.outgoing.of(MATCH_NOTICE) == []


async def test_a_moderator_who_thinks_again_keeps_the_match(table: Table, moderator: Any) -> None:
    board = await table.pair()
    asked = (await moderator.context_menu(table.games, MENU, board)).response
    await moderator.click(asked, label="Keep it")
    assert "The match goes on" in text_of(asked)
    assert await ended(table) is None


async def test_rights_are_checked_at_the_press(table: Table, moderator: Any) -> None:
    board = await table.pair()
    asked = (await moderator.context_menu(table.games, MENU, board)).response
    denied = discord.Permissions(manage_messages=True).value
    everyone = Overwrite(table.guild.id, OverwriteType.ROLE, deny=denied)
    table.env.backend.set_overwrite(table.games.id, everyone)
    assert "Only people who manage" in await table.refused(moderator.click(asked, label="End it"))
    assert await ended(table) is None


async def test_who_moderates_nothing_has_no_such_button_and_cannot_forge_it(table: Table) -> None:
    board = await table.pair()
    menu = (await table.eve.click(board, label="More…")).response
    assert "End this match…" not in buttons_of(menu)
    forged = table.forge(table.eve, board, f"d1:a:{table.first_match}:0:end-now")
    assert "Only people who manage" in await table.refused(forged)
    assert await ended(table) is None


async def test_moderators_do_not_end_their_own_match(table: Table, moderator: Any) -> None:
    board = await table.start(moderator)
    refused = table.refused(moderator.context_menu(table.games, MENU, board))
    assert "You play this match yourself" in await refused
    assert await ended(table) is None


async def test_a_moderator_of_one_channel_ends_no_match_of_another(table: Table, moderator: Any) -> None:
    board = await table.pair()
    other = table.guild.create_text_channel("other")
    asked = (await moderator.context_menu(table.games, MENU, board)).response
    match = await table.bot.services.matches.match(table.first_match)
    await table.bot.parts.changes.attach(table.first_match, replace(match.channel, channel_id=other.id))
    assert "another channel" in await table.refused(moderator.click(asked, label="End it"))
    assert await ended(table) is None


async def test_a_message_that_is_no_board_ends_nothing(table: Table, moderator: Any) -> None:
    said = (await table.ada.slash(table.games, "leaderboard", game="othello")).response
    assert "no board" in await table.refused(moderator.context_menu(table.games, MENU, said))


async def test_a_moderator_stops_a_match_of_bots_by_its_own_button(table: Table, moderator: Any) -> None:
    levels = {"first_level": "pip", "second_level": "pip"}
    board = (await table.ada.slash(table.games, "watch", game="tic-tac-toe", **levels)).response
    assert "Only whoever started" in await table.refused(table.ben.click(board, label="Stop"))
    await moderator.click(board, label="Stop")
    assert await ended(table) == MODERATED
    assert "Ended by a moderator" in text_of(board)
    await table.reconcile()
    assert notices(table) == [], "nobody plays it"


@pytest.mark.slow
async def test_a_match_of_a_tournament_is_ended_only_by_its_organiser(table: Table, moderator: Any) -> None:
    dan = table.guild.add_member(table.env.create_user("dan", global_name="Dan"))
    message = (await table.ada.slash(table.games, "tournament create", game="tic-tac-toe")).response
    for person in (table.ben, table.ada, dan):
        await person.click(message, label="Join")
    await table.ada.click(message, label="Start now")
    await table.env.advance_time(10)
    match = await table.bot.services.matches.match(table.first_match)
    board = next(one for one in table.games.history() if one.id == match.location.message_id)
    refused = table.refused(moderator.context_menu(table.games, MENU, board))
    assert "Only its organiser" in await refused
    assert await ended(table) is None


async def test_a_further_board_is_only_closed(table: Table, moderator: Any) -> None:
    await table.pair()
    other = table.guild.create_text_channel("other")
    match = await table.bot.services.matches.match(table.first_match)
    await table.display.mirrors.open(match, Place(other.id, table.guild.id, "en-US"), 3)
    await table.reconcile()
    (mirror,) = other.history()
    said = await table.refused(moderator.context_menu(other, MENU, mirror))
    assert "is not shown" in said
    assert other.history() == []
    assert await ended(table) is None


async def test_no_moderator_ends_a_rated_match_against_a_bot_once_it_counts(
    table: Table, moderator: Any
) -> None:
    """A friend could end all that go badly, so that only wins count."""
    board = await table.start()
    asked = (await moderator.context_menu(table.games, MENU, board)).response
    for column in "12":
        await table.ada.click(board, label=column)
    assert not (await table.bot.services.matches.match(table.first_match)).is_short
    for press in (moderator.context_menu(table.games, MENU, board), moderator.click(asked, label="End it")):
        assert "Delete its message instead" in await table.refused(press)
    assert await ended(table) is None


async def test_rated_matches_that_a_moderator_ends_again_and_again_pause_rated_ones(
    table: Table, moderator: Any
) -> None:
    for number in range(table.first_match, table.first_match + 4):
        board = await table.start()
        await table.ada.click(board, label="1")
        asked = (await moderator.context_menu(table.games, MENU, board)).response
        await moderator.click(asked, label="End it")
        assert await ended(table, number) == MODERATED
    refused = table.ada.slash(table.games, "play", game="connect-four", level="pip", rated=True)
    assert "ended by a moderator" in await table.refused(refused)


def chief(table: Table) -> Any:
    """Return a person who manages the server."""
    role = table.guild.create_role("Chiefs", permissions=discord.Permissions(manage_guild=True))
    return table.guild.add_member(table.env.create_user("zoe", global_name="Zoe"), roles=[role])


async def test_the_settings_are_three_groups_that_say_what_is_chosen(table: Table) -> None:
    boss = chief(table)
    panel = (await boss.slash(table.games, "settings")).response
    assert len(buttons_of(panel)) == 1, "the same label thrice"
    assert "Everywhere" in text_of(panel)
    assert "Everybody may start tournaments" in text_of(panel)
    for group in ("play", "daily", "order"):
        page = await table.settings(boss, group)
        menus = [part for part in parts_of(page) if part["type"] in (3, 6, 8)]
        labels = [part for part in parts_of(page) if part["type"] == 10 and part["content"].startswith("**")]
        assert len(labels) >= len(menus), "each menu has a label"
        assert len(parts_of(page)) <= 40
    page = await table.settings(boss, "order")
    await boss.select(page, ["5"], custom_id="d1:g:boards")
    await boss.click(page, label="Back")
    assert "5 boards in a channel" in text_of(page)


async def test_a_server_leaves_tournaments_and_watching_to_its_moderators(
    table: Table, moderator: Any
) -> None:
    boss = chief(table)
    page = await table.settings(boss, "order")
    await boss.select(page, ["moderators"], custom_id="d1:g:starters")
    assert table.bot.services.settings.server(table.guild.id).starters is Starters.MODERATORS
    levels = {"game": "tic-tac-toe", "first_level": "pip", "second_level": "pip"}
    for command, options in (("watch", levels), ("tournament create", {"game": "othello"})):
        assert "only people who manage" in await table.refused(
            table.ada.slash(table.games, command, **options)
        )
    board = (await moderator.slash(table.games, "watch", **levels)).response
    await moderator.click(board, label="Stop")
    assert "only people who manage" in await table.refused(table.ada.click(board, label="Another"))
    await moderator.slash(table.games, "tournament create", game="othello")
    assert await table.bot.services.tournaments.of_guild(table.guild.id)


async def test_a_channel_takes_as_many_running_boards_as_its_server_says(own_table: Table) -> None:
    page = await own_table.settings(boss := chief(own_table), "order")
    invitation = (await own_table.ada.slash(own_table.games, "challenge", opponent=own_table.ben)).response
    await boss.select(page, ["1"], custom_id="d1:g:boards")
    options = {"game": "tic-tac-toe", "level": "pip"}
    await own_table.ada.slash(own_table.games, "play", **options)
    assert "has its 1 running board" in await own_table.refused(
        own_table.eve.slash(own_table.games, "play", **options)
    )
    assert "has its 1 running board" in await own_table.refused(
        own_table.ben.click(invitation, label="Accept")
    )
    other = own_table.guild.create_text_channel("other")
    assert (await own_table.eve.slash(other, "play", **options)).acknowledged
    await own_table.skip(days=2)
    assert not (await own_table.eve.slash(own_table.games, "play", **options)).ephemeral, (
        "left alone for a day"
    )


async def test_a_match_of_a_server_that_removed_the_bot_is_listed_without_a_dead_link(
    own_table: Table,
) -> None:
    board = await own_table.pair()
    guild, events = own_table.bot.get_guild(own_table.guild.id), own_table.bot.get_cog("DiscordEvents")
    assert guild is not None
    assert isinstance(events, DiscordEvents)
    await events.on_guild_remove(guild)
    listed = text_of((await own_table.ada.user.slash("match list")).response)
    assert "I’m no longer in its server" in listed
    assert str(board.id) not in listed
    await events.on_guild_join(guild)
    assert str(board.id) in text_of((await own_table.ada.user.slash("match list")).response)
