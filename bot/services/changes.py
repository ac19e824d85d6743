"""Changes: load a match, an invitation or a tournament, apply a pure transition, commit, publish.

Running matches are kept in memory as they were last stored, so that most presses need no query. The version
that a change was made from decides in the database whether the copy was up to date.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Generic, TypeVar
from weakref import WeakValueDictionary

from bot.domain.challenge import Challenge
from bot.domain.clock import moment_of
from bot.domain.errors import MatchError, NotFound, Refusal
from bot.domain.imported import is_imported
from bot.domain.location import Channel, Location
from bot.domain.lru_dict import LruDict
from bot.domain.match import Match
from bot.domain.rating import Stakes
from bot.domain.tournament.model import Tournament
from bot.domain.vote import Polls
from bot.store.shared import Conflict
from bot.store.stores import Stores

MAX_MATCHES_IN_MEMORY = 2000
MAX_ATTEMPTS = 8
"""How often a change is tried while others are stored first."""

T = TypeVar("T")
Stored = TypeVar("Stored", Match, Challenge, Tournament)
Transition = Callable[[Match, datetime], Match]


@dataclass(frozen=True, slots=True)
class Changed(Generic[Stored]):
    """A stored change. before: None for a new match or invitation."""

    before: Stored | None
    after: Stored


async def retry_conflicts(attempt: Callable[[], Awaitable[T]]) -> T:
    """Run `attempt` until no other change is stored first; raises MatchError `busy` after MAX_ATTEMPTS.

    That other changes came first is all that is known then: any other reason is the attempt's own to find.
    """
    for _ in range(MAX_ATTEMPTS):
        with suppress(Conflict):
            return await attempt()
    raise MatchError("busy")


class Changes:
    """One per process. Raises MatchError `busy` where others keep storing their changes first.

    clock: the current UTC time.
    """

    def __init__(self, stores: Stores, clock: Callable[[], datetime]) -> None:
        self._stores = stores
        self._clock = clock
        self._known: LruDict[int, Match] = LruDict(MAX_MATCHES_IN_MEMORY)
        self._locks: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()
        self._challenge_locks: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()
        self._subscribers: dict[type, list[Callable[[Changed[Any]], object]]] = {}

    def subscribe(self, kind: type[Stored], subscriber: Callable[[Changed[Stored]], object]) -> None:
        """Call the subscriber after every stored change of that kind; it must neither raise nor take long."""
        self._subscribers.setdefault(kind, []).append(subscriber)

    def publish(self, before: Stored | None, after: Stored) -> None:
        """Tell the subscribers of a stored change."""
        changed = Changed(before, after)
        for subscriber in self._subscribers.get(type(after), ()):
            subscriber(changed)

    @property
    def remembered(self) -> int:
        """The number of matches in memory."""
        return len(self._known)

    def now(self) -> datetime:
        return self._clock()

    def forget(self) -> None:
        """Drop the copies in memory, since moving clocks changes matches without a new version.

        A copy that was read before and is kept later goes to the old dict, which is dropped, too.
        """
        self._known = LruDict(MAX_MATCHES_IN_MEMORY)

    # Matches

    async def match(self, match_id: int) -> Match:
        """Raises NotFound."""
        known = self._known
        stored = self._stores.imported_games if is_imported(match_id) else self._stores.matches
        found = await stored.find(match_id)
        if found is None:
            raise NotFound("unknown_match", number=match_id)
        _remember(known, found)
        return found

    async def latest(self, match_id: int) -> Match:
        """Return the copy in memory, or else the stored match. Raises NotFound."""
        return self._known.get(match_id) or await self.match(match_id)

    async def homes(self, match_ids: Collection[int]) -> dict[int, tuple[int, int | None, int | None]]:
        """Return the stored version of each of these matches, and the channel and message of its board."""
        return await self._stores.matches.homes(match_ids)

    def admit(self, match_id: int, user_id: int, turn: int) -> None:
        """Raises MatchError if the match in memory can only refuse the press; see `of_match`."""
        known = self._known.get(match_id)
        if known is not None and turn <= known.turn:
            known.check_to_move(user_id, turn=turn)

    async def of_match(
        self,
        match_id: int,
        transition: Transition,
        *,
        turn: int | None = None,
        pressed_at: datetime | None = None,
    ) -> Match:
        """The match as stored. Raises MatchError and NotFound.

        turn: the one that a move is made at; a refusal of a turn that is in memory already is final, so that
        hopeless presses need no query. pressed_at: when a person's action was received, as in `moment_of`;
        None for what happens now.
        """
        is_remembered = True

        async def attempt() -> Match:
            nonlocal is_remembered
            known = self._known
            is_remembered = is_remembered and match_id in known
            before = await (self.latest(match_id) if is_remembered else self.match(match_id))
            try:
                now = self._clock()
                after = transition(before, moment_of(pressed_at, now)).stored(before, now)
            except Refusal as refusal:
                # Turns only grow, and a turn belongs to one seat for ever.
                if not is_remembered or (turn is not None and turn <= before.turn):
                    raise
                is_remembered = False
                raise Conflict("the copy in memory may be stale") from refusal
            is_remembered = False
            after = await self._stores.matches.save(before, after)
            _remember(known, after)
            self.publish(before, after)
            return after

        # Of simultaneous presses one is stored; the others are then refused without the database.
        async with self._locks.setdefault(match_id, asyncio.Lock()):
            return await retry_conflicts(attempt)

    async def attach(self, match_id: int, location: Location) -> Match:
        """Store that the message in `location` displays the match from now on."""
        return await self.of_match(match_id, lambda match, now: match.moved_to(location, now))

    async def adopt(self, match_id: int, location: Channel) -> Match | None:
        """Attach the match to a message that was pressed or found; None if that is another match's board."""
        message_id = location.message_id
        if message_id is not None:
            there = await self.matches_on(location.channel_id, message_id)
            if any(number != match_id for number in there):
                return None
        return await self.attach(match_id, location)

    async def stakes(self, match: Match) -> Stakes:
        """Return both ratings before a rated match, stored or not, and what it can change."""
        return await self._stores.ratings.stakes(match)

    async def matches_on(self, channel_id: int, *message_ids: int) -> list[int]:
        """Return the numbers of the running matches whose board is one of these messages."""
        return await self._stores.shown.matches_on(channel_id, *message_ids)

    async def polls(self, match: Match) -> Polls:
        """Return the votes that the match's board shows."""
        return await self._stores.votes.polls(match)

    async def is_in_tournament(self, match_id: int) -> bool:
        return await self._stores.tournaments.has_match(match_id)

    async def move_out(self, thread_id: int, channel_id: int) -> tuple[Match, ...]:
        """Move the matches and tournaments of a deleted thread to the channel around it.

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
            there = replace(match.channel, channel_id=channel_id, message_id=None, parent_id=None)
            moved.append(await self.attach(match.id, there))
        return tuple(moved)

    async def running_below(self, channel_id: int) -> list[int]:
        """Return the numbers of the running matches in the channel and in its threads."""
        return await self._stores.matches.running_below(channel_id)

    async def lose_channel(self, channel_id: int) -> None:
        """Let the clocks of the matches in a deleted channel and its threads stand."""
        for match_id in await self.running_below(channel_id):
            with suppress(MatchError, NotFound):
                await self.of_match(match_id, lambda match, now: match.without_channel(now))

    async def lose_board(self, match_id: int, message_id: int) -> None:
        """Note that people have deleted the match's board, unless that is known or past."""
        with suppress(MatchError, NotFound):
            await self.of_match(match_id, lambda match, now: match.without_board(message_id, now))

    # Invitations

    async def challenge(self, challenge_id: int) -> Challenge:
        """Raises NotFound."""
        found = await self._stores.challenges.find(challenge_id)
        if found is None:
            raise NotFound("unknown_challenge")
        return found

    async def of_challenge(
        self,
        challenge_id: int,
        transition: Callable[[Challenge, datetime], Challenge],
        *,
        pressed_at: datetime | None = None,
    ) -> Challenge:
        """Return the invitation as stored. pressed_at: as in `of_match`. Raises MatchError and NotFound."""

        async def attempt() -> Challenge:
            before = await self.challenge(challenge_id)
            after = transition(before, moment_of(pressed_at, self._clock()))
            await self._stores.challenges.save(before, after)
            self.publish(before, after)
            return after

        return await self.answer_challenge(challenge_id, attempt)

    async def answer_challenge(self, challenge_id: int, attempt: Callable[[], Awaitable[T]]) -> T:
        """Run a change of the invitation, after those of this process that began before it.

        An invitation can be accepted while its message is being stored: neither must starve the other.
        """
        async with self._challenge_locks.setdefault(challenge_id, asyncio.Lock()):
            return await retry_conflicts(attempt)

    async def attach_challenge(self, challenge_id: int, message_id: int) -> Challenge:
        """Store that this message displays the invitation from now on."""
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
        """Return the tournament as stored. Raises MatchError, SetupError and NotFound."""

        async def attempt() -> Tournament:
            before = await self.tournament(tournament_id)
            return await self.save_tournament(before, change(before))

        return await retry_conflicts(attempt)

    async def save_tournament(self, before: Tournament, after: Tournament) -> Tournament:
        """Return the tournament as stored; raises Conflict."""
        stored = await self._stores.tournaments.save(before, after, self._clock())
        self.publish(before, stored)
        return stored

    async def attach_tournament(self, tournament_id: int, message_id: int) -> Tournament:
        """Store that this message displays the tournament from now on."""
        return await self.of_tournament(tournament_id, lambda before: before.shown_by(message_id))


def _remember(known: LruDict[int, Match], match: Match) -> None:
    """Keep a running match; a finished one is always loaded, since its players may have been deleted."""
    newest = known.pop(match.id, None)
    if not match.is_over:
        known[match.id] = newest if newest is not None and newest.version > match.version else match
