"""The Gomocup protocol, of programs for Gomoku (Petr Laštovička, "Gomoku AI protocol").

A square is `x,y` from 0: x to the right, y down.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from engine.core import Move, NotationError, State
from engine.plugins.protocols import Refused, told_seconds

if TYPE_CHECKING:
    from engine.plugins.protocols.engine import Engine
    from engine.plugins.protocols.lines import Lines
    from engine.plugins.wire import Ask

GAME = "gomoku"
BOARDS = ("15x15", "13x13", "9x9")
"""Without the boards of swap2: the protocol's commands for that opening are not spoken here."""

_NO_LIMIT = (1 << 31) - 1
_SQUARE = re.compile(r"([0-9]{1,3}) *, *([0-9]{1,3})", re.ASCII)


def write(state: State, move: Move) -> str:
    """Return the word of a move: `5,4` for f5."""
    row, column = divmod(move, state.columns)
    return f"{column},{row}"


def read(state: State, word: str) -> Move:
    """Return the legal move of a word; raises NotationError or IllegalMove."""
    match = _SQUARE.fullmatch(word.strip())
    if match is None:
        raise NotationError(f"{word.strip()!r} is no square of the form x,y")
    column, row = int(match[1]), int(match[2])
    if column >= state.columns or row >= state.rows:
        raise NotationError(f"{word.strip()} is outside the board of {state.columns} x {state.rows}")
    state.play(row * state.columns + column)
    return row * state.columns + column


class Gomocup:
    """A client; see `engine.plugins.protocols.engine.Client`."""

    def __init__(self, lines: Lines, engine: Engine) -> None:
        self._lines, self._engine, self._size = lines, engine, 0

    def greet(self) -> None:
        self._start(int(self._engine.boards[0].partition("x")[0]))

    def move(self, ask: Ask) -> Move:
        state, is_empty = ask.state, not any(cell is not None for cell in ask.state.cells())
        if is_empty or state.rows != self._size:
            self._start(state.rows)
        self._lines.say(f"INFO timeout_turn {round(1000 * told_seconds(ask.limit.seconds))}")
        # Not all programs know an empty BOARD.
        self._lines.say(*(("BEGIN",) if is_empty else ("BOARD", *board_lines(state), "DONE")))
        while True:
            line = self._answer()
            word, _, rest = line.partition(" ")
            if word.upper() == "SUGGEST":
                self._lines.say(f"PLAY {rest}")
            elif _SQUARE.fullmatch(line):
                return read(state, line)

    def _start(self, size: int) -> None:
        engine = self._engine
        self._lines.say(f"START {size}")
        while not self._answer().upper().startswith("OK"):
            pass
        told = {
            "rule": 0,
            "game_type": 1,
            "timeout_match": 0,
            "time_left": _NO_LIMIT,
            "max_memory": engine.memory_bytes // 2,
            "thread_num": engine.threads,
        }
        self._lines.say(*(f"INFO {key} {value}" for key, value in told.items()))
        self._lines.say(*(f"INFO {option}" for option in engine.options))
        self._size = size

    def _answer(self) -> str:
        """Return the next line; raises Refused for an error. Programs may write messages in between."""
        line = self._lines.next().strip()
        if line.upper().startswith("ERROR"):
            raise Refused(f"answers {line!r}")
        return line


def board_lines(state: State) -> list[str]:
    """Return the stones for BOARD: 1 for the side to move, 2 for the other.

    The sides alternate and the other's stone is last, since programs take the first line's side for black.
    """
    cells, me = state.cells(), state.to_move
    mine, theirs = (
        [f"{write(state, cell)},{mark}" for cell, owner in enumerate(cells) if owner is side]
        for mark, side in ((1, me), (2, me.other))
    )
    both = min(len(mine), len(theirs))
    pairs = [stone for pair in zip(mine[:both], theirs[:both], strict=True) for stone in pair]
    return [*mine[both:], *theirs[both:], *pairs]
