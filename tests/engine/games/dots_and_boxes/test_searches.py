"""The search of Dots and Boxes agrees with brute force, whatever the chains, and varies its games."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import combinations
from random import Random

import pytest

from engine.agents import make_agent
from engine.agents.levels import levels_of
from engine.analysis.evaluators import evaluator_of
from engine.core import Limit, replay
from engine.games import game
from engine.games.dots_and_boxes.rules import DotsState, as_dots, line_name
from engine.games.notation import parse_moves
from engine.score import Evaluator
from tests.engine.games.dots_and_boxes import plain_dots as plain

RULES = game("dots-and-boxes")


SIZES = [(1, 2), (2, 2), (1, 4), (2, 3), (3, 3), (4, 4), (5, 5)]
LAST = 12
"""Lines of which the plain table has all subsets in a few hundredths of a second."""

LOOP = "e4d7f7d5b5b1a2g4e2d1f1a4a6g6c2"
"""On 3 x 3 boxes, the last line opened a loop of four. Leaving all four with c4 wins by one box."""


def named(names: str, board: str = "3x3") -> DotsState:
    return as_dots(replay(RULES.start(board), parse_moves(RULES, board, names)))


def with_left(names: Iterable[str], size: tuple[int, int] = (5, 5)) -> DotsState:
    """Return a position in which only these lines are not drawn."""
    state = DotsState.of(*size)
    for move in state.legal_moves():
        if line_name(state.grid, move) not in names:
            state = state.play(move)
    return state


def careful(rng: Random, size: tuple[int, int], left: int) -> DotsState:
    """Return a position of a random game in which no box is given away while another line is free."""
    state = DotsState.of(*size)
    while len(moves := state.legal_moves()) > left:
        beside = {move: [len(state.missing(box)) for box in state.grid.beside[move]] for move in moves}
        safe = [move for move in moves if 2 not in beside[move] and 1 not in beside[move]]
        closing = [move for move in moves if 1 in beside[move]]
        state = state.play(rng.choice(safe or (closing if rng.random() < 0.8 else moves) or moves))
    return state


def joined(rng: Random, size: tuple[int, int], left: int) -> DotsState:
    """Return a position of chains and loops that meet: paths through boxes, of lines that are not drawn."""
    grid = DotsState.of(*size).grid
    names = set[str]()
    while len(names) < left:
        box = rng.randrange(len(grid.around))
        for _ in range(rng.choice((2, 2, 3, 4, 7))):
            move = rng.choice(grid.around[box])
            names.add(line_name(grid, move))
            others = [other for other in grid.beside[move] if other != box]
            if not others or len(names) == left:
                break
            box = others[0]
    return with_left(names, size)


def check(state: DotsState, evaluator: Evaluator) -> None:
    """Hold every value that the engine proves of the position against the plain table."""
    leads = plain.final_leads(state)
    one, all_moves = evaluator.evaluate(state, Limit()), evaluator.evaluate_moves(state, Limit())
    assert (one.score.exact, one.score.discs) == (True, max(leads.values())), str(state)
    assert one.best is not None
    assert leads[one.best] == one.score.discs, str(state)
    assert {move: score.discs for move, score in all_moves.moves.items()} == leads, str(state)
    assert all(score.exact for score in all_moves.moves.values())
    for agent in ("boxer:depth=30", "boxer:depth=30,selective=1"):
        choice = make_agent(agent, 1).choose(state, Limit())
        assert leads[choice.move] == max(leads.values()), str(state)
        # Where one move alone is worth searching, a selective player makes it at once and proves nothing.
        if "selective" not in agent or choice.info.depth > 1:
            assert choice.info.proven
            assert choice.info.score == max(leads.values()), str(state)


@pytest.mark.parametrize("size", SIZES)
def test_every_value_near_the_end_is_that_of_the_plain_table(size: tuple[int, int]) -> None:
    rng, evaluator = Random(5), evaluator_of(RULES)
    most = min(LAST - 2, len(DotsState.of(*size).lines))
    for make in (careful, joined):
        check(make(rng, size, most), evaluator)
        for _ in range(3):
            check(make(rng, size, rng.randint(1, most)), evaluator)


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
def test_every_value_further_from_the_end_is_that_of_the_plain_table(size: tuple[int, int]) -> None:
    rng, evaluator = Random(6), evaluator_of(RULES)
    lines = len(DotsState.of(*size).lines)
    for make in (careful, joined):
        for left in (*[LAST] * 20, 14, 16):
            check(make(rng, size, min(left, lines)), evaluator)


@pytest.mark.parametrize(
    ("names", "lead"),
    [
        ("e4d7f7d5b5b1", -1),
        (LOOP, 1),
        (f"{LOOP}c4", -1),
    ],
)
def test_the_last_four_boxes_of_a_loop_are_left_where_that_wins_more(names: str, lead: int) -> None:
    found = evaluator_of(RULES).evaluate(named(names), Limit())
    assert (found.score.exact, found.score.discs) == (True, lead)


def test_a_loop_may_be_left_by_its_middle_line_alone() -> None:
    state = named(LOOP)
    check(state, evaluator_of(RULES))
    assert make_agent("boxer:depth=20", 1).choose(state, Limit()).move == RULES.parse_move(state, "c4")


STARS = {
    "left": ("c2 d3 b5 c4 e4 f3", "j3 k4"),
    "right": ("g2 h3 g4 f5 i4 j3", "b3 a4"),
}
"""Not drawn on 5 x 5: three pairs of boxes that meet in one box, and a pair by itself. Once one of the three
is taken, the two others are a closed chain, of which four boxes have to be left; of the pair only two."""


@pytest.mark.parametrize(("star", "pair"), STARS.values(), ids=STARS)
def test_boxes_that_are_cheaper_to_leave_are_left_last(star: str, pair: str) -> None:
    """A chain of three remains, so the side that leaves the last boxes wins it."""
    chain = "d11 e10 g10 h11"
    check(with_left([*star.split(), *pair.split(), *chain.split()]), evaluator_of(RULES))


STRUCTURES = {
    "three pairs that meet": "c2 d3 b5 c4 e4 f3",
    "pair": "j3 k4",
    "single box": "g4",
    "closed chain of four": "c8 d9 c10",
    "loop": "i8 i10 h9 j9",
}
"""Lines of 5 x 5 that are not drawn; only the single box stands beside the first."""


@pytest.mark.parametrize("number", [1, 2, 3])
def test_structures_that_stand_together_are_taken_in_the_best_order(number: int) -> None:
    for chosen in combinations(STRUCTURES.values(), number):
        names = " ".join(chosen).split()
        if len(names) <= LAST:
            check(with_left(names), evaluator_of(RULES))


def test_boards_of_other_sizes_with_as_many_lines_share_no_values() -> None:
    rng, evaluator = Random(7), evaluator_of(RULES)
    lower, wider = DotsState.of(3, 2), DotsState.of(2, 3)
    for _ in range(8):
        drawn = rng.sample(lower.legal_moves(), 8)
        for start in (lower, wider):
            state = start
            for move in drawn:
                state = state.play(move)
            check(state, evaluator)


def test_the_last_two_boxes_of_a_chain_are_left_where_that_wins_more() -> None:
    state = DotsState.of(1, 5)
    for name in ["a2", "g2", "b1", "b3", "d1", "d3", "f1", "f3", "h1", "h3", "j1"]:
        state = state.play(RULES.parse_move(state, name))
    check(state, evaluator_of(RULES))


@pytest.mark.parametrize("key", ["sven", pytest.param("thea", marks=pytest.mark.slow)])
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
