"""Which kernels there are, in the order in which a fresh start wants them compiled.

`python -m engine.kernels` compiles them into the cache, stage by stage, in a process of its own.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Stage:
    """Kernel modules that are compiled together, and the agents that can play once they are."""

    agents: tuple[str, ...]
    modules: tuple[str, ...]


STAGES = (
    Stage(
        ("random", "one-step", "corner", "minimax", "alphabeta", "overlooking", "mcts"),
        (
            "engine.kernels.line_alphabeta",
            "engine.kernels.line_search",
            "engine.kernels.line_uct",
            "engine.games.othello.kernels.plain_search",
            "engine.games.othello.kernels.uct",
            "engine.kernels.blundering",
            "engine.kernels.uct",
        ),
    ),
    Stage(
        ("perfect", "pattern"),
        (
            "engine.games.connect_four.kernels.exact_search",
            "engine.games.connect_four.kernels.any_board_search",
            "engine.games.othello.kernels.context",
            "engine.games.othello.kernels.endgame",
            "engine.games.othello.kernels.last_squares",
            "engine.games.othello.kernels.midgame",
            "engine.games.othello.kernels.patterns",
            "engine.games.othello.kernels.perft",
        ),
    ),
)
"""What most levels need comes first: it takes seconds to compile, the rest most of a minute."""

KERNELS = tuple(module for stage in STAGES for module in stage.modules)


def load(stage: Stage | None = None) -> None:
    """Loads the kernels of the stage (None: of all), compiling those that are not in the cache.

    Under a second when all are, numba's own import included; many seconds when none is.
    """
    for name in KERNELS if stage is None else stage.modules:
        importlib.import_module(name)
