"""Kalah's search finds the published values, agrees with brute force, and varies its openings."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from engine.agents import make_agent
from engine.agents.levels import levels_of
from engine.analysis.evaluators import evaluator_of
from engine.core import Limit, State, Stop
from engine.games import game, spec_of
from engine.games.kalah.rules import KalahState, as_kalah
from engine.score import Evaluator, Score
from tests.engine.games.kalah import plain_kalah as plain
from tests.slow_cases import mark_slow

RULES = game("kalah")

RESULTS = {1: "DLWLWD", 2: "WLLLWW", 3: "DWWWWL", 4: "WWWWWD", 5: "DDWWWW", 6: "WWWWW"}
"""Irving, Donkers and Uiterwijk (2000), table 10: won, drawn or lost for the first player, with the given
number of pits and from one to six seeds in each."""
LEADS = {"4x1": 2, "4x2": 6, "4x3": 8, "5x1": 0, "5x2": 0, "6x1": 2, "6x2": 10}
"""Table 9."""
SLOW_LEADS = {"4x4": 2, "5x3": 8, "6x3": 2}


def solved(board: str) -> int:
    start = KalahState.of(int(board[0]), int(board[2]))
    score = evaluator_of(RULES).evaluate(start, Limit(nodes=10**9)).score
    assert score.exact
    assert score.discs is not None
    return score.discs


@pytest.mark.parametrize("pits", [1, 2, 3])
def test_small_boards_end_as_published(pits: int) -> None:
    for seeds, result in enumerate(RESULTS[pits], 1):
        lead = solved(f"{pits}x{seeds}")
        assert "WDL"[(lead <= 0) + (lead < 0)] == result


@pytest.mark.parametrize("board", LEADS)
def test_boards_are_won_by_the_published_lead(board: str) -> None:
    assert solved(board) == LEADS[board]


@pytest.mark.slow
@pytest.mark.parametrize("board", SLOW_LEADS)
def test_larger_boards_are_won_by_the_published_lead(board: str) -> None:
    assert solved(board) == SLOW_LEADS[board]


@pytest.mark.parametrize(
    "board", mark_slow(["3x3", "4x2", "5x1", "6x1"], lambda board: board in ("4x2", "6x1"))
)
def test_the_value_of_every_move_is_that_of_brute_force(board: str) -> None:
    evaluator = evaluator_of(RULES)
    for seed in range(4):
        rng, state = Random(seed), KalahState.of(int(board[0]), int(board[2]))
        while state.outcome() is None:
            mover = state.to_move
            found = evaluator.evaluate_moves(state, Limit()).moves
            for move, score in found.items():
                after = state.play(move)
                own, theirs = after.side(after.to_move), after.side(after.to_move.other)
                rest = plain.lead(own, theirs) * (1 if after.to_move is mover else -1)
                lead = after.stores[mover] - after.stores[mover.other] + rest
                assert (score.exact, score.discs) == (True, lead)
            assert evaluator.evaluate(state, Limit()).score == max(found.values())
            state = state.play(rng.choice(state.legal_moves()))


def test_an_evaluation_keeps_its_limit_and_estimates_until_then() -> None:
    found = evaluator_of(RULES).evaluate_moves(RULES.start("6x6"), Limit(nodes=3_000))
    assert 0 < found.nodes <= 3_000
    assert not found.score.exact
    assert all(score.is_known for score in found.moves.values())
    stop = Stop()
    stop.set()
    stopped = own_evaluator().evaluate(RULES.start(), Limit(stop=stop))
    assert (stopped.score, stopped.line) == (Score(), ())


@pytest.mark.parametrize("key", ["amara", pytest.param("sefu", marks=pytest.mark.slow)])
def test_strong_levels_do_not_repeat_their_games(key: str) -> None:
    level = next(level for level in levels_of("kalah") if level.key == key)
    lines: Counter[tuple[int, ...]] = Counter()
    for seed in range(20):
        agent, state, moves = make_agent(level.agent, seed), RULES.start(), list[int]()
        while len(moves) < 12 and state.outcome() is None:
            played = agent.choose(state, level.limit).move if state.to_move == 0 else answer(state)
            moves.append(played)
            state = state.play(played)
        lines[tuple(moves)] += 1
    assert max(lines.values()) <= 2


def answer(state: State) -> int:
    """Return the move of a player who always answers alike."""
    return max(state.legal_moves(), key=lambda move: as_kalah(state).sown(move)[3])


def own_evaluator() -> Evaluator:
    make = spec_of("kalah").search.evaluator
    assert make is not None
    return make()
