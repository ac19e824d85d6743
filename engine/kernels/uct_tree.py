"""The arrays in which a Monte Carlo kernel grows its tree, and what they say when it is done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from engine.kernels.uct import MOVER_WON, copy_below

_MOST_NODES = 3_000_000
"""About 45 MB, of which the system hands out only what is touched; beyond, playouts start from the rim."""
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
        """Each simulation gives at most one node children, `widest` at most."""
        return cls._empty(min(_MOST_NODES, (simulations + 1) * widest) + _SPARE)

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
        """What was learnt below that node, with room for so many more simulations."""
        size = int(self.size[0])
        room = size + (simulations + 1) * widest
        # Where the whole of it would leave no room to grow, the deepest nodes are left behind.
        most = size if room <= _MOST_NODES else min(size, _MOST_NODES // 2)
        copy = UctTree._empty(min(_MOST_NODES, room) + _SPARE)
        copy.size[0] = cast(Any, copy_below)(
            node, most, *self.arrays[1:], *copy.arrays[1:], np.empty(most, np.int32)
        )
        return copy

    @property
    def arrays(self) -> tuple[npt.NDArray[Any], ...]:
        """As kernels take them."""
        return self.size, self.first, self.children, self.square, self.status, self.visits, self.gain

    @property
    def simulations(self) -> int:
        """How many the root's children have seen."""
        return sum(int(self.visits[child]) for child in self.children_of(0)) if self.size[0] else 0

    def children_of(self, node: int) -> range:
        first = int(self.first[node])
        return range(first, first + int(self.children[node])) if first else range(0)

    def best_child(self, node: int) -> int:
        """The child most often visited, of those the one that gained most, of those the first."""
        return max(self.children_of(node), key=lambda child: (self.visits[child], self.gain[child], -child))

    def mean(self, node: int) -> float:
        """The mean result, -1 to 1, for the player who moved here; 0 where nothing was simulated."""
        if self.has_won(node):
            return 1.0
        return float(self.gain[node] / self.visits[node]) if self.visits[node] else 0.0

    def has_won(self, node: int) -> bool:
        """Whether the player who moved here has won by that."""
        return bool(self.status[node] == MOVER_WON)

    def best_line(self, node: int) -> tuple[int, ...]:
        """The squares along the most visited nodes below `node`."""
        line: list[int] = []
        while self.first[node]:
            node = self.best_child(node)
            if line and not self.visits[node]:
                break
            line.append(int(self.square[node]))
        return tuple(line)
