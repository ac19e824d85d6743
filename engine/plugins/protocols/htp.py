"""The Hex text protocol: GTP with the commands of Hex, as in HexGui and Benzene.

Words of moves as ours, `f5`. Black joins top and bottom, and is our first side. A swap has no word here:
programs differ in its meaning, so positions are told by their stones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.core import Move, NotationError, State
from engine.plugins.protocols import gtp

if TYPE_CHECKING:
    from engine.plugins.wire import Ask

GAME = "hex"
BOARDS = ("11x11", "7x7")


def write(state: State, move: Move) -> str:
    """Return the word of a move: `f5`; not for a swap."""
    return gtp.write(state, move)


def read(state: State, word: str) -> Move:
    """Return the legal move of a word in any case; raises NotationError or IllegalMove, also for a swap."""
    if word.strip().lower().startswith("swap"):
        raise NotationError(f"{word.strip()!r} has no one meaning among programs for Hex")
    return gtp.read(state, word)


class Htp(gtp.Gtp):
    """A client; see `engine.plugins.protocols.engine.Client`."""

    def greet(self) -> None:
        super().greet()
        if "param_game" in self._known:  # of Benzene: a swap is ours to decide
            self._told("param_game allow_swap 0")

    def move(self, ask: Ask) -> Move:
        """Any colour may play at any time, so the stones are stated, as they lie after a swap."""
        state = ask.state
        self._clear(state)
        for cell, owner in enumerate(state.cells()):
            if owner is not None:
                self._told(f"play {gtp.COLOURS[owner]} {write(state, cell)}")
        return self._asked(state, ask.limit.seconds)

    def _clear(self, state: State) -> None:
        self._told(f"boardsize {state.rows} {state.columns}")
        self._told("clear_board")
