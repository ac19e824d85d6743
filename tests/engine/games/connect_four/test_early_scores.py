"""The stored scores of the first plies: enumeration, look-up, negamax, and correctness."""

from __future__ import annotations

import random

import numpy as np
import pytest

from engine.core import Limit
from engine.games.connect_four import ConnectFourState
from engine.games.connect_four.early_scores import (
    BASE_PLY,
    LAST_PLY,
    NO_SCORES,
    UNKNOWN,
    EarlyScores,
    EarlyScoresError,
    early_scores,
    key_of,
    positions,
    stones,
    stored_positions,
)
from engine.games.connect_four.exact_solver import ConnectFourSolver

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
    return np.full(len(stored_positions()), UNKNOWN, np.int8)


def enter(solved: np.ndarray[tuple[int], np.dtype[np.int8]], state: ConnectFourState, score: int) -> None:
    key, _ = key_of(state.own, state.mask)
    place = int(np.searchsorted(stored_positions(), key))
    assert stored_positions()[place] == key
    solved[place] = score


def wins_at_once(state: ConnectFourState) -> bool:
    return any(state.play(move).outcome() is not None for move in state.legal_moves())


def test_the_enumeration_agrees_with_the_rules() -> None:
    level = {START}
    for ply in range(6):
        keys = {key_of(state.own, state.mask)[0] for state in level}
        assert sorted(keys) == positions(ply).tolist()
        children = (state.play(move) for state in level for move in state.legal_moves())
        level = {child for child in children if child.outcome() is None}


def test_the_number_of_positions_is_known() -> None:
    """OEIS A212693: 1, 7, 49, 238, 1120 ..., which counts mirror images twice; here they count once."""
    both = []
    for ply in range(5):
        keys = positions(ply)
        both.append(sum(2 - is_symmetric(int(key)) for key in keys))
    assert both == [1, 7, 49, 238, 1120]
    assert len(stored_positions()) == 77_715


def is_symmetric(key: int) -> bool:
    columns = [key >> 7 * column & 127 for column in range(7)]
    return columns == columns[::-1]


def test_keys_and_stones_convert_into_each_other() -> None:
    rng = random.Random(1)
    for ply in (0, 3, LAST_PLY):
        for _ in range(50):
            state = random_state(rng, ply)
            key, is_mirrored = key_of(state.own, state.mask)
            own, mask = stones(np.array([key], np.int64))
            assert key_of(int(own[0]), int(mask[0])) == (key, False)
            if not is_mirrored:
                assert (int(own[0]), int(mask[0])) == (state.own, state.mask)


def test_without_solved_positions_only_wins_in_two_are_known() -> None:
    early = EarlyScores.of(nothing_solved())
    assert early.score_of(START) is None
    assert early.scores_of_moves(START) == {}
    assert early.best(START) is None
    won = THREE_IN_A_ROW.play(0)  # does not stop the other end
    assert early.score_of(won) == (43 - won.ply) >> 1 == 18


def test_a_score_follows_from_its_moves_and_is_shared_by_the_mirror_image() -> None:
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
    assert tuple(scores) == image.legal_moves()
    best = early.best(before)
    assert best is not None
    assert best[1] == 2 == -(early.score_of(before.play(best[0])) or 0)


def test_an_unknown_move_does_not_matter_beside_the_best_possible_score() -> None:
    before = next(
        state
        for seed in range(100)
        if not wins_at_once(state := random_state(random.Random(seed), BASE_PLY - 1))
        and not any(wins_at_once(state.play(move)) for move in state.legal_moves())
    )
    most = (43 - (before.ply + 2)) >> 1
    for score, expected in ((-most, most), (1 - most, None)):
        solved = nothing_solved()
        enter(solved, before.play(before.legal_moves()[0]), score)
        early = EarlyScores.of(solved)
        assert early.score_of(before) == expected
        assert len(early.scores_of_moves(before)) < len(before.legal_moves())


@pytest.mark.slow
def test_the_solver_searches_only_moves_with_unknown_scores() -> None:
    rng, compared = random.Random(23), 0
    searching = ConnectFourSolver(early=NO_SCORES)
    base = EarlyScores.of(nothing_solved())
    while compared < 3:
        state = random_state(rng, BASE_PLY)
        children = {move: state.play(move) for move in state.legal_moves()}
        if wins_at_once(state) or any(wins_at_once(child) for child in children.values()):
            continue
        truth = searching.analyze(state)
        all_nodes = searching.nodes
        solved = np.full((2, len(stored_positions(LAST_PLY))), UNKNOWN, np.int8)
        for move in rng.sample(list(children), 5):
            key, _ = key_of(children[move].own, children[move].mask)
            assert truth is not None
            solved[0, int(np.searchsorted(stored_positions(LAST_PLY), key))] = -truth[move]
        solver = ConnectFourSolver(early=base.followed_by(solved))
        assert solver.analyze(state) == truth
        assert solver.nodes < all_nodes
        compared += 1


def test_scores_of_another_enumeration_are_refused() -> None:
    with pytest.raises(EarlyScoresError, match="not what is known of ply 8"):
        EarlyScores.of(nothing_solved()[:-1])


def test_the_solver_looks_up_known_scores_and_searches_the_rest() -> None:
    solved = nothing_solved()
    state = random_state(random.Random(7), BASE_PLY)
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
    early = EarlyScores.of(np.zeros(len(stored_positions()), np.int8))
    solver = ConnectFourSolver(early=early)
    hurry = Limit(nodes=1)
    assert solver.solve(START, hurry) == 0
    assert solver.best(START, hurry) == (3, 0)
    assert solver.analyze(START, hurry) == dict.fromkeys(range(7), 0)
    assert solver.nodes == 0
    assert solver.analyze(THREE_IN_A_ROW, hurry) == dict.fromkeys(range(7), -18)


def test_scores_of_one_ply_more_are_looked_up_and_help_the_one_before() -> None:
    """Of a made-up game in which all of ply 8 is worth 2 and all of ply 9, unless won at once, -2."""
    base = EarlyScores.of(np.full(len(stored_positions()), 2, np.int8))
    solved = np.full((2, len(stored_positions(LAST_PLY))), -2, np.int8)
    solved[1] = UNKNOWN
    early = base.followed_by(solved)
    rng = random.Random(5)
    state = next(
        found
        for _ in range(1000)
        if not wins_at_once(found := random_state(rng, BASE_PLY))
        and not any(wins_at_once(found.play(move)) for move in found.legal_moves())
    )
    assert base.scores_of_moves(state) == {}
    assert early.scores_of_moves(state) == dict.fromkeys(state.legal_moves(), 2)
    assert early.best(state) == (3, 2)
    child = state.play(3)
    assert (base.score_of(child), early.score_of(child)) == (None, -2)
    assert early.scores_of_moves(child) == {}
    assert early.best(child) is None
    with pytest.raises(EarlyScoresError, match="not what is known of ply 9"):
        base.followed_by(solved[0])


def test_the_best_column_of_the_last_ply_is_that_of_the_position_not_of_its_mirror_image() -> None:
    solved = np.zeros((2, len(stored_positions(LAST_PLY))), np.int8)
    solved[1] = 1
    early = EarlyScores.of(np.zeros(len(stored_positions()), np.int8)).followed_by(solved)
    solver = ConnectFourSolver(early=early)
    rng, images = random.Random(17), set()
    for _ in range(50):
        state = random_state(rng, LAST_PLY)
        is_mirrored = key_of(state.own, state.mask)[1]
        if wins_at_once(state):
            assert early.best(state) is None  # which needs no file: the solver sees it
            found = solver.best(state)
            assert found is not None
            assert state.play(found[0]).outcome() is not None
        else:
            images.add(is_mirrored)
            assert early.best(state) == solver.best(state) == (5 if is_mirrored else 1, 0)
            assert solver.nodes == 0
    assert images == {False, True}


def test_a_lower_bound_follows_from_the_predecessors() -> None:
    rng = random.Random(11)
    state = next(
        found
        for _ in range(1000)
        if not wins_at_once(found := random_state(rng, BASE_PLY))
        and not wins_at_once(found.play(found.legal_moves()[0]))
    )
    solved = nothing_solved()
    enter(solved, state, 4)
    least = EarlyScores.of(solved).least_after()
    keys = stored_positions(LAST_PLY)
    assert len(least) == len(keys) == 239_959
    child = state.play(state.legal_moves()[0])
    place = int(np.searchsorted(keys, key_of(child.own, child.mask)[0]))
    assert least[place] == -4
    won = (43 - BASE_PLY) >> 1  # what needs no file: the side to move could have won at once instead
    assert set(np.unique(least)) == {UNKNOWN, -won, -4}


def test_a_known_lower_bound_changes_no_result() -> None:
    rng = random.Random(13)
    for _ in range(60):
        state = random_state(rng, 20)
        score = ConnectFourSolver(early=NO_SCORES).solve(state)
        assert score is not None
        for least in (score - 5, score - 1, score):
            assert ConnectFourSolver(early=NO_SCORES).solve(state, least=least) == score
            hurried = ConnectFourSolver(early=NO_SCORES).solve(state, Limit(nodes=20), least=least)
            assert hurried in (None, score)


@pytest.mark.slow
@pytest.mark.skipif(len(early_scores().columns) == 0, reason="the columns of ply 9 have not been made")
def test_a_position_after_the_last_stored_ply_has_the_promised_bound() -> None:
    """Where a best column leads to it the promise is its score, and nothing is left to search for."""
    early, knowing, unknowing = early_scores(), ConnectFourSolver(), ConnectFourSolver(early=NO_SCORES)
    rng, kinds = random.Random(19), set()
    for _ in range(8):
        state = random_state(rng, LAST_PLY + 1)
        least, is_exact = early.promised(state)
        score = unknowing.solve(state)
        assert score is not None
        assert UNKNOWN < least <= score
        assert least == score or not is_exact
        assert knowing.solve(state) == score
        assert (knowing.nodes == 0) == (is_exact or wins_at_once(state))
        assert knowing.analyze(state) == unknowing.analyze(state)
        assert knowing.best(state) == unknowing.best(state)
        kinds.add(is_exact)
    assert kinds == {False, True}
    assert early.promised(random_state(rng, LAST_PLY)) == (UNKNOWN, False)


@pytest.mark.slow
@pytest.mark.skipif(early_scores() is NO_SCORES, reason="the files of early scores have not been made")
@pytest.mark.parametrize("ply", [BASE_PLY, LAST_PLY])
def test_stored_scores_agree_with_the_solver(ply: int) -> None:
    early, solver = early_scores(ply), ConnectFourSolver(early=NO_SCORES)
    keys = stored_positions(ply)
    for place in random.Random(3).sample(range(len(keys)), 12):
        own, mask = (int(bits[0]) for bits in stones(keys[place : place + 1]))
        state = ConnectFourState(own=own, mask=mask, ply=ply)
        score, best = early.score_of(state), early.best(state)
        assert score in (None, solver.solve(state)), f"\n{state}"
        if best is not None:
            move, promised = best
            assert promised == score
            values = solver.analyze(state)
            assert values is not None
            assert values[move] == score == max(values.values()), f"\n{state}"


@pytest.mark.skipif(early_scores().score_of(START) is None, reason="not all early scores are solved")
def test_the_value_of_every_beginning_is_known() -> None:
    """Allis, A Knowledge-based Approach of Connect-Four, 1988: d wins, c and e draw, the others lose."""
    solver = ConnectFourSolver()
    values = solver.analyze(START, Limit(nodes=1))
    assert values == {0: -2, 1: -1, 2: 0, 3: 1, 4: 0, 5: -1, 6: -2}
    assert UNKNOWN not in np.concatenate(early_scores(BASE_PLY).scores)


@pytest.mark.slow
@pytest.mark.skipif(len(early_scores().scores) <= LAST_PLY, reason="the file of ply 9 has not been made")
def test_the_scores_of_both_files_are_consistent() -> None:
    """No move leaves the other side less than the best one does, and the best one just that."""
    early = early_scores()
    stored = early.scores[LAST_PLY][np.isin(early.keys[LAST_PLY], stored_positions(LAST_PLY))]
    least = early_scores(BASE_PLY).least_after()
    assert (least != UNKNOWN).all()
    assert (stored >= least)[stored != UNKNOWN].all()
    followed = EarlyScores.of(stored, LAST_PLY)
    is_known = followed.scores[BASE_PLY] != UNKNOWN
    assert is_known.any()
    assert (followed.scores[BASE_PLY] == early.scores[BASE_PLY])[is_known].all()
