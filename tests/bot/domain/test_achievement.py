"""The rules of achievements: those decided by the moves, and those decided by a review."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.domain.achievement import (
    ACHIEVEMENTS,
    Ended,
    counts,
    earned_by_moves,
    earned_by_review,
    earned_by_run,
    ladder_of,
    wants_review,
)
from bot.domain.location import Channel
from bot.domain.match import Match
from bot.domain.result import End, Result
from bot.domain.seat import Seat
from engine.analysis.review import Mark, Review, Reviewed, review
from engine.core import Player, State, states_of
from engine.games import game as game_of
from engine.games.othello.rules import OthelloState, frame
from engine.score import Evaluation, Score

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
MISSED_WIN = (0, 8, 2, 7, 3, 6)
"""Crosses do not complete their upper row, and noughts complete the lower one: a1 c3 c1 b3 a2 a3."""


def played(game: str, moves: Sequence[int] = (), *, board: str | None = None, rated: bool = True) -> Match:
    """Ada begins against Ben, with a move every fourth minute."""
    seats = (Seat("Ada", 1), Seat("Ben", 2))
    match = Match.begin(game, board or game_of(game).boards[0], seats, Channel(10, 20), NOW, rated=rated)
    for ply, move in enumerate(moves):
        user_id = match.seat_to_move.user_id
        assert user_id is not None
        match = match.play(user_id, move, NOW + timedelta(minutes=4 * ply))
    return match


def othello_ended(drawing: str, winner: Player | None, end: End = End.DISC_COUNT) -> Match:
    """A match of 6 × 6 Othello that ended like that; X is Ada's disc, O Ben's."""
    rows = drawing.split()
    bits = sorted(bit for bit in range(64) if frame(6) >> bit & 1)
    own = sum(1 << bit for bit, cell in zip(bits, "".join(rows), strict=True) if cell == "X")
    other = sum(1 << bit for bit, cell in zip(bits, "".join(rows), strict=True) if cell == "O")
    state: State = OthelloState(6, own, other)
    match = played("othello", board="6x6")
    return replace(match, states=(*match.states[:-1], state), result=Result(winner, end))


NO_CORNER = "OXXXXO XXXXXX XXXXXX XXXXXX XXXXXX OXXXXO"
ALL_CORNERS = "XOOOOX OOOOOO OOOOOO OOOOOO OOOOOO XOOOOX"


# What the moves decide


def test_a_win_of_any_kind_is_the_first() -> None:
    match = played("connect-four").resign(2, NOW)
    assert earned_by_moves(Ended(match, Player.FIRST)) == ("first-win",)
    assert earned_by_moves(Ended(match, Player.SECOND)) == ()


def test_a_casual_match_earns_the_first_win_alone() -> None:
    match = replace(othello_ended(NO_CORNER, Player.FIRST), rated=False)
    assert earned_by_moves(Ended(match, Player.FIRST)) == ("first-win",)


def test_a_win_without_a_corner_needs_none() -> None:
    match = othello_ended(NO_CORNER, Player.FIRST)
    assert "no-corners" in earned_by_moves(Ended(match, Player.FIRST))
    one = othello_ended(NO_CORNER.replace("O", "X", 1), Player.FIRST)
    assert "no-corners" not in earned_by_moves(Ended(one, Player.FIRST))


def test_all_four_corners_count_even_in_a_loss() -> None:
    match = othello_ended(ALL_CORNERS, Player.SECOND)
    assert earned_by_moves(Ended(match, Player.FIRST)) == ("four-corners",)
    assert "no-corners" in earned_by_moves(Ended(match, Player.SECOND))


def test_corners_do_not_count_after_a_resignation() -> None:
    for drawing in (NO_CORNER, ALL_CORNERS):
        match = othello_ended(drawing, Player.FIRST, End.RESIGNATION)
        assert earned_by_moves(Ended(match, Player.FIRST)) == ("first-win",)


def test_a_ladder_is_climbed_with_its_last_level() -> None:
    match = played("tic-tac-toe").resign(2, NOW)
    ladder = frozenset(("tic-tac-toe", key) for key in ladder_of("tic-tac-toe"))
    last = ("tic-tac-toe", "tia")
    assert "ladder-tic-tac-toe" in earned_by_moves(Ended(match, Player.FIRST, ladder))
    without = earned_by_moves(Ended(match, Player.FIRST, ladder - {last}))
    assert "ladder-tic-tac-toe" not in without
    assert {"level-pip", "level-kit"} <= set(without)
    assert "level-tia" not in without


def test_ten_puzzles_in_a_row_are_a_run() -> None:
    assert earned_by_run(9) == ()
    assert earned_by_run(10) == earned_by_run(11) == ("puzzle-run",)


def test_every_achievement_is_decided_by_exactly_one_rule() -> None:
    for key, found in ACHIEVEMENTS.items():
        assert sum(rule is not None for rule in (found.by_moves, found.by_review, found.by_run)) == 1
        assert len(key) <= 32


# What the engine must see


def reviewed(match: Match) -> Review:
    return review(game_of(match.game), match.board, match.moves, time.perf_counter)


def test_a_win_after_the_other_side_missed_theirs_is_a_comeback() -> None:
    match = played("tic-tac-toe", MISSED_WIN)
    assert match.result == Result(Player.SECOND, End.LINE)
    found = reviewed(match)
    assert earned_by_review(Ended(match, Player.SECOND), found) == ("comeback",)
    assert earned_by_review(Ended(match, Player.FIRST), found) == ()


def test_a_win_that_never_was_in_danger_is_no_comeback() -> None:
    match = played("tic-tac-toe", (0, 3, 1, 4, 2))
    assert earned_by_review(Ended(match, Player.FIRST), reviewed(match)) == ()


def test_a_comeback_ends_on_the_board() -> None:
    match = played("tic-tac-toe", MISSED_WIN[:-1]).resign(1, NOW)
    assert earned_by_review(Ended(match, Player.SECOND), reviewed(match)) == ()


def test_the_second_player_of_connect_four_does_not_come_back_from_the_empty_board() -> None:
    match = played("connect-four", (0, 6, 1, 6, 0, 6, 0, 6))
    states = states_of(game_of("connect-four").start(), match.moves)
    found = Review(states, match.moves, (None,) * len(states), (None,) * len(match.moves))
    lost_far_away = _evaluated_at(found, 1, Score.lost(40))
    lost_soon = _evaluated_at(found, 5, Score.lost(6))
    assert earned_by_review(Ended(match, Player.SECOND), lost_far_away) == ()
    assert earned_by_review(Ended(match, Player.SECOND), lost_soon) == ("comeback",)


def test_a_win_of_draughts_is_on_the_board_though_no_line_or_count_decides_it() -> None:
    match = played("draughts")
    while not match.is_over:
        match = played("draughts", (*match.moves, match.state.legal_moves()[-1]))
    assert match.result is not None
    winner = match.result.winner
    assert winner is not None
    states = states_of(game_of("draughts").start(), match.moves)
    found = Review(states, match.moves, (None,) * len(states), (None,) * len(match.moves))
    behind = _evaluated_at(found, 20 + (states[20].to_move is not winner), Score.lost(6))
    assert earned_by_review(Ended(match, winner), behind) == ("comeback",)


def _evaluated_at(found: Review, ply: int, score: Score) -> Review:
    known = [Evaluation(score) if index == ply else entry for index, entry in enumerate(found.evaluations)]
    return replace(found, evaluations=tuple(known))


LONG = tuple(ply % 7 for ply in range(17))
"""Two rows and a bit, filled from the left: nine choices for Ada, eight for Ben, and no line."""


def marked(
    given: dict[int, tuple[float, Mark]], *, proved_from: int = 0, moves: Sequence[int] = LONG
) -> Review:
    """A review in which the moves at those plies gave that away and all others nothing."""
    states = states_of(game_of("connect-four").start(), moves)
    entries = []
    for ply, move in enumerate(moves):
        share, mark = given.get(ply, (0.0, Mark.BEST))
        score = Score.drawn() if ply >= proved_from else Score.likely(0.0)
        entries.append(
            Reviewed(ply, states[ply].to_move, move, move, score, score, mark, share, is_forced=False)
        )
    return Review(tuple(states), tuple(moves), (None,) * len(states), tuple(entries))


@pytest.mark.parametrize(
    ("found", "is_perfect"),
    [
        (marked({}), True),
        (marked({3: (0.5, Mark.BLUNDER)}), True),  # Ben's
        (marked({4: (0.02, Mark.GOOD)}), False),
        (marked({2: (0.02, Mark.GOOD)}, proved_from=4), True),
        (marked({2: (0.3, Mark.MISTAKE)}, proved_from=4), False),
        (marked({}, proved_from=8), False),
    ],
)
def test_perfect_accuracy_gives_nothing_away_where_it_is_proved(found: Review, is_perfect: bool) -> None:
    match = replace(played("connect-four", LONG[:1]), result=Result(Player.FIRST, End.LINE))
    earned = earned_by_review(Ended(match, Player.FIRST), found)
    assert earned == (("perfect",) if is_perfect else ())


def test_only_rated_matches_with_a_person_and_a_move_are_reviewed() -> None:
    assert wants_review(played("tic-tac-toe", MISSED_WIN))
    assert not wants_review(played("tic-tac-toe", MISSED_WIN, rated=False))
    assert not wants_review(played("tic-tac-toe", MISSED_WIN[:4]))
    assert not wants_review(played("tic-tac-toe").resign(1, NOW))
    agents = (Seat("Pip", level="pip"), Seat("Tia", level="tia"))
    assert not wants_review(replace(played("tic-tac-toe", MISSED_WIN), seats=agents))


@pytest.mark.parametrize(
    ("score", "came_back"),
    [
        (Score.lost(10), True),
        (Score.lost(12), False),
        (Score.lost(), False),
        (Score.by_discs(-10), True),
        (Score.by_discs(-9), False),
        (Score.about(-30, 5, result=-1), False),
        (Score.likely(-1.0), False),
        (Score.won(1), False),
    ],
)
def test_a_position_is_lost_when_it_is_nearly_over_or_hopeless(score: Score, came_back: bool) -> None:
    match = played("connect-four", (0, 6, 1, 6, 0, 6, 0, 6))
    states = states_of(game_of("connect-four").start(), match.moves)
    nothing = Review(tuple(states), tuple(match.moves), (None,) * len(states), (None,) * len(match.moves))
    found = earned_by_review(Ended(match, Player.SECOND), _evaluated_at(nothing, 5, score))
    assert found == (("comeback",) if came_back else ())
    others = earned_by_review(Ended(match, Player.SECOND), _evaluated_at(nothing, 4, -score))
    assert others == found, "the same seen from the other side"


def _one_changed(found: Review, ply: int, **changes: object) -> Review:
    entry = found.reviewed[ply]
    assert entry is not None
    changed = replace(entry, **changes)  # type: ignore[arg-type]
    return replace(found, reviewed=(*found.reviewed[:ply], changed, *found.reviewed[ply + 1 :]))


@pytest.mark.parametrize(
    ("found", "is_perfect"),
    [
        (marked({}, proved_from=6), True),  # six proved choices are enough
        (_one_changed(marked({}), 2, is_forced=True), True),
        (
            _one_changed(marked({}, proved_from=6), 8, is_forced=True),
            False,
        ),  # no choice, so that five are left
        (
            _one_changed(marked({}), 2, mark=Mark.GOOD, after=Score.likely(0.0)),
            True,
        ),  # half proved is not proved
        (_one_changed(marked({}), 2, mark=Mark.GOOD, before=Score.likely(0.0)), True),
        (replace(marked({}), reviewed=(None, *marked({}).reviewed[1:])), False),
        (replace(marked({}), reviewed=(marked({}).reviewed[0], None, *marked({}).reviewed[2:])), True),
    ],
)
def test_only_own_proved_choices_count_for_perfect_accuracy(found: Review, is_perfect: bool) -> None:
    match = replace(played("connect-four", LONG[:1]), result=Result(Player.FIRST, End.LINE))
    assert earned_by_review(Ended(match, Player.FIRST), found) == (("perfect",) if is_perfect else ())
    resigned = replace(match, result=Result(Player.FIRST, End.RESIGNATION))
    assert earned_by_review(Ended(resigned, Player.FIRST), found) == ()


def test_moves_of_a_drawn_opening_are_not_choices() -> None:
    match = replace(played("connect-four", LONG[:1]), result=Result(Player.FIRST, End.LINE), opening=3)
    found = marked({2: (0.5, Mark.BLUNDER)})
    assert earned_by_review(Ended(match, Player.FIRST), found) == ("perfect",)
    assert earned_by_review(Ended(replace(match, opening=2), Player.FIRST), found) == ()


def test_the_table_of_achievements() -> None:
    """Keys are stored, texts and emoji are what people see, goals fill the bars."""
    plain = [
        (found.key, found.emoji, found.text, found.goal)
        for found in ACHIEVEMENTS.values()
        if found.game is None and found.level is None
    ]
    assert plain == [
        ("first-win", "🏅", "first-win", 1),
        ("no-corners", "🕳️", "no-corners", 1),
        ("four-corners", "🏰", "four-corners", 1),
        ("comeback", "🔥", "comeback", 1),
        ("perfect", "🎯", "perfect", 1),
        ("puzzle-run", "🧩", "puzzle-run", 10),
    ]
    for game in ("connect-four", "othello", "tic-tac-toe"):
        crown = ACHIEVEMENTS[f"ladder-{game}"]
        assert (crown.emoji, crown.text, crown.game, crown.level) == ("👑", "ladder", game, None)
        assert crown.goal == len(ladder_of(game))
    pip = ACHIEVEMENTS["level-pip"]
    assert pip.level is not None
    assert (pip.emoji, pip.text, pip.goal, pip.game, pip.level.key) == ("⚔️", "level", 1, None, "pip")


def test_a_match_counts_if_it_has_a_result_after_two_moves_each() -> None:
    over = played("tic-tac-toe", MISSED_WIN)
    assert counts(over)
    assert counts(played("tic-tac-toe", MISSED_WIN, rated=False))
    assert not counts(played("tic-tac-toe").resign(1, NOW))
    assert not counts(played("tic-tac-toe"))
    assert not counts(replace(over, result=Result(None, End.ABANDONED)))
    alone = (Seat("Ada", 1), Seat("Pip", level="pip"))
    assert wants_review(replace(over, seats=alone))
