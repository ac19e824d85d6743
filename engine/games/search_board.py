"""What the compiled searches ask of a state: a board of integers, and moves as its squares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from engine.core import Move
from engine.kernels.running import Array, Run
from engine.kernels.uct_tree import UctTree


class Board(Protocol):
    """A state prepared for searching; every value from the viewpoint of its side to move."""

    @property
    def groups(self) -> Sequence[Sequence[int]]:
        """The squares of the legal moves, in groups from likely good to likely bad."""
        ...

    @property
    def widest(self) -> int:
        """The most moves that any state has."""
        ...

    def minimax(self, square: int, depth: int, run: Run, pv: Array) -> int:
        """The value of moving to `square`, looked at to `depth` plies with that move the first."""
        ...

    def memory(self, depth: int) -> Array:
        """What the searches of this state up to that depth may share, empty."""
        ...

    def alphabeta(self, square: int, depth: int, alpha: int, memory: Array, run: Run, pv: Array) -> int:
        """As `minimax`; where the value is at most alpha, an upper bound of it."""
        ...

    def glance(
        self, square: int, depth: int, alpha: int, chances: Array, seed: int, run: Run, pv: Array
    ) -> int:
        """As `alphabeta`, on what an inattentive player sees; see `engine.kernels.blundering`."""
        ...

    def simulate(self, exploration: float, depth: int, seed: int, run: Run, tree: UctTree) -> None:
        """Grows a Monte Carlo tree in `tree`."""
        ...

    def move_of(self, square: int) -> Move: ...
