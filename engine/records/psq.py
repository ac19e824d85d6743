"""psq, the files of Piskvork and the Gomocup (Petr Lastovicka, Piskvork's source).

`Piskvorky 15x15, 11:11, 0`, then a line `x,y,ms` a move, from the top left and from 1; two names; a code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from string import ascii_lowercase

from engine.core import State
from engine.games.move_text import Word
from engine.games.spec import GameSpec
from engine.records.record import About, Format, RawGame, Record, RecordError
from engine.records.stones import stones_of

_HEADER = re.compile(
    r"piskvorky\s+([0-9]{1,3})x([0-9]{1,3})\s*,\s*[0-9]+:[0-9]+\s*,\s*([01])?", re.IGNORECASE
)
_MOVE = re.compile(r"\s*([0-9]{1,3}),([0-9]{1,3}),[0-9]+\s*")
_PROGRAM = re.compile(r"\.(?:zip|exe)$", re.IGNORECASE)


def _fits(text: str) -> bool:
    first = text.lstrip().partition("\n")[0]
    return first.lower().startswith("piskvorky") or _MOVE.fullmatch(first) is not None


def read(text: str) -> Iterator[RawGame]:
    """Yield the one game; raises RecordError without the first line of such a file."""
    lines = text.strip().splitlines()
    header = _HEADER.match(lines[0])
    if header is None:
        message = "Line 1: a psq file begins with 'Piskvorky 15x15, 11:11, 0'."
        raise RecordError(message, reason="psq_header")
    end = next((at for at, line in enumerate(lines[1:], 1) if not _MOVE.fullmatch(line)), len(lines))
    names = [_PROGRAM.sub("", line.strip()) for line in lines[end : end + 2]]
    first, second = (*names, "", "")[:2]
    if header[3] == "1":  # the player who is named second began
        first, second = second, first
    yield RawGame(
        words=partial(_words, lines[1:end]),
        board=f"{header[1]}x{header[2]}",
        names={"first": first, "second": second},
        about=About(rules=lines[-1] if lines[-1].lower().endswith("freestyle") else ""),
    )


def _words(lines: Sequence[str], _spec: GameSpec, _state: State) -> Iterator[Word]:
    for number, line in enumerate(lines, 2):
        column, row, _ = line.split(",")
        letter = ascii_lowercase[int(column) - 1 : int(column)]  # "" outside every board
        yield Word(f"{letter}{int(row)}", 0, f"{column.strip()},{row}", f"Line {number}")


def write(record: Record) -> str:
    """Return the file of the game: its stones in their order, with the colours that they have at the end."""
    stones, names = stones_of(record)
    size = record.states[0].rows
    moves = [f"{cell % size + 1},{cell // size + 1},0" for cell in stones]
    players = [re.sub(r"[\r\n,]", " ", name) or "?" for name in names]
    return "\n".join([f"Piskvorky {size}x{size}, 11:11, 0", *moves, *players, "-1", ""])


FORMAT = Format("psq", "psq", ".psq", _fits, read, write)
