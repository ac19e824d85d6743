"""Reviews of finished matches: searched in the pool state by state, and remembered while they last."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from functools import partial
from types import MappingProxyType

from bot.errors import MatchError
from bot.match import Match
from bot.search import SearchPool
from engine.agents import make_agent
from engine.analysis import Valued, Valuer, Worth, settled, states_of, valued
from engine.core import Agent, Choice, Limit, Move, State
from engine.games import game as game_of
from engine.review import LATER_SECONDS, Review, plan

REMEMBERED = 64
HINT_SECONDS, MOVE_SECONDS = 1.2, 0.3

_SLOWEST = MappingProxyType({"connect-four": "perfect", "othello": "pattern"})
"""The agent whose kernels a review needs and that is ready last, after a first start."""


class Reviews:
    """One for each process; lives on the event loop. Reviews queue apart from the matches that are played.

    later_seconds: how long it goes on proving after the first whole review was shown.
    """

    def __init__(self, search: SearchPool, *, later_seconds: float = LATER_SECONDS) -> None:
        self._search = search
        self._later_seconds = later_seconds
        self._known: OrderedDict[int, Review] = OrderedDict()
        self._first: dict[int, asyncio.Lock] = {}
        self._is_proving = False
        self._numbers = itertools.count()

    def known(self, match_id: int) -> Review | None:
        """The best review there is of the match so far."""
        return self._known.get(match_id)

    async def steps(self, match: Match) -> AsyncIterator[Review]:
        """A whole review within about two seconds, then better ones; raises MatchError `not_over`.

        Only one review at a time is made better, and only for the person who asked for it first.
        """
        if not match.is_over:
            raise MatchError("not_over")
        if not match.turns:
            raise MatchError("nothing_to_review")
        lock = self._first.setdefault(match.id, asyncio.Lock())
        steps = self._steps(match)
        async with lock:
            found = self._known.get(match.id)
            is_new = found is None
            if found is None:
                found = await anext(steps)
                self._remember(match.id, found)
            self._first.pop(match.id, None)
        yield found
        if not is_new or self._is_proving:
            return
        self._is_proving = True
        try:
            async for better in steps:
                self._remember(match.id, better)
                yield better
        finally:
            self._is_proving = False

    async def value(self, match: Match, state: State, limit: Limit, valuer: Valuer) -> Valued:
        """What the state is worth, searched in the pool."""
        if not state.legal_moves():
            return settled(state)
        key = ("review", next(self._numbers))
        group = ("review", match.place.guild_id or match.place.channel_id)
        kind = _SLOWEST.get(match.game, "")
        choice = await self._search.choose(key, group, lambda: valuer, state, limit, kind=kind)
        return valued(state, choice)

    async def hint(self, match: Match) -> Valued:
        """The best move of a running match that a second or so finds."""
        return await self.value(match, match.state, Limit(seconds=HINT_SECONDS), await _new_valuer())

    async def value_moves(self, match: Match, state: State) -> tuple[tuple[Move, Worth], ...]:
        """(move, what it is worth to the side that makes it) for every legal move, each searched shortly."""
        valuer, found = await _new_valuer(), []
        for move in state.legal_moves():
            after = await self.value(match, state.play(move), Limit(seconds=MOVE_SECONDS), valuer)
            found.append((move, -after.worth))
        return tuple(found)

    async def ask(
        self, match: Match, state: State, make_agent: Callable[[], Agent], limit: Limit, kind: str
    ) -> Choice:
        """What an agent thinks of the state; kind: as in SearchPool."""
        key = ("review", next(self._numbers))
        group = ("review", match.place.guild_id or match.place.channel_id)
        return await self._search.choose(key, group, make_agent, state, limit, kind=kind)

    async def compare(self, match: Match, state: State, depth: int) -> tuple[int, int]:
        """How many states a search of that depth visits: (with pruning, without)."""
        nodes = []
        for name in ("alphabeta", "minimax"):
            make = partial(make_agent, f"{name}:depth={depth}")
            nodes.append((await self.ask(match, state, make, Limit(), name)).info.nodes)
        return nodes[0], nodes[1]

    async def _steps(self, match: Match) -> AsyncIterator[Review]:
        states = states_of(game_of(match.game).start(match.board), match.moves)
        valuer = await _new_valuer()
        questions = plan(states, match.moves, time.perf_counter, self._later_seconds)
        answer: Valued | None = None
        while True:
            try:
                step = questions.send(answer)
            except StopIteration:
                return
            answer = None
            if isinstance(step, Review):
                yield step
            else:
                answer = await self.value(match, states[step.ply], step.limit, valuer)

    def _remember(self, match_id: int, review: Review) -> None:
        self._known[match_id] = review
        self._known.move_to_end(match_id)
        while len(self._known) > REMEMBERED:
            self._known.popitem(last=False)


async def _new_valuer() -> Valuer:
    """Made in a thread: the first one loads what it needs."""
    return await asyncio.to_thread(Valuer)
