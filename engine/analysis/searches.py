"""Searches as values that can be pickled, so that this process or a cluster can run them.

    found = EvaluateState("othello", state, sitting=7).carry_out(memory, limit)

Each process that runs searches has a memory of its own; only strength and speed depend on it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar

from engine.agents import make_agent
from engine.agents.agent_cache import AgentCache, LendingCache
from engine.analysis.evaluators import Estimator
from engine.core import Choice, Limit, State
from engine.games import game as game_of
from engine.score import Evaluation, Evaluator

T = TypeVar("T")

MAX_EVALUATORS = 2
"""Othello's evaluators take ten to fifty MB each."""


class Memory:
    """The bounded, thread-safe caches of a process between searches."""

    def __init__(self) -> None:
        self.agents = AgentCache()
        self.evaluators: LendingCache[Evaluator] = LendingCache(MAX_EVALUATORS)

    def close(self) -> None:
        """Drop everything that is not in use."""
        self.agents.close()
        self.evaluators.close()


@dataclass(frozen=True, slots=True)
class NamedSearch(ABC, Generic[T]):
    """A search that can be pickled.

    sitting: the key of the memory it uses, e.g. the number of a match; None: no memory.
    """

    sitting: Hashable | None

    @property
    @abstractmethod
    def answers(self) -> type[T]:
        """The type of the result."""

    @abstractmethod
    def carry_out(self, memory: Memory, limit: Limit) -> T:
        """Run the search within the limit and return its result; raises EngineError if the game is over."""


@dataclass(frozen=True, slots=True)
class ChooseMove(NamedSearch[Choice]):
    """A built-in agent's choice. agent, seed: as for `make_agent`; seat: of the sitting."""

    agent: str
    seed: int
    state: State
    seat: Hashable = None

    @property
    def answers(self) -> type[Choice]:
        return Choice

    def carry_out(self, memory: Memory, limit: Limit) -> Choice:
        make = partial(make_agent, self.agent, self.seed)
        if self.sitting is None:
            return make().choose(self.state, limit)
        with memory.agents.borrow(self.sitting, self.seat, make) as agent:
            return agent.choose(self.state, limit)


@dataclass(frozen=True, slots=True)
class EvaluateState(NamedSearch[Evaluation]):
    """The evaluation of a state for its side to move."""

    game: str
    state: State

    @property
    def answers(self) -> type[Evaluation]:
        return Evaluation

    def carry_out(self, memory: Memory, limit: Limit) -> Evaluation:
        with _estimator(memory, self) as own:
            return own.evaluate(self.state, limit)


@dataclass(frozen=True, slots=True)
class EvaluateStates(NamedSearch[tuple[Evaluation, ...]]):
    """The evaluations of several states, with the limit for each: one round trip for quick ones."""

    game: str
    states: tuple[State, ...]

    @property
    def answers(self) -> type[tuple[Evaluation, ...]]:
        return tuple

    def carry_out(self, memory: Memory, limit: Limit) -> tuple[Evaluation, ...]:
        with _estimator(memory, self) as own:
            return tuple(own.evaluate(state, limit) for state in self.states)


def _estimator(memory: Memory, search: EvaluateState | EvaluateStates) -> AbstractContextManager[Evaluator]:
    """Return the evaluator of the search's sitting."""
    return memory.evaluators.borrow(search.sitting, search.game, partial(Estimator, game_of(search.game)))
