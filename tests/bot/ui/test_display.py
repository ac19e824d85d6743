"""The display when Discord fails it: deleted boards, old boards, missing permissions, lost races."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest
import sqlalchemy as sa

from bot.domain.location import Channel
from bot.domain.match import Pace
from bot.ui.match.board_state import MAX_BOARDS_IN_MEMORY, PendingAnswer
from bot.ui.match.routes import ACTION, PACE, PLAY, Action
from tests.bot.table import Table, buttons_of, line_of, text_of

EDIT_BY_ID = ("PATCH", "/channels/*/messages/*")
EDIT_BY_PRESS = ("PATCH", "/webhooks/*/messages/@original")
ANSWER = ("POST", "/interactions/*/callback")
SEND = ("POST", "/channels/*/messages")


@pytest.fixture
def no_blink(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every agent takes longer than a press waits."""
    monkeypatch.setattr("bot.ui.match.display.AGENT_WAIT_SECONDS", 0.0)


async def test_the_agents_move_is_part_of_the_answer_when_it_comes_within_a_blink(table: Table) -> None:
    board = await table.start()
    answers = len(table.writes(*ANSWER))
    await table.ada.click(board, label="4")
    assert "Pip played" in text_of(board)
    assert len(table.writes(*ANSWER)) == answers + 1
    assert table.writes(*EDIT_BY_ID) == table.writes(*EDIT_BY_PRESS) == []


@pytest.mark.slow
@pytest.mark.usefixtures("no_blink")
async def test_an_agent_that_takes_longer_answers_through_the_press(table: Table) -> None:
    board = await table.start()
    await table.ada.click(board, label="4")
    assert "Pip played" not in str(table.writes(*ANSWER)[-1])
    assert "Pip played" in str(table.writes(*EDIT_BY_PRESS))
    assert table.writes(*EDIT_BY_ID) == []


async def test_an_answer_after_a_quarter_of_an_hour_is_the_bots_own_edit(own_table: Table) -> None:
    board = await own_table.pair()
    await own_table.ada.click(board, label="4")
    await own_table.let_messages_age(14.5)
    await own_table.bot.display.show(
        await own_table.bot.services.playing.play(own_table.first_match, own_table.person(own_table.ben), 3)
    )
    assert "Ben played **4**" in text_of(board)
    assert own_table.writes(*EDIT_BY_PRESS) == []
    assert len(own_table.writes(*EDIT_BY_ID)) == 1


async def test_resigning_during_that_moment_is_what_the_press_shows(table: Table) -> None:
    board = await table.start()
    services = table.bot.services
    match = await services.playing.play(table.first_match, table.person(table.ada), 3)
    pending = PendingAnswer(match)
    table.display.boards.states.of(table.first_match).pending = pending
    over = await services.playing.resign(table.first_match, table.person(table.ada))
    await table.bot.display.show(over)
    assert await pending.newest(5.0) == over
    table.display.boards.states.of(table.first_match).pending = None
    await table.bot.display.show(over)
    assert "Rematch" in buttons_of(board)


@pytest.mark.usefixtures("no_blink")
async def test_a_deleted_board_stays_away_when_the_agent_answers(table: Table) -> None:
    board = await table.start()
    for edit in (EDIT_BY_PRESS, EDIT_BY_ID):
        table.env.inject_error(*edit, status=404, code=10008, message="Unknown Message", times=1)
    await table.ada.click(board, label="4")
    match = await table.bot.services.matches.match(table.first_match)
    assert (match.turn, match.has_lost_board) == (2, True)
    assert [one.id for one in table.games.history() if buttons_of(one)] == [board.id], "no other is sent"


@pytest.mark.usefixtures("no_blink")
async def test_a_board_that_may_not_be_edited_any_more_gives_way_to_a_new_one(table: Table) -> None:
    board = await table.start()
    table.env.inject_error(*EDIT_BY_PRESS, status=404, code=10015, message="Unknown Webhook", times=1)
    table.env.inject_error(*EDIT_BY_ID, status=400, code=30046, message="Too many edits", times=1)
    await table.ada.click(board, label="4")
    assert "Pip played" in text_of(table.games.last_message)
    assert buttons_of(board) == {}, "the old one has lost its controls"


@pytest.mark.slow
async def test_a_board_older_than_55_minutes_gives_way_when_it_is_pressed(own_table: Table) -> None:
    board = await own_table.pair()
    await own_table.let_messages_age(56)
    await own_table.ada.click(board, label="4")
    new = own_table.board()
    assert new.id != board.id
    assert "Ada played **4**" in text_of(new)
    assert f"/{new.id}" in text_of(board)
    assert f"/{new.id}" in own_table.calls()[-1], "the call leads to the new board"
    await own_table.ben.click(new, label="4")
    assert "Ben played **4**" in text_of(own_table.board())


@pytest.mark.slow
async def test_an_old_board_gives_way_to_a_move_by_command_too(own_table: Table) -> None:
    board = await own_table.pair()
    await own_table.let_messages_age(56)
    await own_table.ada.slash(own_table.games, "move", to="4")
    shown = own_table.board()
    assert shown.id != board.id
    assert "Ada played **4**" in text_of(shown)


@pytest.mark.slow
async def test_a_board_younger_than_55_minutes_stays(own_table: Table) -> None:
    board = await own_table.pair()
    await own_table.let_messages_age(50)
    answer = await own_table.ada.click(board, label="4")
    assert answer.response.id == board.id
    assert "Ada played **4**" in text_of(board)


async def test_nothing_older_is_ever_shown_after_something_newer(table: Table) -> None:
    board = await table.pair()
    services, display = table.bot.services, table.bot.display
    before = await services.matches.match(table.first_match)
    after = await services.playing.play(table.first_match, table.person(table.ada), 3)
    await asyncio.gather(display.show(after), display.show(before), display.show(after))
    assert "Ada played **4**" in text_of(board)
    assert len(table.writes(*EDIT_BY_PRESS)) == 1


@pytest.mark.slow
async def test_of_two_simultaneous_presses_one_counts_and_the_other_is_told(own_table: Table) -> None:
    board = await own_table.pair()
    services, ada = own_table.bot.services, own_table.person(own_table.ada)
    answers = await asyncio.gather(
        services.playing.play(own_table.first_match, ada, 3, turn=0),
        services.playing.play(own_table.first_match, ada, 4, turn=0),
        return_exceptions=True,
    )
    assert sorted(str(answer) for answer in answers if isinstance(answer, Exception)) == ["stale"]
    match = await services.matches.match(own_table.first_match)
    assert len(match.moves) == 1
    assert "out of date" in await own_table.refused(own_table.forge(own_table.ada, board, PLAY.move(1, 0, 4)))
    assert "Ada played" in text_of(board)


@pytest.mark.slow
async def test_an_old_message_with_buttons_left_says_where_the_board_is_now(table: Table) -> None:
    old = await table.pair()
    for edit in (EDIT_BY_PRESS, EDIT_BY_ID):
        table.env.inject_error(*edit, status=403, code=50001, message="Missing Access", times=1)
    new = (await table.ada.slash(table.games, "match board")).response
    assert buttons_of(old), "taking its controls away had failed"
    await table.ada.click(old, label="4")
    assert buttons_of(old) == {}
    assert f"/{new.id}" in text_of(old)
    assert "Ada played **4**" in text_of(new)


async def forget_message(table: Table, message_id: int | None = None) -> None:
    """The answer that became the board got lost before the match could store it."""
    match = await table.bot.services.matches.match(table.first_match)
    await table.bot.services.changes.attach(table.first_match, replace(match.channel, message_id=message_id))
    await table.restart()


@pytest.mark.slow
async def test_a_board_that_the_match_does_not_know_is_adopted_by_the_first_press(table: Table) -> None:
    board = await table.start()
    await forget_message(table)
    await table.ada.click(board, label="4")
    assert "Pip played" in text_of(board)
    assert "Ada played" in text_of(board) or text_of(board).count("🔴") == 3
    assert (await table.bot.services.matches.match(table.first_match)).location.message_id == board.id
    await table.ada.click(board, label="5")
    assert [message.id for message in table.games.history() if buttons_of(message)] == [board.id]


@pytest.mark.slow
async def test_a_newer_board_than_the_match_knows_is_adopted_and_the_older_one_left(table: Table) -> None:
    old = await table.pair()
    new = (await table.ada.slash(table.games, "match board")).response
    await forget_message(table, old.id)
    await table.ada.click(new, label="4")
    assert "Ada played **4**" in text_of(new)
    assert (await table.bot.services.matches.match(table.first_match)).location.message_id == new.id
    assert buttons_of(old) == {}


@pytest.mark.parametrize(
    ("button", "is_over"),
    [
        (lambda number: ACTION(number, 9, Action.DRAW), False),
        (lambda number: ACTION(number, 0, Action.STOP), True),
        (lambda number: PACE(number, Pace.QUICK), True),
    ],
    ids=["draw", "stop", "quick"],
)
async def test_a_strangers_press_makes_no_message_the_board(
    table: Table, button: Callable[[int], str], is_over: bool
) -> None:
    custom_id = button(table.first_match)
    old = await table.pair()
    new = (await table.ada.slash(table.games, "match board")).response
    if is_over:
        await table.bot.services.playing.resign(table.first_match, table.person(table.ada))
    await forget_message(table, old.id)
    assert await table.refused(table.forge(table.eve, new, custom_id))
    assert (await table.bot.services.matches.match(table.first_match)).location.message_id == old.id
    await table.forge(table.ada, new, custom_id)
    # After the end a newer message may be a mirror, whose note is deleted: it is not adopted.
    expected = old.id if is_over else new.id
    assert (await table.bot.services.matches.match(table.first_match)).location.message_id == expected


async def test_an_accepted_invitation_never_shown_becomes_the_board_when_pressed(own_table: Table) -> None:
    asked = await own_table.ada.slash(
        own_table.games, "challenge", game="connect-four", opponent=own_table.ben, first="me"
    )
    await own_table.bot.services.challenges.accept(1, own_table.person(own_table.ben))
    await own_table.ben.click(asked.response, label="Accept")
    assert buttons_of(asked.response)["4"]
    assert (
        await own_table.bot.services.matches.match(own_table.first_match)
    ).location.message_id == asked.response.id


async def test_where_the_bot_may_not_write_the_match_goes_on_without_calls(
    table: Table, caplog: pytest.LogCaptureFixture
) -> None:
    table.env.inject_error(*SEND, status=403, code=50013, message="Missing Permissions", times=None)
    with caplog.at_level(logging.WARNING):
        board = await table.pair()
        await table.ada.click(board, label="4")
    assert table.calls() == []
    assert f"match {table.first_match}: its player could not be pinged" in caplog.text
    await table.ben.click(board, label="4")
    assert "Ben played **4**" in text_of(board)


async def test_a_call_that_is_gone_already_is_no_error(table: Table) -> None:
    board = await table.pair()
    table.env.inject_error(
        "DELETE", "/channels/*/messages/*", status=404, code=10008, message="Gone", times=1
    )
    await table.ada.click(board, label="4")
    assert "Ada played **4**" in text_of(board)


@pytest.mark.slow
async def test_without_the_bot_in_the_server_the_board_is_edited_through_the_last_press(table: Table) -> None:
    guild = table.bot.get_guild(table.guild.id)
    assert guild is not None
    table.bot._connection._remove_guild(guild)
    board = await table.start()
    await table.ada.click(board, label="4")
    assert "Pip played" in text_of(board)
    assert table.writes(*EDIT_BY_ID) == []
    await table.ada.slash(table.games, "move", to="5")
    assert text_of(board).count("🔴") == 4, "the player, two discs and the turn"


async def test_without_the_bot_in_the_server_a_command_posts_the_board_when_no_press_is_left(
    own_table: Table,
) -> None:
    guild = own_table.bot.get_guild(own_table.guild.id)
    assert guild is not None
    own_table.bot._connection._remove_guild(guild)
    board = await own_table.start()
    await own_table.let_messages_age(16)
    answer = await own_table.ada.slash(own_table.games, "move", to="4")
    assert answer.response.id != board.id
    assert "Pip played" in text_of(answer.response)


async def test_a_database_that_fails_is_told_kindly_and_nothing_is_lost(own_table: Table) -> None:
    board = await own_table.pair()
    async with own_table.bot.parts.stores.matches._database.writing() as connection:
        await connection.execute(sa.text("PRAGMA busy_timeout = 50"))
    with closing(sqlite3.connect(own_table.database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert "try again in a moment" in await own_table.refused(own_table.ada.click(board, label="4"))
        other.execute("ROLLBACK")
    await own_table.ada.click(board, label="4")
    assert "Ada played **4**" in text_of(board)


async def test_a_fault_of_ours_is_told_kindly_and_logged_with_its_match(
    table: Table, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = await table.pair()
    monkeypatch.setattr(table.display.boards, "views", None)
    line = await table.refused(table.ada.click(board, label="4"))
    assert "Something broke on our side" in line
    reference = line.split("`")[1]
    assert f"reference {reference}, match {table.first_match}" in caplog.text
    monkeypatch.undo()
    assert "out of date" in await table.refused(table.ben.click(board, label="4"))
    assert "Ada played **4**" in text_of(board), "nothing was lost"


async def test_a_fault_in_a_command_is_told_too(
    table: Table, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    await table.pair()
    nothing: Any = None
    monkeypatch.setattr(table.bot, "services", replace(table.bot.services, matches=nothing))
    line = line_of((await table.ada.slash(table.games, "match list")).response)
    assert "Something broke on our side" in line
    assert "/match list: a press or command failed" in caplog.text
    monkeypatch.undo()


@pytest.mark.slow
async def test_a_message_of_another_place_is_never_needed(table: Table) -> None:
    """A match whose channel is gone changes nothing for others."""
    await table.start()
    match = await table.bot.services.matches.match(table.first_match)
    await table.bot.display.show(replace(match, location=Channel(1, 2, 3), version=match.version + 5))
    board = await table.start(game="tic-tac-toe")
    await table.ada.click(board, label="b2")
    assert "Pip played" in text_of(board)


async def test_the_display_remembers_a_bounded_number_of_matches(table: Table) -> None:
    await table.start()
    match = await table.bot.services.matches.match(table.first_match)
    unposted = replace(match, location=Channel(1, 2, None))
    for number in range(2, MAX_BOARDS_IN_MEMORY + 50):
        await table.bot.display.show(replace(unposted, id=number))
    assert len(table.display.boards.states) == MAX_BOARDS_IN_MEMORY


@pytest.mark.slow
@pytest.mark.parametrize("fails", [False, True])
async def test_the_players_of_a_damaged_match_are_told_and_others_play_on(
    own_table: Table, fails: bool
) -> None:
    board, other = await own_table.start(), await own_table.pair(game="othello")
    async with own_table.bot.parts.stores.database.writing() as connection:
        await connection.execute(sa.text("UPDATE matches SET game = 'chess' WHERE id = 1"))
    if fails:
        own_table.env.inject_error(*EDIT_BY_ID, status=503, times=None)
    await own_table.restart()
    await own_table.skip(seconds=1)
    own_table.env.backend.faults.clear()
    await own_table.env.advance_time(61)

    shown = {message.id: message for message in own_table.games.history()}
    assert "Match 1 is damaged" in text_of(shown[board.id])
    assert not buttons_of(shown[board.id])
    assert "to move" in text_of(shown[other.id])
