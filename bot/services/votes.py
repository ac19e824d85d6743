"""Votes: a channel's votes for its next move, stored one by one, and the end of a vote."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from datetime import datetime
from random import Random
from typing import Any

from bot.domain.clock import heard_until, moment_of
from bot.domain.errors import HelpBarred, MatchError, NotFound
from bot.domain.match import Match
from bot.domain.person import Person
from bot.domain.vote import Vote, Voters
from bot.services.background import Background, Coalescer
from bot.services.changes import Changes
from bot.store.stores import Stores
from engine.core import Move

RECOUNT_SECONDS = 1.0
"""How often the votes of a match are counted for its message, at most."""

MAX_RECOUNTS = 200
"""Matches whose votes are counted at once; those of others appear with the next vote."""


class Votes:
    """One per process; lives on the event loop. rng: draws among moves with as many votes.

    A server's presses and clocks come to one process, so that this one knows which votes are on their way.
    """

    def __init__(
        self,
        stores: Stores,
        changes: Changes,
        background: Background,
        *,
        rng: Random,
    ) -> None:
        self._stores = stores
        self._changes = changes
        self._rng = rng
        self._storing: dict[asyncio.Task[Any], int] = {}
        self._ending: set[int] = set()
        self._cast = Coalescer[int, int](background, self._recount, MAX_RECOUNTS)

    async def cast(
        self,
        match_id: int,
        person: Person,
        move: Move,
        *,
        turn: int,
        voters: Voters = Voters.EVERYBODY,
        joined_at: datetime | None = None,
    ) -> bool:
        """Store the person's vote; return whether it is their first one in the match. Raises MatchError.

        turn: of the board that they pressed. voters: whose votes count. joined_at: when they came to the
        server.
        """
        match = await self._changes.latest(match_id)
        match.check_vote(move, moment_of(person.pressed_at, self._changes.now()), turn=turn)
        # The turn began with the last change: an extension moves the start of its time alone.
        if voters is Voters.JOINED and (joined_at is None or joined_at > match.touched_at):
            raise MatchError("vote_joined_late")
        if match_id in self._ending:
            raise MatchError("vote_over")
        vote = Vote(match_id, turn, person.user_id, match.to_move, move)
        storing = asyncio.create_task(self._stores.votes.cast(vote, match.game))
        self._storing[storing] = match_id  # at once, so that an end waits for it
        storing.add_done_callback(self._storing.pop)
        side, barring = await storing
        if barring is not None:
            raise HelpBarred(barring, match.game)
        if side is not None and side is not match.to_move:
            raise MatchError("vote_other_half", name=match.seats[side].name)
        self._cast.offer(match_id, match_id)
        return side is None

    async def end(self, match_id: int, person: Person) -> Match:
        """End the vote at once, as the person who began the match; raises MatchError."""
        match = await self._changes.match(match_id)
        match.check_begun_by(person.user_id)
        if not (await self._stores.votes.polls(match)).now.total:
            raise MatchError("vote_without_votes")
        return await self._end(match)

    async def settle(self, match: Match) -> None:
        """End a vote whose time is up, once every press made in time has arrived; raises MatchError."""
        if len(match.state.legal_moves()) > 1 and not match.has_run_out(heard_until(self._changes.now())):
            raise MatchError("stale")
        await self._end(match)

    async def resume(self) -> None:
        """Let the boards show votes that were stored just before the process ended."""
        for match in await self._stores.matches.voted():
            if match.awaits_votes:
                self._cast.offer(match.id, match.id)

    async def _end(self, match: Match) -> Match:
        """Make the move with the most votes, or extend the vote; raises MatchError."""
        if match.id in self._ending:
            raise MatchError("stale")
        self._ending.add(match.id)
        try:
            if mine := [storing for storing, number in self._storing.items() if number == match.id]:
                await asyncio.wait(mine)
            moves = (await self._stores.votes.polls(match)).now.leaders
            if len(legal := match.state.legal_moves()) == 1:
                moves = tuple(legal)  # no choice, such as a pass
            move = self._rng.choice(moves) if moves else None
            return await self._changes.of_match(
                match.id, lambda latest, now: latest.play_vote(move, now, turn=match.turn)
            )
        finally:
            self._ending.discard(match.id)

    async def _recount(self, match_id: int) -> None:
        """Give the match a version whose board shows the votes until now."""
        with suppress(MatchError, NotFound):
            await self._changes.of_match(match_id, lambda match, _now: match.recounted())
        await asyncio.sleep(RECOUNT_SECONDS)
