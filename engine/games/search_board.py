"""What the compiled searches ask of a state: a board of integers, and moves as its squares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from engine.core import Move
from engine.kernels.blundering import PLAIN
from engine.kernels.root_search import RootSearch
from engine.kernels.running import Array, Run

if TYPE_CHECKING:
    from engine.kernels.uct_tree import UctTree


class Board(Protocol):
    """A state prepared for searching; every value from the viewpoint of its side to move.

    A board that inherits it says what `best_search` and `subtlety` are only where it knows something special.
    """

    @property
    def groups(self) -> Sequence[Sequence[int]]:
        """The squares of the legal moves, in groups from likely good to likely bad."""
        ...

    @property
    def widest(self) -> int:
        """The most moves that any state has."""
        ...

    def plain_search(
        self, run: Run, *, prunes: bool = True, rates: Array | None = None, seed: int = 0
    ) -> RootSearch:
        """The state's minimax, alpha-beta if it prunes, and with `rates` what an inattentive player sees.

        rates: in parts of `blundering.CERTAIN`, of overlooking a move 0, 1, 2 ... plies after the first.
        """
        ...

    def best_search(self, run: Run, depth: int) -> RootSearch:  # noqa: ARG002 - for who knows more
        """The same values as alpha-beta, up to that depth, by all that is known about searching this game."""
        return self.plain_search(run)

    def subtlety(self, square: int) -> int:  # noqa: ARG002 - unless some strike the eye more
        """How easily an inattentive player overlooks moving there; see `engine.kernels.blundering`."""
        return PLAIN

    def simulate(self, exploration: float, depth: int, seed: int, run: Run, tree: UctTree) -> None:
        """Grows a Monte Carlo tree in `tree`."""
        ...

    def move_of(self, square: int) -> Move: ...
