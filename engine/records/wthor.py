"""WTHOR, the base of Othello games of the French federation: read only.

Header: 16 bytes, little-endian: 4 of the date, int32 the number of games, int16, int16 the year, the board's
size (0 means 8), the kind, the depth, 0. A game: 68 bytes: int16 the tournament, black, white; black's discs,
empty squares counted for the winner; the best such score; 60 moves, 10 * row + column from 1. Passes are left
out, and the names stand in other files.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from functools import partial
from string import ascii_lowercase

from engine.core import State
from engine.games.move_text import Word
from engine.games.spec import GameSpec
from engine.records.record import DRAWN, FIRST_WON, SECOND_WON, About, Format, RawGame, RecordError

_HEADER, _GAME = struct.Struct("<4BiHHBBBB"), struct.Struct("<3HBB60s")
_ALL = 64


def fits(data: bytes, name: str) -> bool:
    """Whether it is such a file, by its name or else by its first bytes and its length."""
    if name.lower().endswith(".wtb"):
        return True
    is_dated = len(data) > _HEADER.size and data[0] in (19, 20) and data[1] < 100 and data[2] in range(1, 13)
    return is_dated and (len(data) - _HEADER.size) % _GAME.size == 0


def read(data: bytes) -> Iterator[RawGame]:
    """Yield the games, as many as the file has bytes for; raises RecordError if its header differs."""
    if len(data) < _HEADER.size:
        raise RecordError("The file ends within its header.", reason="damaged")
    *_, games, _, year, size, _, _, _ = _HEADER.unpack_from(data)
    room = (len(data) - _HEADER.size) // _GAME.size
    if games != room:
        message = f"The file says {games % 2**32:,} games, but has room for {room:,}."
        raise RecordError(message, reason="damaged")
    for number in range(games):
        _, _, _, black, _, moves = _GAME.unpack_from(data, _HEADER.size + number * _GAME.size)
        result = DRAWN if 2 * black == _ALL else FIRST_WON if 2 * black > _ALL else SECOND_WON
        about = About(date=str(year) if year else "", result=result, said=f"{black}-{_ALL - black}")
        yield RawGame(words=partial(_words, moves), board=f"{size or 8}x{size or 8}", about=about)


def _words(moves: bytes, _spec: GameSpec, _state: State) -> Iterator[Word]:
    for number, byte in enumerate(moves.rstrip(b"\0"), 1):
        row, column = divmod(byte, 10)
        square = f"{ascii_lowercase[column - 1 : column]}{row}"  # without a letter in column 0
        yield Word(square, 0, square, f"Move {number}")


FORMAT = Format("wthor", "WTHOR", ".wtb", lambda _text: False, lambda text: read(text.encode("latin-1")))
