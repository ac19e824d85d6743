"""The coach: silent after good moves, private and reversible after bad ones, and puzzles at the end."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bot.domain.match import Channel
from bot.domain.terms import First
from bot.presentation.advice import is_worth_telling
from engine.analysis.review import Mark, Reviewed
from engine.core import Player
from engine.score import Score
from tests.bot.sittings import terms_of
from tests.bot.table import Table, behind_more, buttons_of, line_of, text_of


async def coached(table: Table, position: str = "", game: str = "tic-tac-toe") -> Any:
    """A board of a coached match against Pip after these moves, in which Ada moves next."""
    match = await table.bot.services.starting.start(
        table.person(table.ada), terms_of(game, first=First.ME), "pip",
        Channel(table.games.id, table.guild.id), is_coached=True, position=position or None,
    )  # fmt: skip
    table.bot.services.pings.ping(await table.bot.display.open(match))
    return table.board()


async def test_a_bad_move_gets_private_advice_with_a_reason_and_an_undo(table: Table) -> None:
    board = await coached(table, position="a1b1a2b2")  # a3 wins at once; c1 lets b3 win
    answer = await table.ada.click(board, label="c1")
    (told,) = answer.followups
    assert told.flags.ephemeral
    assert "**c1** is a mistake: you were winning, now you’re losing." in line_of(told)
    assert "Pip can now play **b3**: it wins at once" in line_of(told)
    assert "Play **a3** instead: it wins at once" in line_of(told)
    await table.ada.click(told, label="Take it back")
    assert "taken back" in line_of(told)
    (match,) = await table.bot.services.matches.running(table.ada.id)
    assert len(match.timed_moves) == match.opening
    assert "Casual, with a coach" in text_of(board)


@pytest.mark.slow
async def test_the_same_move_for_the_same_reason_is_said_once(table: Table, monkeypatch: Any) -> None:
    # On a busy machine a shorter search ends before it finds the reason.
    monkeypatch.setattr("bot.services.reviews.ADVICE_SECONDS", 20.0)
    board = await coached(table, game="connect-four")
    (told,) = (await table.ada.click(board, label="1")).followups
    assert line_of(told).count("it takes the middle, where most lines cross") == 1
    assert "Pip can now play **column 4**" in line_of(told)
    assert "Play **column 4** yourself" in line_of(told)


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


async def test_advice_on_an_earlier_move_cannot_undo_it(table: Table) -> None:
    board = await coached(table, position="a1b1a2b2")
    (told,) = (await table.ada.click(board, label="c1")).followups
    await table.restart()
    await table.ada.click(board, label="Undo")
    assert "no longer your last" in await table.refused(table.ada.click(told, label="Take it back"))


async def test_the_button_goes_once_the_move_cannot_be_taken_back(table: Table) -> None:
    board = await coached(table, position="a1b1a2b2")
    (told,) = (await table.ada.click(board, label="c1")).followups
    await table.ada.click(board, label="Undo")
    await table.env.advance_time(1)
    assert buttons_of(told) == {}
    assert "**c1** is a mistake" in line_of(told)


async def test_one_coach_message_serves_the_whole_match(table: Table) -> None:
    board = await coached(table, position="a1b1a2b2")
    (told,) = (await table.ada.click(board, label="c1")).followups
    await table.ada.click(told, label="Take it back")
    answer = await table.ada.click(board, label="c2")
    assert answer.followups == []
    assert "**c2** is a mistake" in line_of(told)
    assert list(buttons_of(told)) == ["Take it back"]


async def test_the_coach_speaks_before_the_reply_is_shown(table: Table) -> None:
    board = await coached(table, position="a1b1a2b2")
    begin = len(table.env.http_requests)
    await table.ada.click(board, label="c1")
    sent = [(entry.method, json.dumps(entry.json)) for entry in table.env.http_requests[begin:]]
    (advice,) = (at for at, (_, body) in enumerate(sent) if "is a mistake" in body)
    (reply,) = (at for at, (_, body) in enumerate(sent) if "Pip played" in body)
    assert advice < reply


def judged(before: Score, after: Score) -> Reviewed:
    return Reviewed(4, Player.FIRST, 0, 1, before, after, Mark.BLUNDER, 0.5, is_forced=False)


@pytest.mark.parametrize(
    ("before", "after", "is_told"),
    [
        (Score.won(3), -Score.won(4), True),
        (Score.won(3), Score.won(9), False),
        (-Score.won(9), -Score.won(2), False),
        (Score.guess(-30.0), -Score.won(2), False),
    ],
)
def test_the_coach_is_silent_where_the_result_stays_or_was_lost(
    before: Score, after: Score, is_told: bool
) -> None:
    assert is_worth_telling(judged(before, after)) is is_told


@pytest.mark.slow
async def test_after_the_match_its_key_moments_are_puzzles(table: Table) -> None:
    board = await coached(table, position="a1b1a2b2")
    await table.ada.click(board, label="c1")
    asked = await table.ada.slash(table.games, "match resign")
    await table.ada.click(asked.response, label="Yes, resign")
    shown = await table.ada.click(board, label="Key moments")
    assert shown.ephemeral
    assert "Move 5" in buttons_of(shown.response)
    puzzle = await table.ada.click(shown.response, label="Move 5")
    assert puzzle.ephemeral
    solved = await table.ada.click(puzzle.response, label="a3")
    assert "solved" in text_of(solved.response).lower()


async def test_the_key_moments_of_a_match_are_for_its_players_alone(table: Table) -> None:
    board = await coached(table, position="a1b1a2b2")
    await table.ada.click(board, label="c1")
    asked = await table.ada.slash(table.games, "match resign")
    await table.ada.click(asked.response, label="Yes, resign")
    assert "match is between" in await table.refused(table.ben.click(board, label="Key moments"))


@pytest.mark.slow
async def test_the_last_move_of_a_match_brings_its_key_moments(table: Table) -> None:
    board = await coached(table, position="a1b1a2b2")
    answer = await table.ada.click(board, label="a3")
    told, asked = answer.followups
    assert "none of your moves gave anything away" in line_of(told)
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
async def test_an_unproved_key_moment_is_judged_by_estimates(
    table: Table,
) -> None:
    board = await coached(table, game="othello", position="f5f6e6d6")
    await table.ada.click(board, label="g7")
    asked = await table.ada.slash(table.games, "match resign")
    await table.ada.click(asked.response, label="Yes, resign")
    shown = await table.ada.click(board, label="Key moments")
    posed = await table.ada.click(shown.response, label="Move 5")
    assert posed.ephemeral
    assert "Here you played **g7**" in text_of(posed.response)
    wrong = (await table.ada.click(posed.response, label="g7")).response
    assert "❌ **g7** is wrong" in text_of(wrong)
    assert "Here you played **g7**" in text_of(wrong), "it can be tried again"
    right = (await table.ada.click(wrong, label="f7")).response
    assert "✅ **f7** is right" in text_of(right)
    assert list(buttons_of(right)) == ["Review"]


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
