"""Changes: one stored change of a match, an invitation or a tournament, whoever asks for it.

What acts and what shows share it: a board that was just sent is noted here, too.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from bot.domain.challenge import Challenge
from bot.domain.errors import MatchError, NotFound
from bot.domain.match import Location, Match
from bot.domain.tournament import Tournament
from bot.services.validation import TRIES
from bot.store import Conflict, Stores

Transition = Callable[[Match, datetime], Match]


class Changes:
    """Loads one value, applies a pure transition, and stores what came of it over the version it came from.

    When somebody else was faster it is made again on the newer value; MatchError `busy` after some tries.
    clock: the current UTC time.
    """

    def __init__(self, stores: Stores, clock: Callable[[], datetime]) -> None:
        self._stores = stores
        self._clock = clock

    # Matches

    async def match(self, match_id: int) -> Match:
        """Raises NotFound."""
        found = await self._stores.matches.find(match_id)
        if found is None:
            raise NotFound("unknown_match", number=match_id)
        return found

    async def of_match(self, match_id: int, transition: Transition, *, loaded: Match | None = None) -> Match:
        """The match as stored. loaded: the match, if it was just loaded. Raises MatchError and NotFound."""
        for _ in range(TRIES):
            before = loaded or await self.match(match_id)
            loaded = None
            after = transition(before, self._clock())
            try:
                await self._stores.matches.save(before, after)
            except Conflict:
                continue
            return after
        raise MatchError("busy")

    async def attach(self, match_id: int, location: Location) -> Match:
        """The match, shown from now on by the message in `location`."""
        return await self.of_match(match_id, lambda match, _now: match.moved_to(location))

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
