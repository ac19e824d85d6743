"""Minimax and alpha-beta agree; alpha-beta visits fewer states."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from engine.agents import make_agent
from engine.core import Choice, Limit, State, replay
from engine.games import GAMES, spec_of_state
from tests.slow_cases import mark_slow

BOARDS = [
    (key, board)
    for key, game in GAMES.items()
    for board in game.boards
    # A search without kernels takes minutes for such trees.
    if spec_of_state(game.start(board)).search.board is not None
]
LARGE = ("8x8x", "9x9x", "10x10x")


def some_states(key: str, board: str, count: int) -> list[State]:
    """States of random games, none of them over."""
    rng = random.Random(f"{key} {board}")
    states: list[State] = []
    while len(states) < count:
        state = GAMES[key].start(board)
        for _ in range(rng.randrange(40)):
            following = state.play(rng.choice(state.legal_moves()))
            if following.outcome() is not None:
                break
            state = following
        states.append(state)
    return states


def both(state: State, depth: int, seed: int, limit: Limit | None = None) -> tuple[Choice, Choice]:
    limit = limit or Limit()
    plain, pruned = (make_agent(f"{name}:depth={depth}", seed) for name in ("minimax", "alphabeta"))
    return plain.choose(state, limit), pruned.choose(state, limit)


@pytest.mark.parametrize(("key", "board"), mark_slow(BOARDS, lambda case: case[1].startswith(LARGE)))
def test_both_return_the_same_value_and_move_on_the_same_tree(key: str, board: str) -> None:
    for seed, state in enumerate(some_states(key, board, 60)):
        plain, pruned = both(state, 1 + seed % 5, seed)
        assert pruned.info.score == plain.info.score
        assert pruned.move == plain.move
        assert pruned.info.nodes <= plain.info.nodes
        assert set(pruned.info.move_scores) <= set(plain.info.move_scores)


@pytest.mark.parametrize(("key", "board"), mark_slow(BOARDS, lambda case: case[1].startswith(LARGE)))
def test_pruning_saves_most_of_the_states(key: str, board: str) -> None:
    saved = [
        (plain.info.nodes, pruned.info.nodes)
        for seed, state in enumerate(some_states(key, board, 20))
        for plain, pruned in [both(state, 5, seed)]
    ]
    plain_nodes, pruned_nodes = map(sum, zip(*saved, strict=True))
    assert pruned_nodes < plain_nodes / 3


def test_minimax_visits_every_state_of_the_tree() -> None:
    # perft: 7 + 49 + 343 + 2401 + 16807 + 117649 states below the empty board, and the board itself
    info = make_agent("minimax").choose(GAMES["connect-four"].start(), Limit()).info
    assert info.nodes == 1 + 7 + 49 + 343 + 2401 + 16807 + 117649
    info = make_agent("minimax:depth=5").choose(GAMES["othello"].start(), Limit()).info
    assert info.nodes == 1 + 4 + 12 + 56 + 244 + 1396


def test_iterative_deepening_ends_at_the_same_value() -> None:
    for seed, state in enumerate(some_states("connect-four", "6x7x4", 20)):
        at_once, _ = both(state, 4, seed)
        for stepwise in both(state, 4, seed, Limit(nodes=10**9)):
            assert stepwise.info.score == at_once.info.score


@pytest.mark.parametrize(("key", "board"), [("tic-tac-toe", "3x3"), ("connect-four", "5x5x3")])
def test_a_search_to_the_end_proves_its_score(key: str, board: str) -> None:
    for state in some_states(key, board, 10):
        info = make_agent("alphabeta:depth=25").choose(state, Limit(nodes=10**8)).info
        assert info.proven
        sign = 0 if info.score is None else (info.score > 0) - (info.score < 0)
        end = replay(state, info.pv)
        outcome = end.outcome()
        assert outcome is not None, "the line ends where the game does"
        winner = outcome.winner
        assert sign == (0 if winner is None else 1 if winner == state.to_move else -1)


def test_tic_tac_toe_is_a_draw() -> None:
    info = make_agent("alphabeta:depth=9").choose(GAMES["tic-tac-toe"].start(), Limit()).info
    assert (info.score, info.proven, len(info.pv)) == (0, True, 9)


def test_a_faster_win_and_a_slower_loss_are_worth_more() -> None:
    """Along the expected line of a decided game the value counts down to the end, one a ply."""
    # Three in the middle of an empty row and the other side to move: it loses, after a delay of one move.
    state: State = replay(GAMES["connect-four"].start(), [2, 2, 3, 3, 4])
    scores = []
    while state.outcome() is None:
        for choice in both(state, 6, 1):
            assert choice.info.proven
        scores.append(choice.info.score)
        state = state.play(choice.move)
    assert scores == [-999_998.0, 999_999.0]


def test_the_value_of_a_decided_othello_game_counts_down_too() -> None:
    checked = 0
    for state in some_states("othello", "6x6", 200):
        if not 6 <= state.cells().count(None) <= 8:
            continue
        line = []
        while state.outcome() is None:
            choice = make_agent("alphabeta:depth=20").choose(state, Limit())
            line.append(choice.info.score or 0.0)
            state = state.play(choice.move)
        for before, after in pairwise(line):
            if before:
                assert abs(after) - abs(before) == 128
                assert (after > 0) != (before > 0)
        checked += 1
    assert checked >= 5


@pytest.mark.parametrize("name", ["minimax:depth=12", "alphabeta:depth=40"])
def test_an_interrupted_search_returns_its_best_move_so_far(name: str) -> None:
    state = GAMES["connect-four"].start()
    shallow = make_agent(name).choose(state, Limit(nodes=5000)).info
    assert 2 <= shallow.depth < 12
    assert shallow.score is not None
    assert not shallow.proven


@pytest.mark.parametrize("name", ["minimax:depth=12", "alphabeta:depth=40"])
def test_an_interrupted_iteration_never_forgets_the_best_move(name: str) -> None:
    """Each deeper look begins with the last one's best move, so half a look cannot make it forget."""
    state = replay(GAMES["connect-four"].start(), [6, 0, 6, 0, 5, 0])  # only the first column stops its four
    enough_for_two_plies = 80
    for nodes in range(enough_for_two_plies, 4000, 41):
        assert make_agent(name).choose(state, Limit(nodes=nodes)).move == 0
