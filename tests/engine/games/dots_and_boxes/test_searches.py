"""The search of Dots and Boxes agrees with brute force, whatever the chains, and varies its games."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from engine.agents import make_agent
from engine.agents.levels import levels_of
from engine.analysis.evaluators import evaluator_of
from engine.core import Limit
from engine.games import game
from engine.games.dots_and_boxes.rules import DotsState
from tests.engine.games.dots_and_boxes import plain_dots as plain
from tests.engine.games.dots_and_boxes.test_rules import plain_lines

RULES = game("dots-and-boxes")


@pytest.mark.parametrize(("size", "lines_left"), [((1, 2), 7), ((2, 2), 12), ((1, 4), 13), ((3, 3), 11)])
def test_the_value_of_a_position_is_that_of_brute_force(size: tuple[int, int], lines_left: int) -> None:
    rng, evaluator = Random(5), evaluator_of(RULES)
    for _ in range(40):
        state = DotsState.of(*size)
        drawn = len(state.lines) - rng.randint(1, lines_left)
        while state.ply < drawn:
            state = state.play(rng.choice(state.legal_moves()))
        mover = state.to_move
        lead = state.points[mover] - state.points[mover.other] + plain.lead(plain_lines(state), *size)
        found = evaluator.evaluate(state, Limit())
        assert (found.score.exact, found.score.discs) == (True, lead)
        assert max(evaluator.evaluate_moves(state, Limit()).moves.values()) == found.score


def test_the_last_two_boxes_of_a_chain_are_left_where_that_wins_more() -> None:
    state = DotsState.of(1, 5)
    for name in ["a2", "g2", "b1", "b3", "d1", "d3", "f1", "f3", "h1", "h3", "j1"]:
        state = state.play(RULES.parse_move(state, name))
    found = evaluator_of(RULES).evaluate(state, Limit())
    lead = plain.lead(plain_lines(state), 1, 5)
    done = state.points[state.to_move] - state.points[state.to_move.other]
    assert found.score.discs == done + lead


@pytest.mark.parametrize("key", ["sven", "thea"])
def test_strong_levels_do_not_repeat_their_games(key: str) -> None:
    level = next(level for level in levels_of("dots-and-boxes") if level.key == key)
    lines: Counter[tuple[int, ...]] = Counter()
    for seed in range(20):
        agent, state, moves = make_agent(level.agent, seed), RULES.start(), list[int]()
        while len(moves) < 12:
            is_own = state.to_move == 0
            moves.append(agent.choose(state, level.limit).move if is_own else state.legal_moves()[-1])
            state = state.play(moves[-1])
        lines[tuple(moves)] += 1
    assert max(lines.values()) <= 2
