"""Records: changes by a win, a draw and a loss, and the displayed points."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from bot.domain.rating import (
    MIN_DEVIATION,
    Record,
    first_record,
    newcomer,
    rate,
    scale,
    stakes_between,
)
from engine.agents.echo import ECHO
from engine.arena.elo_table import rated_levels
from engine.arena.mixture import mixture
from engine.core import Player
from engine.games import GAMES

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
def test_a_streak_begins_again_after_the_opposite_result(
    scores: tuple[float, ...], streak: int, best: int
) -> None:
    record = NEWCOMER
    for score in scores:
        record = record.after(score, record.rating, record.deviation)
    assert (record.streak, record.best_streak) == (streak, best)
    assert (record.wins, record.draws, record.losses) == tuple(scores.count(kind) for kind in (1, 0.5, 0))
    assert record.games == len(scores)


def test_with_weight_zero_a_result_counts_but_does_not_change_the_rating() -> None:
    unrated = rate(NEWCOMER, NEWCOMER, Player.FIRST, 0.0)[0]
    assert (unrated.rating, unrated.deviation, unrated.wins) == (NEWCOMER.rating, NEWCOMER.deviation, 1)


def test_a_rating_is_shown_with_its_margin_and_settled_once_that_is_under_110() -> None:
    assert (NEWCOMER.points, NEWCOMER.margin, NEWCOMER.is_settled) == (1500, 350, False)
    assert Record(1180.4, 139.6).margin == 140
    assert not Record(1500, 109.5).is_settled
    assert Record(1500, 109.4).is_settled


@pytest.mark.parametrize("game", [game for game in GAMES if first_record(game, "otto") != newcomer(game)])
def test_a_newcomer_who_beats_otto_once_stands_near_otto_with_a_wide_margin(game: str) -> None:
    otto = first_record(game, "otto")
    after, unmoved = rate(newcomer(game), otto, Player.FIRST)
    assert abs(after.points - otto.points) < after.margin
    assert 200 < after.margin < 350
    assert after.points > newcomer(game).points
    assert (unmoved.rating, unmoved.deviation, unmoved.losses) == (otto.rating, otto.deviation, 1)


def test_losing_to_una_costs_next_to_nothing_and_losing_to_otto_does() -> None:
    beginner = newcomer("connect-four")
    by_una, by_otto = (
        rate(beginner, first_record("connect-four", level), Player.SECOND)[0] for level in ("una", "otto")
    )
    assert beginner.points - by_una.points <= 1
    assert beginner.points - by_otto.points > 50


@pytest.mark.parametrize("game", GAMES)
def test_levels_have_their_measured_ratings_and_other_agents_begin_like_people(game: str) -> None:
    for row in rated_levels(game):
        assert first_record(game, row.key).points == row.elo
        assert first_record(game, row.key).is_fixed
    assert first_record(game, "a-plug-in") == first_record(game, None) == newcomer(game)
    assert newcomer("a-new-game") == Record()


def test_a_dozen_even_matches_settle_a_rating() -> None:
    record = newcomer("othello")
    opponent = first_record("othello", "otto")
    for number in range(12):
        record = rate(record, opponent, Player(number % 2))[0]
    assert record.is_settled


def test_a_deviation_never_gets_so_small_that_wins_change_nothing() -> None:
    record = Record(1500, 61)
    for number in range(40):
        record = rate(record, Record(1500, 60), Player(number % 2))[0]
    assert record.deviation == MIN_DEVIATION
    assert rate(record, Record(record.rating, 60), Player.FIRST)[0].rating - record.rating > 8


@pytest.mark.parametrize("winner", list(Player))
def test_the_winner_gains_as_many_points_as_the_loser_loses(winner: Player) -> None:
    after = rate(NEWCOMER, NEWCOMER, winner)
    won, lost = after[winner], after[winner.other]
    assert (won.wins, won.losses, lost.wins, lost.losses) == (1, 0, 0, 1)
    assert won.rating - NEWCOMER.rating == pytest.approx(NEWCOMER.rating - lost.rating)
    assert won.rating > NEWCOMER.rating
    assert won.deviation == pytest.approx(lost.deviation)
    assert won.deviation < NEWCOMER.deviation


def test_a_draw_brings_unequal_players_nearer_and_ends_both_streaks() -> None:
    strong, weak = Record(1800, 80, streak=4, best_streak=4), Record(1500, 80, streak=-3)
    first, second = rate(strong, weak, None)
    assert (first.draws, second.draws) == (1, 1)
    assert (first.streak, second.streak, first.best_streak) == (0, 0, 4)
    assert 1500 < second.rating < first.rating < 1800


def test_beating_a_stronger_opponent_is_worth_more() -> None:
    strong = replace(NEWCOMER, rating=NEWCOMER.rating + 300)
    upset = rate(NEWCOMER, strong, Player.FIRST)[Player.FIRST]
    expected = rate(strong, NEWCOMER, Player.FIRST)[Player.FIRST]
    assert upset.rating - NEWCOMER.rating > expected.rating - strong.rating


def test_only_the_given_share_of_the_change_is_made() -> None:
    whole, half = (rate(NEWCOMER, NEWCOMER, Player.FIRST, weight) for weight in (1.0, 0.5))
    for side in Player:
        assert half[side].rating - NEWCOMER.rating == pytest.approx(
            (whole[side].rating - NEWCOMER.rating) / 2
        )
        assert half[side].deviation - NEWCOMER.deviation == pytest.approx(
            (whole[side].deviation - NEWCOMER.deviation) / 2
        )
        assert half[side].games == 1
    assert rate(NEWCOMER, NEWCOMER, Player.FIRST) == whole
    none = rate(NEWCOMER, NEWCOMER, Player.FIRST, 0.0)
    assert (none[0].rating, none[0].deviation, none[0].wins) == (NEWCOMER.rating, NEWCOMER.deviation, 1)


def test_a_smaller_deviation_changes_less() -> None:
    sure, unsure = Record(1500, 60), Record(1500, 240)
    after = rate(sure, unsure, Player.SECOND)
    assert sure.rating - after[0].rating < (after[1].rating - unsure.rating) / 4


def test_a_draw_between_equals_tells_nothing_about_either() -> None:
    first, second = rate(NEWCOMER, NEWCOMER, None)
    assert first == second
    assert first.rating == pytest.approx(NEWCOMER.rating)


@pytest.mark.parametrize(
    ("game", "level"), [("othello", "otto"), ("connect-four", "mia"), ("tic-tac-toe", "bo")]
)
def test_newcomers_begin_beside_the_level_that_the_guide_names(game: str, level: str) -> None:
    assert newcomer(game).points == first_record(game, level).points


def test_ten_even_matches_with_levels_or_fifteen_between_people_settle_a_rating() -> None:
    pair = (newcomer("connect-four"), newcomer("connect-four"))
    for number in range(15):
        pair = rate(*pair, Player(number % 2))
    assert all(record.is_settled for record in pair)
    alone, mia = newcomer("connect-four"), first_record("connect-four", "mia")
    for number in range(10):
        alone = rate(alone, mia, Player(number % 2))[0]
    assert alone.is_settled


def test_the_published_example_of_glicko() -> None:
    """Glickman's player of 1500 with 200 meets three opponents in one rating period.

    The method adds what each match tells, so a period is the sum of single matches from the same record.
    """
    own = Record(1500, 200)
    certainty, pull = 1 / 200**2, 0.0
    for opponent, winner in (
        (Record(1400, 30), Player.FIRST),
        (Record(1550, 100), Player.SECOND),
        (Record(1700, 300), Player.SECOND),
    ):
        after = rate(own, opponent, winner)[0]
        certainty += 1 / after.deviation**2 - 1 / 200**2
        pull += (after.rating - 1500) / after.deviation**2
    assert 1500 + pull / certainty == pytest.approx(1464.1, abs=0.05)
    assert 1 / math.sqrt(certainty) == pytest.approx(151.4, abs=0.05)


def test_a_fixed_record_stays_fixed() -> None:
    otto = first_record("connect-four", "otto")
    assert rate(otto, newcomer("connect-four"), Player.SECOND)[0].is_fixed
    assert not rate(newcomer("connect-four"), otto, Player.SECOND)[0].is_fixed
    assert Record().is_fixed is False


def test_a_levels_margin_is_one_standard_deviation_of_its_measured_interval() -> None:
    row = rated_levels("othello")[0]
    assert first_record("othello", row.key).deviation == pytest.approx((row.high - row.low) / 3.92)


def test_the_scale_of_each_game_is_its_own() -> None:
    assert len({scale(game) for game in ("connect-four", "othello", "tic-tac-toe")}) == 3
    assert all(len(scale(game)) == 16 for game in GAMES)
    assert MIN_DEVIATION == 60


def test_the_scale_changes_when_one_level_is_measured_again(monkeypatch: pytest.MonkeyPatch) -> None:
    before, (*others, top) = scale("othello"), rated_levels("othello")
    monkeypatch.setattr("bot.domain.rating.rated_levels", lambda _: (*others, replace(top, elo=top.elo + 1)))
    assert scale.__wrapped__("othello") != before


def test_a_win_against_a_far_stronger_player_moves_a_rating_as_glickman_says() -> None:
    after = rate(Record(1500, 200), Record(1900, 100), Player.FIRST)[0]
    assert after.rating == pytest.approx(1678.13, abs=0.01)
    assert after.deviation == pytest.approx(189.95, abs=0.01)


def test_an_opponent_of_ones_strength_has_the_elo_that_it_plays_at() -> None:
    mixed = mixture("connect-four", 1400)
    assert mixed is not None
    found = first_record("connect-four", f"{ECHO}:1400")
    assert (found.rating, found.is_fixed) == (float(mixed.elo), True)
    assert found.deviation == pytest.approx(mixed.margin / 1.96)
    assert abs(found.rating - 1400) < 200
    assert first_record("tic-tac-toe", f"{ECHO}:1400") != found


def test_stakes_are_the_points_of_a_win_and_of_a_loss() -> None:
    strong, weak = Record(1800.0, 90.0), Record(1500.0, 120.0)
    first, second = stakes_between(strong, weak)
    (won, lost_to), (lost, won_by) = rate(strong, weak, Player.FIRST), rate(strong, weak, Player.SECOND)
    assert (first.record, second.record) == (strong, weak)
    assert (first.win, first.loss) == (won.points - strong.points, lost.points - strong.points)
    assert (second.win, second.loss) == (won_by.points - weak.points, lost_to.points - weak.points)
    assert 0 < first.win < second.win
