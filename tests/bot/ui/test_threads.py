"""Boards in threads that the bot makes, names and closes, with one line in the channel; and faults."""

from __future__ import annotations

import asyncio
from typing import Any

import discord
import pytest

from bot.domain.match import Match
from bot.domain.preferences import ServerSettings, Threads
from bot.domain.tournament.model import Stage
from bot.ui.threads import FINISHED_MINUTES, RUNNING_MINUTES
from tests.bot.table import Table, behind_more, buttons_of, line_of, text_of


async def wanted(table: Table, threads: Threads = Threads.ALWAYS) -> None:
    await table.bot.services.settings.save(table.guild.id, ServerSettings(threads=threads))


def thread_of(table: Table) -> Any:
    """The only thread of the channel."""
    (found,) = table.games.threads
    return found


def closes_after(table: Table) -> int:
    """Minutes of silence after which Discord closes the thread."""
    return int(table.env.backend.channels[thread_of(table).id].thread_metadata.auto_archive_duration)


def lines_of(table: Table) -> list[Any]:
    """Return the messages of the channel, without notices of new threads, which the simulator adds."""
    return [one for one in table.games.history() if one.type is not discord.MessageType.thread_created]


def board_in(thread: Any) -> Any:
    """The only message there that can be pressed."""
    (found,) = (one for one in thread.history() if buttons_of(one))
    return found


async def only_match(table: Table, number: int = 1) -> Match:
    return await table.bot.services.matches.match(table.first_match + number - 1)


def forbid_threads(table: Table) -> None:
    """From now on `games` is a channel in which the bot may make none."""
    no_threads = discord.PermissionOverwrite(create_public_threads=False)
    table.games = table.guild.create_text_channel("closed", overwrites={table.guild.default_role: no_threads})


async def resign(table: Table, board: Any) -> None:
    asked = await behind_more(table.ada, board, "Resign")
    await table.ada.click(asked.response, label="Yes, resign")


async def test_a_match_has_its_own_thread_and_one_line_in_the_channel(table: Table) -> None:
    await wanted(table)
    line = await table.start()
    thread = thread_of(table)
    assert thread.name == "Connect Four: Ada – Pip"
    assert thread.id == line.id
    board = board_in(thread)
    assert len(lines_of(table)) == 1
    assert not buttons_of(lines_of(table)[0])
    assert "**Connect Four** · Ada – Pip" in text_of(lines_of(table)[0])
    assert f"/{thread.id}/{board.id})" in text_of(lines_of(table)[0])
    await table.ada.click(board, label="4")
    match = await only_match(table)
    assert match.location.channel_id == thread.id
    assert match.turn == 2


@pytest.mark.slow
async def test_a_rematch_keeps_its_thread_open_although_the_closing_still_waits(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Discord's window for changing a channel is minutes long, and the board must not wait for it."""
    await wanted(table)
    await table.start()
    board = board_in(thread_of(table))
    edit = discord.Thread.edit

    async def late(thread: discord.Thread, **options: Any) -> discord.Thread:
        await asyncio.sleep(60)
        return await edit(thread, **options)

    monkeypatch.setattr(discord.Thread, "edit", late)
    await table.ada.click(board, label="4")
    await resign(table, board)
    await table.ada.click(board, label="Rematch")
    await table.env.advance_time(200)
    assert closes_after(table) == RUNNING_MINUTES


async def test_the_thread_closes_after_the_end_and_the_line_says_who_won(table: Table) -> None:
    await wanted(table)
    await table.start()
    thread = thread_of(table)
    assert closes_after(table) == RUNNING_MINUTES
    board = board_in(thread)
    await table.ada.click(board, label="4")
    await resign(table, board)
    assert closes_after(table) == FINISHED_MINUTES
    assert "Pip" in text_of(lines_of(table)[0]).split("·")[2]
    await table.ada.click(board, label="Rematch")
    assert closes_after(table) == RUNNING_MINUTES
    assert len(table.games.threads) == 1
    assert (await only_match(table, 2)).location.channel_id == thread.id


@pytest.mark.slow
async def test_an_accepted_invitation_becomes_the_line_and_pings_are_in_the_thread(table: Table) -> None:
    await wanted(table)
    await table.pair()
    thread = thread_of(table)
    board = board_in(thread)
    await table.ada.click(board, label="4")
    await table.env.advance_time(3)
    called = [one.content for one in thread.history() if one.content.startswith("<@")]
    assert called[-1].startswith(f"<@{table.ben.id}>")
    await table.env.advance_time(10)
    assert "**Connect Four** · Ada – Ben" in text_of(lines_of(table)[0])
    assert len(lines_of(table)) == 1


async def test_without_the_permission_boards_stay_in_the_channel_and_the_owner_is_told_once(
    table: Table,
) -> None:
    await wanted(table)
    forbid_threads(table)
    for _ in range(2):
        board = await table.start()
        assert buttons_of(board)
        await resign(table, board)
    assert table.games.threads == []
    owner = table.env.backend.guilds[table.guild.id].owner_id
    told = [one.content for one in table.env.backend.messages[table.env.backend.dm_channels[owner]].values()]
    assert len(told) == 1
    assert "Create Public Threads" in told[0]


async def test_where_discord_refuses_a_thread_the_line_becomes_the_board(table: Table) -> None:
    await wanted(table)
    table.env.inject_error("POST", "/channels/*/messages/*/threads", status=500, times=10)
    await table.start()
    (board,) = (one for one in lines_of(table) if buttons_of(one))
    await table.ada.click(board, label="4")
    assert (await only_match(table)).turn == 2
    assert len(lines_of(table)) == 1


@pytest.mark.slow
async def test_a_thread_goes_on_after_a_restart_and_after_it_was_archived(table: Table) -> None:
    await wanted(table)
    await table.start()
    thread = thread_of(table)
    await table.restart()
    board = board_in(thread)
    await table.ada.click(board, label="4")
    assert (await only_match(table)).turn == 2


@pytest.mark.slow
async def test_a_deleted_thread_sends_its_match_back_to_the_channel(table: Table) -> None:
    await wanted(table)
    await table.start()
    thread = thread_of(table)
    await table.bot.http.delete_channel(thread.id)
    await table.env.advance_time(3)
    (board,) = (one for one in lines_of(table) if buttons_of(one))
    await table.ada.click(board, label="4")
    match = await only_match(table)
    assert (match.turn, match.location.channel_id) == (2, table.games.id)


@pytest.mark.slow
async def test_a_tournament_leaves_one_message_in_the_channel(own_table: Table) -> None:
    await wanted(own_table, Threads.TOURNAMENTS)
    message = (
        await own_table.ada.slash(own_table.games, "tournament create", game="tic-tac-toe", name="Cup")
    ).response
    for person in (own_table.ada, own_table.ben, own_table.eve):
        await person.click(message, label="Join")
    await own_table.ada.click(message, label="Start now")
    await own_table.env.advance_time(10)
    (above,) = lines_of(own_table)
    thread = thread_of(own_table)
    assert (thread.id, thread.name) == (above.id, "Cup")
    assert f"<#{thread.id}>" in text_of(above)
    for _ in range(6):
        tournament = await own_table.bot.services.tournaments.tournament(1)
        for pairing in tournament.pairings:
            if pairing.match_id is None or pairing.is_settled:
                continue
            match = await own_table.bot.services.matches.match(pairing.match_id)
            actor = next(
                one
                for one in (own_table.ada, own_table.ben, own_table.eve)
                if one.id == match.seat_to_move.user_id
            )
            board = next(one for one in thread.history() if one.id == match.location.message_id)
            asked = await behind_more(actor, board, "Resign")
            await actor.click(asked.response, label="Yes, resign")
        await own_table.env.advance_time(10)
    assert (await own_table.bot.services.tournaments.tournament(1)).stage is Stage.OVER
    await own_table.env.advance_time(10)
    (above,) = lines_of(own_table)
    assert "First place is shared by" in text_of(above)
    assert not buttons_of(above)
    assert closes_after(own_table) == FINISHED_MINUTES


@pytest.mark.slow
async def test_a_tournament_whose_thread_is_deleted_goes_on_in_the_channel(own_table: Table) -> None:
    await wanted(own_table, Threads.TOURNAMENTS)
    message = (await own_table.ada.slash(own_table.games, "tournament create", game="tic-tac-toe")).response
    for person in (own_table.ada, own_table.ben, own_table.eve):
        await person.click(message, label="Join")
    await own_table.ada.click(message, label="Start now")
    await own_table.env.advance_time(10)
    await own_table.bot.http.delete_channel(thread_of(own_table).id)
    await own_table.env.advance_time(10)
    tournament = await own_table.bot.services.tournaments.tournament(1)
    assert tournament.location.channel_id == own_table.games.id
    assert any(buttons_of(one) for one in lines_of(own_table))


async def test_settings_name_channels_without_the_permission(table: Table) -> None:
    forbid_threads(table)
    role = table.guild.create_role("Crew", permissions=discord.Permissions(manage_guild=True))
    boss = table.guild.add_member(table.env.create_user("gil", global_name="Gil"), roles=[role])
    panel = await table.settings(boss, "play")
    await boss.select(panel, ["always"], custom_id="d1:g:threads")
    assert table.bot.services.settings.server(table.guild.id).threads is Threads.ALWAYS
    assert f"In <#{table.games.id}>, boards stay in the channel" in line_of(panel)


async def test_a_command_in_the_channel_means_the_only_match_in_its_threads(table: Table) -> None:
    await wanted(table)
    await table.start()
    thread = thread_of(table)
    board = board_in(thread)

    elsewhere = await table.ada.slash(table.games, "match board")
    assert f"<#{thread.id}>" in line_of(elsewhere.response), "it says in which thread the board is"
    played = await table.ada.slash(table.games, "move", to="4")
    assert f"/{thread.id}/{board.id})" in line_of(played.response), "with a link to the board"
    assert (await only_match(table)).turn == 2
    asked = await table.ada.slash(table.games, "match resign")
    assert "Pip" in line_of(asked.response)
    await table.ada.click(asked.response, label="Yes, resign")
    finished = await table.ada.autocomplete(table.games, "review analysis", "match", "")
    assert [choice["value"] for choice in finished] == [str(table.first_match)]


async def test_a_command_in_the_channel_names_the_threads_of_several_matches(table: Table) -> None:
    await wanted(table)
    await table.start()
    await table.start(game="othello")
    line = line_of((await table.ada.slash(table.games, "match draw")).response)
    assert all(f"<#{thread.id}>" in line for thread in table.games.threads)
    choices = await table.ada.autocomplete(table.games, "match draw", "match", "")
    assert [choice["value"] for choice in choices] == [str(table.first_match + 1), str(table.first_match)]
    assert "no running match" in line_of((await table.eve.slash(table.games, "match draw")).response)


async def test_an_answer_in_the_channel_finds_the_offer_in_a_thread(table: Table) -> None:
    await table.start(table.ben)
    await wanted(table)
    await table.pair(rated=False)
    none_yet = await table.refused(table.ben.slash(table.games, "match draw", answer="accept"))
    assert "Nobody has offered a draw in **Connect Four** against **Pip**. `/match draw`" in none_yet
    thread = thread_of(table)
    await table.ada.slash(thread, "match draw")
    await table.ada.slash(thread, "move", to="4")
    declined = await table.ben.slash(table.games, "match draw", answer="decline")
    assert "You declined" in line_of(declined.response)
    await table.ada.slash(thread, "match undo")
    await table.ben.slash(table.games, "match undo", answer="accept")
    assert (await only_match(table, 2)).moves == ()


async def test_several_offers_here_and_in_threads_are_named(table: Table) -> None:
    await table.pair(game="othello")
    await table.ada.slash(table.games, "match draw")
    await wanted(table)
    await table.pair()
    await table.ada.slash(thread_of(table), "match draw")
    several = await table.refused(table.ben.slash(table.games, "match draw", answer="accept"))
    assert "wait for your answer: **Connect Four** against **Ada**" in several
    assert "**Othello** against **Ada**" in several
    await table.ben.slash(table.games, "match draw", answer="accept", match=f"#{table.first_match}")
    assert (await only_match(table)).is_over


async def test_a_move_in_the_channel_goes_to_the_thread_where_it_is_the_persons_turn(table: Table) -> None:
    await table.pair(game="othello")
    await wanted(table)
    await table.pair()
    await table.ada.slash(thread_of(table), "move", to="4")
    await table.ben.slash(table.games, "move", to="3")
    assert (await only_match(table, 2)).turn == 2
    assert (await only_match(table)).turn == 0
