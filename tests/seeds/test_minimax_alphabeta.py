"""Seed 002, a report on Connect Four with minimax, alpha-beta and a heuristic of windows."""

from __future__ import annotations

from random import Random

import pytest

from engine.agents import make_agent
from engine.core import Limit, Player, State, replay
from engine.games import game
from engine.games.k_in_a_row import windows
from tests.engine.cli.commands import engine

START = game("connect-four").start()


def quiet_positions(count: int, plies: int) -> list[State]:
    """Return random positions without an immediate win."""
    rng, found = Random(2), list[State]()
    while len(found) < count:
        state: State = START
        for _ in range(rng.randrange(plies)):
            state = state.play(rng.choice(state.legal_moves()))
            if state.outcome() is not None:
                break
        if state.outcome() is None and all(state.play(m).outcome() is None for m in state.legal_moves()):
            found.append(state)
    return found


def by_windows(state: State, mover: Player) -> int:
    """5 for three of one's own and a gap, 2 for two and two, -4 for three of theirs; 3 a middle disc."""
    cells, value = state.cells(), 0
    for window in windows(6, 7, 4):
        inside = [cells[cell] for cell in window]
        own, empty = inside.count(mover), inside.count(None)
        value += 5 * (own == 3 and empty == 1) + 2 * (own == 2 and empty == 2)
        value -= 4 * (own == 0 and empty == 1)
    return value + 3 * [cells[row * 7 + 3] for row in range(6)].count(mover)


def test_the_heuristic_counts_windows_of_four_and_discs_in_the_middle() -> None:
    for state in quiet_positions(30, 20):
        info = make_agent("alphabeta:depth=1").choose(state, Limit()).info
        assert info.score == max(by_windows(state.play(m), state.to_move) for m in state.legal_moves())


@pytest.mark.parametrize("agent", ["minimax", "alphabeta"])
def test_a_win_within_the_depth_is_played_and_a_loss_avoided(agent: str) -> None:
    mine, theirs = replay(START, [0, 1, 0, 1, 0, 1]), replay(START, [0, 1, 0, 1, 0, 6])
    assert make_agent(f"{agent}:depth=4").choose(mine, Limit()).move in (0, 1)
    forced = replay(START, [6, 1, 0, 1, 0, 1])
    assert make_agent(f"{agent}:depth=4").choose(forced, Limit()).move == 1
    assert make_agent(f"{agent}:depth=4").choose(theirs, Limit()).move == 0


@pytest.mark.parametrize("depth", [2, 4])
def test_pruning_changes_neither_the_value_nor_the_move(depth: int) -> None:
    for state in quiet_positions(10, 16):
        full = make_agent(f"minimax:depth={depth}", 5).choose(state, Limit())
        pruned = make_agent(f"alphabeta:depth={depth}", 5).choose(state, Limit())
        assert (full.move, full.info.score) == (pruned.move, pruned.info.score)
        assert pruned.info.nodes <= full.info.nodes


def test_alpha_beta_searches_six_moves_quickly() -> None:
    info = make_agent("alphabeta:depth=6").choose(START, Limit()).info
    assert info.depth == 6
    assert len(info.pv) == 6


def test_the_first_player_may_be_random() -> None:
    began = set()
    for seed in range(12):
        done = engine(*("play", "pip", "--first", "random", "--as-text", "--seed", str(seed)), typed="quit\n")
        began.add("Red X (you) to move" in done.stdout.splitlines()[1])
    assert began == {True, False}


def test_a_line_on_a_diagonal_wins_too() -> None:
    outcome = replay(START, [0, 1, 1, 2, 2, 3, 2, 3, 3, 6, 3]).outcome()
    assert outcome is not None
    assert outcome.winner is Player.FIRST
