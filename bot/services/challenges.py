"""Challenges: one person's invitation to another, or to anyone, until it has become a match."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from random import Random

from bot.domain.challenge import EXPIRES_AFTER, Challenge, seated
from bot.domain.clock import heard_until, moment_of
from bot.domain.errors import MatchError, Refusal, SetupError, Unavailable
from bot.domain.location import Channel
from bot.domain.match import Match
from bot.domain.outgoing import Handover
from bot.domain.person import Person
from bot.domain.terms import Fair, First, Terms, is_rated_on
from bot.services.changes import Changes, retry_conflicts
from bot.services.checked_terms import (
    checked_board,
    checked_clock,
    checked_fair,
    checked_game,
    opening_for,
)
from bot.services.match_limits import MAX_RUNNING_MATCHES, check_leaving
from bot.store.shared import Conflict
from bot.store.stores import Stores
from engine.core import Move, Player, replay
from engine.games import game as game_of

log = logging.getLogger(__name__)


class Challenges:
    """One per process. clock: the current UTC time. rng: draws who begins."""

    def __init__(
        self,
        stores: Stores,
        changes: Changes,
        *,
        clock: Callable[[], datetime],
        rng: Random,
    ) -> None:
        self._stores = stores
        self._changes = changes
        self._clock = clock
        self._rng = rng

    async def send(
        self,
        person: Person,
        opponent: Person | None,
        terms: Terms,
        location: Channel,
        *,
        rematch_of: int | None = None,
        is_table: bool = False,
        handover: Handover | None = None,
    ) -> Challenge:
        """Invite the opponent, or anyone if None; raises SetupError. is_table: in other servers, too.

        If the opponent has invited the person to the same, return that invitation, accepted.
        handover: of a rematch between servers, as for `accept`.
        """
        rules = checked_game(terms.game)
        if opponent is not None and opponent.user_id == person.user_id:
            raise SetupError("self_challenge")
        if await self._stores.matches.count_running(person.user_id) >= MAX_RUNNING_MATCHES:
            raise SetupError("too_many_matches", limit=MAX_RUNNING_MATCHES)
        # An invitation to the same that was open when this was asked for is accepted.
        now, board = moment_of(person.pressed_at, self._clock()), checked_board(rules, terms.board)
        rated = terms.rated and is_rated_on(rules.key, board, has_agent=False)
        if rated:
            await check_leaving(self._stores, person, now)
        clock = checked_clock(terms.clock_seconds, rated=rated, has_agent=False)
        fair = checked_fair(rules, board, terms.fair)
        terms = replace(terms, board=board, rated=rated, clock_seconds=clock, fair=fair)
        if terms.are_colours_drawn:
            terms = replace(terms, first=First.RANDOM)
        seat = None if opponent is None else opponent.seat
        expires_at = now + EXPIRES_AFTER
        challenge = Challenge(
            0, person.seat, seat, terms, location, now, expires_at, rematch_of=rematch_of, is_table=is_table
        )

        async def attempt() -> Challenge:
            added = await self._stores.challenges.add(challenge)
            if added.challenger.user_id != person.user_id:
                try:
                    return (await self.accept(added.id, person, handover))[0]
                except MatchError:
                    if (await self._changes.challenge(added.id)).is_open:
                        raise
                    raise Conflict("the other invitation was answered meanwhile") from None
            self._changes.publish(None, added)
            return added

        return await retry_conflicts(attempt)

    async def accept(
        self, challenge_id: int, person: Person, handover: Handover | None = None
    ) -> tuple[Challenge, Match]:
        """Return the accepted challenge and its new match, which is not displayed yet; raises MatchError.

        handover: the board of a person who sits down from another server.
        """

        async def attempt() -> tuple[Challenge, Match]:
            before = await self._changes.challenge(challenge_id)
            terms = before.terms
            after = before.accept(person.user_id, moment_of(person.pressed_at, self._clock()))
            if await self._is_rematched(before):
                raise MatchError("already_rematched")
            if terms.rated:
                await check_leaving(self._stores, person, self._clock())
            opening = await self._opening(before)
            asker, guest = before.challenger, person.seat
            if handover is not None:
                names, servers = handover.names, (before.location.guild_id, handover.place.guild_id)
                asker = replace(asker, name=names[asker.user_id], guild_id=servers[0])
                guest = replace(guest, name=names[guest.user_id], guild_id=servers[1])
            seats = seated(asker, guest, terms.first, self._rng)
            # `first` names the player of the next move; in a rematch, of the other side before.
            begins = replay(game_of(terms.game).start(terms.board), opening).to_move
            if begins is Player.SECOND and before.rematch_of is None:
                seats = seats[1], seats[0]
            match = Match.begin(
                terms.game, terms.board, seats, replace(before.location, message_id=None), self._clock(),
                rated=terms.rated, clock_seconds=terms.clock_seconds, fair=terms.fair,
                rematch_of=before.rematch_of, opening=opening,
            )  # fmt: skip
            accepted, match = await self._stores.challenges.accept(
                before, after, match, handover, most=MAX_RUNNING_MATCHES
            )
            self._changes.publish(before, accepted)
            self._changes.publish(None, match)
            return accepted, match

        return await self._changes.answer_challenge(challenge_id, attempt)

    async def _is_rematched(self, challenge: Challenge) -> bool:
        """Return whether the rematch has begun, perhaps by another invitation."""
        old = challenge.rematch_of
        return old is not None and await self._stores.matches.rematch_of(old) is not None

    async def _opening(self, challenge: Challenge) -> tuple[Move, ...]:
        """Return the opening; a rematch repeats that of the match before, with sides swapped."""
        terms = challenge.terms
        if terms.fair is Fair.BALANCED and challenge.rematch_of is not None:
            old = await self._changes.match(challenge.rematch_of)
            return old.moves[: old.opening]
        return opening_for(checked_game(terms.game), terms.board, terms.fair, self._rng)

    async def decline(self, challenge_id: int, person: Person) -> Challenge:
        """The challenge, declined by its opponent or withdrawn by its challenger."""
        return await self._changes.of_challenge(
            challenge_id,
            lambda challenge, now: challenge.decline(person.user_id, now),
            pressed_at=person.pressed_at,
        )

    async def expire(self) -> None:
        """Expire the invitations that are due."""
        for challenge in await self._stores.challenges.due(heard_until(self._clock())):
            try:
                await self._changes.of_challenge(challenge.id, _expired)
            except Refusal:  # answered meanwhile
                continue
            except Unavailable:
                raise
            except Exception:
                # A damaged invitation must not keep the others open.
                log.exception("invitation %d could not expire", challenge.id)

    async def in_channel(self, channel_id: int) -> list[Challenge]:
        """Return the open invitations of that channel."""
        return await self._stores.challenges.open_in(channel_id)

    async def is_asked(self, match_id: int, user_id: int) -> bool:
        """Return whether the other player has invited the person to a rematch of that match."""
        found = await self._stores.challenges.open_of(user_id)
        return any(one.rematch_of == match_id and one.challenger.user_id != user_id for one in found)

    async def find(self, challenge_id: int) -> Challenge:
        """Raises NotFound."""
        return await self._changes.challenge(challenge_id)


def _expired(challenge: Challenge, now: datetime) -> Challenge:
    expired = challenge.expire(now)
    if expired is None:
        raise MatchError("challenge_not_open")
    return expired
