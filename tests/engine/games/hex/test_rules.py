"""The rules of Hex, compared with plain ones that walk from neighbour to neighbour."""

from __future__ import annotations

from itertools import combinations
from random import Random

import pytest

from engine.core import BoardError, EndReason, IllegalMove, NotationError, Player, State
from engine.games import game
from engine.games.hex.rules import HexState, stones_needed
from engine.games.notation import format_moves, parse_moves

RULES = game("hex")


def plain_winner(state: HexState) -> Player | None:
    size, cells = state.size, state.cells()
    for player in Player:
        todo = [cell for cell in range(size**2) if divmod(cell, size)[player] == 0 and cells[cell] is player]
        seen = set(todo)
        while todo:
            row, column = divmod(todo.pop(), size)
            if (row, column)[player] == size - 1:
                return player
            for down, right in ((0, 1), (0, -1), (1, 0), (-1, 0), (-1, 1), (1, -1)):
                r, c = row + down, column + right
                near = size * r + c
                is_there = 0 <= r < size and 0 <= c < size
                if is_there and cells[near] is player and near not in seen:
                    seen.add(near)
                    todo.append(near)
    return None


def after(moves: str, board: str = "11x11") -> HexState:
    state: State = RULES.start(board)
    for name in moves.split():
        state = state.play(RULES.parse_move(state, name))
    assert isinstance(state, HexState)
    return state


@pytest.mark.parametrize("size", [2, 3, 7, 11])
def test_random_games_end_as_by_the_plain_rules(size: int) -> None:
    rng, winners = Random(size), set()
    for _ in range(12):
        state = HexState(size)
        while state.outcome() is None:
            assert plain_winner(state) is None
            state = state.play(rng.choice(state.legal_moves()))
        outcome = state.outcome()
        assert outcome is not None
        assert outcome.winner is plain_winner(state)
        winners.add(outcome.winner)
    assert len(winners) == 2 or size == 2


def test_the_winning_line_is_a_shortest_chain() -> None:
    state = after("b2 a1 b3 a2 b4 a3 b5 a4 b6 a5 a7 d1 b1", "7x7")
    outcome = state.outcome()
    assert outcome is not None
    assert outcome.reason is EndReason.LINE
    names = [RULES.move_name(state, cell) for cell in outcome.line]
    assert names == ["b1", "b2", "b3", "b4", "b5", "b6", "a7"]


def test_the_stones_needed_are_the_fewest_that_join_the_edges() -> None:
    rng, counts = Random(4), set()
    for number in range(70):
        state = HexState(4)
        for _ in range(number % 7):  # nobody can have four stones yet
            state = state.play(rng.choice(state.legal_moves()))
        mover, free = state.to_move, state.legal_moves()[: state.free.bit_count()]

        def joins(cells: tuple[int, ...], state: HexState = state, mover: Player = mover) -> bool:
            stones = list(state.stones)
            stones[mover] |= sum(1 << cell for cell in cells)
            return plain_winner(HexState(4, (stones[0], stones[1]))) is mover

        needed = stones_needed(state)
        assert any(map(joins, combinations(free, needed)))
        assert not any(map(joins, combinations(free, needed - 1)))
        counts.add(needed)
    assert counts >= {2, 3, 4}


def test_swap_mirrors_the_first_stone_and_changes_its_colour() -> None:
    state = after("c2 swap")
    assert [(i, owner) for i, owner in enumerate(state.cells()) if owner is not None] == [(23, Player.SECOND)]
    assert RULES.move_name(state, 23) == "b3"
    assert state.to_move is Player.FIRST


def test_only_the_first_stone_can_be_swapped() -> None:
    for moves in ("", "c2 swap", "c2 d4"):
        with pytest.raises(IllegalMove, match="choose from a1 to k11") as caught:
            after(f"{moves} swap")
        assert caught.value.reason == "not_now"


def test_a_taken_cell_and_a_cell_beyond_the_board_are_refused() -> None:
    with pytest.raises(IllegalMove, match="c2 is taken"):
        after("c2 c2")
    with pytest.raises(NotationError, match="write a1 to g7"):
        after("h1", "7x7")


def test_other_boards_are_refused() -> None:
    with pytest.raises(BoardError, match="11x11 and 7x7"):
        RULES.start("8x8")


def test_the_text_of_a_game_with_a_swap_is_read_back() -> None:
    moves = parse_moves(RULES, None, "c7SWAPd4")
    assert len(moves) == 3
    assert format_moves(RULES, None, moves) == "c7swapd4"
