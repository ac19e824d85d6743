"""Links to HexWorld's board, in which Hex players send games: `https://hexworld.org/board/#11c1,a2:sj3k3`.

The size and the looks of the board, then the moves; `:s` is a swap of the stone to its mirror image, as here;
`:rb`, `:rw`, `:fb` and `:fw` end a game by a resignation or a forfeit of red (b, the first) or blue.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial

from engine.core import State
from engine.games.move_text import Word
from engine.games.spec import GameSpec
from engine.records.record import FIRST_WON, SECOND_WON, About, Format, RawGame, Record
from engine.records.stones import stones_of

_LINK = re.compile(r"hexworld\.org/board/?#([0-9]{1,2})(?:x([0-9]{1,2}))?([a-z0-9]*),?(\S*)", re.IGNORECASE)
_ENDS = {"rb": SECOND_WON, "fb": SECOND_WON, "rw": FIRST_WON, "fw": FIRST_WON}


def read(text: str) -> Iterator[RawGame]:
    """Yield the game of each link."""
    for match in _LINK.finditer(text):
        moves = _tokens(match[4].lower())
        result = next((_ENDS[move[1:]] for move in moves if move[1:] in _ENDS), "")
        size = match[1]
        yield RawGame(
            words=partial(_words, moves),
            board=f"{match[2] or size}x{size}",
            about=About(result=result, said=result),
        )


def _tokens(text: str) -> list[str]:
    """Return squares, and choices with their colon."""
    tokens = re.findall(r":(?:r|f)[bw]|:[a-z]|[a-z]{1,2}[0-9]{1,2}|[^\s,]", text)
    return [str(token) for token in tokens]


def _words(moves: Sequence[str], _spec: GameSpec, _state: State) -> Iterator[Word]:
    for number, move in enumerate(moves, 1):
        if move[1:] in _ENDS:
            return
        yield Word("swap" if move == ":s" else move, 0, repr(move), f"Move {number}")


def write(record: Record) -> str:
    """Return the link: the stones of the game, a swap as the colours that it led to."""
    stones, _ = stones_of(record)
    size = record.states[0].columns
    names = "".join(f"{chr(97 + cell % size)}{cell // size + 1}" for cell in stones)
    return f"https://hexworld.org/board/#{size}c1,{names}\n"


FORMAT = Format("hexworld", "HexWorld link", ".txt", lambda text: _LINK.search(text) is not None, read, write)
