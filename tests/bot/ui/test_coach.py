"""The coach: silent after good moves, private and reversible after bad ones, and puzzles at the end."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from bot.domain.challenge import First
from bot.domain.match import Location, Match, Seat
from bot.services import Person
from bot.ui.match.coach import moments_view
from engine.analysis.review import Mark, Reviewed
from engine.core import Player
from engine.score import Score
from tests.bot.made_once import all_texts
from tests.bot.table import Table, behind_more, buttons_of, line_of, text_of


async def coached(table: Table, position: str = "") -> Any:
    """A board of a coached match of Tic-tac-toe against Pip after these moves, in which Ada moves next."""
    match = await table.bot.service.start(
        Person(table.ada.id, "Ada"), "tic-tac-toe", "pip", First.ME,
        Location(table.games.id, table.guild.id), is_coached=True, position=position or None,
    )  # fmt: skip
    table.bot.service.proceed(await table.bot.display.open(match))
    return table.board()


async def test_a_bad_move_gets_one_private_line_with_why_and_a_way_back(table: Table) -> None:
    board = await coached(table, position="a1b1a2b2")  # a3 wins at once; c1 lets b3 win
    answer = await table.ada.click(board, label="c1")
    (told,) = answer.followups
    assert told.flags.ephemeral
    assert "**c1** gives something away" in line_of(told)
    assert "**a3**, it wins on the spot" in line_of(told)
    await table.ada.click(told, label="Take it back")
    assert "taken back" in line_of(told)
    (match,) = await table.bot.service.running(table.ada.id)
    assert len(match.turns) == match.opening
    assert "Casual, with a coach" in text_of(board)


async def test_a_good_move_is_passed_over_in_silence(table: Table) -> None:
    board = await coached(table)
    answer = await table.ada.click(board, label="b2")
    assert answer.followups == []


async def test_without_a_coach_nobody_is_told_anything(table: Table) -> None:
    board = await table.start(game="tic-tac-toe", rated=False)
    for cell in ("a1", "a2"):
        if cell in buttons_of(board):
            answer = await table.ada.click(board, label=cell)
            assert answer.followups == []


async def test_a_move_that_is_no_longer_the_last_is_not_taken_back(table: Table) -> None:
    board = await coached(table, position="a1b1a2b2")
    (told,) = (await table.ada.click(board, label="c1")).followups
    await table.ada.click(board, label="Undo")
    assert "no longer your last" in await table.refused(table.ada.click(told, label="Take it back"))


async def test_after_the_match_its_key_moments_are_puzzles(table: Table) -> None:
    board = await coached(table, position="a1b1a2b2")
    await table.ada.click(board, label="c1")
    asked = await table.ada.slash(table.games, "resign")
    await table.ada.click(asked.response, label="Yes, resign")
    shown = await table.ada.click(board, label="Key moments")
    assert shown.ephemeral
    assert "Move 5" in buttons_of(shown.response)
    puzzle = await table.ada.click(shown.response, label="Move 5")
    assert puzzle.ephemeral
    solved = await table.ada.click(puzzle.response, label="a3")
    assert "solved" in text_of(solved.response).lower()


async def test_the_key_moments_of_a_match_are_its_players_alone(table: Table) -> None:
    board = await coached(table, position="a1b1a2b2")
    await table.ada.click(board, label="c1")
    asked = await table.ada.slash(table.games, "resign")
    await table.ada.click(asked.response, label="Yes, resign")
    assert "match is between" in await table.refused(table.ben.click(board, label="Key moments"))


async def test_a_match_that_the_move_ends_sends_its_key_moments_at_once(table: Table) -> None:
    board = await coached(table, position="a1b1a2b2")
    answer = await table.ada.click(board, label="a3")
    (told,) = answer.followups
    assert "none of your moves gave anything away" in line_of(told)


async def test_a_rematch_has_the_coach_again_and_a_rated_one_has_none(table: Table) -> None:
    board = await coached(table)
    asked = await behind_more(table.ada, board, "Resign")
    await table.ada.click(asked.response, label="Yes, resign")
    again = await table.ada.click(board, label="Rematch")
    assert "with a coach" in text_of(again.response)
    rated = await table.start(rated=True)
    assert "coach" not in text_of(rated)


def test_what_is_only_estimated_leads_to_the_review_instead() -> None:
    seats = Seat("Ada", 1), Seat("Pip", level="pip")
    match = replace(Match.begin("othello", "8x8", seats, Location(1), datetime.now(UTC)), id=1)
    guess = Reviewed(2, Player.FIRST, 0, 1, Score.guess(50), Score.guess(-50), Mark.MISTAKE, 0.2, False)
    proved = replace(guess, before=Score.won(3), after=Score.lost(3))
    view = moments_view(all_texts().of("en"), match, (guess, proved))
    ids = [item.custom_id for item in view.walk_children() if hasattr(item, "custom_id")]
    assert ids == ["d1:v:1:worst:3", "d1:kp:1:2"]
