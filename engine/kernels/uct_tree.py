"""The arrays of a Monte Carlo search tree, and the results a kernel leaves in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from engine.kernels.uct import MOVER_WON, copy_below

_MAX_NODES = 3_000_000
"""About 45 MB, allocated by the system only as it is used; in a full tree, playouts start from its leaves."""
_SPARE = 256


@dataclass(frozen=True, slots=True)
class UctTree:
    """See `engine.kernels.uct` for the arrays; node 0 is the root."""

    size: npt.NDArray[np.int64]
    first: npt.NDArray[np.int32]
    children: npt.NDArray[np.int8]
    square: npt.NDArray[np.int8]
    status: npt.NDArray[np.int8]
    visits: npt.NDArray[np.int32]
    gain: npt.NDArray[np.int32]

    @classmethod
    def with_room_for(cls, simulations: int, widest: int) -> UctTree:
        """Return an empty tree; each simulation adds the children of one node at most, `widest` of them."""
        return cls._empty(min(_MAX_NODES, (simulations + 1) * widest) + _SPARE)

    @classmethod
    def _empty(cls, room: int) -> UctTree:
        return cls(
            size=np.zeros(1, np.int64),
            first=np.empty(room, np.int32),
            children=np.empty(room, np.int8),
            square=np.empty(room, np.int8),
            status=np.empty(room, np.int8),
            visits=np.empty(room, np.int32),
            gain=np.empty(room, np.int32),
        )

    def below(self, node: int, simulations: int, widest: int) -> UctTree:
        """Return the subtree of a node as a tree of its own, with room for `simulations` more."""
        size = int(self.size[0])
        room = size + (simulations + 1) * widest
        # A subtree that would leave no room to grow loses its deepest nodes.
        most = size if room <= _MAX_NODES else min(size, _MAX_NODES // 2)
        copy = UctTree._empty(min(_MAX_NODES, room) + _SPARE)
        copy.size[0] = cast(Any, copy_below)(
            node, most, *self.arrays[1:], *copy.arrays[1:], np.empty(most, np.int32)
        )
        return copy

    @property
    def arrays(self) -> tuple[npt.NDArray[Any], ...]:
        """The arguments of the kernels."""
        return self.size, self.first, self.children, self.square, self.status, self.visits, self.gain

    @property
    def simulations(self) -> int:
        """The number of simulations through the root's children."""
        return sum(int(self.visits[child]) for child in self.children_of(0)) if self.size[0] else 0

    def children_of(self, node: int) -> range:
        first = int(self.first[node])
        return range(first, first + int(self.children[node])) if first else range(0)

    def best_child(self, node: int) -> int:
        """Return the child with the most visits, then the highest gain, then the lowest index."""
        return max(self.children_of(node), key=lambda child: (self.visits[child], self.gain[child], -child))

    def mean(self, node: int) -> float:
        """Return the mean result, -1 to 1, for the player who moved here; 0 without simulations."""
        if self.has_won(node):
            return 1.0
        return float(self.gain[node] / self.visits[node]) if self.visits[node] else 0.0

    def has_won(self, node: int) -> bool:
        """Whether the move to this node won the game."""
        return bool(self.status[node] == MOVER_WON)

    def best_line(self, node: int) -> tuple[int, ...]:
        """Return the squares along the most visited nodes below `node`."""
        line: list[int] = []
        while self.first[node]:
            node = self.best_child(node)
            if line and not self.visits[node]:
                break
            line.append(int(self.square[node]))
        return tuple(line)
