"""The coach: silent after good moves, private and reversible after bad ones, with mistakes to train."""

from __future__ import annotations

import re
from typing import Any

import pytest

from bot.domain.location import Channel
from bot.domain.terms import First
from tests.bot.cold import cold
from tests.bot.sittings import terms_of
from tests.bot.table import Table, behind_more, buttons_of, line_of, text_of
from tests.bot.ui.test_mirrors import mirror_in, watch


async def coached(table: Table, position: str = "", game: str = "tic-tac-toe") -> Any:
    """A board of a coached match against Pip after these moves, in which Ada moves next."""
    match = await table.bot.services.starting.start(
        table.person(table.ada), terms_of(game, first=First.ME), "pip",
        Channel(table.games.id, table.guild.id), is_coached=True, position=position or None,
    )  # fmt: skip
    table.bot.services.pings.ping(await table.bot.display.open(match))
    return table.board()


LOST = "a1b1a2b2"
"""Then a3 wins at once, and c1 lets b3 win at once."""


async def held(table: Table, position: str = LOST, move: str = "c1") -> tuple[Any, Any]:
    """The board after a move that loses, and the private message with the choices."""
    board = await coached(table, position=position)
    (told,) = (await table.ada.click(board, label=move)).followups
    return board, told


async def the_match(table: Table) -> Any:
    (match,) = await table.bot.services.matches.running(table.ada.id)
    return match


async def test_a_losing_move_is_held_and_its_words_and_choices_are_private(table: Table) -> None:
    _, told = await held(table)
    assert told.flags.ephemeral
    assert "Wait: Pip can win at once.** Look at **b3**." in line_of(told)
    assert "Pip has not moved yet" in line_of(told)
    assert list(buttons_of(told)) == ["Take back", "Show me", "Play on"]
    assert "thinks it over" in text_of(table.board())
    assert "b3" not in line_of(table.board())
    assert "Pip played" not in text_of(table.board())
    match = await the_match(table)
    assert (match.is_held, len(match.timed_moves)) == (True, 5), "no answer is made"


async def test_a_turn_is_taken_back_by_one_press(table: Table) -> None:
    _, told = await held(table)
    await table.ada.click(told, label="Take back")
    assert "taken back" in line_of(told)
    match = await the_match(table)
    assert (match.is_held, len(match.timed_moves)) == (False, match.opening)
    assert "Casual, with a coach" in text_of(table.board())


async def test_the_better_move_is_shown_and_played_instead(table: Table) -> None:
    _, told = await held(table, position="a1a3a2c1", move="c3")
    assert "Look at **b2**" in line_of(told)
    await table.ada.click(told, label="Show me")
    assert "**b2** still wins, in 2 moves." in line_of(told)
    assert list(buttons_of(told)) == ["Play b2", "Take back", "Play on"]
    rows = [line for line in text_of(told).split("\n") if "❌" in line or "⭕" in line]
    assert len(rows) == 3, "the board before the turn"
    assert "🔹" in rows[1], "with the better move"
    await table.ada.click(told, label="Play b2")
    assert "You played **b2**." in line_of(told)
    assert "Pip played" in text_of(table.board())


async def test_the_better_move_ends_the_match_if_it_wins(table: Table) -> None:
    _, told = await held(table)
    await table.ada.click(told, label="Show me")
    assert "**a3** wins." in line_of(told)
    await table.ada.click(told, label="Play a3")
    assert "wins" in text_of(table.board())
    assert not await table.bot.services.matches.running(table.ada.id)


async def test_the_bot_answers_once_the_person_plays_on(table: Table) -> None:
    _, told = await held(table)
    await table.ada.click(told, label="Play on")
    assert "You play on." in line_of(told)
    assert "Pip played" in text_of(table.board())


@pytest.mark.slow
async def test_the_board_leads_back_to_the_words_after_a_restart(table: Table) -> None:
    board, _ = await held(table)
    await table.restart()
    await table.env.advance_time(30)
    assert "thinks it over" in text_of(table.board())
    assert (await the_match(table)).is_held, "a restart gives no answer"
    again = await table.ada.click(board, label="What the coach says")
    assert again.ephemeral
    assert list(buttons_of(again.response)) == ["Take back", "Show me", "Play on"]
    await table.ada.click(again.response, label="Play on")
    assert "Pip played" in text_of(table.board())


async def test_nobody_else_reads_what_the_coach_says(table: Table) -> None:
    board, _ = await held(table)
    said = await table.refused(table.ben.click(board, label="What the coach says"))
    assert "This match is between" in said


async def test_a_second_choice_comes_too_late(table: Table) -> None:
    board, told = await held(table)
    (other,) = [(await table.ada.click(board, label="What the coach says")).response]
    await table.ada.click(told, label="Take back")
    assert await table.refused(table.ada.click(other, label="Play on"))
    match = await the_match(table)
    assert (match.is_held, len(match.timed_moves)) == (False, match.opening)


async def test_a_move_by_command_is_held_too_and_another_is_refused_meanwhile(table: Table) -> None:
    await coached(table, position=LOST)
    answer = await table.ada.slash(table.games, "move", to="c1")
    (told,) = answer.followups
    assert list(buttons_of(told)) == ["Take back", "Show me", "Play on"]
    assert "holds Pip’s answer" in await table.refused(table.ada.slash(table.games, "move", to="c2"))


async def test_a_move_on_another_board_of_the_match_is_held_with_the_same_choices(table: Table) -> None:
    board, arena = await coached(table, position=LOST), table.guild.create_text_channel("arena")
    await watch(table, table.eve, board, arena)
    (told,) = (await table.ada.click(mirror_in(arena), label="c1")).followups
    assert told.flags.ephemeral
    assert list(buttons_of(told)) == ["Take back", "Show me", "Play on"]
    for shown in (mirror_in(arena), table.board()):
        await table.env.advance_time(3)
        assert "thinks it over" in text_of(shown)
        assert "What the coach says" in buttons_of(shown)
    await table.ada.click(told, label="Take back")
    match = await the_match(table)
    assert (match.is_held, len(match.timed_moves)) == (False, 4)


async def test_undo_takes_the_held_turn_back_and_the_choices_go(table: Table) -> None:
    _, told = await held(table)
    await table.ada.slash(table.games, "match undo")
    await table.env.advance_time(1)
    assert buttons_of(told) == {}
    assert "can win at once" in line_of(told)
    assert "thinks it over" not in text_of(table.board())


async def test_one_coach_message_serves_the_whole_match(table: Table) -> None:
    board, told = await held(table)
    await table.ada.click(told, label="Take back")
    answer = await table.ada.click(board, label="c2")
    assert answer.followups == []
    assert list(buttons_of(told)) == ["Take back", "Show me", "Play on"]


async def test_a_day_later_the_bot_answers_by_itself(own_table: Table) -> None:
    await held(own_table)
    await own_table.skip(hours=23)
    assert (await the_match(own_table)).is_held
    await own_table.skip(hours=2)
    assert "Pip played" in text_of(own_table.board())


async def test_a_held_match_is_resigned_as_any_other(table: Table) -> None:
    board, told = await held(table)
    asked = await behind_more(table.ada, board, "Resign")
    await table.ada.click(asked.response, label="Yes, resign")
    assert "resigned" in text_of(table.board())
    assert "Play on" not in buttons_of(told)


async def test_a_held_match_waits_for_the_person_in_their_list(table: Table) -> None:
    await held(table)
    listed = await table.ada.slash(table.games, "match list")
    assert "Your turn" in text_of(listed.response) or "your turn" in text_of(listed.response)


@pytest.mark.slow
async def test_a_good_move_gets_no_advice(table: Table) -> None:
    board = await coached(table)
    answer = await table.ada.click(board, label="b2")
    assert answer.followups == []


async def test_without_a_coach_there_is_no_advice(table: Table) -> None:
    board = await table.start(game="tic-tac-toe", rated=False)
    for cell in ("a1", "a2"):
        if cell in buttons_of(board):
            answer = await table.ada.click(board, label=cell)
            assert answer.followups == []


@pytest.mark.slow
async def test_after_the_match_its_mistakes_are_trained_by_its_players_alone(table: Table) -> None:
    board = await coached(table, position="a1b1a2b2")
    await table.ada.click(board, label="c1")
    asked = await table.ada.slash(table.games, "match resign")
    await table.ada.click(asked.response, label="Yes, resign")
    assert "match is between" in await table.refused(table.ben.click(board, label="Train my mistakes"))
    posed = await table.ada.click(board, label="Train my mistakes")
    assert posed.ephemeral
    assert "You played **c1**, and it threw away a win." in text_of(posed.response)
    right = await table.ada.click(posed.response, label="a3")
    assert "✅ **a3** is right" in text_of(right.response)


@pytest.mark.slow
async def test_the_last_move_of_a_match_brings_its_better_moves(table: Table) -> None:
    board = await coached(table, position="a1b1a2b2")
    answer = await table.ada.click(board, label="a3")
    told, asked = answer.followups
    assert "none of your moves gave a win or a draw away" in line_of(told)
    assert "Rate your next match?" in text_of(asked), "it is their first"


async def test_a_rematch_keeps_the_coach_unless_it_is_rated(table: Table) -> None:
    board = await coached(table)
    asked = await behind_more(table.ada, board, "Resign")
    await table.ada.click(asked.response, label="Yes, resign")
    again = await table.ada.click(board, label="Rematch")
    assert "with a coach" in text_of(again.response)
    rated = await table.start(rated=True)
    assert "coach" not in text_of(rated)


@pytest.mark.slow
async def test_an_unproved_mistake_is_judged_by_estimates(table: Table) -> None:
    board = await coached(table, game="othello", position="f5f6e6d6")
    await table.ada.click(board, label="g7")
    asked = await table.ada.slash(table.games, "match resign")
    await table.ada.click(asked.response, label="Yes, resign")
    posed = (await table.ada.click(board, label="Train my mistakes")).response
    assert "You played **g7**, and it was a mistake." in text_of(posed)
    wrong = (await table.ada.click(posed, label="g7")).response
    assert "❌ **g7** is wrong" in text_of(wrong)
    again = (await table.ada.click(wrong, label="Try again")).response
    right = (await table.ada.click(again, label="f7")).response
    assert "✅ **f7** is right" in text_of(right)


# Openings


async def trained(table: Table, position: str, **options: Any) -> Any:
    answer = await table.ada.slash(
        table.games, "play", game="othello", level="pip", first="me", position=position, **options
    )
    return answer.response


async def test_a_trained_opening_is_named_and_the_coach_tells_when_it_is_left(table: Table) -> None:
    board = await trained(table, "tiger")
    assert "Starts after the opening **Tiger**." in text_of(board)
    assert "with a coach" in text_of(board)
    answer = await table.ada.click(board, label="f3")
    (told,) = answer.followups
    assert told.flags.ephemeral
    assert "**f3** leaves the known openings after **Tiger**." in line_of(told)
    assert "They go on with **b3** (Aubrey) and **f4**." in line_of(told)


async def test_an_opening_that_is_told_to_be_casual_has_no_coach_unless_one_was_chosen(table: Table) -> None:
    board = await trained(table, "f5d6c3d3c4", rated=False)
    assert "Starts after the opening **Tiger**." in text_of(board)
    assert "coach" not in text_of(board)


async def test_openings_are_offered_by_name_for_the_usual_board(table: Table) -> None:
    offered = await table.ada.autocomplete(table.games, "play", "position", "rose", game="othello")
    assert {"name": "Rose: f5d6c5f4e3c6d3f6e6d7", "value": "f5d6c5f4e3c6d3f6e6d7"} in offered
    offered = await table.ada.autocomplete(table.games, "play", "position", "4411", game="connect-four")
    assert offered == [{"name": "4411: the first player wins", "value": "4411"}]
    (kagetsu,) = await table.ada.autocomplete(table.games, "play", "position", "kage", game="gomoku")
    assert kagetsu["value"] == "h8h9i9"
    for other in ({"game": "othello", "board": "6x6"}, {"game": "tic-tac-toe"}):
        assert await table.ada.autocomplete(table.games, "play", "position", "", **other) == []


async def test_a_coach_and_a_bot_that_are_being_compiled_say_so(table: Table) -> None:
    with cold(table.bot.services.search) as readiness:
        board = await coached(table)
        (told,) = (await table.ada.click(board, label="b2")).followups
        assert told.flags.ephemeral
        assert re.search(r"Your coach is getting ready, about \d+ s more", line_of(told))
        await table.bot.services.background.drain()
        assert "Pip" in text_of(table.board()), "it has answered"
        assert readiness.missing


async def test_a_bot_that_is_being_compiled_says_so_on_the_board(table: Table) -> None:
    with cold(table.bot.services.search):
        match = await table.bot.services.starting.start(
            table.person(table.ada), terms_of("tic-tac-toe", first=First.ME), "mia",
            Channel(table.games.id, table.guild.id),
        )  # fmt: skip
        await table.bot.display.open(match)
        person = table.person(table.ada)
        match = await table.bot.services.playing.play(match.id, person, 4, turn=match.turn)
        await table.bot.display.show(match)
        assert re.search(r"\*\*Mia\*\* is getting ready, about \d+ s…", text_of(table.board()))
