"""AgentSearch: asks an agent for its move, or for a swap by the pie rule."""

from __future__ import annotations

import asyncio
import logging
import math
import operator
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from random import Random

from bot.domain.asker import Asker
from bot.domain.even_match import level_at
from bot.domain.location import Channel
from bot.domain.match import Held, Match
from bot.domain.terms import Fair
from bot.search.pool import SearchPool
from bot.search.readiness import Readiness
from engine.agents.roster import Roster
from engine.analysis.searches import ChooseMove, EvaluateState, EvaluateStates
from engine.core import Choice, History, Limit, Move, State, UnknownName
from engine.games import spec_of
from engine.games.symmetry import Key, canonical

log = logging.getLogger(__name__)

PIE_SECONDS, PIE_SECONDS_IN_ALL = 0.3, 2.0
"""For evaluating one first move by the pie rule, and all of them together."""

UNSEEN = Asker("unseen", "unseen")
"""Matches without a board take turns as one person: they never take every thread from people's matches."""


@dataclass(frozen=True, slots=True)
class AgentMove:
    """An agent's choice for one turn. move: None for a swap. seconds: how long it thought.

    forfeit: why the agent gave no move, so that a random one stands in for it; "" if it gave one.
    resigns: instead of moving.
    """

    turn: int
    move: Move | None
    seconds: float
    forfeit: str = ""
    resigns: bool = False

    def apply(self, match: Match, now: datetime) -> Match:
        if self.resigns:
            return match.resign_agent(now, turn=self.turn)
        if self.move is None:
            return match.swap_agent(now, turn=self.turn)
        return match.play_agent(self.move, now, turn=self.turn, seconds=self.seconds, forfeit=self.forfeit)


@dataclass(frozen=True, slots=True)
class AgentWait:
    """An answer that waits for the rated match of that number; None: it waits no longer."""

    turn: int
    number: int | None

    def apply(self, match: Match, now: datetime) -> Match:
        return match.wait_for(self.number, now, turn=self.turn)


@dataclass(frozen=True, slots=True)
class AgentHold:
    """An answer that the person's coach holds."""

    turn: int
    held: Held

    def apply(self, match: Match, now: datetime) -> Match:
        return match.hold(self.held, now, turn=self.turn)


class AgentSearch:
    """Asks agents for moves, in the search pool."""

    def __init__(self, search: SearchPool, roster: Roster, rng: Random) -> None:
        self._search = search
        self._roster = roster
        self._rng = rng
        self._agents = search.memory.agents

    async def choose(self, match: Match) -> AgentMove:
        """Return the move of the agent to move; a legal random one where the agent fails.

        An agent may be a plug-in, so its answer is checked before it is stored.
        """
        key = level_at(match, match.to_move, len(match.timed_moves))
        seed = self._rng.getrandbits(32)
        asker = UNSEEN if is_unseen(match) else match.asker
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            by_pie_rule = await self._by_the_pie_rule(match, asker)
            if by_pie_rule is not None:
                return by_pie_rule
            choice = await self._ask(match, key, seed, asker)
            move = operator.index(choice.move)
            if move not in match.state.legal_moves():
                raise ValueError(f"{move} is no legal move")
            seconds = _seconds_of(choice, loop.time() - began)
            return AgentMove(match.turn, move, seconds, choice.info.forfeit, choice.info.resigns)
        except Exception as error:
            log.exception("match %d: agent %s failed; a random move is played", match.id, key)
            move = self._rng.choice(match.state.legal_moves())
            return AgentMove(match.turn, move, 0.0, f"it raised {type(error).__name__}")

    async def _ask(self, match: Match, key: str, seed: int, asker: Asker) -> Choice:
        level = self._roster.level(key)
        seat = (match.state.to_move, key)
        if level.is_deep:
            deep = ChooseMove(match.id, level.agent, seed, match.state, seat)
            # The level's Elo is measured with all of its time, which its person's other matches would cut.
            hurries = not match.rated or level.limit.seconds is None
            return await self._search.search(
                match.id, asker, deep, level.limit, kind=level.kind, game=match.game, hurries=hurries
            )
        history = History(match.game, match.board, match.states[0], match.moves)
        agent = self._agents.agent(match.id, seat, lambda: self._roster.make(key, seed), history)
        return await self._search.choose(
            match.id, asker, lambda: agent, match.state, level.limit,
            kind=level.kind, game=match.game, is_quick=level.is_quick,
        )  # fmt: skip

    async def _by_the_pie_rule(self, match: Match, asker: Asker) -> AgentMove | None:
        """Return the most balanced first move, or a swap if the first move is too good, or None."""
        kind = spec_of(match.game).search.evaluator_kind
        if match.fair is Fair.PIE and not match.timed_moves:
            moves = _first_moves(match.state)
            after = EvaluateStates(match.id, match.game, tuple(map(match.state.play, moves)))
            limit = Limit(seconds=min(PIE_SECONDS, PIE_SECONDS_IN_ALL / len(moves)))
            worths = await self._search.search(match.id, asker, after, limit, kind=kind, game=match.game)
            balance = [abs(worth.score.expectation) for worth in worths]
            return AgentMove(match.turn, moves[balance.index(min(balance))], 0.0)
        if not match.can_swap:
            return None
        here = EvaluateState(match.id, match.game, match.state)
        limit = Limit(seconds=PIE_SECONDS)
        found = await self._search.search(match.id, asker, here, limit, kind=kind, game=match.game)
        return AgentMove(match.turn, None, 0.0) if found.score.expectation < 0 else None


def seconds_until_ready(match: Match, readiness: Readiness, roster: Roster) -> int | None:
    """Return about how long the agent to move waits for compiled code; None if none does."""
    if not readiness.missing or not match.awaits_agent:
        return None
    key = level_at(match, match.to_move, len(match.timed_moves))
    try:
        return readiness.seconds_left(roster.level(key).kind, match.game)
    except UnknownName:  # a plug-in that is not there any more needs no compiled code
        return None


@cache
def _first_moves(start: State) -> tuple[Move, ...]:
    """Return the first moves without those that lead to images of others: 36 of 225 in Gomoku."""
    kinds: dict[Key, Move] = {}
    for move in start.legal_moves():
        kinds.setdefault(canonical(start.play(move)), move)
    return tuple(kinds.values())


def is_unseen(match: Match) -> bool:
    """Whether two agents play in a channel without a board, as in a tournament of agents."""
    return match.is_watched and isinstance(match.location, Channel) and match.location.message_id is None


def _seconds_of(choice: Choice, measured: float) -> float:
    """Return the thinking time that the agent reports, or the measured one if the report is unusable."""
    told: object = choice.info.seconds
    return float(told) if isinstance(told, (int, float)) and 0 <= told < math.inf else measured
