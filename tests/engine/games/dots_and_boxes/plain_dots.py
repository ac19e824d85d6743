"""Dots and Boxes a second time, as plainly as can be: lines are bits, and a position is the lines not drawn.

It knows no rule of chains: the table holds the value of every subset of the lines that are left, so it
is for the last sixteen lines at most. A line is named by its column as a letter and its row from 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product

from engine.core import Player
from engine.games.dots_and_boxes.rules import DotsState, line_name

WIDTH = 32
"""Bits of a row."""


def line(name: str) -> int:
    """Return the bit of a line."""
    return 1 << WIDTH * (int(name[1:]) - 1) + ord(name[0]) - ord("a")


def lines(names: Iterable[str]) -> int:
    return sum(map(line, names))


def bits(position: int) -> Iterator[int]:
    while position:
        yield position & -position
        position &= position - 1


def all_lines(down: int, across: int) -> int:
    """Return the lines of a board of so many boxes."""
    places = product(range(2 * down + 1), range(2 * across + 1))
    return sum(1 << WIDTH * row + column for row, column in places if (row + column) % 2)


def boxes_beside(one: int) -> list[int]:
    """Return the boxes above and below the line, or to its left and right, as four lines each."""
    row, column = divmod(one.bit_length() - 1, WIDTH)
    middles = ((row, column - 1), (row, column + 1)) if row % 2 else ((row - 1, column), (row + 1, column))
    return [
        sum(1 << WIDTH * (y + down) + x + right for down, right in ((-1, 0), (1, 0), (0, -1), (0, 1)))
        for y, x in middles
        if y > 0 and x > 0
    ]


def closed(left: int, one: int, board: int) -> int:
    """Return how many boxes of the board the line closes."""
    return sum(box & left == one and box & ~board == 0 for box in boxes_beside(one))


class Table:
    """The leads in boxes from now on, for the side to move, of the subsets of some lines of a board."""

    def __init__(self, board: int) -> None:
        self._board, self._leads = board, {0: 0}
        self._beside = {one: [box for box in boxes_beside(one) if box & ~board == 0] for one in bits(board)}

    def lead(self, left: int) -> int:
        """Return the lead with best play. left: the lines not drawn."""
        if left not in self._leads:
            self._leads[left] = max(self.after(left, one) for one in bits(left))
        return self._leads[left]

    def after(self, left: int, one: int) -> int:
        """Return the lead if the side to move draws this line."""
        gained = sum(box & left == one for box in self._beside[one])
        rest = self.lead(left ^ one)
        return gained + rest if gained else -rest


def left_in(state: DotsState) -> int:
    """Return the lines that are not drawn in a state of ours."""
    return lines(line_name(state.grid, move) for move in state.legal_moves())


def final_leads(state: DotsState) -> dict[int, int]:
    """Return the final lead of the side to move after each legal move of a state of ours."""
    first, second = state.points
    ahead = first - second if state.to_move is Player.FIRST else second - first
    table, left = Table(all_lines(state.grid.down, state.grid.across)), left_in(state)
    return {
        move: ahead + table.after(left, line(line_name(state.grid, move))) for move in state.legal_moves()
    }
