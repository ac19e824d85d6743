"""Gomoku's compiled searches: iterative deepening, and proofs of wins by threats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import combinations_with_replacement
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from engine.core import Move
from engine.games.gomoku.kernels import board, search, threats
from engine.games.gomoku.kernels.board import (
    EDGE,
    FIVE,
    FIVES,
    FOUR,
    LONGEST,
    NOTHING,
    OPEN_FOUR,
    OPEN_THREE,
    OPEN_TWO,
    REACH,
    ROOM,
    SQUARES,
    SUMS,
    THREE,
    WORDS,
)
from engine.games.gomoku.rules import GomokuState
from engine.kernels.control import INFINITY
from engine.kernels.heuristic_values import DECIDED, WIN
from engine.kernels.running import Run

MAX_FOURS_NODES = 40_000
"""The limit of states in a search for a win by fours: a few hundredths of a second."""
_TABLE_BITS, _SMALL_BITS = 19, 10
_SEED = 2026

_OWN, _BLOCKED, _FREE = "o", "x", "."
VALUES = {NOTHING: 0, OPEN_TWO: 8, THREE: 10, OPEN_THREE: 39, FOUR: 46, OPEN_FOUR: 300, FIVE: 2000}
"""The value of a shape to its owner, for move ordering. Any four shapes have a sum of their own."""
POINTS = 450
"""An estimate of this many points multiplies the odds of a win by e."""
LETTERS = "-2t3f4F"
"""The letter of each shape in the file of worths, from NOTHING to FIVE."""
WORTHS_FILE = "gomoku_worths.txt"
_COUNTED = {
    OPEN_THREE: board.OPEN_THREES,
    FOUR: board.SIMPLE_FOURS,
    OPEN_FOUR: board.OPEN_FOURS,
    FIVE: board.FIVE_COUNT,
}

Words = npt.NDArray[np.int64]


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
def shape(window: str) -> int:
    """Return the shape of nine cells in a line with an own disc in the middle."""
    if _OWN * 5 in window:
        return FIVE
    following = [shape(_filled(window, place)) for place in range(9) if window[place] == _FREE]
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


@cache
def shape_table() -> Words:
    """Return the number that a disc adds to the mark of its cell, by the code of its neighbours.

    `kernels/board.py` describes both.
    """
    of_shape = np.array(
        [VALUES[each] + (1 << _COUNTED[each] if each in _COUNTED else 0) for each in range(7)]
    )
    plain = np.zeros(3**8, np.int64)
    for code in range(3**8):
        digits, left = "", code
        for _ in range(8):
            digits, left = f"{digits}{(_FREE, _OWN, _BLOCKED)[left % 3]}", left // 3
        plain[code] = of_shape[shape(f"{digits[:4]}{_OWN}{digits[4:]}")]
    neighbours = np.arange(1 << 16)[:, None] >> 2 * np.arange(8) & 3
    powers = 3 ** np.arange(8)
    first = np.array([0, 1, 2, 2])[neighbours] @ powers
    second = np.array([0, 2, 1, 2])[neighbours] @ powers
    table: Words = plain[first] | plain[second] << 32
    return table


@dataclass(frozen=True, slots=True)
class Worths:
    """What an estimate consists of, in points of the side to move; `tools.gomoku_train` fits them.

    move: for being to move. own: for an empty square on which the side to move would make these four shapes,
    in order. other: for one on which the other side would.
    """

    move: int
    own: dict[tuple[int, ...], int]
    other: dict[tuple[int, ...], int]

    @classmethod
    def parse(cls, text: str) -> Worths:
        first, *lines = text.splitlines()
        rows = [line.split() for line in lines]
        shapes = [tuple(map(LETTERS.index, row[0])) for row in rows]
        own, other = (
            {key: int(row[column]) for key, row in zip(shapes, rows, strict=True)} for column in (1, 2)
        )
        return cls(int(first.removeprefix("move ")), own, other)

    def write(self) -> str:
        rows = (
            f"{''.join(LETTERS[each] for each in key)} {own} {self.other[key]}"
            for key, own in self.own.items()
        )
        return "\n".join((f"move {self.move}", *rows, ""))


SHAPES_OF_SQUARE = tuple(combinations_with_replacement(range(len(LETTERS)), 4))
"""Every four shapes that a disc can make on a square, in order."""


@cache
def _shapes_of() -> dict[int, tuple[int, ...]]:
    """Return the shapes on a square by the sum of their values."""
    return {sum(VALUES[each] for each in key): key for key in SHAPES_OF_SQUARE}


@cache
def worths() -> Worths:
    """Return the fitted worths."""
    return Worths.parse((resources.files("engine.data") / WORTHS_FILE).read_text("utf-8"))


@cache
def worth_table() -> Words:
    """Return the kernels' table WORTHS."""
    table, found = np.zeros(2 * SUMS, np.int64), worths()
    for total, key in _shapes_of().items():
        table[total] = found.own[key] + (found.other[key] << 32)
        table[SUMS + total] = found.other[key] + (found.own[key] << 32)
    return table


@cache
def _empty_board(size: int) -> Words:
    """Return the memory of an empty board without tables; the result is shared, so callers copy it."""
    memory = np.zeros(board.MEMORY_WORDS, np.int64)
    stride, squares = size + REACH, np.arange(size * size)
    cells = (squares // size + REACH) * stride + squares % size + REACH
    memory[board.STRIDE] = stride
    memory[board.CELL_OF : board.CELL_OF + len(squares)] = cells
    memory[board.SQUARE_OF + cells] = squares
    memory[board.CELLS : board.CELLS + ROOM] = EDGE
    memory[board.CELLS + cells] = 0
    for square in range(len(squares)):
        memory[board.FREE + (square >> 6)] |= np.int64(1) << np.int64(square & 63)
    for direction, step in enumerate((1, stride - 1, stride, stride + 1)):
        for place, offset in enumerate((-4, -3, -2, -1, 1, 2, 3, 4)):
            memory[board.CODES + ROOM * direction + cells] |= (
                memory[board.CELLS + cells + offset * step] << 2 * place
            )
    for direction in range(4):
        memory[board.MARKS + cells] += shape_table()[memory[board.CODES + ROOM * direction + cells]]
    values = memory[board.MARKS + cells] & (1 << board.VALUE_BITS) - 1  # the same for both sides
    each_side = worth_table()[values] + worth_table()[SUMS + values]
    memory[board.ESTIMATES] = each_side.sum() + worths().move * (1 + (1 << 32))
    keys = np.random.default_rng(_SEED).integers(-(2**63), 2**63, 2 * SQUARES)
    memory[board.ZOBRIST : board.ZOBRIST + 2 * SQUARES] = keys
    return memory


class GomokuSearcher:
    """Searches one position; the run holds its limits."""

    def __init__(self, state: GomokuState, run: Run) -> None:
        bits = max(_SMALL_BITS, min(_TABLE_BITS, run.nodes_left.bit_length()))
        self._size = state.size
        self._side = state.to_move + 1
        self._memory, self._shapes, self._worths = (
            _empty_board(state.size).copy(),
            shape_table(),
            worth_table(),
        )
        self._table, self._proofs = np.zeros(2 << bits, np.int64), np.zeros(3 << bits, np.int64)
        self._run = run
        self._place = run.describe(self._memory, ())
        for name, value in (
            (board.SHAPES, self._shapes.ctypes.data),
            (board.WORTHS, self._worths.ctypes.data),
            (board.TABLE, self._table.ctypes.data),
            (board.TABLE_MASK, (1 << bits) - 1),
            (board.PROOFS, self._proofs.ctypes.data),
            (board.PROOFS_MASK, (1 << bits) - 1),
        ):
            self._memory[name] = value
        for move, player in enumerate(state.cells()):
            if player is not None:
                self._put(move, player + 1)

    def fours(self, longest: int = LONGEST - 1) -> Found | None:
        """Return a proved win by fours alone and its first move; None if there is none, or no time.

        The number of orders of fours is huge, so they get at most half of the search. longest: in plies.
        """
        start = LONGEST - 1 - longest
        with self._run.part(min(MAX_FOURS_NODES, self._run.nodes_left // 2)):
            self._memory[board.FOURS_LEFT] = MAX_FOURS_NODES
            plies = int(cast(Any, threats.fours)(self._place, self._side, start))
            if not plies or self._run.has_stopped:
                return None
        move = int(self._memory[board.LINE + start])
        return Found((move,), WIN - plies, {move: WIN - plies}, 0, plies)

    def shortest_fours(self) -> Found | None:
        """Return the shortest win by fours alone; as `fours`."""
        found = self.fours()
        for plies in range(3, 0 if found is None or found.plies is None else found.plies, 2):
            shorter = self.fours(plies)
            self._proofs[2 * len(self._proofs) // 3 :] = 0  # a longer win may begin in these states
            if shorter is not None:
                return shorter
        return found

    def by_threats(self, nodes: int) -> Found | None:
        """Return a proved win by fours and open threes and its first move; None if none is found."""
        if not self._proves(self._side, 1, nodes):
            return None
        for move in range(self._size**2):
            if self._holds(move) == 0:
                self._put(move, self._side)
                is_won = self._numbers(self._side, 0)[0] == 0
                self._put(move, 0)
                if is_won:
                    return Found((move,), WIN - LONGEST, {move: WIN - LONGEST}, 0, LONGEST)
        return None

    def loses_to_threats(self, nodes: int) -> bool:
        """Whether every move is proved to lose, to fours and open threes of the other side."""
        return self._proves(3 - self._side, 0, nodes)

    def proved_after(self, move: Move, nodes: int) -> bool | None:
        """Whether the move is proved to win (True) or to lose (False) by threats; None: neither."""
        if self._makes_five(move):
            return True
        if self.allows_threats(move, nodes):
            return False
        self._put(move, self._side)
        is_won = self._proves(self._side, 0, nodes)
        self._put(move, 0)
        return True if is_won else None

    def allows_threats(self, move: Move, nodes: int) -> bool:
        """Whether the other side is proved to win by fours and open threes after the move."""
        self._put(move, self._side)
        is_lost = self._proves(3 - self._side, 1, nodes)
        self._put(move, 0)
        return is_lost

    def squares(self, player: int) -> list[tuple[int, ...]]:
        """Return the four shapes that the player's disc would make on each empty square."""
        shift, cells = 32 * player, self._memory[board.CELL_OF : board.CELL_OF + self._size**2]
        free = cells[self._memory[board.CELLS + cells] == 0]
        values = self._memory[board.MARKS + free] >> shift & (1 << board.VALUE_BITS) - 1
        return [_shapes_of()[int(value)] for value in values]

    def _proves(self, attacker: int, is_attack: int, nodes: int) -> bool:
        with self._run.part(nodes):
            cast(Any, threats.prove)(self._place, attacker, is_attack, 0, threats.CERTAIN, threats.CERTAIN)
            return not self._run.has_stopped and self._numbers(attacker, is_attack)[0] == 0

    def _numbers(self, attacker: int, is_attack: int) -> tuple[int, int]:
        """Return the proof and disproof number of the position in the table; (1, 1) if it has none."""
        salt = threats.ATTACKED if is_attack else threats.DEFENDED
        key = _wrapped(int(self._memory[board.KEY]) ^ _wrapped(salt * (2 * attacker + 1)))
        place = 2 * (key & int(self._memory[board.PROOFS_MASK]))
        if int(self._proofs[place]) != key:
            return 1, 1
        return divmod(int(self._proofs[place + 1]), 1 << 32)

    def deepened(self, moves: Sequence[Move], deepest: int, width: int, margin: int = 0) -> Found:
        """Return the best of these moves, at least one, by iterative deepening within the limits.

        margin: moves whose value is at most this much less have their values in `scores`, too.
        """
        order = list(moves)
        for move in order:
            if self._makes_five(move):
                return Found((move,), WIN - 1, {move: WIN - 1}, 1, 1)
        best = Found((order[0],), 0, {}, 0)
        for depth in range(1, deepest + 1):
            before = self._run.nodes
            found = self._at(order, depth, width, margin)
            if found is None:
                break
            best = found
            if self._run.has_stopped or abs(found.score) > DECIDED or len(order) == 1:
                break
            if self._run.nodes_left < self._run.nodes - before:
                break  # the next depth would not be finished
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

    def _at(self, order: Sequence[Move], depth: int, width: int, margin: int) -> Found | None:
        """Search these moves to a depth; None if stopped before the first result."""
        best, scores = -INFINITY, dict[Move, int]()
        line: tuple[Move, ...] = ()
        for move in order:
            # Values down to the margin must be exact; beside a proved result only a better one counts.
            floor = best if abs(best) > DECIDED else best - margin - 1
            self._put(move, self._side)
            # A null window asks first whether the move is above the floor; the first move has none yet.
            value = floor + 1
            if best > -INFINITY:
                value = -self._value(1, depth - 1, -floor - 1, -floor, width)
            if value > floor and not self._run.has_stopped:
                value = -self._value(1, depth - 1, -INFINITY, -floor, width)
            self._put(move, 0)
            if self._run.has_stopped:
                break
            if value > floor:
                scores[move] = value
            if value > best:
                row = board.PV + LONGEST
                length = int(self._memory[row + LONGEST - 1])
                best, line = value, (move, *map(int, self._memory[row : row + length]))
        if not line:
            return None
        return Found(line, best, scores, depth)

    def _value(self, ply: int, depth: int, alpha: int, beta: int, width: int) -> int:
        return int(cast(Any, search.search)(self._place, 3 - self._side, depth, alpha, beta, ply, width))

    def _makes_five(self, move: Move) -> bool:
        word = board.KINDS + 4 * WORDS * (self._side - 1) + WORDS * FIVES + (move >> 6)
        return bool(self._memory[word] >> (move & 63) & 1)

    def _holds(self, move: Move) -> int:
        return int(self._memory[board.CELLS + int(self._memory[board.CELL_OF + move])])

    def _put(self, move: Move, held: int) -> None:
        cast(Any, board.put)(self._place, move, held)


def _wrapped(number: int) -> int:
    """Return the number as kernels hold it, 64 bits with a sign."""
    return (number + 2**63) % 2**64 - 2**63
