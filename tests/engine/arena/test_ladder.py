"""The committed tables match the current ladder, and every level in them beats the one below."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from engine.agents.levels import levels_of
from engine.arena import ladder
from engine.arena.elo_table import (
    ADDED_LATER,
    PAIR_POINTS,
    RatedLevel,
    describe,
    file_name,
    parse,
    rated_levels,
    rating_of,
    write,
)
from engine.games import GAMES
from tools import rate_levels

LEAST_GAMES, LEAST_OF_THINKERS, LEAST_OF_SLOWEST = 200, 60, 40
"""Fewer than the ladder asks for, as Hex and the levels that think long have played; see docs/levels.md."""
LONG_MILLISECONDS, SLOW_MILLISECONDS = 20, 500
"""A move of a level that thinks long, and of the slowest, takes as much in the mean."""
LEAST_SCORE = 0.6
LONGEST_STEP = 250


@pytest.mark.parametrize("game", GAMES)
def test_the_table_matches_the_current_levels(game: str) -> None:
    """After a change of LEVELS: python -m tools.rate_levels."""
    rows = [(row.key, row.description) for row in rated_levels(game)]
    assert rows == [(level.key, describe(level)) for level in levels_of(game)]


@pytest.mark.parametrize("game", GAMES)
def test_every_level_beats_the_one_below_over_enough_games(game: str) -> None:
    first, *others = rated_levels(game)
    assert first.below is None
    for row in others:
        assert row.below is not None
        taken = max(row.below.milliseconds)
        is_long, is_slow = taken > LONG_MILLISECONDS, taken > SLOW_MILLISECONDS
        least = LEAST_OF_SLOWEST if is_slow else LEAST_OF_THINKERS if is_long else LEAST_GAMES
        assert row.below.games >= least, row.key
        assert row.below.score >= LEAST_SCORE, row.key


@pytest.mark.parametrize("game", GAMES)
def test_no_step_of_the_ladder_is_too_large(game: str) -> None:
    for below, row in pairwise(rated_levels(game)):
        assert row.elo - below.elo <= LONGEST_STEP, row.key


@pytest.mark.parametrize("game", GAMES)
def test_pairs_and_single_games_agree(game: str) -> None:
    for row in rated_levels(game)[1:]:
        duel = row.below
        assert duel is not None
        assert sum(duel.pairs) == duel.games // 2
        points = sum(value * count for value, count in zip(PAIR_POINTS, duel.pairs, strict=True))
        assert points == duel.wins + duel.draws / 2


@pytest.mark.parametrize("game", GAMES)
def test_ratings_rise_and_lie_within_their_error_bars(game: str) -> None:
    rows = rated_levels(game)
    assert all(row.low <= row.elo <= row.high for row in rows)
    assert all(one.elo < other.elo for one, other in pairwise(rows))
    first = [row.elo for row in rows if row.key not in ADDED_LATER]
    assert abs(sum(first) / len(first) - ladder.MEAN_ELO) < 2


def test_the_page_shows_the_tables() -> None:
    assert rate_levels.PAGE.read_text("utf-8") == rate_levels.page()


def test_a_level_is_found_by_its_keys() -> None:
    assert rating_of("connect-four", "pip") == rated_levels("connect-four")[0]
    assert rating_of("connect-four", "nobody") is None
    assert rated_levels("go") == ()


def test_tables_survive_writing_and_reading() -> None:
    rows = rated_levels("othello")
    assert parse(write("othello", rows)) == rows


def test_measuring_resumes_after_an_interruption() -> None:
    one, other = levels_of("tic-tac-toe")[:2]
    duel = ladder.continued("tic-tac-toe", one, other, None)
    assert duel.games == ladder.GAMES_A_STEP
    longer = ladder.continued("tic-tac-toe", one, other, duel)
    assert longer.games == 2 * ladder.GAMES_A_STEP
    assert longer.wins >= duel.wins


def test_stopping_keeps_the_stored_duels_of_later_levels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, levels = rated_levels("tic-tac-toe"), levels_of("tic-tac-toe")
    file = tmp_path / file_name("tic-tac-toe")
    file.write_text(write("tic-tac-toe", rows), "utf-8")
    monkeypatch.setattr(ladder, "DATA", tmp_path)
    longer = iter([ladder.continued("tic-tac-toe", levels[0], levels[1], None)])
    monkeypatch.setattr(ladder, "continued", lambda *_: next(longer))
    with pytest.raises(StopIteration):
        ladder.measure("tic-tac-toe", games=ladder.GAMES_A_DUEL + ladder.GAMES_A_STEP)
    left = parse(file.read_text("utf-8"))
    assert [row.key for row in left] == [row.key for row in rows]
    assert [row.below for row in left[2:]] == [row.below for row in rows[2:]]


def test_a_duel_counts_only_while_both_levels_are_unchanged() -> None:
    one, other = levels_of("othello")[:2]
    rows = {row.key: row for row in rated_levels("othello")}
    assert ladder.still_true(rows, one, other) == rows[other.key].below
    changed = RatedLevel(one.key, "another agent", 0, 0, 0, None)
    assert ladder.still_true({**rows, one.key: changed}, one, other) is None
    assert ladder.still_true({}, one, other) is None
    between = {one.key: rows[one.key], "between": changed, other.key: rows[other.key]}
    assert ladder.still_true(between, one, other) is None, "it was another level's duel"


@pytest.mark.parametrize("game", GAMES)
def test_the_stored_ratings_follow_from_the_stored_duels(game: str) -> None:
    rows = rated_levels(game)
    again = ladder._rated(levels_of(game), {row.key: row.below for row in rows})
    assert [(row.key, row.elo) for row in again] == [(row.key, row.elo) for row in rows]
