"""The interface between states and the compiled searches: a board of integers, with moves as squares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from engine.core import Move
from engine.kernels.blundering import PLAIN
from engine.kernels.root_search import RootSearch
from engine.kernels.running import Array, Run

if TYPE_CHECKING:
    from engine.kernels.uct_tree import UctTree


class SearchBoard(Protocol):
    """A state prepared for searching; every value is from the view of its side to move.

    Subclasses override `best_search` and `subtlety` only if they have something better.
    """

    @property
    def groups(self) -> Sequence[Sequence[int]]:
        """The squares of the legal moves, in groups from likely good to likely bad."""
        ...

    @property
    def widest(self) -> int:
        """The maximum number of moves in any state."""
        ...

    def plain_search(
        self, run: Run, *, prunes: bool = True, rates: Array | None = None, seed: int = 0
    ) -> RootSearch:
        """Return a minimax search, alpha-beta if it prunes; with `rates` that of an inattentive player.

        rates: of missing a move 0, 1, 2 ... plies after the first, in units of 1 / `blundering.CERTAIN`.
        """
        ...

    def best_search(self, run: Run, depth: int) -> RootSearch:  # noqa: ARG002 - used by subclasses
        """Return the fastest search for this game with the values of alpha-beta up to that depth."""
        return self.plain_search(run)

    def subtlety(self, square: int) -> int:  # noqa: ARG002 - used by subclasses
        """Return how easily an inattentive player misses this move; see `engine.kernels.blundering`."""
        return PLAIN

    def simulate(self, exploration: float, depth: int, seed: int, run: Run, tree: UctTree) -> None:
        """Run Monte Carlo simulations and grow `tree`."""
        ...

    def move_of(self, square: int) -> Move: ...
