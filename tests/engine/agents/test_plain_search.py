"""Minimax and alpha-beta in plain Python agree with the compiled searches."""

from __future__ import annotations

from random import Random

import pytest

from engine.agents.boards import board_of
from engine.agents.plain_search import PlainBoard
from engine.core import Limit, State
from engine.games import game
from engine.kernels.control import INFINITY
from engine.kernels.heuristic_values import DECIDED
from engine.kernels.running import running


def some_way_on(key: str, plies: int, rng: Random) -> State:
    """A position of a random game that is not over."""
    while True:
        state: State = game(key).start()
        for _ in range(plies):
            if state.legal_moves():
                state = state.play(rng.choice(state.legal_moves()))
        if state.legal_moves():
            return state


@pytest.mark.parametrize(
    ("key", "plies", "depth", "prunes"),
    [
        ("tic-tac-toe", 3, 9, False),
        ("tic-tac-toe", 3, 9, True),
        pytest.param("connect-four", 26, 5, False, marks=pytest.mark.slow),
        ("connect-four", 26, 5, True),
    ],
)
def test_won_and_lost_games_have_the_values_of_the_compiled_search(
    key: str, plies: int, depth: int, prunes: bool
) -> None:
    rng, decided = Random(key), 0
    for _ in range(12):
        state = some_way_on(key, plies, rng)
        with running(Limit()) as run:
            plain, compiled = PlainBoard(state).plain_search(run, prunes=prunes), board_of(state)
            search = compiled.plain_search(run)
            known = {
                compiled.move_of(square): search.value(square, depth, -INFINITY)
                for group in compiled.groups
                for square in group
            }
            for move in state.legal_moves():
                value = plain.value(move, depth, -INFINITY)
                is_decided = abs(known[move]) > DECIDED or key == "tic-tac-toe"
                assert (value == known[move]) if is_decided else abs(value) <= DECIDED
                decided += is_decided
                after = state.play(move)
                for follower in plain.line:
                    after = after.play(follower)
    assert decided > 10


def test_pruning_never_changes_the_best_value_and_visits_fewer_states() -> None:
    state = some_way_on("connect-four", 8, Random(2))
    found = []
    for prunes in (False, True):
        with running(Limit()) as run:
            search, best = PlainBoard(state).plain_search(run, prunes=prunes), -INFINITY
            for move in state.legal_moves():
                best = max(best, search.value(move, 3, best))
            found.append((best, run.nodes))
    assert found[0][0] == found[1][0]
    assert found[1][1] < found[0][1]


def test_it_stops_when_its_nodes_are_used_up() -> None:
    with running(Limit(nodes=20)) as run:
        PlainBoard(game("connect-four").start()).plain_search(run).value(3, 6, -INFINITY)
        assert run.has_stopped
        assert run.nodes == 20
