"""Draughts as files write it: positions as FEN, and squares by letter and number.

FEN is PDN's, `B:W18,K22:B1-12`: the side to move, then each side's squares, K before a king ("PDN 3.0").
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from engine.core import NotationError, Player, State
from engine.games.draughts.rules import BITS, LAST_ROWS, SQUARES, DraughtsState, as_draughts, cell_of_square
from engine.games.move_text import Word

FEN_BEGINNINGS = ("B:", "W:")
_SIDES = {"B": Player.FIRST, "W": Player.SECOND}
_SQUARES = re.compile(r"(K?)([0-9]{1,2})(?:-([0-9]{1,2}))?")
_HOW = "Write a position as B:W18,K22:B1-12."
_ALGEBRAIC = re.compile(r"[a-h][1-8]")
_NUMBER_OF = {cell_of_square(square): str(square + 1) for square in range(SQUARES)}


def read_fen(text: str) -> DraughtsState:
    """Return the position; raises NotationError."""
    side, *parts = "".join(text.upper().split()).rstrip(".").split(":")
    if side not in _SIDES or not parts or any(part[:1] not in _SIDES for part in parts):
        raise NotationError(f"{text[:40]!r} is no position. {_HOW}")
    pieces, kings = [0, 0], 0
    for part in parts:
        for name in filter(None, part[1:].split(",")):
            match = _SQUARES.fullmatch(name)
            # `1-12` is a range of squares; one that ends before it begins is as wrong as no number.
            numbers = range(int(match[2]), int(match[3] or match[2]) + 1) if match else range(0)
            if not numbers or not 1 <= numbers[0] <= numbers[-1] <= SQUARES:
                raise NotationError(f"{name!r} is no square: they are 1 to {SQUARES}. {_HOW}")
            for number in numbers:
                bit = 1 << BITS[number - 1]
                if (pieces[0] | pieces[1]) & bit:
                    raise NotationError(f"Square {number} is taken twice. {_HOW}")
                side_of_piece, is_king = _SIDES[part[0]], match is not None and match[1]
                if not is_king and bit & LAST_ROWS[side_of_piece]:
                    # No game has it, and the tables of endings would call it a draw.
                    raise NotationError(f"A man on square {number} would be a king. {_HOW}")
                pieces[side_of_piece] |= bit
                kings |= bit if is_king else 0
    return DraughtsState((pieces[0], pieces[1]), kings, ply=int(_SIDES[side]))


def write_fen(state: State) -> str:
    """Return the position as FEN."""
    position = as_draughts(state)
    parts = ["BW"[position.to_move]]
    for side, own in (("W", position.pieces[Player.SECOND]), ("B", position.pieces[Player.FIRST])):
        squares = [
            f"{'K' if position.kings >> bit & 1 else ''}{square}"
            for square, bit in enumerate(BITS, 1)
            if own >> bit & 1
        ]
        parts.append(side + ",".join(squares))
    return ":".join(parts)


def numbered(words: Sequence[Word], state: State) -> list[Word]:
    """Return the words with numbers instead of squares such as `c3`.

    a1 lies at the left of the side that begins, or at White's left: the first move tells, by its piece.
    """
    first = next((match for word in words if (match := _ALGEBRAIC.match(word.text))), None)
    if first is None:
        return list(words)
    is_whites = state.cells()[_cell(first[0], is_whites=True)] is state.to_move

    def number(match: re.Match[str]) -> str:
        square = _NUMBER_OF.get(_cell(match[0], is_whites=is_whites))
        if square is None:
            message = f"{match[0]} is a light square, on which nothing stands."
            raise NotationError(message, reason="light_square", move=match[0])
        return f"-{square}"

    numbered = []
    for word in words:
        if _ALGEBRAIC.match(word.text):
            text = _ALGEBRAIC.sub(number, word.text)
            numbered.append(replace(word, text=re.sub("[-x:]+", "-", text).strip("-")))
        else:
            numbered.append(word)
    return numbered


def _cell(square: str, *, is_whites: bool) -> int:
    column, row = "abcdefgh".index(square[0]), int(square[1])
    return 8 * (8 - row) + column if is_whites else 8 * (row - 1) + 7 - column
