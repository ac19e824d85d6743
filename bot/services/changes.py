"""Changes: one stored change of a match, an invitation or a tournament, whoever asks for it.

What acts and what shows share it: a board that was just sent is noted here, too. Running matches are
remembered as they were last stored, so that most presses need no look into the database: it alone decides, by
the version that a change was made from, whether what is remembered is still so.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from weakref import WeakValueDictionary

from bot.domain.challenge import Challenge
from bot.domain.errors import MatchError, NotFound, Refusal
from bot.domain.lru_dict import LruDict
from bot.domain.match import Location, Match
from bot.domain.tournament.model import Tournament
from bot.services.call_notes import CallNotes
from bot.services.setup_checks import TRIES
from bot.store.calls import Replacing
from bot.store.shared import Conflict
from bot.store.stores import Stores

REMEMBERED = 2000
"""Running matches that are kept in memory."""

Transition = Callable[[Match, datetime], Match]


class Changes:
    """Loads one value, applies a pure transition, and stores what came of it over the version it came from.

    When somebody else was faster it is made again on the newer value; MatchError `busy` after some tries.
    clock: the current UTC time.
    """

    def __init__(self, stores: Stores, clock: Callable[[], datetime]) -> None:
        self._stores = stores
        self._clock = clock
        self.calls = CallNotes(stores.calls)
        self._known: LruDict[int, Match] = LruDict(REMEMBERED)
        self._queues: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()

    @property
    def remembered(self) -> int:
        """How many matches are kept in memory."""
        return len(self._known)

    def now(self) -> datetime:
        return self._clock()

    def forget(self) -> None:
        """Clocks were moved, which makes no other version of most matches: what is remembered is so no more.

        What somebody has read before and remembers only now goes with it.
        """
        self._known = LruDict(REMEMBERED)

    # Matches

    async def match(self, match_id: int) -> Match:
        """Raises NotFound."""
        known = self._known
        found = await self._stores.matches.find(match_id)
        if found is None:
            raise NotFound("unknown_match", number=match_id)
        _remember(known, found)
        return found

    async def latest(self, match_id: int) -> Match:
        """The match as it is remembered, else as it is stored. Raises NotFound."""
        return self._known.get(match_id) or await self.match(match_id)

    def admit(self, match_id: int, user_id: int, turn: int) -> None:
        """Raises MatchError for a press that is hopeless by what is remembered: no seat, past, not theirs.

        Turns only grow, and a turn belongs to one seat for ever, so nothing that was stored since could help.
        """
        known = self._known.get(match_id)
        if known is not None and turn <= known.turn:
            known.check_to_move(user_id, turn=turn)

    def queue(self, match_id: int) -> asyncio.Lock:
        """Held by whoever changes the match, so that presses made at once come one after another."""
        return self._queues.setdefault(match_id, asyncio.Lock())

    async def of_match(
        self, match_id: int, transition: Transition, *, is_called: Callable[[Match], bool] | None = None
    ) -> Match:
        """The match as stored. Raises MatchError and NotFound.

        is_called: where calls follow the change, whether there is to be one to the match as it is then. That
        is stored along, and kept in `calls` for who sends it.
        """
        for attempt in range(TRIES):
            known = self._known
            is_sure = attempt > 0 or match_id not in known
            before = await (self.match(match_id) if is_sure else self.latest(match_id))
            try:
                after = transition(before, self._clock())
            except Refusal:
                if is_sure:
                    raise
                continue
            called = None
            if is_called is not None and not after.has_agent:
                called = Replacing(self._clock(), is_called(after))
            try:
                after = await self._stores.matches.save(before, after, also=called)
            except Conflict:
                continue
            except BaseException:
                # It may be stored all the same, and then nobody else calls.
                if called is not None:
                    self.calls.doubt(match_id)
                raise
            _remember(known, after)
            if called is not None:
                self.calls.begin(after, called)
            return after
        raise MatchError("busy")

    async def attach(self, match_id: int, location: Location) -> Match:
        """The match, shown from now on by the message in `location`."""
        return await self.of_match(match_id, lambda match, _now: match.moved_to(location))

    async def is_in_tournament(self, match_id: int) -> bool:
        return await self._stores.tournaments.has_match(match_id)

    async def move_out(self, thread_id: int, channel_id: int) -> tuple[Match, ...]:
        """What stood in a thread that is gone stands in the channel around it from now on.

        Returns its running matches, which have no message.
        """
        for tournament in await self._stores.tournaments.active():
            if tournament.location.channel_id == thread_id:
                await self.of_tournament(
                    tournament.id,
                    lambda before: before.moved_to(channel_id, message_id=thread_id, parent_id=None),
                )
        moved = []
        for match in await self._stores.matches.running(channel_id=thread_id):
            there = replace(match.location, channel_id=channel_id, message_id=None, parent_id=None)
            moved.append(await self.attach(match.id, there))
        return tuple(moved)

    # Invitations

    async def challenge(self, challenge_id: int) -> Challenge:
        """Raises NotFound."""
        found = await self._stores.challenges.find(challenge_id)
        if found is None:
            raise NotFound("unknown_challenge")
        return found

    async def of_challenge(
        self, challenge_id: int, transition: Callable[[Challenge, datetime], Challenge]
    ) -> Challenge:
        """The invitation as stored. Raises MatchError and NotFound."""
        for _ in range(TRIES):
            before = await self.challenge(challenge_id)
            after = transition(before, self._clock())
            try:
                await self._stores.challenges.save(before, after)
            except Conflict:
                continue
            return after
        raise MatchError("busy")

    async def attach_challenge(self, challenge_id: int, message_id: int) -> Challenge:
        """The invitation, shown from now on by that message."""
        return await self.of_challenge(challenge_id, lambda challenge, _now: challenge.shown_by(message_id))

    # Tournaments

    async def tournament(self, tournament_id: int) -> Tournament:
        """Raises NotFound."""
        found = await self._stores.tournaments.tournament(tournament_id)
        if found is None:
            raise NotFound("unknown_tournament", number=tournament_id)
        return found

    async def of_tournament(
        self, tournament_id: int, change: Callable[[Tournament], Tournament]
    ) -> Tournament:
        """The tournament as stored. Raises MatchError, SetupError and NotFound."""
        for _ in range(TRIES):
            before = await self.tournament(tournament_id)
            try:
                return await self._stores.tournaments.save(before, change(before), self._clock())
            except Conflict:
                continue
        raise MatchError("busy")

    async def attach_tournament(self, tournament_id: int, message_id: int) -> Tournament:
        """The tournament, shown from now on by that message."""
        return await self.of_tournament(tournament_id, lambda before: before.shown_by(message_id))


def _remember(known: LruDict[int, Match], match: Match) -> None:
    """Unless it is over: then it has its names from the database alone, where people may be forgotten."""
    newest = known.pop(match.id, None)
    if not match.is_over:
        known[match.id] = newest if newest is not None and newest.version > match.version else match
