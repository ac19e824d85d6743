"""Weights of a result for each side, by earlier meetings and its end."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.domain.location import Channel
from bot.domain.match import Match
from bot.domain.rating_share import (
    EASY_WINS,
    EASY_WITHIN,
    EXPERIENCED,
    SAME_OPPONENT_WITHIN,
    Share,
    is_far_weaker,
    weights_of,
)
from bot.domain.result import End, Result
from bot.domain.seat import Seat
from engine.core import Player

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
BOARDS = {"connect-four": "6x7x4", "othello": "8x8", "tic-tac-toe": "3x3"}


def ended(end: End, winner: Player | None, *, moves: int, game: str = "connect-four") -> Match:
    match = Match.begin(game, BOARDS[game], (Seat("Ada", 1), Seat("Ben", 2)), Channel(10, 20), NOW)
    return replace(match, turn=moves, result=Result(winner, end))


@pytest.mark.parametrize(
    ("met", "easy_wins", "share"),
    [(0, 0, 1), (1, 0, 0.5), (2, 0, 0.25), (0, 4, 1), (0, 5, 0.5), (0, 6, 0.25), (1, 5, 0.25)],
)
def test_the_second_match_of_a_day_and_the_sixth_easy_win_of_a_month_count_less(
    met: int, easy_wins: int, share: float
) -> None:
    match = ended(End.LINE, Player.SECOND, moves=8)
    assert weights_of(match, met=met, easy_wins=easy_wins) == (share, share)


@pytest.mark.parametrize(
    ("game", "moves", "gain"),
    [
        ("connect-four", 10, 0.25),
        ("connect-four", 11, 1),
        ("othello", 15, 0.25),
        ("othello", 16, 1),
        ("tic-tac-toe", 4, 1),
    ],
)
@pytest.mark.parametrize("end", [End.RESIGNATION, End.TIME])
def test_a_win_that_is_given_away_early_gains_a_quarter_and_is_lost_in_full(
    game: str, moves: int, gain: float, end: End
) -> None:
    match = ended(end, Player.FIRST, moves=moves, game=game)
    assert weights_of(match, met=0, easy_wins=0) == (gain, 1)


def test_a_draw_agreed_early_moves_neither_side_much() -> None:
    match = ended(End.AGREEMENT, None, moves=6)
    assert weights_of(match, met=0, easy_wins=0) == (0.25, 0.25)


def test_a_short_win_on_the_board_counts_in_full() -> None:
    assert weights_of(ended(End.LINE, Player.FIRST, moves=7), met=0, easy_wins=0) == (1, 1)


def test_a_win_with_three_hundred_points_more_is_easy() -> None:
    assert is_far_weaker(1300, 1000)
    assert not is_far_weaker(1299, 1000)
    assert not is_far_weaker(1000, 1300)


def test_a_match_counts_in_full_unless_something_is_said_against_it() -> None:
    assert Share() == Share((1.0, 1.0), False)


def test_the_limits_are_those_that_the_guide_names() -> None:
    assert (timedelta(days=1), timedelta(days=30)) == (SAME_OPPONENT_WITHIN, EASY_WITHIN)
    assert (EASY_WINS, EXPERIENCED) == (5, 5)
