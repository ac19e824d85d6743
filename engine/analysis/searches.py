"""Searches by name: what is looked for, as values, so that this process or another machine can do the same.

    found = Worth("othello", state, sitting=7).carry_out(memory, limit)

Whoever carries them out brings a memory of its own. Nothing depends on what is in it but strength and speed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar

from engine.agents import make_agent
from engine.agents.kept_agents import Kept, KeptAgents
from engine.analysis.evaluators import Estimator
from engine.core import Choice, Limit, State
from engine.games import game as game_of
from engine.score import Evaluation, Evaluator

T = TypeVar("T")

MOST_EVALUATORS = 4
"""Those of Othello take ten to fifty MB."""


class Memory:
    """What a process keeps from one search to the next, all of it bounded; any thread may use it."""

    def __init__(self) -> None:
        self.agents = KeptAgents()
        self.evaluators: Kept[Evaluator] = Kept(MOST_EVALUATORS)

    def close(self) -> None:
        """Lets go of everything that is not searching."""
        self.agents.close()
        self.evaluators.close()


@dataclass(frozen=True, slots=True)
class NamedSearch(ABC, Generic[T]):
    """A search that can be pickled.

    sitting: whose memory serves it, such as the number of a match; None: nobody's.
    """

    sitting: Hashable | None

    @property
    @abstractmethod
    def answers(self) -> type[T]:
        """What it comes to."""

    @abstractmethod
    def carry_out(self, memory: Memory, limit: Limit) -> T:
        """The answer, within the limit; raises EngineError where the state is over."""


@dataclass(frozen=True, slots=True)
class LevelChoice(NamedSearch[Choice]):
    """What a built-in agent plays. agent, seed: as for `make_agent`; seat: of the sitting."""

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
        with memory.agents.lent(self.sitting, self.seat, make) as agent:
            return agent.choose(self.state, limit)


@dataclass(frozen=True, slots=True)
class Worth(NamedSearch[Evaluation]):
    """What a state is worth to the side to move; of_moves: looking at every legal move equally deep."""

    game: str
    state: State
    of_moves: bool = False

    @property
    def answers(self) -> type[Evaluation]:
        return Evaluation

    def carry_out(self, memory: Memory, limit: Limit) -> Evaluation:
        with _estimator(memory, self) as own:
            return (own.evaluate_moves if self.of_moves else own.evaluate)(self.state, limit)


@dataclass(frozen=True, slots=True)
class Worths(NamedSearch[tuple[Evaluation, ...]]):
    """What each of the states is worth, with the limit for each: one way there and back for quick ones."""

    game: str
    states: tuple[State, ...]

    @property
    def answers(self) -> type[tuple[Evaluation, ...]]:
        return tuple

    def carry_out(self, memory: Memory, limit: Limit) -> tuple[Evaluation, ...]:
        with _estimator(memory, self) as own:
            return tuple(own.evaluate(state, limit) for state in self.states)


def _estimator(memory: Memory, search: Worth | Worths) -> AbstractContextManager[Evaluator]:
    """The sitting's own."""
    return memory.evaluators.lent(search.sitting, search.game, partial(Estimator, game_of(search.game)))
