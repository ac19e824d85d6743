"""Othello positions in the form of the kernels."""

from __future__ import annotations

from dataclasses import dataclass

from engine.core import EngineError, Move, Player, State
from engine.games.othello.kernels.perft import turned_discs
from engine.games.othello.kernels.tables import QUADRANTS
from engine.games.othello.kernels.vectors import signed
from engine.games.othello.rules import OthelloState, frame


@dataclass(frozen=True, slots=True)
class Position:
    """A state for the kernels: boards as int64, a bit per quadrant with an odd number of empty squares."""

    size: int
    own: int
    opposing: int
    empties: int
    parity: int
    colour: int

    @classmethod
    def of(cls, state: State) -> Position:
        """Convert a state; raises EngineError for another game."""
        if not isinstance(state, OthelloState):
            raise EngineError(f"this search plays Othello only, not {type(state).__name__}")
        return cls.of_boards(state.size, state.own, state.opponent, int(state.to_move is Player.SECOND))

    @classmethod
    def of_boards(cls, size: int, own: int, opposing: int, colour: int = 0) -> Position:
        """Return the position of two boards of the grid, signed or not."""
        empties = frame(size) & ~(own | opposing)
        parity = 0
        for square in range(64):
            if empties >> square & 1:
                parity ^= int(QUADRANTS[square])
        return cls(size, signed(own), signed(opposing), signed(empties), parity, colour)

    @property
    def count(self) -> int:
        """The number of empty squares."""
        return (self.empties & (1 << 64) - 1).bit_count()

    def after(self, square: int) -> Position:
        """Return the position for the other side after a legal move to that square of the grid."""
        turned = turned_discs(square, self.own, self.opposing)
        bit = signed(1 << square)
        return Position.of_boards(self.size, self.opposing ^ turned, self.own ^ turned | bit, 1 - self.colour)

    def passed(self) -> Position:
        """Return the position for the other side after a pass."""
        return Position(self.size, self.opposing, self.own, self.empties, self.parity, 1 - self.colour)

    def square_of(self, move: Move) -> int:
        """Return the square of the grid of a move; not for a pass."""
        margin = (8 - self.size) // 2
        row, column = divmod(move, self.size)
        return 8 * (row + margin) + column + margin

    def move_of(self, square: int) -> Move:
        margin = (8 - self.size) // 2
        row, column = divmod(square, 8)
        return (row - margin) * self.size + column - margin
