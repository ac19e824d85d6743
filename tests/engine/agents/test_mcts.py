"""Monte Carlo tree search: its limits, and the reuse of its tree."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from engine.agents.boards import board_of
from engine.agents.mcts import MctsAgent
from engine.core import Limit, State
from engine.games import GAMES, spec_of_state
from engine.kernels.running import running
from engine.kernels.uct_tree import UctTree
from tests.slow_cases import mark_slow

BOARDS = [(key, board) for key, game in GAMES.items() for board in game.boards]


def is_slow(case: tuple[str, str]) -> bool:
    return case[0] == "draughts" or case[1].startswith(("11x11", "15x15"))


def visits(agent: MctsAgent, state: State, limit: Limit) -> int:
    return sum(count for _, count in agent.choose(state, limit).info.visits)


@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        (Limit(), 500),
        (Limit(seconds=60), 500),
        (Limit(nodes=200), 200),
        (Limit(nodes=2000), 500),
        (Limit(seconds=60, nodes=100), 100),
    ],
)
def test_the_simulations_option_applies_with_every_limit(limit: Limit, expected: int) -> None:
    info = MctsAgent(simulations=500).choose(GAMES["connect-four"].start(), limit).info
    assert info.nodes == expected
    assert info.seconds < 30


def test_without_simulations_only_the_clock_counts() -> None:
    info = MctsAgent().choose(GAMES["connect-four"].start(), Limit(seconds=0.3)).info
    assert info.nodes > 10_000


@pytest.mark.parametrize(("key", "board"), mark_slow(BOARDS, is_slow))
def test_a_tree_is_reused_and_moves_stay_legal_through_a_whole_game(key: str, board: str) -> None:
    state: State = GAMES[key].start(board)
    rng = random.Random(f"{key} {board}")
    has_kernels = spec_of_state(state).search.board is not None
    simulations = 600 if has_kernels else 40  # without kernels each takes a while
    agent = MctsAgent(simulations=simulations)
    saved = 0
    while state.outcome() is None:
        choice = agent.choose(state, Limit())
        assert choice.move in state.legal_moves()
        assert choice.info.pv[0] == choice.move
        assert sum(count for _, count in choice.info.visits) >= choice.info.nodes
        saved += sum(count for _, count in choice.info.visits) - choice.info.nodes
        state = state.play(choice.move)
        if state.outcome() is None:
            state = state.play(rng.choice(state.legal_moves()))
    # With thousands of pairs of moves and replies, each pair has almost no visits.
    assert not has_kernels or saved > 0 or len(GAMES[key].start(board).legal_moves()) ** 2 > 10 * simulations


def test_inherited_simulations_count_towards_the_limit() -> None:
    agent, state = MctsAgent(3), GAMES["connect-four"].start()
    assert visits(agent, state, Limit(nodes=5000)) == 5000
    for _ in range(3):
        choice = agent.choose(state, Limit(nodes=5000))
        state = state.play(choice.move).play(3)
        following = agent.choose(state, Limit(nodes=5000))
        assert following.info.nodes < 5000
        assert sum(count for _, count in following.info.visits) == 5000


def test_an_unrelated_state_starts_a_new_tree() -> None:
    start = GAMES["connect-four"].start()
    agent = MctsAgent()
    agent.choose(start.play(3).play(3), Limit(nodes=1000))
    for elsewhere in (start, start.play(0).play(0).play(0), GAMES["othello"].start()):
        assert agent.choose(elsewhere, Limit(nodes=1000)).info.nodes == 1000


def test_a_depth_limit_applies_to_an_agent_with_a_deeper_tree() -> None:
    agent, state = MctsAgent(), GAMES["connect-four"].start()
    state = state.play(agent.choose(state, Limit(nodes=20_000)).move)
    assert len(agent.choose(state, Limit(nodes=1000, depth=2)).info.pv) <= 2


@pytest.mark.parametrize("key", ["connect-four", "othello"])
def test_a_subtree_is_copied_unchanged(key: str) -> None:
    state = GAMES[key].start()
    tree = UctTree.with_room_for(3000, 33)
    with running(Limit(nodes=3000)) as run:
        board_of(state).simulate(1.0, 64, 5, run, tree)
    node = tree.best_child(0)
    copy = tree.below(node, 10, 33)
    pairs = [(node, 0)]
    for old, new in pairs:
        assert [tree.visits[old], tree.gain[old], tree.square[old], tree.status[old]] == [
            copy.visits[new],
            copy.gain[new],
            copy.square[new],
            copy.status[new],
        ]
        pairs.extend(zip(tree.children_of(old), copy.children_of(new), strict=True))
    assert len(pairs) == copy.size[0]
    assert len(pairs) > 100


def test_equal_seeds_and_states_get_equal_choices_with_reuse() -> None:
    lines = []
    for _ in range(2):
        agent, state = MctsAgent(9, 300), GAMES["othello"].start("6x6")
        line = []
        while state.outcome() is None:
            line.append(agent.choose(state, Limit()).move)
            state = state.play(line[-1])
        lines.append(line)
    for one, other in pairwise(lines):
        assert one == other
