"""Monte Carlo tree search in plain Python: immediate wins and losses, and longer ones by playouts."""

from __future__ import annotations

import random
import time

import pytest

from engine.agents.plain_mcts import PlainMcts
from engine.core import Choice, EngineError, Limit, Stop
from engine.games import game
from engine.games.notation import parse_moves

RULES = game("tic-tac-toe")


def chosen(moves: str, simulations: int | None = 200, limit: Limit | None = None, seed: int = 1) -> Choice:
    state = RULES.start()
    for move in parse_moves(RULES, None, moves):
        state = state.play(move)
    return PlainMcts(random.Random(seed), 1.0).choose(state, limit or Limit(), simulations)


def test_a_win_at_once_is_taken_without_a_single_simulation() -> None:
    choice = chosen("a1b1a2b2")
    assert (choice.move, choice.info.proven, choice.info.score, choice.info.nodes) == (6, True, 1.0, 0)


def test_an_immediate_win_of_the_other_side_is_prevented() -> None:
    assert {chosen("a1b1a2", seed=seed).move for seed in range(10)} == {6}


def test_it_finds_a_win_in_several_moves() -> None:
    """After a1 b1 the first side wins by making two threats at once."""
    choice = chosen("a1b1", 2000)
    assert RULES.move_name(RULES.start(), choice.move) in {"a2", "b2", "a3"}
    assert choice.info.score is not None
    assert choice.info.score > 0.5


def test_equal_seeds_choose_alike_and_every_legal_move_has_its_visits() -> None:
    one, other = chosen("b2"), chosen("b2")
    assert (one.move, one.info.visits) == (other.move, other.info.visits)
    assert [move for move, _ in one.info.visits] == [0, 1, 2, 3, 5, 6, 7, 8]
    assert sum(count for _, count in one.info.visits) == one.info.nodes == 200
    assert one.info.pv[0] == one.move


@pytest.mark.parametrize("limit", [Limit(seconds=0.05), Limit(seconds=60, stop=Stop())])
def test_a_time_limit_and_a_stop_end_it_with_a_legal_move(limit: Limit) -> None:
    if limit.stop is not None:
        limit.stop.set()
    started = time.perf_counter()
    choice = chosen("", None, limit)
    assert choice.move in range(9)
    assert time.perf_counter() - started < 30


def test_a_finished_game_has_no_move() -> None:
    with pytest.raises(EngineError):
        chosen("a1b1a2b2a3")
