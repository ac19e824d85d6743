"""Iterative deepening of Gomoku's compiled search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

import numpy as np

from engine.core import Move
from engine.games.gomoku.kernels import search as kernel
from engine.games.gomoku.kernels.search import (
    CODES,
    EDGE,
    FIVE,
    FOUR,
    LONGEST,
    NOTHING,
    OPEN_FOUR,
    OPEN_THREE,
    OPEN_TWO,
    REACH,
    THREE,
)
from engine.games.gomoku.rules import GomokuState
from engine.kernels.control import CONTEXT_WORDS, INFINITY
from engine.kernels.heuristic_values import DECIDED, WIN
from engine.kernels.running import Run

_MAX_FOURS_DEPTH = 30
"""The limit of plies in a win by continuous fours."""
MAX_FOURS_NODES = 40_000
"""The limit of states in a search for a win by fours: a few hundredths of a second."""

_OWN, _BLOCKED, _FREE = "o", "x", "."


@dataclass(frozen=True, slots=True)
class Found:
    """The result of a search. score: of the side to move; scores: of the searched moves.

    plies: until a proved win, None if none is proved. depth: plies searched in full.
    """

    line: tuple[Move, ...]
    score: int
    scores: dict[Move, int]
    depth: int
    plies: int | None = None


@cache
def shape_table() -> np.ndarray[tuple[int], np.dtype[np.int8]]:
    """Return the shape for each code of a cell's eight neighbours in a line, see the kernel."""
    table = np.zeros(CODES, np.int8)
    for code in range(CODES):
        digits, left = "", code
        for _ in range(8):
            digits, left = f"{(_FREE, _OWN, _BLOCKED)[left % 3]}{digits}", left // 3
        table[code] = _shape(f"{digits[:4]}{_OWN}{digits[4:]}")
    return table


@cache
def _shape(window: str) -> int:
    """Return the shape of nine cells in a line with an own disc in the middle."""
    if _OWN * 5 in window:
        return FIVE
    following = [_shape(_filled(window, place)) for place in range(9) if window[place] == _FREE]
    fives, open_fours = following.count(FIVE), following.count(OPEN_FOUR)
    if fives:
        return OPEN_FOUR if fives > 1 else FOUR
    if open_fours:
        return OPEN_THREE
    if FOUR in following:
        return THREE
    return OPEN_TWO if OPEN_THREE in following else NOTHING


def _filled(window: str, place: int) -> str:
    return f"{window[:place]}{_OWN}{window[place + 1 :]}"


def _cell(size: int, move: Move) -> int:
    row, column = divmod(move, size)
    return (row + REACH) * (size + REACH) + column + REACH


@cache
def _squares(size: int) -> np.ndarray[tuple[int], np.dtype[np.int16]]:
    return np.array([_cell(size, move) for move in range(size**2)], np.int16)


@cache
def _empty_board(size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the cells, codes and marks of an empty board; the result is shared, so callers copy it."""
    stride = size + REACH
    within = (size + 2 * REACH) * stride + REACH
    room = within + 2 * REACH * (stride + 1)  # cells beyond the edge have codes as well
    cells, codes = np.zeros(room, np.int8), np.zeros((2, 4, room), np.int16)
    marks, squares = np.zeros((2, room), np.int32), set(map(int, _squares(size)))
    for edge in range(within):
        if edge not in squares:
            kernel.put(cells, codes, marks, shape_table(), edge, EDGE, stride)
    return cells, codes, marks


class GomokuSearcher:
    """Searches one position; the run holds its limits."""

    def __init__(self, state: GomokuState, run: Run) -> None:
        self._size, self._stride = state.size, state.size + REACH
        self._side = state.to_move + 1
        self._cells, self._codes, self._marks = (array.copy() for array in _empty_board(state.size))
        self._squares = _squares(state.size)
        self._scores = np.zeros((LONGEST, 2 * kernel.MOST_CELLS + 2), np.int32)
        self._lines = np.zeros((LONGEST, LONGEST), np.int16)
        self._table = shape_table()
        self._context = np.zeros(CONTEXT_WORDS, np.int64)
        self._run = run
        self._place = run.describe(self._context, ())
        for move, player in enumerate(state.cells()):
            if player is not None:
                self._put(move, player + 1)

    def fours(self) -> Found | None:
        """Return a proved win by fours alone and its first move; None if there is none, or no time.

        The number of orders of fours is huge, so they get at most half of the search.
        """
        with self._run.part(min(MAX_FOURS_NODES, self._run.nodes_left // 2)):
            plies = cast(Any, kernel.win_by_fours)(
                *self._arrays, self._stride, self._side, 0, _MAX_FOURS_DEPTH, self._place
            )
            if not plies or self._run.has_stopped:
                return None
        move = self._move(int(self._lines[0, 0]))
        return Found((move,), WIN - plies, {move: WIN - plies}, 0, plies)

    def safe(self, moves: Sequence[Move]) -> list[Move]:
        """Return the moves that do not allow a win by fours, as far as time allows; all if there are none."""
        found = []
        for move in moves:
            self._put(move, self._side)
            arguments = (*self._arrays, self._stride, 3 - self._side, 1, _MAX_FOURS_DEPTH, self._place)
            if not cast(Any, kernel.win_by_fours)(*arguments):
                found.append(move)
            self._put(move, 0)
        return found or list(moves)

    def deepened(self, moves: Sequence[Move], deepest: int, width: int) -> Found:
        """Return the best of these moves, at least one, by iterative deepening within the limits."""
        order = list(moves)
        for move in order:
            if FIVE in self._table[self._codes[self._side - 1, :, self._cell(move)]]:
                return Found((move,), WIN - 1, {move: WIN - 1}, 1, 1)
        best = Found((order[0],), 0, {}, 0)
        for depth in range(1, deepest + 1):
            found = self._at(order, depth, width)
            if found is None:
                break
            best = found
            if self._run.has_stopped or abs(found.score) > DECIDED or len(order) == 1:
                break
            order.sort(key=lambda move: -found.scores.get(move, -INFINITY))
        return best

    def likely(self, moves: Sequence[Move], width: int) -> list[Move]:
        """Return the best of these moves by a search of one ply, best first; equals keep their order."""
        scores = {}
        for move in moves:
            self._put(move, self._side)
            scores[move] = -self._value(1, 0, -INFINITY, INFINITY, width)
            self._put(move, 0)
        return sorted(moves, key=lambda move: -scores[move])[:width]

    @property
    def _arrays(self) -> tuple[Any, ...]:
        return (
            self._cells,
            self._codes,
            self._marks,
            self._table,
            self._squares,
            self._scores,
            self._lines,
        )

    def _at(self, order: Sequence[Move], depth: int, width: int) -> Found | None:
        """Search these moves to a depth; None if stopped before the first result."""
        best, scores = -INFINITY, dict[Move, int]()
        line: tuple[Move, ...] = ()
        for move in order:
            self._put(move, self._side)
            value = -self._value(1, depth - 1, -INFINITY, -best, width)
            self._put(move, 0)
            if self._run.has_stopped:
                break
            if value > best:
                best, scores[move] = value, value
                length = int(self._lines[1, LONGEST - 1])
                line = (move, *(self._move(int(cell)) for cell in self._lines[1, :length]))
        if not line:
            return None
        return Found(line, best, scores, depth)

    def _value(self, ply: int, depth: int, alpha: int, beta: int, width: int) -> int:
        return int(
            cast(Any, kernel.search)(
                *self._arrays, self._stride, 3 - self._side, depth, alpha, beta, ply, width, self._place
            )
        )

    def _put(self, move: Move, held: int) -> None:
        kernel.put(self._cells, self._codes, self._marks, self._table, self._cell(move), held, self._stride)

    def _cell(self, move: Move) -> int:
        return _cell(self._size, move)

    def _move(self, cell: int) -> Move:
        row, column = divmod(cell - REACH, self._stride)
        return (row - REACH) * self._size + column
