"""Arenas: the schedule, openings, forfeits, the tables and the ratings."""

from __future__ import annotations

import json
import math
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from engine.agents import make_agent
from engine.agents.roster import Roster
from engine.arena.elo import ratings
from engine.arena.matches import Arena, ArenaError, Contender, Tally, openings, play_arena
from engine.cli.tables import forfeit_lines
from engine.core import Choice, EngineError, Limit, Player, SearchInfo, State, replay
from engine.games import GAMES, game
from engine.plugins.discovery import discover
from tests.slow_cases import mark_slow

CONNECT_FOUR = game("connect-four")
TIC_TAC_TOE = game("tic-tac-toe")


def contender(name: str, limit: Limit | None = None) -> Contender:
    return Contender(name, partial(make_agent, name), limit or Limit())


def small_arena(**options: Any) -> Arena:
    names = ("random", "one-step", "alphabeta:depth=3")
    return play_arena(CONNECT_FOUR, None, [contender(name) for name in names], games=4, seed=1, **options)


@pytest.fixture(scope="module")
def arena() -> Arena:
    return small_arena()


def without_times(arena: Arena) -> list[object]:
    return [
        (result.contenders, result.opening, result.moves, result.winner, result.reason)
        for result in arena.results
    ]


def test_every_agent_meets_every_other_with_colours_swapped(arena: Arena) -> None:
    assert [result.contenders for result in arena.results] == [
        sides for a, b in ((0, 1), (0, 2), (1, 2)) for _ in range(2) for sides in ((a, b), (b, a))
    ]
    for one, other in zip(arena.results[::2], arena.results[1::2], strict=True):
        assert one.opening == other.opening == one.moves[: len(one.opening)]
    assert len({result.opening for result in arena.results}) == 2, "the same openings for all pairings"


def test_the_record_of_every_game_replays_to_its_result(arena: Arena) -> None:
    for result in arena.results:
        outcome = replay(CONNECT_FOUR.start(), result.moves).outcome()
        assert outcome is not None
        assert (outcome.winner, outcome.reason) == (result.winner, result.reason)
        assert sum(result.chosen) == len(result.moves) - len(result.opening)


def test_equal_seeds_give_equal_games_even_in_parallel(arena: Arena) -> None:
    assert without_times(small_arena()) == without_times(arena)
    assert without_times(small_arena(jobs=3)) == without_times(arena)
    assert small_arena().ratings() == arena.ratings()


def test_the_table_counts_what_the_games_say(arena: Arena) -> None:
    for one in range(3):
        against = [arena.tally(one, other) for other in range(3) if other != one]
        total = arena.tally(one)
        assert total.wins == sum(record.wins for record in against)
        assert total.wins + total.draws + total.losses == 8
        mean = arena.mean_seconds(one)
        assert mean is not None
        assert mean > 0
    one_way, other_way = arena.tally(0, 1), arena.tally(1, 0)
    assert one_way == Tally(other_way.losses, other_way.draws, other_way.wins)


def test_the_json_holds_the_table_and_the_games(arena: Arena) -> None:
    data = json.loads(json.dumps(arena.as_json()))
    assert [row["name"] for row in data["entrants"]] == list(arena.names)
    assert data["entrants"][0]["against"]["one-step"]["losses"] == arena.tally(0, 1).losses
    assert len(data["games"]) == 12
    for row, rating in zip(data["entrants"], arena.ratings(), strict=True):
        assert (row["elo_low"], row["elo"], row["elo_high"]) == (rating.low, rating.elo, rating.high)
    winners = [row["winner"] for row in data["games"]]
    assert winners.count("one-step") == arena.tally(1).wins


def test_progress_is_reported_after_every_game() -> None:
    told: list[tuple[int, int]] = []
    contenders = [contender("random"), contender("one-step")]
    play_arena(TIC_TAC_TOE, None, contenders, games=4, on_game=lambda done, total: told.append((done, total)))
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]


@pytest.mark.parametrize("games", [0, -2, 3])
def test_an_odd_number_of_games_is_refused(games: int) -> None:
    with pytest.raises(ArenaError, match="even number"):
        play_arena(TIC_TAC_TOE, None, [contender("random"), contender("one-step")], games=games)


@pytest.mark.parametrize("names", [(), ("random",), ("random", "random")])
def test_a_tournament_needs_two_different_agents(names: tuple[str, ...]) -> None:
    with pytest.raises(ArenaError, match="two or more different agents"):
        play_arena(TIC_TAC_TOE, None, [contender(name) for name in names], games=2)


# Openings


@pytest.mark.parametrize(
    ("key", "board"),
    mark_slow(
        ((key, board) for key in GAMES for board in GAMES[key].boards), lambda case: case[0] == "gomoku"
    ),
)
def test_openings_differ_repeat_by_seed_and_leave_the_game_open(key: str, board: str) -> None:
    start = game(key).start(board)
    count = 6 if start.rows * start.columns <= 100 else 2  # quiet openings on large boards take a while
    found = openings(start, count, seed=4)
    assert found == openings(start, count, seed=4)
    assert found != openings(start, count, seed=5)
    states = [replay(start, opening) for opening in found]
    assert len(set(states)) == count
    for state in states:
        for move in state.legal_moves():
            outcome = state.play(move).outcome()
            assert outcome is None or outcome.winner is None, "nobody wins with the next move"


def can_win(state: State, player: Player, plies: int) -> bool:
    """Whether the player wins within so many plies against any defence."""
    outcome = state.outcome()
    if outcome is not None or not plies:
        return outcome is not None and outcome.winner is player
    wins = [can_win(state.play(move), player, plies - 1) for move in state.legal_moves()]
    return max(wins) if state.to_move is player else min(wins)


@pytest.mark.parametrize(("key", "board", "plies"), [("tic-tac-toe", "3x3", 3), ("connect-four", "4x4x3", 4)])
def test_no_side_can_force_a_win_within_three_plies_of_an_opening(key: str, board: str, plies: int) -> None:
    start = game(key).start(board)
    for opening in openings(start, 12, seed=1, plies=plies):
        state = replay(start, opening)
        assert not any(can_win(state, player, 3) for player in Player), opening


def test_openings_repeat_if_there_are_too_few() -> None:
    found = openings(TIC_TAC_TOE.start(), 12, seed=0)
    assert len(found) == 12
    assert len(set(found)) == 9


def test_openings_that_decide_the_game_are_refused() -> None:
    with pytest.raises(ArenaError, match="no opening of 9 plies"):
        openings(TIC_TAC_TOE.start(), 2, seed=0, plies=9)


# Forfeits


@pytest.mark.slow
def test_late_and_failing_plugins_forfeit_moves_and_the_arena_counts_them(tmp_path: Path) -> None:
    (tmp_path / "late_player.py").write_text(
        "import time\n"
        "class Late:\n"
        "    def choose(self, state, limit):\n"
        "        time.sleep(60 if state.ply < 5 else 0)\n"
        "        return state.legal_moves()[0]\n",
        "utf-8",
    )
    (tmp_path / "failing_player.py").write_text(
        "class Failing:\n    def choose(self, state, limit):\n        return 1 / 0\n", "utf-8"
    )
    roster = Roster(discover(tmp_path, entry_points=False, trial_seconds=0))
    contenders = [
        Contender(name, partial(roster.make, f"plugin:{name}"), Limit(seconds=seconds))
        for name, seconds in (("failing", 60.0), ("late", 0.3))
    ]
    try:
        arena = play_arena(TIC_TAC_TOE, None, contenders, games=2)
    finally:
        roster.close()
    assert len(arena.forfeits(0)) == arena.chosen(0) > 0
    assert set(arena.forfeits(0)) == {
        "it raised: ZeroDivisionError: division by zero (failing_player.py, line 3)"
    }
    assert set(arena.forfeits(1)) == {"it gave no answer within 0.3 s"}
    assert 0 < len(arena.forfeits(1)) < arena.chosen(1), "the worker was killed, and the next one is in time"
    for result in arena.results:
        assert replay(TIC_TAC_TOE.start(), result.moves).outcome() is not None, "every game is played out"
    data = json.loads(json.dumps(arena.as_json()))
    assert data["entrants"][0]["forfeits"] == arena.chosen(0)
    assert (
        data["entrants"][0]["first_forfeit"]
        == "it raised: ZeroDivisionError: division by zero (failing_player.py, line 3)"
    )
    assert sum(data["games"][0]["forfeits"]) > 0
    assert forfeit_lines(arena)[0] == (
        f"failing forfeited {arena.chosen(0)} of {arena.chosen(0)} moves to random ones; "
        "the first because it raised: ZeroDivisionError: division by zero (failing_player.py, line 3)"
    )


def test_an_agent_without_a_forfeit_has_no_line(arena: Arena) -> None:
    assert forfeit_lines(arena) == []
    assert {row["first_forfeit"] for row in json.loads(json.dumps(arena.as_json()))["entrants"]} == {None}


class Cheat:
    def choose(self, state: State, limit: Limit) -> Choice:
        return Choice(99, SearchInfo())


def test_an_agent_that_breaks_the_rules_ends_the_tournament_with_its_error() -> None:
    contenders = [contender("random"), Contender("cheat", lambda seed: Cheat(), Limit())]
    with pytest.raises(EngineError):
        play_arena(TIC_TAC_TOE, None, contenders, games=2)


# Ratings


def test_the_difference_of_two_ratings_follows_from_their_score() -> None:
    many = [1.5] * 4000  # three points of four
    better, worse = ratings(2, {(0, 1): many}, seed=0)
    assert better.elo - worse.elo == pytest.approx(190.8, abs=1.0)  # 400 · log10(3)
    assert better.elo + worse.elo == pytest.approx(0.0, abs=0.2)


def test_a_perfect_score_has_a_finite_rating_and_wide_error_bars() -> None:
    better, worse = ratings(2, {(0, 1): [2.0] * 10}, seed=0)
    assert 100 < better.elo < 600
    assert better.low < better.elo < better.high
    assert better.high - better.low > 50
    assert worse.low == pytest.approx(-better.high, abs=1)
    assert worse.high == pytest.approx(-better.low, abs=1)


def test_more_games_narrow_the_error_bars() -> None:
    def width(games: int) -> float:
        rating = ratings(2, {(0, 1): [2.0, 1.0, 0.0, 1.0] * games}, seed=0)[0]
        return rating.high - rating.low

    assert width(100) < width(10) / 2


def test_the_error_bars_hold_ninety_five_of_a_hundred_resamples() -> None:
    # A mean of 400 pairs of two wins or two losses has a standard error of 0.025; at an even score that is
    # 0.025 / 0.25 nats of difference, and each rating has half of it.
    rating = ratings(2, {(0, 1): [2.0, 0.0] * 200}, seed=0)[0]
    half = 1.96 * 0.025 / 0.25 * (400 / math.log(10)) / 2
    assert (rating.high - rating.low) / 2 == pytest.approx(half, rel=0.15)


def test_ratings_repeat_by_seed_and_draws_are_level() -> None:
    pairs = {(0, 1): [1.0] * 6, (0, 2): [2.0, 1.0], (1, 2): [2.0, 1.0]}
    one, other, last = ratings(3, pairs, seed=3)
    assert ratings(3, pairs, seed=3) == (one, other, last)
    assert one.elo == pytest.approx(other.elo, abs=0.2)
    assert last.elo < one.elo
