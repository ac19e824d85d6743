"""The odds of a match, and the points of a guess."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.domain.prediction import Odds, Pick, odds_between, pick_of, points_of
from bot.domain.rating import Record, first_record
from bot.domain.result import End, Result
from engine.arena.elo_table import rated_levels
from engine.core import Player
from engine.games import GAMES

SETTLED = Record(1500.0, 60.0)


@pytest.mark.parametrize("game", GAMES)
def test_odds_are_a_hundred_and_leave_every_win_a_chance(game: str) -> None:
    for distance in (0, 100, 400, 3000):
        better, worse = replace(SETTLED, rating=1500.0 + distance), SETTLED
        odds = odds_between(game, better, worse)
        assert odds.first + odds.draw + odds.second == 100
        assert odds.first >= odds.second >= 1
        assert odds_between(game, worse, better).draw == odds.draw


def test_who_is_rated_higher_has_better_odds_and_doubt_brings_them_closer() -> None:
    known = odds_between("connect-four", Record(1600.0, 60.0), SETTLED)
    doubted = odds_between("connect-four", Record(1600.0, 350.0), SETTLED)
    assert known.first > doubted.first > doubted.second > known.second
    best, weakest = (first_record("connect-four", rated_levels("connect-four")[at].key) for at in (-1, 0))
    assert odds_between("connect-four", best, weakest).first >= 98


def test_draws_are_as_likely_as_on_the_games_ladder() -> None:
    draws = {game: odds_between(game, SETTLED, SETTLED).draw for game in GAMES}
    assert draws["hex"] == draws["dots-and-boxes"] == 0
    assert draws["tic-tac-toe"] > draws["draughts"] > draws["connect-four"] > 0


def test_a_bold_guess_that_comes_true_counts_more_and_a_bold_one_that_fails_costs_more() -> None:
    right = [points_of(chance, is_right=True) for chance in (90, 61, 33, 6)]
    wrong = [points_of(chance, is_right=False) for chance in (90, 61, 33)]
    assert right == sorted(right)
    assert wrong == sorted(wrong, reverse=True)
    assert (points_of(33, is_right=True), points_of(61, is_right=True)) == (34, 11)
    for chance in range(101):
        assert points_of(chance, is_right=False) <= 0 <= points_of(chance, is_right=True)


def test_whoever_knows_no_more_than_the_odds_gains_nothing_in_the_long_run() -> None:
    for chance in range(1, 100):
        mean = chance * points_of(chance, is_right=True) + (100 - chance) * points_of(chance, is_right=False)
        assert mean <= 50, "but for rounding"


def test_an_end_without_a_result_counts_for_no_guess() -> None:
    odds = Odds(60, 6, 34)
    assert pick_of(Result(Player.SECOND, End.RESIGNATION), odds) is Pick.SECOND
    assert pick_of(Result(None, End.AGREEMENT), odds) is Pick.DRAW
    assert pick_of(Result(None, End.AGREEMENT), Odds(60, 0, 40)) is None, "no draw was offered"
    assert pick_of(Result(None, End.MODERATED), odds) is None
