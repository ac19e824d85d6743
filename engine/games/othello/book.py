"""The opening book of Othello: the results of deep searches for the first moves.

`engine/data/othello_book.txt`, written by `tools/othello_book.py`, has one position per line: the moves that
lead there in the form of `notation`, a colon, and its good moves, each with its value in discs for the side
to move, the best first. Positions that are rotations or reflections of each other are stored once.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

from engine.core import Move
from engine.games.othello.rules import Othello, OthelloState

FILE = Path(__file__).parents[2] / "data" / "othello_book.txt"
BOARD = "8x8"

Boards = tuple[int, int]
_Symmetry = Callable[[int], int]


def _symmetries() -> tuple[_Symmetry, ...]:
    """Return the eight rotations and reflections of the board, as maps of squares."""

    def mapped(square: int, is_turned: bool, right: bool, down: bool) -> int:
        x, y = square % 8, square // 8
        x, y = (y, x) if is_turned else (x, y)
        return 8 * (7 - y if down else y) + (7 - x if right else x)

    flags = (False, True)
    return tuple(
        (lambda square, a=a, b=b, c=c: mapped(square, a, b, c)) for a in flags for b in flags for c in flags
    )


SYMMETRIES = _symmetries()


def _image(board: int, symmetry: _Symmetry) -> int:
    return sum(1 << symmetry(square) for square in range(64) if board >> square & 1)


def canonical(own: int, opponent: int) -> tuple[Boards, _Symmetry]:
    """Return the smallest image of a position, equal for all eight, and the symmetry that leads to it."""
    images = [((_image(own, symmetry), _image(opponent, symmetry)), symmetry) for symmetry in SYMMETRIES]
    return min(images, key=lambda image: image[0])


@cache
def _book() -> dict[Boards, tuple[tuple[int, float], ...]]:
    """Return canonical position -> (square of the canonical board, value), the best first."""
    from engine.games.notation import parse_moves

    rules = Othello()
    book = {}
    for line in FILE.read_text("ascii").splitlines():
        moves, _, values = line.partition(":")
        state = rules.start(BOARD)
        for move in parse_moves(rules, BOARD, moves):
            state = state.play(move)
        key, symmetry = canonical(state.own, state.opponent)
        known = (entry.split("=") for entry in values.split())
        book[key] = tuple((symmetry(rules.parse_move(state, name)), float(value)) for name, value in known)
    return book


def book_moves(state: OthelloState) -> tuple[tuple[Move, float], ...]:
    """Return (move, value in discs for the side to move) of the good moves in the book; () beyond it."""
    if state.size != 8 or state.ply > _longest():
        return ()
    key, symmetry = canonical(state.own, state.opponent)
    back = {symmetry(square): square for square in range(64)}
    known = tuple((back[square], value) for square, value in _book().get(key, ()))
    return tuple((move, value) for move, value in known if move in state.legal_moves())


@cache
def _longest() -> int:
    """Return the plies before the last position of the book."""
    longest = max((own | opponent).bit_count() for own, opponent in _book()) if _book() else 4
    return longest - 4
