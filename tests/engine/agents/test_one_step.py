"""The one-step agent counts windows exactly as specified."""

from __future__ import annotations

import pytest

from engine.agents import make_agent
from engine.agents.one_step import value_of
from engine.core import EngineError, Limit, Player, replay
from engine.games import GAMES
from engine.games.k_in_a_row import windows
from engine.games.othello import OthelloState


def test_a_board_of_six_by_seven_has_sixty_nine_windows_of_four() -> None:
    assert len(windows(6, 7, 4)) == 69
    assert len(windows(3, 3, 3)) == 8


@pytest.mark.parametrize(
    ("moves", "expected"),
    [
        ([], 0),
        # . . . .      first: a1 b1 c1 in a row, d1 empty: one window a-d
        # 1 1 1 . . .
        ([0, 6, 1, 6, 2], 1),
        # b1 c1 d1: windows a-d and b-e
        ([1, 6, 2, 6, 3], 2),
        # a four made: a window of four, and b-e of three with e1 empty
        ([0, 6, 1, 6, 2, 6, 3], 1_000_000 + 1 - 1_000),
        # first has moved elsewhere, and second has three on the left edge
        ([6, 0, 6, 0, 5, 0, 5], -1_000),
    ],
)
def test_windows_have_the_specified_values(moves: list[int], expected: int) -> None:
    assert value_of(replay(GAMES["connect-four"].start(), moves), Player.FIRST) == expected


def test_the_values_depend_on_k() -> None:
    # Three in a row: two own discs and an empty cell count 1, two opposing ones -1,000.
    state = replay(GAMES["tic-tac-toe"].start(), [0, 4, 1])
    assert value_of(state, Player.FIRST) == 1
    assert value_of(state, Player.SECOND) == -1_000


def test_ties_are_broken_at_random() -> None:
    start = GAMES["connect-four"].start()
    assert {make_agent("one-step", seed).choose(start, Limit()).move for seed in range(60)} == set(range(7))


def test_an_othello_corner_is_preferred() -> None:
    # f1 black, g1 white: h1 turns g1 over; d4 black, e4 white: f4 turns e4 over.
    state = OthelloState(8, own=1 << 5 | 1 << 27, opponent=1 << 6 | 1 << 28)
    assert state.legal_moves() == (7, 29)
    assert make_agent("one-step").choose(state, Limit()).move == 7
    assert make_agent("corner").choose(state, Limit()).move == 7


def test_the_corner_agent_plays_othello_only() -> None:
    with pytest.raises(EngineError, match="Othello only"):
        make_agent("corner").choose(GAMES["tic-tac-toe"].start(), Limit())
