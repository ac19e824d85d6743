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
            "line_alphabeta",
            "line_search",
            "line_uct",
            "othello_search",
            "othello_uct",
            "overlooking",
            "uct",
        ),
    ),
    Stage(
        ("perfect", "pattern"),
        (
            "connect_four_solver",
            "line_solver",
            "othello_context",
            "othello_endgame",
            "othello_last",
            "othello_midgame",
            "othello_patterns",
            "othello_perft",
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
        importlib.import_module(f"engine.kernels.{name}")
