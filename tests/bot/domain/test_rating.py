"""Records: what a win, a draw and a loss change, and the points that people see."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.domain.rating import Record, rate
from engine.core import Player

NEWCOMER = Record()


@pytest.mark.parametrize(
    ("scores", "streak", "best"),
    [
        ((), 0, 0),
        ((1,), 1, 1),
        ((1, 1, 1), 3, 3),
        ((0, 0), -2, 0),
        ((0, 0, 1), 1, 1),
        ((1, 1, 0), -1, 2),
        ((1, 1, 0.5), 0, 2),
        ((0, 0.5), 0, 0),
        ((1, 1, 1, 0, 1), 1, 3),
        ((1, 0, 1, 1), 2, 2),
    ],
)
def test_a_streak_begins_anew_with_every_turn_of_fortune(
    scores: tuple[float, ...], streak: int, best: int
) -> None:
    record = NEWCOMER
    for score in scores:
        record = record.counted(score)
    assert (record.streak, record.best_streak) == (streak, best)
    assert (record.wins, record.draws, record.losses) == tuple(scores.count(kind) for kind in (1, 0.5, 0))
    assert record.games == len(scores)


def test_a_result_changes_the_belief_only_where_it_is_rated() -> None:
    assert (NEWCOMER.counted(1).mu, NEWCOMER.counted(1).sigma) == (NEWCOMER.mu, NEWCOMER.sigma)


def test_a_newcomer_has_a_thousand_points_and_a_unit_of_skill_is_thirty() -> None:
    assert NEWCOMER.points == 1000
    assert replace(NEWCOMER, mu=NEWCOMER.mu + 2).points == 1060
    assert replace(NEWCOMER, sigma=NEWCOMER.sigma + 1).points == 910


@pytest.mark.parametrize("winner", list(Player))
def test_who_wins_gains_what_who_loses_gives(winner: Player) -> None:
    after = rate(NEWCOMER, NEWCOMER, winner)
    won, lost = after[winner], after[winner.other]
    assert (won.wins, won.losses, lost.wins, lost.losses) == (1, 0, 0, 1)
    assert won.mu - NEWCOMER.mu == pytest.approx(NEWCOMER.mu - lost.mu)
    assert won.mu > NEWCOMER.mu
    assert won.sigma == pytest.approx(lost.sigma)
    assert won.sigma < NEWCOMER.sigma


def test_a_draw_brings_unequal_players_nearer_and_ends_both_streaks() -> None:
    strong, weak = Record(mu=30, sigma=2, streak=4, best_streak=4), Record(mu=20, sigma=2, streak=-3)
    first, second = rate(strong, weak, None)
    assert (first.draws, second.draws) == (1, 1)
    assert (first.streak, second.streak, first.best_streak) == (0, 0, 4)
    assert 20 < second.mu < first.mu < 30


def test_beating_somebody_stronger_is_worth_more() -> None:
    strong = replace(NEWCOMER, mu=NEWCOMER.mu + 10)
    upset = rate(NEWCOMER, strong, Player.FIRST)[Player.FIRST]
    expected = rate(strong, NEWCOMER, Player.FIRST)[Player.FIRST]
    assert upset.mu - NEWCOMER.mu > expected.mu - strong.mu


def test_only_the_share_of_the_change_that_is_asked_for_is_made() -> None:
    whole, half = (rate(NEWCOMER, NEWCOMER, Player.FIRST, weight) for weight in (1.0, 0.5))
    for side in Player:
        assert half[side].mu - NEWCOMER.mu == pytest.approx((whole[side].mu - NEWCOMER.mu) / 2)
        assert half[side].sigma - NEWCOMER.sigma == pytest.approx((whole[side].sigma - NEWCOMER.sigma) / 2)
        assert half[side].games == 1
    assert rate(NEWCOMER, NEWCOMER, Player.FIRST) == whole
    none = rate(NEWCOMER, NEWCOMER, Player.FIRST, 0.0)
    assert (none[0].mu, none[0].sigma, none[0].wins) == (NEWCOMER.mu, NEWCOMER.sigma, 1)


def test_what_is_known_better_changes_less() -> None:
    sure, unsure = Record(mu=25, sigma=2), Record(mu=25, sigma=8)
    after = rate(sure, unsure, Player.SECOND)
    assert sure.mu - after[0].mu < (after[1].mu - unsure.mu) / 4


def test_a_draw_between_equals_tells_nothing_about_either() -> None:
    first, second = rate(NEWCOMER, NEWCOMER, None)
    assert first == second
    assert first.mu == pytest.approx(NEWCOMER.mu)
