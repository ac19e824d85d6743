"""All kernels, in the order in which a fresh start compiles them.

`python -m engine.agents` compiles them into the cache, stage by stage, in a process of its own.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from engine.agents import AGENTS, SEARCHED, make_agent
from engine.core import Limit
from engine.games import SPECS


@dataclass(frozen=True, slots=True)
class Stage:
    """Kernel modules that are compiled together.

    key: the game whose usual searches need them, or the kind of agents. searches: agents with a game that can
    play after that. seconds: what they took on one core of 2026, to estimate the rest.
    """

    key: str
    modules: tuple[str, ...]
    searches: tuple[tuple[str, str], ...]
    seconds: float


_SHARED = ("engine.kernels.line_alphabeta", "engine.kernels.line_search", "engine.kernels.uct")
_SHARED_TREE = ("engine.kernels.line_uct",)
_TREE = "mcts"
_OWN = {agent.key: agent for spec in SPECS.values() for agent in spec.search.agents if agent.kernels}
_PLAIN = tuple(key for key in ("minimax", "alphabeta", "overlooking") if key in AGENTS)
_SECONDS = {"perfect": 5, "pattern": 15, "popping": 5, "threats": 6, "jumping": 7, "bridges": 6, _TREE: 8}
_USUAL_SECONDS = 3


def needed(kind: str, game: str) -> str | None:
    """Return the key of the stage that such a search needs; None if it needs no compiled code.

    kind: of the agent, or "" for the usual evaluator of the game.
    """
    if kind in _OWN:
        return kind
    if game not in SEARCHED:
        return None
    return _TREE if kind == _TREE else game if kind in _PLAIN or not kind else None


def _stages() -> tuple[Stage, ...]:
    """Return all stages: those of the first game first, then the others, quick ones before slow ones."""
    plain: list[Stage] = []
    modules = {game: SPECS[game].search.kernels for game in SEARCHED}
    # The first to be compiled has the modules that they share.
    for game in sorted(SEARCHED, key=lambda game: len(modules[game])):
        shared = () if plain else _SHARED
        searches = tuple((kind, game) for kind in _PLAIN)
        plain.append(Stage(game, shared + modules[game], searches, _USUAL_SECONDS * (1.5 if shared else 0.5)))
    own = [
        Stage(key, agent.kernels, ((key, AGENTS[key].games[0]),), _SECONDS.get(key, _USUAL_SECONDS))
        for key, agent in _OWN.items()
    ]
    trees = _SHARED_TREE + tuple(name for spec in SPECS.values() for name in spec.search.tree_kernels)
    of_tree = Stage(_TREE, trees, tuple((_TREE, game) for game in SEARCHED), _SECONDS[_TREE])
    first = next(iter(SPECS.values()))
    of_first = (first.rules.key, *(agent.key for agent in first.search.agents))
    rest = sorted((*plain[1:], *own, of_tree), key=lambda stage: (stage.key not in of_first, stage.seconds))
    return (*plain[:1], *rest)


STAGES = _stages()

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
    for key, game in stage.searches:
        make_agent(key).choose(SPECS[game].rules.start(), Limit(nodes=50, depth=1))


def forget_sources() -> None:
    """Free LLVM's intermediate code of all loaded kernels, 14 MB, which is only used to compile their
    callers.

    For a process that has loaded every stage: kernels compiled later cannot call these.
    """
    for library in libraries():
        library._shared_module = None


def libraries() -> Iterator[Any]:
    """Yield what numba keeps of each compiled kernel; a kernel that others import comes more than once."""
    for name in KERNELS:
        for value in vars(importlib.import_module(name)).values():
            overloads: dict[Any, Any] = getattr(value, "overloads", {})
            for compiled in overloads.values():
                yield compiled.library
