"""Which kernels there are, in the order in which a fresh start wants them compiled.

`python -m engine.agents` compiles them into the cache, stage by stage, in a process of its own.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

from engine.agents import AGENTS, make_agent
from engine.core import Limit
from engine.games import SPECS


@dataclass(frozen=True, slots=True)
class Stage:
    """Kernel modules that are compiled together, and the agents that can play once they are."""

    agents: tuple[str, ...]
    modules: tuple[str, ...]


_SHARED = ("engine.kernels.line_alphabeta", "engine.kernels.line_search")
_SHARED_TREE = ("engine.kernels.line_uct", "engine.kernels.uct")
_TREE = ("mcts",)
_OWN = {agent.key: agent.kernels for spec in SPECS.values() for agent in spec.search.agents if agent.kernels}
_OTHERS = tuple(key for key in AGENTS if key not in (*_OWN, *_TREE))

STAGES = (
    Stage(_OTHERS, (*_SHARED, *(name for spec in SPECS.values() for name in spec.search.kernels))),
    Stage(_TREE, (*_SHARED_TREE, *(name for spec in SPECS.values() for name in spec.search.tree_kernels))),
    Stage(tuple(_OWN), tuple(name for kernels in _OWN.values() for name in kernels)),
)
"""What most levels need comes first, then what the better ones do; the strongest wait longest."""

KERNELS = tuple(module for stage in STAGES for module in stage.modules)


def load(stage: Stage | None = None) -> None:
    """Loads the kernels of the stage (None: of all), compiling those that are not in the cache.

    Under a second when all are, numba's own import included; many seconds when none is.
    """
    for name in KERNELS if stage is None else stage.modules:
        importlib.import_module(name)


def prepare(stage: Stage) -> None:
    """Loads now what the first search of these agents would else load."""
    load(stage)
    for key in stage.agents:
        for game in AGENTS[key].games:
            make_agent(key).choose(SPECS[game].rules.start(), Limit(nodes=50, depth=1))


def forget_sources() -> None:
    """Frees LLVM's own form of all loaded kernels, 14 MB, which only compiling others that call them reads.

    For a process that has loaded every stage: a kernel that is compiled afterwards can call none of these.
    """
    for name in KERNELS:
        for value in vars(importlib.import_module(name)).values():
            overloads: dict[Any, Any] = getattr(value, "overloads", {})
            for compiled in overloads.values():
                compiled.library._shared_module = None
