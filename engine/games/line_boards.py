"""States of games of k in a row for the compiled searches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from engine.kernels import line_alphabeta, line_search
from engine.kernels.control import CONTEXT_WORDS, INFINITY, ROOT_STONES
from engine.kernels.lines import Shape
from engine.kernels.root_search import RootSearch
from engine.kernels.running import Array, Run
from engine.kernels.transposition import new_memory

if TYPE_CHECKING:
    from engine.kernels.uct_tree import UctTree

# Up to each depth, alpha-beta's table has 2 ** bits buckets of 64 bytes: clearing a larger one takes time.
_TABLE_BITS = ((3, 1), (6, 10), (9, 14))
_MAX_TABLE_BITS = 17


def bits_of(board: int) -> list[int]:
    """Return the squares of the set bits, ascending."""
    return [square for square in range(64) if board >> square & 1]


@dataclass(frozen=True, slots=True)
class LineBoard:
    """A board of k in a row; see `engine.kernels.lines` for the layout and the shape."""

    own: int
    mask: int
    shape: Shape
    order: Array
    widest: int

    @property
    def groups(self) -> list[list[int]]:
        _, _, bottom, board, _, drops = self.shape
        free = (self.mask + bottom) & board if drops else board & ~self.mask
        groups = (bits_of(free & int(group)) for group in self.order)
        return [group for group in groups if group]

    def plain_search(
        self, run: Run, *, prunes: bool = True, rates: Array | None = None, seed: int = 0
    ) -> RootSearch:
        return RootSearch(
            line_search.search,
            self.after,
            run,
            self.shape,
            self.order,
            prunes=prunes,
            rates=rates,
            seed=seed,
        )

    def best_search(self, run: Run, depth: int) -> RootSearch:
        bits = next((bits for most, bits in _TABLE_BITS if depth <= most), _MAX_TABLE_BITS)
        memory = new_memory(bits)
        memory[ROOT_STONES] = self.mask.bit_count()
        return LineSearch(line_search.search, self.after, run, self.shape, self.order, context=memory)

    def after(self, square: int) -> tuple[int, int]:
        """Return the stones of the side to move and all stones, after the move."""
        return self.own ^ self.mask, self.mask | 1 << square

    def subtlety(self, square: int) -> int:
        return int(line_search.subtlety(self.own, self.mask, 1 << square, *self.shape))

    def simulate(self, exploration: float, depth: int, seed: int, run: Run, tree: UctTree) -> None:
        from engine.kernels import line_uct  # loaded on use: it is compiled in a later stage

        context = np.zeros(CONTEXT_WORDS, np.int64)
        place = run.describe(context, self.shape)
        line_uct.search(self.own, self.mask, exploration, depth, seed, place, *tree.arrays)


class LineSearch(RootSearch):
    """A RootSearch with the line-specific search of `line_alphabeta`."""

    def value(self, square: int, depth: int, best: int) -> int:
        if depth == 1:
            return super().value(square, depth, best)
        own, mask = self._after(square)
        return -line_alphabeta.search(own, mask, depth - 1, -INFINITY, -best, -1, self.place)
