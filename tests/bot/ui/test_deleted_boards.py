"""Boards that were deleted stay away until a player asks for them; matches of deleted threads come back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path
from typing import Any

import discord
import pytest
from simcord.backend.models.channel import Overwrite
from simcord.enums import OverwriteType

from bot.app import Discade
from bot.discord_events import DiscordEvents
from bot.domain.match import BOARD_GONE_FOR
from bot.domain.outgoing import Place
from bot.domain.preferences import ServerSettings, Threads
from bot.domain.result import End, Result
from bot.domain.tournament.model import Stage
from bot.store.backup import back_up, restore
from bot.store.shown_versions import ShownVersionStore
from engine.core import Player
from tests.bot.made_once import locked
from tests.bot.table import LONG_PAUSE, Table, behind_more, buttons_of, line_of, new_bot, text_of

AGAIN = "`/match board` posts it again"
NO_THREAD = "The thread was deleted, so the match goes on here."


async def away(table: Table, *deeds: Callable[[], object]) -> None:
    """The process ends, these things happen, and another one starts."""
    await table.bot.close()
    for deed in deeds:
        deed()
    table.bot = new_bot(table.database, table.clock)
    await table.env.restart_bot(table.bot)


async def looked(table: Table) -> None:
    """The bot has looked for what was deleted."""
    await table.env.advance_time(12)


def delete(table: Table, message: Any) -> Callable[[], object]:
    return lambda: table.env.backend.delete_message(table.games.id, message.id)


def boards(table: Table) -> list[Any]:
    """The boards of running matches in the channel."""
    return [one for one in table.games.history() if buttons_of(one)]


def delete_thread(table: Table) -> Callable[[], object]:
    (thread,) = table.games.threads
    return lambda: table.env.backend.delete_channel(thread.id)


async def in_threads(table: Table, which: Threads = Threads.ALWAYS) -> None:
    await table.bot.services.settings.save(table.guild.id, ServerSettings(threads=which))


def told(table: Table) -> list[str]:
    """The lines that say that a board was deleted."""
    return [one.content for one in table.games.history() if one.content.startswith("🧹")]


@pytest.mark.slow
async def test_a_board_deleted_during_downtime_stays_away_until_a_player_asks_for_it(table: Table) -> None:
    board = await table.pair()
    await away(table, delete(table, board))
    await looked(table)
    answer = await table.ada.slash(table.games, "move", to="4")
    assert AGAIN in line_of(answer.response)
    await looked(table)
    assert boards(table) == []
    assert len(told(table)) == 1
    await table.ada.slash(table.games, "match board")
    (new,) = boards(table)
    assert "Ada played **4**" in text_of(new)
    await table.env.settle()
    assert f"/{new.id})" in table.calls()[-1], "the person to move is led to it"
    await table.ben.click(new, label="4")


async def test_a_deleted_board_stops_the_clock_for_a_day_and_both_are_told_once(table: Table) -> None:
    board = await table.pair(clock=300)
    began = (await table.bot.services.matches.match(table.first_match)).deadline
    delete(table, board)()
    await looked(table)
    (line,) = told(table)
    assert f"<@{table.ada.id}>" in line
    assert f"<@{table.ben.id}>" in line
    assert "it goes on by itself" in line
    match = await table.bot.services.matches.match(table.first_match)
    assert began is not None
    assert match.deadline == began + BOARD_GONE_FOR
    await looked(table)
    assert len(told(table)) == 1


async def test_a_process_that_dies_right_after_a_board_was_deleted_tells_its_players_once_after_its_start(
    table: Table,
) -> None:
    board = await table.pair(clock=300)
    await table.bot.parts.changes.lose_board(table.first_match, board.id)
    await away(table, delete(table, board))
    await looked(table)
    assert len(told(table)) == 1


async def test_a_player_brings_a_deleted_board_back_from_their_list(table: Table) -> None:
    board = await table.pair(clock=300)
    delete(table, board)()
    await looked(table)
    listed = (await table.ben.slash(table.games, "match list")).response
    assert "its board was deleted" in text_of(listed)
    assert str(board.id) not in text_of(listed), "no link to a message that is gone"
    table.env.inject_error("POST", "/channels/*/messages", status=403, code=50013, message="No", times=1)
    (label,) = buttons_of(listed)
    refused = (await table.ben.click(listed, label=label)).response
    assert "cannot be sent there now" in text_of(refused)
    assert boards(table) == []
    listed = (await table.ben.slash(table.games, "match list")).response
    await table.ben.click(listed, label=label)
    await table.ada.click(table.board(), label="4")
    match = await table.bot.services.matches.match(table.first_match)
    assert (match.turn, match.stands_since) == (1, None)


async def test_a_board_that_is_deleted_again_stops_no_clock_and_nobody_is_told_again(table: Table) -> None:
    board = await table.pair(clock=300)
    for _ in range(2):
        delete(table, board)()
        await looked(table)
        board = (await table.ada.slash(table.games, "match board")).response
    delete(table, board)()
    await looked(table)
    match = await table.bot.services.matches.match(table.first_match)
    assert match.has_lost_board
    assert not match.stands_at(table.clock())
    assert len(told(table)) == 1


async def test_deleting_the_board_of_a_rated_match_against_a_bot_stops_no_clock(own_table: Table) -> None:
    board = await own_table.start(clock=300)
    began = (await own_table.bot.services.matches.match(own_table.first_match)).deadline
    delete(own_table, board)()
    await looked(own_table)
    match = await own_table.bot.services.matches.match(own_table.first_match)
    assert (match.has_lost_board, match.deadline, match.bars_help) == (True, began, True)
    (line,) = told(own_table)
    assert "clock" not in line
    await own_table.skip(seconds=400)
    assert (await own_table.bot.services.matches.match(own_table.first_match)).result == Result(
        Player.SECOND, End.TIME
    )


@pytest.mark.slow
async def test_a_thread_that_could_not_be_fetched_is_fetched_again(table: Table) -> None:
    await in_threads(table)
    await table.pair()
    (thread,) = table.games.threads
    table.env.inject_error("GET", f"/channels/{thread.id}", status=503, times=None)
    await away(table, delete_thread(table))
    await looked(table)
    assert boards(table) == []
    table.env.backend.faults.clear()
    await table.env.advance_time(60)
    assert NO_THREAD in text_of(table.board())


@pytest.mark.slow
async def test_a_thread_that_always_fails_at_fetching_does_not_block_the_others(table: Table) -> None:
    await in_threads(table)
    await table.start(game="tic-tac-toe", rated=False)
    await table.pair()
    broken, other = sorted(thread.id for thread in table.games.threads)
    table.env.inject_error("GET", f"/channels/{broken}", status=500, times=None)
    gone = [lambda key=key: table.env.backend.delete_channel(key) for key in (broken, other)]
    await away(table, *gone)
    await table.env.advance_time(60)
    (back,) = boards(table)
    assert "Connect Four" in text_of(back)
    table.env.backend.faults.clear()
    await table.env.advance_time(120)
    assert len(boards(table)) == 2


@pytest.mark.slow
async def test_a_board_deleted_while_the_bot_runs_stays_away_until_it_is_asked_for(table: Table) -> None:
    board = await table.pair()
    delete(table, board)()
    await looked(table)
    assert boards(table) == []
    new = (await table.ben.slash(table.games, "match board")).response
    assert [one.id for one in boards(table)] == [new.id]
    await table.ada.click(new, label="4")
    assert "Ada played **4**" in text_of(table.board())
    assert (await table.bot.services.matches.match(table.first_match)).turn == 1


@pytest.mark.slow
async def test_a_move_on_the_web_posts_no_deleted_board(table: Table) -> None:
    board = await table.pair()
    delete(table, board)()
    await table.env.settle()
    await table.bot.services.playing.play(table.first_match, table.person(table.ada), 3)
    await looked(table)
    assert boards(table) == []
    assert await table.bot.parts.stores.shown.stale_boards(5) == []


@pytest.mark.slow
async def test_once_the_clock_goes_on_its_warning_comes_without_a_board(own_table: Table) -> None:
    board = await own_table.pair(clock=300)
    delete(own_table, board)()
    await looked(own_table)
    before = own_table.calls()
    await own_table.skip(seconds=250)
    assert own_table.calls() == before, "the clock stands"
    await own_table.skip(days=1)
    await looked(own_table)
    (call,) = (one for one in own_table.calls() if one.startswith("⏳"))
    assert AGAIN in call
    assert str(board.id) not in call, "no link to a message that is gone"
    answer = await own_table.ada.slash(own_table.games, "match draw")
    assert AGAIN in line_of(answer.response)
    assert boards(own_table) == []


@pytest.mark.slow
async def test_a_warning_of_the_clock_links_to_no_board_that_was_deleted_during_downtime(
    own_table: Table,
) -> None:
    board = await own_table.start(clock=300)
    await away(own_table, delete(own_table, board))
    await looked(own_table)
    await own_table.skip(seconds=250)
    await looked(own_table)
    (call,) = own_table.calls()
    assert AGAIN in call
    assert str(board.id) not in call


@pytest.mark.slow
async def test_a_match_of_agents_stops_with_its_deleted_board(table: Table) -> None:
    levels = {"first_level": "pip", "second_level": "pip"}
    board = (await table.ada.slash(table.games, "watch", game="tic-tac-toe", **levels)).response
    delete(table, board)()
    await table.env.advance_time(12 * LONG_PAUSE)
    assert table.games.history() == []
    assert (await table.bot.services.matches.match(table.first_match)).result == Result(None, End.STOPPED)
    assert await table.bot.parts.stores.shown.stale_boards(5) == []


@pytest.mark.slow
@pytest.mark.sqlite
async def test_a_thread_deleted_while_the_database_is_locked_is_left_soon_after(
    table: Table, caplog: pytest.LogCaptureFixture
) -> None:
    await in_threads(table)
    await table.pair()
    with locked(table.database):
        delete_thread(table)()
        await table.env.settle()
    await table.soon(lambda: [one for one in table.games.history() if NO_THREAD in text_of(one)])
    assert NO_THREAD in text_of(table.board())
    await table.ada.click(table.board(), label="4")
    assert not [record for record in caplog.records if record.exc_info]


async def test_a_press_on_a_board_that_is_deleted_at_that_moment_is_answered_and_counts(table: Table) -> None:
    board = await table.pair()
    answer = ("POST", "/interactions/*/callback")
    table.env.inject_error(*answer, status=404, code=10008, message="Unknown Message")
    for edit in (f"/channels/*/messages/{board.id}", "/webhooks/*/messages/@original"):
        table.env.inject_error("PATCH", edit, status=404, code=10008, message="Unknown Message")
    pressed = await table.ada.click(board, label="4")
    assert pressed.acknowledged
    match = await table.bot.services.matches.match(table.first_match)
    assert match.turn == 1
    assert match.has_lost_board


async def test_an_answer_that_the_bots_end_cuts_off_is_no_error_of_ours(
    table: Table, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_given: object, **_options: object) -> None:
        raise RuntimeError("Session is closed")

    caplog.set_level("INFO")
    with monkeypatch.context() as patch:
        patch.setattr(discord.InteractionResponse, "send_message", fail)
        patch.setattr(Discade, "is_closed", lambda _bot: True)
        with suppress(AssertionError):
            await table.ada.slash(table.games, "preferences")
    assert "the bot ended before" in caplog.text
    assert not [record for record in caplog.records if record.levelname == "ERROR" or record.exc_info]


async def test_a_press_that_was_acknowledged_before_is_shown_and_nobody_reads_of_an_error(
    table: Table,
) -> None:
    board = await table.pair()
    table.env.inject_error("POST", "/interactions/*/callback", status=400, code=40060, message="Already")
    pressed = await table.ada.click(board, label="4")
    assert pressed.followups == []
    assert "Ada played **4**" in text_of(table.board())


@pytest.mark.parametrize(("status", "code"), [(403, 50013), (404, 10015), (503, 0)])
async def test_refusals_of_discord_are_not_logged_as_bugs(
    table: Table, caplog: pytest.LogCaptureFixture, status: int, code: int
) -> None:
    table.env.inject_error("POST", "/interactions/*/callback", status=status, code=code, times=1)
    answer = await table.ada.slash(table.games, "leaderboard", game="connect-four")
    said = "" if answer.response is None else line_of(answer.response)
    assert "Something broke" not in said
    assert not [record for record in caplog.records if record.levelname == "ERROR" or record.exc_info]


async def test_many_boards_deleted_together_stay_away_and_their_matches_go_on(table: Table) -> None:
    gone = [(await table.start(game="tic-tac-toe", rated=False)).id for _ in range(3)]
    table.env.backend.bulk_delete_messages(table.games.id, gone)
    await looked(table)
    assert boards(table) == []
    await table.ada.slash(table.games, "move", to="b2", match=str(table.first_match + 1))
    assert boards(table) == []
    await table.ada.slash(table.games, "match board", match=str(table.first_match + 1))
    assert len(boards(table)) == 1


async def test_a_board_of_a_match_that_is_over_stays_deleted(table: Table) -> None:
    board = await table.start()
    asked = await behind_more(table.ada, board, "Resign")
    await table.ada.click(asked.response, label="Yes, resign")
    delete(table, board)()
    await table.env.settle()
    assert table.games.history() == []


async def test_messages_of_people_are_not_read(table: Table) -> None:
    heard: list[str] = []

    async def hear(message: Any) -> None:
        heard.append(message.content)

    table.bot.add_listener(hear, "on_message")
    message = await table.ada.send(table.games, f"{table.bot.user.mention} hello")  # type: ignore[union-attr]
    await table.ada.edit(message, "hello, all")
    assert heard == []
    assert len(table.games.history()) == 1, "and nothing is said to it"
    assert not table.bot.intents.message_content


async def unheard(table: Table, deed: Callable[[], object]) -> None:
    """It happens where the bot is not told."""
    parsers = table.bot._connection.parsers
    heard = {name: parsers[name] for name in ("MESSAGE_DELETE", "THREAD_DELETE")}
    parsers.update(dict.fromkeys(heard, lambda _data: None))
    deed()
    await table.env.settle()
    parsers.update(heard)


async def test_a_board_deleted_while_the_bot_was_banned_stays_away_once_it_is_back(table: Table) -> None:
    board = await table.pair()
    await looked(table)
    await unheard(table, delete(table, board))
    table.bot.dispatch("guild_join", table.bot.get_guild(table.guild.id))
    await table.env.advance_time(30)
    assert boards(table) == []
    assert await table.bot.parts.stores.shown.stale_boards(5) == []
    await table.ada.slash(table.games, "match board")
    assert len(boards(table)) == 1


@pytest.mark.slow
async def test_a_thread_deleted_where_the_bot_could_not_see_is_left_once_it_can(table: Table) -> None:
    await in_threads(table)
    await table.pair()
    await looked(table)
    for is_seen in (False, True):
        hidden = 0 if is_seen else discord.Permissions(view_channel=True).value
        everyone = Overwrite(table.guild.id, OverwriteType.ROLE, deny=hidden)
        table.env.backend.set_overwrite(table.games.id, everyone)
        if not is_seen:
            await unheard(table, delete_thread(table))
        await looked(table)
    # Discord lists the threads of a channel that becomes visible.
    listed = {"guild_id": str(table.guild.id), "channel_ids": [str(table.games.id)], "threads": []}
    table.bot._connection.parsers["THREAD_LIST_SYNC"](listed)
    await looked(table)
    assert NO_THREAD in text_of(table.board())


async def test_many_available_servers_need_one_query(
    own_table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Discord tells of each after a start."""
    await looked(own_table)
    asked: list[Collection[int] | None] = []
    running_places = ShownVersionStore.running_places

    async def ask(store: ShownVersionStore, guild_ids: Collection[int] | None) -> list[Place]:
        asked.append(guild_ids)
        return await running_places(store, guild_ids)

    monkeypatch.setattr(ShownVersionStore, "running_places", ask)
    for guild_id in range(1, 1000):
        own_table.bot.lost_channels.search_again(guild_id)
    await looked(own_table)
    own_table.bot.lost_channels.search_again(own_table.guild.id)
    await looked(own_table)
    assert asked == [None, {own_table.guild.id}]


@pytest.mark.slow
async def test_after_a_start_no_board_is_fetched(table: Table) -> None:
    board = await table.pair()
    await in_threads(table)
    await table.start()
    before = len(table.games.history())
    await away(table)
    await looked(table)
    assert table.writes("GET", "/channels/*") == []
    assert board.id in [one.id for one in table.games.history()]
    assert len(table.games.history()) == before


@pytest.mark.slow
async def test_a_board_of_a_finished_match_does_not_come_back(table: Table) -> None:
    board = await table.start()
    asked = await behind_more(table.ada, board, "Resign")
    await table.ada.click(asked.response, label="Yes, resign")
    await away(table, delete(table, board))
    await looked(table)
    assert table.games.history() == []


@pytest.mark.slow
async def test_a_thread_deleted_meanwhile_sends_its_match_back_to_the_channel(table: Table) -> None:
    await in_threads(table)
    await table.pair()
    await away(table, delete_thread(table))
    await looked(table)
    (board,) = (one for one in table.games.history() if buttons_of(one))
    assert NO_THREAD in text_of(board)
    assert f"/{board.id})" in table.calls()[-1]
    await table.ada.click(board, label="4")
    match = await table.bot.services.matches.match(table.first_match)
    assert (match.turn, match.location.channel_id, match.location.parent_id) == (1, table.games.id, None)


@pytest.mark.slow
async def test_a_thread_of_whose_end_the_bot_was_not_told_is_left_with_the_next_move(table: Table) -> None:
    events = table.bot.get_cog("DiscordEvents")
    assert isinstance(events, DiscordEvents)
    # As if the connection was lost at that moment.
    table.bot.remove_listener(events.on_raw_thread_delete)
    await in_threads(table)
    await table.pair()
    delete_thread(table)()
    await table.ada.slash(table.games, "move", to="4", match=str(table.first_match))
    (board,) = (one for one in table.games.history() if buttons_of(one))
    assert NO_THREAD in text_of(board)
    assert "Ada played **4**" in text_of(board)


@pytest.mark.slow
async def test_a_tournaments_thread_deleted_meanwhile_leaves_it_in_the_channel(own_table: Table) -> None:
    await in_threads(own_table, Threads.TOURNAMENTS)
    message = (await own_table.ada.slash(own_table.games, "tournament create", game="tic-tac-toe")).response
    for person in (own_table.ada, own_table.ben, own_table.eve):
        await person.click(message, label="Join")
    await own_table.ada.click(message, label="Start now")
    await own_table.env.advance_time(10)
    await away(own_table, delete_thread(own_table))
    await looked(own_table)
    boards = [one for one in own_table.games.history() if NO_THREAD in text_of(one)]
    assert boards
    tournament = await own_table.bot.services.tournaments.tournament(1)
    assert (tournament.location.channel_id, tournament.stage) == (own_table.games.id, Stage.RUNNING)
    for _ in range(6):
        for pairing in (await own_table.bot.services.tournaments.tournament(1)).pairings:
            if pairing.match_id is None or pairing.is_settled:
                continue
            match = await own_table.bot.services.matches.match(pairing.match_id)
            people = {person.id: person for person in (own_table.ada, own_table.ben, own_table.eve)}
            board = next(one for one in own_table.games.history() if one.id == match.location.message_id)
            mover = people[match.seat_to_move.user_id or 0]
            asked = await behind_more(mover, board, "Resign")
            await mover.click(asked.response, label="Yes, resign")
        await own_table.env.advance_time(10)
    assert (await own_table.bot.services.tournaments.tournament(1)).stage is Stage.OVER
    assert any("First place is shared by" in text_of(one) for one in own_table.games.history())


@pytest.mark.slow
async def test_where_even_the_channel_is_gone_nothing_is_sent_elsewhere(table: Table) -> None:
    await in_threads(table)
    await table.pair()
    other = table.guild.create_text_channel("elsewhere")
    await away(table, delete_thread(table), lambda: table.env.backend.delete_channel(table.games.id))
    await looked(table)
    assert other.history() == []
    listed = await table.ada.slash(other, "match list")
    assert "Connect Four" in line_of(listed.response)


# A backup that is restored


@pytest.mark.slow
@pytest.mark.sqlite
async def test_after_a_restore_boards_go_back_and_messages_that_came_later_act_on_nothing(
    own_table: Table, tmp_path: Path
) -> None:
    old = await own_table.pair()
    await own_table.play(old, "1 2")
    await own_table.env.advance_time(3)
    saved = tmp_path / "saved.db"
    await asyncio.to_thread(back_up, own_table.database, saved)
    await own_table.play(old, "3 4")
    lost = (
        await own_table.eve.slash(own_table.games, "play", game="connect-four", level="pip", first="me")
    ).response
    cup = (await own_table.eve.slash(own_table.games, "tournament create", game="othello")).response
    asked = (
        await own_table.ada.slash(own_table.games, "challenge", game="othello", opponent=own_table.ben)
    ).response
    await own_table.env.advance_time(120)
    await away(own_table, lambda: restore(own_table.database, saved, own_table.clock()))
    await own_table.env.advance_time(6)
    assert "Ben played **2**" in text_of(old)

    other = own_table.guild.create_text_channel("other")
    new = (await own_table.eve.slash(other, "play", game="connect-four", level="pip", first="me")).response
    await own_table.eve.slash(other, "tournament create", game="othello")
    await own_table.eve.slash(other, "challenge", game="othello", opponent=own_table.ben)
    forgotten = (
        own_table.eve.click(lost, label="1"),
        own_table.ben.click(cup, label="Join"),
        own_table.ben.click(asked, label="Accept"),
    )
    for press in forgotten:
        assert "no longer on this message" in await own_table.refused(press)
    assert (await own_table.bot.services.matches.match(own_table.first_match + 1)).turn == 0
    await own_table.eve.click(new, label="1")
    await own_table.ada.click(old, label="3")
    assert [
        (await own_table.bot.services.matches.match(own_table.first_match + number)).turn for number in (0, 1)
    ] == [3, 2]
