"""Seed 003, an introduction to game trees, heuristics and an agent that looks one step ahead."""

from __future__ import annotations

from random import Random

import pytest

from engine.agents import make_agent
from engine.analysis.game_tree import whole_tree
from engine.core import Limit, Player, State, replay
from engine.games import game
from engine.games.k_in_a_row import windows

START = game("connect-four").start()
BOARDS = ((6, 7, 4), (4, 5, 3), (5, 6, 4), (6, 7, 5), (7, 8, 4))


def by_hand(state: State, mover: Player, k: int) -> int:
    """1 for each k - 1 of one's own and a gap, -1,000 for each of theirs, 1,000,000 for each full line."""
    cells, value = state.cells(), 0
    for window in windows(state.rows, state.columns, k):
        inside = [cells[cell] for cell in window]
        own, empty = inside.count(mover), inside.count(None)
        value += 1_000_000 * (own == k) + (own == k - 1 and empty == 1)
        value -= 1_000 * (own == 0 and empty == 1)
    return value


def positions(rows: int, columns: int, k: int) -> list[State]:
    rng, found = Random(f"{rows}{columns}{k}"), []
    for _ in range(15):
        state: State = game("connect-four").start(f"{rows}x{columns}x{k}")
        for _ in range(rng.randrange(rows * columns // 2)):
            after = state.play(rng.choice(state.legal_moves()))
            if after.outcome() is not None:
                break
            state = after
        found.append(state)
    return found


def test_a_game_tree_begins_at_a_position_and_ends_where_games_end() -> None:
    """Tic-tac-toe is small enough for a whole one."""
    before = replay(game("tic-tac-toe").start(), [0, 1, 2, 4])
    levels = whole_tree(before)
    assert levels[0][0].state == before
    assert len(levels[0][0].followers) == len(before.legal_moves()) == 5
    for level in levels:
        for node in level:
            assert bool(node.followers) == (node.state.outcome() is None)


@pytest.mark.parametrize(("rows", "columns", "k"), BOARDS)
def test_every_move_is_scored_by_the_board_it_leads_to(rows: int, columns: int, k: int) -> None:
    for state in positions(rows, columns, k):
        info = make_agent("one-step").choose(state, Limit()).info
        assert dict(info.move_scores) == {
            move: by_hand(state.play(move), state.to_move, k) for move in state.legal_moves()
        }


@pytest.mark.parametrize(("rows", "columns", "k"), BOARDS)
def test_one_of_the_moves_of_the_highest_score_is_played(rows: int, columns: int, k: int) -> None:
    for state in positions(rows, columns, k):
        choice = make_agent("one-step").choose(state, Limit())
        scores = dict(choice.info.move_scores)
        assert scores[choice.move] == max(scores.values())


def test_ties_between_moves_are_broken_at_random() -> None:
    chosen = {make_agent("one-step", seed).choose(START, Limit()).move for seed in range(80)}
    assert chosen == set(range(7))


def test_it_looks_at_its_own_next_move_and_no_further() -> None:
    info = make_agent("one-step").choose(START, Limit()).info
    assert (info.depth, info.nodes) == (1, 7)


def test_it_takes_a_win_before_it_stops_one() -> None:
    both = replay(START, [0, 1, 0, 1, 0, 1])
    assert make_agent("one-step").choose(both, Limit()).move == 0
    threatened = replay(START, [6, 1, 0, 1, 0, 1])
    assert make_agent("one-step").choose(threatened, Limit()).move == 1


def test_only_columns_that_are_not_full_are_considered() -> None:
    full = replay(START, [0] * 6)
    for seed in range(20):
        assert make_agent("one-step", seed).choose(full, Limit()).move != 0
