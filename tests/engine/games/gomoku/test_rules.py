"""Gomoku: fives found as by walking along the board, and the opening swap2, phase by phase."""

from __future__ import annotations

from random import Random

import pytest

from engine.core import BoardError, EndReason, IllegalMove, Player, State
from engine.games import game, spec_of
from engine.games.conformance import playout
from engine.games.gomoku import GomokuState
from engine.games.gomoku.rules import Phase

RULES = game("gomoku")
FIRST, SECOND = Player.FIRST, Player.SECOND


def after(moves: str, board: str = "15x15") -> GomokuState:
    state: State = RULES.start(board)
    for name in moves.split():
        state = state.play(RULES.parse_move(state, name))
    assert isinstance(state, GomokuState)
    return state


def walked(state: State) -> dict[Player, set[int]]:
    """The cells of every five of each side, by walking."""
    cells, size = state.cells(), state.columns
    found: dict[Player, set[int]] = {FIRST: set(), SECOND: set()}
    for row in range(size):
        for column in range(size):
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                way = [(row + step * down, column + step * right) for step in range(5)]
                if all(0 <= r < size and 0 <= c < size for r, c in way):
                    line = [r * size + c for r, c in way]
                    holder = cells[line[0]]
                    if holder is not None and all(cells[cell] is holder for cell in line):
                        found[holder].update(line)
    return found


@pytest.mark.parametrize("board", RULES.boards)
def test_fives_agree_with_a_walk_along_the_board(board: str) -> None:
    rng = Random(5)
    for _ in range(6):
        played = playout(spec_of("gomoku"), board, rng)
        for state, _ in played[:: max(1, len(played) // 8)]:
            assert walked(state) == {FIRST: set(), SECOND: set()}
        last = played[-1][0].play(played[-1][1])
        outcome = last.outcome()
        assert outcome is not None
        if outcome.winner is not None:
            assert walked(last) == {outcome.winner: set(outcome.line), outcome.winner.other: set()}


def test_no_five_wraps_around_an_edge() -> None:
    assert after("m1 a5 n1 a7 o1 a9 a2 c9 b2").outcome() is None


def test_six_in_a_row_win_too() -> None:
    outcome = after("a1 a3 b1 b3 c1 c3 e1 e3 f1 f3 d1").outcome()
    assert outcome is not None
    assert (outcome.winner, outcome.reason, len(outcome.line)) == (FIRST, EndReason.LINE, 6)


def test_under_swap2_one_side_places_three_discs_of_both_colours() -> None:
    state = after("h8 i9 j8", "15x15-swap2")
    assert [cell for cell in state.cells() if cell is not None] == [FIRST, FIRST, SECOND]
    assert (state.to_move, state.phase, state.ply) == (SECOND, Phase.CHOOSE, 3)


def test_playing_on_keeps_the_colour() -> None:
    state = after("h8 i9 j8 h9", "15x15-swap2")
    assert (state.to_move, state.phase) == (FIRST, Phase.PLAY)
    assert state.cells().count(SECOND) == 2


def test_a_swap_exchanges_the_owners_and_passes_the_turn() -> None:
    before, state = after("h8 i9 j8", "15x15-swap2"), after("h8 i9 j8 swap", "15x15-swap2")
    assert state.discs == before.discs[::-1]
    assert (state.to_move, state.phase) == (FIRST, Phase.PLAY)
    with pytest.raises(IllegalMove, match="swap is no move now") as caught:
        RULES.parse_move(state, "swap")
    assert caught.value.reason == "not_now"


def test_two_more_discs_leave_the_choice_to_the_other_side() -> None:
    state = after("h8 i9 j8 two", "15x15-swap2")
    assert (state.to_move, state.phase) == (SECOND, Phase.TWO)
    assert state.discs == after("h8 i9 j8", "15x15-swap2").discs[::-1], "with the colour goes the choice"
    state = after("h8 i9 j8 two a1 a2", "15x15-swap2")
    assert (state.to_move, state.phase) == (FIRST, Phase.ANSWER)
    assert (state.cells()[0], state.cells()[15]) == (FIRST, SECOND)
    with pytest.raises(IllegalMove, match="two is no move now"):
        RULES.parse_move(state, "two")
    taken = after("h8 i9 j8 two a1 a2 swap", "15x15-swap2")
    assert (taken.to_move, taken.cells()[0]) == (SECOND, SECOND)
    played = after("h8 i9 j8 two a1 a2 b5", "15x15-swap2")
    assert (played.to_move, played.cells()[61]) == (SECOND, FIRST)


def test_other_boards_are_refused_by_name() -> None:
    for name in ("11x11", "15x13", "15x15-swap3", "15x15-old"):
        with pytest.raises(BoardError, match="15x15-swap2"):
            RULES.start(name)
