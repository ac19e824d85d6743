"""The stored scores of the first plies: enumerated, looked up, followed back, and right where solved."""

from __future__ import annotations

import random

import numpy as np
import pytest

from engine.agents.connect_four_solver import ConnectFourSolver
from engine.agents.early_positions import (
    LAST_PLY,
    NO_SCORES,
    UNKNOWN,
    EarlyScores,
    EarlyScoresError,
    early_scores,
    last_positions,
    positions,
    stones,
)
from engine.agents.opening_book import key_of
from engine.core import Limit
from engine.games.connect_four import ConnectFourState

START = ConnectFourState()


def after(*moves: int) -> ConnectFourState:
    state = START
    for move in moves:
        state = state.play(move)
    return state


THREE_IN_A_ROW = after(2, 2, 3, 3, 4)
"""The second player cannot stop both ends."""


def random_state(rng: random.Random, ply: int) -> ConnectFourState:
    state = START
    while state.ply < ply:
        following = state.play(rng.choice(state.legal_moves()))
        state = following if following.outcome() is None else START
    return state


def nothing_solved() -> np.ndarray[tuple[int], np.dtype[np.int8]]:
    return np.full(len(last_positions()), UNKNOWN, np.int8)


def enter(solved: np.ndarray[tuple[int], np.dtype[np.int8]], state: ConnectFourState, score: int) -> None:
    key, _ = key_of(state.own, state.mask)
    place = int(np.searchsorted(last_positions(), key))
    assert last_positions()[place] == key
    solved[place] = score


def wins_at_once(state: ConnectFourState) -> bool:
    return any(state.play(move).outcome() is not None for move in state.legal_moves())


def test_the_enumeration_is_that_of_the_rules() -> None:
    level = {START}
    for ply in range(6):
        keys = {key_of(state.own, state.mask)[0] for state in level}
        assert sorted(keys) == positions(ply).tolist()
        children = (state.play(move) for state in level for move in state.legal_moves())
        level = {child for child in children if child.outcome() is None}


def test_the_number_of_positions_is_known() -> None:
    """OEIS A212693: 1, 7, 49, 238, 1120 ..., where mirror images count as two; here they are one."""
    both = []
    for ply in range(5):
        keys = positions(ply)
        both.append(sum(2 - is_symmetric(int(key)) for key in keys))
    assert both == [1, 7, 49, 238, 1120]
    assert len(last_positions()) == 77_715


def is_symmetric(key: int) -> bool:
    columns = [key >> 7 * column & 127 for column in range(7)]
    return columns == columns[::-1]


def test_keys_and_stones_belong_together() -> None:
    rng = random.Random(1)
    for ply in (0, 3, LAST_PLY):
        for _ in range(50):
            state = random_state(rng, ply)
            key, is_mirrored = key_of(state.own, state.mask)
            own, mask = stones(np.array([key], np.int64))
            assert key_of(int(own[0]), int(mask[0])) == (key, False)
            if not is_mirrored:
                assert (int(own[0]), int(mask[0])) == (state.own, state.mask)


def test_without_a_solved_position_only_what_wins_in_two_is_known() -> None:
    early = EarlyScores.of(nothing_solved())
    assert early.score_of(START) is None
    assert early.scores_of_moves(START) is None
    assert early.best(START) is None
    won = THREE_IN_A_ROW.play(0)  # does not stop the other end
    assert early.score_of(won) == (43 - won.ply) >> 1 == 18


def test_a_score_is_known_as_soon_as_its_moves_are_and_shared_by_the_mirror_image() -> None:
    before = after(3, 3, 3, 3, 3, 1, 1)
    image = after(3, 3, 3, 3, 3, 5, 5)
    children = [before.play(move) for move in before.legal_moves()]
    solved = nothing_solved()
    rest = [child for child in children if not wins_at_once(child)]
    for number, child in enumerate(rest[:-1]):
        enter(solved, child, 3 - number)
    assert EarlyScores.of(solved).score_of(before) is None
    enter(solved, rest[-1], -2)
    early = EarlyScores.of(solved)
    assert early.score_of(before) == early.score_of(image) == 2
    scores = early.scores_of_moves(image)
    assert scores is not None
    assert tuple(scores) == image.legal_moves()
    best = early.best(before)
    assert best is not None
    assert best[1] == 2 == -(early.score_of(before.play(best[0])) or 0)


def test_an_unknown_move_matters_no_more_beside_the_best_that_there_can_be() -> None:
    before = next(
        state
        for seed in range(100)
        if not wins_at_once(state := random_state(random.Random(seed), LAST_PLY - 1))
        and not any(wins_at_once(state.play(move)) for move in state.legal_moves())
    )
    most = (43 - (before.ply + 2)) >> 1
    for score, expected in ((-most, most), (1 - most, None)):
        solved = nothing_solved()
        enter(solved, before.play(before.legal_moves()[0]), score)
        early = EarlyScores.of(solved)
        assert early.score_of(before) == expected
        assert early.scores_of_moves(before) is None


def test_scores_that_belong_to_something_else_are_refused() -> None:
    with pytest.raises(EarlyScoresError, match="not the scores of ply 8"):
        EarlyScores.of(nothing_solved()[:-1])


def test_the_solver_looks_up_what_is_known_and_searches_the_rest() -> None:
    solved = nothing_solved()
    state = random_state(random.Random(7), LAST_PLY)
    searched = ConnectFourSolver(early=NO_SCORES).best(state)
    assert searched is not None
    move, score = searched
    enter(solved, state, score)
    solver = ConnectFourSolver(early=EarlyScores.of(solved))
    assert (solver.solve(state), solver.nodes) == (score, 0)
    assert solver.best(state) == (move, score)
    assert solver.solve(START, Limit(nodes=100)) is None
    assert solver.nodes == 100
    assert ConnectFourSolver(early=NO_SCORES).solve(state) == score


def test_the_solver_answers_from_a_table_without_any_time_at_all() -> None:
    """Scores of a made-up game in which every position of ply 8 is a draw."""
    early = EarlyScores.of(np.zeros(len(last_positions()), np.int8))
    solver = ConnectFourSolver(early=early)
    hurry = Limit(nodes=1)
    assert solver.solve(START, hurry) == 0
    assert solver.best(START, hurry) == (3, 0)
    assert solver.analyze(START, hurry) == dict.fromkeys(range(7), 0)
    assert solver.nodes == 0
    assert solver.analyze(THREE_IN_A_ROW, hurry) == dict.fromkeys(range(7), -18)


@pytest.mark.skipif(early_scores() is NO_SCORES, reason="the file of early scores has not been made")
def test_scores_of_the_file_are_those_of_the_solver() -> None:
    early, solver = early_scores(), ConnectFourSolver(early=NO_SCORES)
    keys = last_positions()
    rng = random.Random(3)
    compared = 0
    while compared < 12:
        own, mask = (int(bits[0]) for bits in stones(keys[rng.randrange(len(keys))].reshape(1)))
        state = ConnectFourState(own=own, mask=mask, ply=LAST_PLY)
        score = early.score_of(state)
        if score is not None:
            assert score == solver.solve(state), f"\n{state}"
            compared += 1


@pytest.mark.skipif(early_scores().score_of(START) is None, reason="not all early scores are solved")
def test_the_value_of_every_beginning_is_known() -> None:
    """Allis, A Knowledge-based Approach of Connect-Four, 1988: d wins, c and e draw, the others lose."""
    solver = ConnectFourSolver()
    values = solver.analyze(START, Limit(nodes=1))
    assert values == {0: -2, 1: -1, 2: 0, 3: 1, 4: 0, 5: -1, 6: -2}
    assert UNKNOWN not in np.concatenate(early_scores().scores)
