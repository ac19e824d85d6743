"""The NBoard protocol, of programs for Othello (Chris Welty, "NBoard Protocol", version 2).

A move is `F5` from the top left, or `PA` for a pass; its evaluation and time may follow. A position is a game
in GGF (Michael Buro, "Generic Game Format") without moves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.core import Move, State
from engine.games import spec_of_state
from engine.plugins.protocols import told_seconds
from engine.records.ggf import write_board

if TYPE_CHECKING:
    from engine.plugins.protocols.engine import Engine
    from engine.plugins.protocols.lines import Lines
    from engine.plugins.wire import Ask

GAME = "othello"
BOARDS = ("8x8",)

PASS = "PA"
_DEPTH = 6


def write(state: State, move: Move) -> str:
    """Return the word of a move: `F5` or `PA`."""
    spec = spec_of_state(state)
    return PASS if spec.is_pass(state, move) else spec.rules.move_name(state, move).upper()


def read(state: State, word: str) -> Move:
    """Return the legal move of `F5`, `F5/1.2/3` or `f5 1.2 3`; raises NotationError or IllegalMove."""
    name = (word.replace("/", " ").split() or [""])[0].lower()
    return spec_of_state(state).rules.parse_move(state, "pass" if name in ("pa", "pass") else name)


class NBoard:
    """A client; see `engine.plugins.protocols.engine.Client`."""

    def __init__(self, lines: Lines, engine: Engine) -> None:
        self._lines, self._engine, self._pings = lines, engine, 0

    def greet(self) -> None:
        # A depth is required; the host's options may give another.
        self._lines.say("nboard 2", f"set depth {_DEPTH}", *self._engine.options)
        self._ping()

    def move(self, ask: Ask) -> Move:
        state = ask.state
        # The protocol knows the time of a whole game alone.
        left = round(told_seconds(ask.limit.seconds) * (state.cells().count(None) + 1) / 2)
        self._lines.say(
            f"set game (;GM[Othello]PC[Discade]PB[black]PW[white]RE[?]TI[{left // 60}:{left % 60:02}]TY[8]"
            f"BO[{write_board(state)}];)"
        )
        self._ping()
        self._lines.say("go")
        while not (line := self._lines.next()).startswith("==="):
            pass
        return read(state, line[3:])

    def _ping(self) -> None:
        """Wait until all earlier lines have been obeyed."""
        self._pings += 1
        self._lines.say(f"ping {self._pings}")
        while self._lines.next().split() != ["pong", str(self._pings)]:
            pass
