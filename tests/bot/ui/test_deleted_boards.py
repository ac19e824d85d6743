"""Boards and threads that were deleted: the match comes back, says so, and calls its mover."""

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
from bot.domain.boards import BoardLocation
from bot.domain.preferences import ServerSettings, Threads
from bot.domain.tournament.model import Stage
from bot.store.backup import back_up, restore
from bot.store.shown_versions import ShownVersionStore
from bot.ui.match import deleted_boards
from tests.bot.made_once import locked
from tests.bot.table import Table, behind_more, buttons_of, line_of, new_bot, text_of

DELETED = "The old board was deleted; this one takes its place."
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


def delete_thread(table: Table) -> Callable[[], object]:
    (thread,) = table.games.threads
    return lambda: table.env.backend.delete_channel(thread.id)


async def in_threads(table: Table, which: Threads = Threads.ALWAYS) -> None:
    await table.bot.services.settings.save(table.guild.id, ServerSettings(threads=which))


@pytest.mark.slow
async def test_a_board_deleted_during_downtime_is_sent_again_after_the_start(table: Table) -> None:
    board = await table.pair()
    await away(table, delete(table, board))
    await looked(table)
    new = table.board()
    assert DELETED in text_of(new)
    assert f"/{new.id})" in table.calls()[-1], "whoever is to move is led to it"
    await table.ada.click(new, label="4")
    assert DELETED not in text_of(table.board())
    assert (await table.bot.services.matches.match(1)).turn == 1


@pytest.mark.slow
async def test_a_board_that_could_not_be_fetched_is_fetched_again(table: Table) -> None:
    board = await table.pair()
    table.env.inject_error("GET", "/channels/*/messages/*", status=503, times=None)
    await away(table, delete(table, board))
    await looked(table)
    assert not [one for one in table.games.history() if buttons_of(one)]
    table.env.backend.faults.clear()
    await table.env.advance_time(60)
    assert DELETED in text_of(table.board())


@pytest.mark.slow
async def test_a_board_that_always_fails_at_fetching_does_not_block_the_others(table: Table) -> None:
    board = await table.pair()
    other = await table.start(game="tic-tac-toe", rated=False)
    route = f"/channels/*/messages/{other.id}"
    table.env.inject_error("GET", route, status=500, times=None)
    await away(table, delete(table, board), delete(table, other))
    await table.env.advance_time(60)
    (back,) = [one for one in table.games.history() if buttons_of(one)]
    assert "Connect Four" in text_of(back)
    assert DELETED in text_of(back)
    table.env.backend.faults.clear()
    await table.env.advance_time(120)
    assert len([one for one in table.games.history() if buttons_of(one)]) == 2


@pytest.mark.slow
async def test_a_board_deleted_while_the_bot_runs_is_sent_again_at_once(table: Table) -> None:
    board = await table.pair()
    delete(table, board)()
    await table.env.settle()
    new = table.board()
    assert DELETED in text_of(new)
    assert f"/{new.id})" in table.calls()[-1], "whoever is to move is led to it"
    await table.ada.click(new, label="4")
    assert DELETED not in text_of(table.board())
    assert (await table.bot.services.matches.match(1)).turn == 1


@pytest.mark.slow
@pytest.mark.sqlite
async def test_a_board_deleted_while_the_database_is_locked_is_sent_again_soon_after(
    table: Table, caplog: pytest.LogCaptureFixture
) -> None:
    board = await table.pair()
    with locked(table.database):
        delete(table, board)()
        await table.env.settle()
        assert not [one for one in table.games.history() if buttons_of(one)]
    await table.soon(lambda: [one for one in table.games.history() if DELETED in text_of(one)])
    assert DELETED in text_of(table.board())
    assert f"/{table.board().id})" in table.calls()[-1], "whoever is to move is led to it"
    await table.ada.click(table.board(), label="4")
    assert not [record for record in caplog.records if record.exc_info]


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


@pytest.mark.slow
async def test_a_board_that_cannot_be_sent_again_at_once_is_sent_after_the_fault(table: Table) -> None:
    board = await table.pair()
    table.env.inject_error("POST", "/channels/*/messages", status=403, code=50013, message="No", times=2)
    delete(table, board)()
    await table.env.settle()
    assert not [one for one in table.games.history() if buttons_of(one)]
    await table.env.advance_time(40)
    await table.ada.click(table.board(), label="4")
    assert (await table.bot.services.matches.match(1)).turn == 1


@pytest.mark.slow
async def test_the_bots_own_deletions_need_no_query(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    boards_among = ShownVersionStore.boards_among

    async def ask(
        store: ShownVersionStore, channel_id: int, message_ids: Collection[int]
    ) -> list[BoardLocation]:
        asked.extend(message_ids)
        return await boards_among(store, channel_id, message_ids)

    monkeypatch.setattr(ShownVersionStore, "boards_among", ask)
    board = await table.pair()
    await table.play(board, "4 4 4")
    assert len(table.calls()) == 1, "the others were deleted"
    assert asked == []
    delete(table, board)()
    await table.env.settle()
    assert asked == [board.id]


async def test_a_press_on_a_board_that_is_deleted_at_that_moment_is_answered_and_counts(table: Table) -> None:
    board = await table.pair()
    answer = ("POST", "/interactions/*/callback")
    table.env.inject_error(*answer, status=404, code=10008, message="Unknown Message")
    for edit in (f"/channels/*/messages/{board.id}", "/webhooks/*/messages/@original"):
        table.env.inject_error("PATCH", edit, status=404, code=10008, message="Unknown Message")
    pressed = await table.ada.click(board, label="4")
    assert pressed.acknowledged
    match = await table.bot.services.matches.match(1)
    assert match.turn == 1
    assert match.location.message_id != board.id
    shown = next(one for one in table.games.history() if one.id == match.location.message_id)
    assert "Ada played **4**" in text_of(shown)


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


async def test_boards_deleted_together_all_come_back_and_other_messages_do_not(table: Table) -> None:
    boards = [await table.start(game="tic-tac-toe", rated=False) for _ in range(3)]
    others = [await table.ada.send(table.games, "good luck") for _ in range(3)]
    gone = [message.id for message in (*boards, *others)]
    table.env.backend.bulk_delete_messages(table.games.id, gone)
    await table.env.settle()
    assert [DELETED in text_of(one) for one in table.games.history()] == [True] * 3


@pytest.mark.slow
async def test_a_board_that_is_deleted_repeatedly_stays_away_until_the_next_move(table: Table) -> None:
    board = await table.pair()
    for _ in range(2):
        delete(table, board)()
        await table.env.settle()
        board = table.board()
    delete(table, board)()
    await table.env.settle()
    assert not [one for one in table.games.history() if buttons_of(one)]
    await table.ada.slash(table.games, "move", to="4", match="1")
    new = table.board()
    assert DELETED in text_of(new)
    assert "Ada played **4**" in text_of(new)
    assert (await table.bot.services.matches.match(1)).location.message_id == new.id
    await looked(table)
    assert table.board().id == new.id


@pytest.mark.slow
async def test_a_minute_later_a_deleted_board_comes_back_again(table: Table) -> None:
    for _ in range(4):
        delete(table, await table.pair() if not table.games.history() else table.board())()
        await table.env.settle()
        await table.skip(seconds=31)
    assert DELETED in text_of(table.board())


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
    parse = parsers["MESSAGE_DELETE"]
    parsers["MESSAGE_DELETE"] = lambda _data: None
    deed()
    await table.env.settle()
    parsers["MESSAGE_DELETE"] = parse


async def test_a_board_deleted_while_the_bot_was_banned_is_there_again_after_it_is_back(table: Table) -> None:
    board = await table.pair()
    await looked(table)
    await unheard(table, delete(table, board))
    table.bot.dispatch("guild_join", table.bot.get_guild(table.guild.id))
    await looked(table)
    assert DELETED in text_of(table.board())


async def test_a_board_deleted_where_the_bot_could_not_see_is_there_again_once_it_can(
    table: Table,
) -> None:
    board = await table.pair()
    await looked(table)
    for is_seen in (False, True):
        hidden = 0 if is_seen else discord.Permissions(view_channel=True).value
        everyone = Overwrite(table.guild.id, OverwriteType.ROLE, deny=hidden)
        table.env.backend.set_overwrite(table.games.id, everyone)
        if not is_seen:
            await unheard(table, delete(table, board))
        await looked(table)
    assert DELETED in text_of(table.board())


async def test_a_connection_that_is_new_while_boards_are_looked_for_has_all_looked_for(table: Table) -> None:
    boards = [await table.start(game="tic-tac-toe", rated=False) for _ in range(3)]
    source = table.bot.deleted_boards
    await looked(table)
    source.search_again()
    await source._read_batch()
    for delivery in await source.stale(20):
        if delivery.item.match_id == 3:
            await source.deliver(delivery)
            await unheard(table, delete(table, boards[2]))
            source.search_again()
    await looked(table)
    assert DELETED in text_of(table.games.history()[-1])


async def test_many_available_servers_do_not_delay_a_board(table: Table) -> None:
    """Discord tells of each after a start."""
    board = await table.pair()
    await looked(table)
    await unheard(table, delete(table, board))
    for guild_id in (table.guild.id, *range(1, 1000)):
        table.bot.deleted_boards.search_again(guild_id)
    table.bot.deleted_boards.search_again()
    await looked(table)
    assert DELETED in text_of(table.board())


@pytest.mark.slow
async def test_boards_that_stand_are_left_alone(table: Table) -> None:
    board = await table.pair()
    before = len(table.games.history())
    await away(table)
    await looked(table)
    assert table.board().id == board.id
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
async def test_of_many_boards_each_that_was_deleted_comes_back_once(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deleted_boards, "BOARDS_PER_BATCH", 2)
    boards = [await table.start(game="tic-tac-toe", rated=False) for _ in range(4)]
    await away(table, *(delete(table, board) for board in boards[:3]))
    await looked(table)
    shown = [one for one in table.games.history() if buttons_of(one)]
    assert len(shown) == 4
    assert sum(DELETED in text_of(one) for one in shown) == 3


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
    match = await table.bot.services.matches.match(1)
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
    await table.ada.slash(table.games, "move", to="4", match="1")
    (board,) = (one for one in table.games.history() if buttons_of(one))
    assert NO_THREAD in text_of(board)
    assert "Ada played **4**" in text_of(board)


@pytest.mark.slow
async def test_a_tournaments_thread_deleted_meanwhile_leaves_it_in_the_channel(table: Table) -> None:
    await in_threads(table, Threads.TOURNAMENTS)
    message = (await table.ada.slash(table.games, "tournament create", game="tic-tac-toe")).response
    for person in (table.ada, table.ben, table.eve):
        await person.click(message, label="Join")
    await table.ada.click(message, label="Start now")
    await table.env.advance_time(10)
    await away(table, delete_thread(table))
    await looked(table)
    boards = [one for one in table.games.history() if NO_THREAD in text_of(one)]
    assert boards
    tournament = await table.bot.services.tournaments.tournament(1)
    assert (tournament.location.channel_id, tournament.stage) == (table.games.id, Stage.RUNNING)
    for _ in range(6):
        for pairing in (await table.bot.services.tournaments.tournament(1)).pairings:
            if pairing.match_id is None or pairing.is_settled:
                continue
            match = await table.bot.services.matches.match(pairing.match_id)
            people = {person.id: person for person in (table.ada, table.ben, table.eve)}
            board = next(one for one in table.games.history() if one.id == match.location.message_id)
            mover = people[match.seat_to_move.user_id or 0]
            asked = await behind_more(mover, board, "Resign")
            await mover.click(asked.response, label="Yes, resign")
        await table.env.advance_time(10)
    assert (await table.bot.services.tournaments.tournament(1)).stage is Stage.OVER
    assert any("First place is shared by" in text_of(one) for one in table.games.history())


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
    table: Table, tmp_path: Path
) -> None:
    old = await table.pair()
    await table.play(old, "1 2")
    await table.env.advance_time(3)
    saved = tmp_path / "saved.db"
    await asyncio.to_thread(back_up, table.database, saved)
    await table.play(old, "3 4")
    lost = (await table.eve.slash(table.games, "play", game="connect-four", level="pip", first="me")).response
    cup = (await table.eve.slash(table.games, "tournament create", game="othello")).response
    asked = (await table.ada.slash(table.games, "challenge", game="othello", opponent=table.ben)).response
    await table.env.advance_time(120)
    await away(table, lambda: restore(table.database, saved, table.clock()))
    await table.env.advance_time(6)
    assert "Ben played **2**" in text_of(old)

    other = table.guild.create_text_channel("other")
    new = (await table.eve.slash(other, "play", game="connect-four", level="pip", first="me")).response
    await table.eve.slash(other, "tournament create", game="othello")
    await table.eve.slash(other, "challenge", game="othello", opponent=table.ben)
    forgotten = (
        table.eve.click(lost, label="1"),
        table.ben.click(cup, label="Join"),
        table.ben.click(asked, label="Accept"),
    )
    for press in forgotten:
        assert "no longer on this message" in await table.refused(press)
    assert (await table.bot.services.matches.match(2)).turn == 0
    await table.eve.click(new, label="1")
    await table.ada.click(old, label="3")
    assert [(await table.bot.services.matches.match(number)).turn for number in (1, 2)] == [3, 2]
