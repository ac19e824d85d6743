"""Boards and invitations: display every stored change of a match or an invitation, at once or later.

The message of an accepted invitation becomes the board of its match.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Final

from bot.domain.boards import StaleBoard
from bot.domain.challenge import Challenge, ChallengeStatus
from bot.domain.location import Web
from bot.domain.lru_dict import LruDict
from bot.domain.match import Match, Pace
from bot.services.background import Background, Coalescer
from bot.services.changes import Changed, Changes
from bot.services.ports import Delivered, Display
from bot.services.reconciler import GRACE_SECONDS, MAX_CONCURRENT_DISPLAYS, UNSENT_GRACE_SECONDS, Delivery
from bot.services.shown_versions import ShownVersions
from bot.services.sources.pings import TurnPings
from bot.store.stores import Stores

log = logging.getLogger(__name__)

DISPLAY_INTERVAL_SECONDS = 1.0
"""How often a match at full speed is displayed: Discord allows five edits in 5 s."""

MAX_VOTED_DISPLAYS = 200
"""Matches by votes that are displayed at once, apart from others: each pauses after an edit."""

ANSWER_SECONDS = 0.7
"""How long the end of a vote waits for the agent's move, so that one edit shows both."""

MAX_ACCEPTED = 500
"""Accepted invitations in memory whose match has no board yet."""

FINISHED_GIVEN_UP_AFTER = timedelta(days=1)
"""How long the end of a match is worth displaying where Discord refuses it."""


class Boards:
    """The messages of matches. A change is displayed in the background, then the person to act is pinged.

    A press that answers with the board holds its lock before this begins, so nothing is edited twice.
    after_votes: called once the end of a match by votes is displayed.
    """

    name: Final = "board of match"
    idle_seconds: Final = 5.0

    def __init__(
        self,
        stores: Stores,
        display: Display,
        changes: Changes,
        versions: ShownVersions,
        pings: TurnPings,
        background: Background,
    ) -> None:
        self._stores = stores
        self._display = display
        self._changes = changes
        self._versions = versions
        self._pings = pings
        self._changed = Coalescer[int, Match](background, self._follow, MAX_CONCURRENT_DISPLAYS)
        self.after_votes: Callable[[], object] = lambda: None
        self._voted = Coalescer[int, Match](background, self._follow_votes, MAX_VOTED_DISPLAYS)
        changes.subscribe(Match, self._on_change)

    def _on_change(self, changed: Changed[Match]) -> None:
        before, match = changed.before, changed.after
        if before is None or isinstance(match.location, Web):
            return  # the code that began it sends its board, which is the next change
        if match.location.message_id is None and match.location != before.location:
            return  # likewise
        if match.is_voted:
            self._voted.offer(match.id, match)
        elif match.seats[0].guild_id is not None:
            self.follow(match)
        else:
            self._changed.offer(match.id, match)

    def follow(self, match: Match) -> None:
        """Display the match in the background, unless another process looks after its home."""
        share = self._stores.database.share
        if share is None or share.covers(match.location.guild_id):
            self._changed.offer(match.id, match)

    async def post(self, match: Match) -> None:
        """Display a new match that answers no press and no command."""
        match = await self._on_its_invitation(match)
        share = self._stores.database.share
        if share is None or share.covers(match.location.guild_id):
            await self._display.recover(match)
            self._pings.ping(await self._changes.latest(match.id))

    async def _follow(self, match: Match) -> None:
        try:
            await self._display.show(match)
        finally:
            self._pings.ping(match)
        if match.is_watched and match.pace is Pace.QUICK and not match.is_over:
            await asyncio.sleep(DISPLAY_INTERVAL_SECONDS)

    async def _follow_votes(self, match: Match) -> None:
        """Display the votes, or with one edit the channel's move and the answer to it, then pause."""
        if match.awaits_agent:
            await asyncio.sleep(ANSWER_SECONDS)
        try:
            match = await self._changes.latest(match.id)
            await self._display.show(match)
        finally:
            # Also after an outage: the note about its voters is stored.
            if match.is_over:
                self.after_votes()
        await asyncio.sleep(DISPLAY_INTERVAL_SECONDS)

    async def stale(self, limit: int) -> Sequence[Delivery[StaleBoard]]:
        """Latest first, since their players are the likeliest to be waiting."""
        return [_delivery(board) for board in await self._stores.shown.stale_boards(limit)]

    async def deliver(self, delivery: Delivery[StaleBoard]) -> Delivered:
        match = await self._stores.matches.find(delivery.item.match_id)
        if match is None:
            await self.give_up(delivery)
            return Delivered.DELIVERED
        log.info("match %d: its board is stale and is brought up to date", match.id)
        if match.location.message_id is None and match.version == 0:
            match = await self._on_its_invitation(match)
        outcome = await self._display.recover(match)
        is_past = match.is_over and self._changes.now() - match.touched_at > FINISHED_GIVEN_UP_AFTER
        if is_past and outcome is not Delivered.DELIVERED:
            self._versions.board(match.id, match.version)
        return outcome

    async def give_up(self, delivery: Delivery[StaleBoard]) -> None:
        self._versions.board(delivery.item.match_id, delivery.version)

    async def _on_its_invitation(self, match: Match) -> Match:
        """Put the first board on the message of the invitation, which would otherwise keep inviting.

        After a start both are stale at once, so neither source may leave it to the other.
        """
        challenge = await self._stores.challenges.of_match(match.id)
        if challenge is None or challenge.location.message_id is None:
            return match
        if challenge.location.channel_id != match.location.channel_id:
            return match  # the board goes to a thread of its own
        return await self._changes.attach(match.id, challenge.location)


class Invitations:
    """The messages of challenges."""

    name: Final = "invitation"
    idle_seconds: Final = 5.0

    def __init__(
        self,
        stores: Stores,
        display: Display,
        changes: Changes,
        versions: ShownVersions,
        background: Background,
    ) -> None:
        self._stores = stores
        self._display = display
        self._changes = changes
        self._versions = versions
        self._accepted: LruDict[int, Challenge] = LruDict(MAX_ACCEPTED)
        self._changed = Coalescer[int, Challenge](background, self.post, MAX_CONCURRENT_DISPLAYS)
        changes.subscribe(Challenge, self._on_change)
        changes.subscribe(Match, self._on_match)

    def _on_change(self, changed: Changed[Challenge]) -> None:
        before, challenge = changed.before, changed.after
        if challenge.match_id is not None:
            # Displayed once its match has a board, which may be on the invitation's message.
            self._accepted[challenge.match_id] = challenge
        elif before is not None and before.location == challenge.location:
            self._changed.offer(challenge.id, challenge)

    def _on_match(self, changed: Changed[Match]) -> None:
        match = changed.after
        if match.id in self._accepted and match.location.message_id is not None:
            challenge = self._accepted.pop(match.id)
            self._changed.offer(challenge.id, challenge)

    async def post(self, challenge: Challenge) -> None:
        """Display an invitation that answers no press and no command."""
        await self.deliver(_delivery_of(challenge))

    async def stale(self, limit: int) -> Sequence[Delivery[Challenge]]:
        return [_delivery_of(challenge) for challenge in await self._stores.challenges.stale(limit)]

    async def deliver(self, delivery: Delivery[Challenge]) -> Delivered:
        challenge = delivery.item
        message_id = challenge.location.message_id
        if challenge.status is not ChallengeStatus.ACCEPTED or challenge.match_id is None:
            return await self._display.show_challenge(challenge)
        match = await self._stores.matches.find(challenge.match_id)
        if match is None:
            return await self._display.show_challenge(challenge)
        # The message of an accepted invitation becomes the board, or the line above the board's thread.
        is_board = match.location.message_id in (None, message_id)
        is_above_thread = match.location.channel_id == message_id
        if not is_board and not is_above_thread:
            return await self._display.show_challenge(challenge)
        is_unsent = match.location.message_id is None and match.version == 0
        if is_unsent and not is_above_thread and message_id is not None:
            match = await self._changes.attach(match.id, challenge.location)
            self._versions.invitation(challenge.id, challenge.version)
            return await self._display.show(match)
        self._versions.invitation(challenge.id, challenge.version)
        return Delivered.DELIVERED

    async def give_up(self, delivery: Delivery[Challenge]) -> None:
        self._versions.invitation(delivery.item.id, delivery.version)


def _delivery(board: StaleBoard) -> Delivery[StaleBoard]:
    if board.message_id is not None:
        return Delivery(board.match_id, board, board.channel_id, board.version, GRACE_SECONDS)
    # A board without a known message is searched for, sent, and noted: three requests.
    return Delivery(board.match_id, board, board.channel_id, board.version, UNSENT_GRACE_SECONDS, requests=3)


def _delivery_of(challenge: Challenge) -> Delivery[Challenge]:
    grace = UNSENT_GRACE_SECONDS if challenge.location.message_id is None else GRACE_SECONDS
    return Delivery(challenge.id, challenge, challenge.location.channel_id, challenge.version, grace)
