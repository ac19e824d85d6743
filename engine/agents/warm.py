"""All kernels, in the order in which a fresh start compiles them.

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
    """Kernel modules that are compiled together, and the agents that can play after that."""

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
"""The kernels of most levels come first, then those of the better ones; the strongest come last."""

KERNELS = tuple(module for stage in STAGES for module in stage.modules)


def load(stage: Stage | None = None) -> None:
    """Load the kernels of the stage (None: of all), compiling those that are not in the cache.

    Takes under a second if all are cached, including numba's own import; many seconds if none is.
    """
    for name in KERNELS if stage is None else stage.modules:
        importlib.import_module(name)


def prepare(stage: Stage) -> None:
    """Load everything that the first search of these agents would load."""
    load(stage)
    for key in stage.agents:
        for game in AGENTS[key].games:
            make_agent(key).choose(SPECS[game].rules.start(), Limit(nodes=50, depth=1))


def forget_sources() -> None:
    """Free LLVM's intermediate code of all loaded kernels, 14 MB, which is only used to compile their
    callers.

    For a process that has loaded every stage: kernels compiled later cannot call these.
    """
    for name in KERNELS:
        for value in vars(importlib.import_module(name)).values():
            overloads: dict[Any, Any] = getattr(value, "overloads", {})
            for compiled in overloads.values():
                compiled.library._shared_module = None
