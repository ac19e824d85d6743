"""BoardDelivery: brings the message of a match up to date, by whichever way works."""

from __future__ import annotations

import logging
from dataclasses import replace

import discord

from bot.domain.location import Channel, Location, Web
from bot.domain.match import Match
from bot.domain.outgoing import place_of
from bot.services.changes import Changes
from bot.services.ports import Delivered, NotDelivered
from bot.services.shown_versions import ShownVersions
from bot.ui.client import Interaction
from bot.ui.context import is_reachable
from bot.ui.discord_errors import (
    UNKNOWN_CHANNEL,
    UNKNOWN_MESSAGE,
    is_deleted,
    wants_new_board,
)
from bot.ui.layout import custom_ids
from bot.ui.match.board_state import BoardStates
from bot.ui.match.board_views import BoardViews
from bot.ui.match.routes import ACTION, PLAY
from bot.ui.messages import Content, Messages
from bot.ui.threads import BoardThreads

log = logging.getLogger(__name__)


class BoardDelivery:
    """The boards of one client. Lives on its event loop."""

    def __init__(
        self,
        messages: Messages,
        views: BoardViews,
        changes: Changes,
        versions: ShownVersions,
        threads: BoardThreads,
    ) -> None:
        self._messages = messages
        self.views = views
        self._changes = changes
        self._versions = versions
        self._threads = threads
        self.states = BoardStates(versions)

    async def recover(self, match: Match) -> Delivered:
        """Deliver a match that the database calls stale, whatever this process remembers of its message.

        Another process may have edited it since. A message whose id was lost is found, or a new one sent. A
        deleted one stays away.
        """
        async with self.states.of(match.id).lock:
            match = await self._changes.match(match.id)
            if isinstance(match.location, Web):
                return Delivered.DELIVERED
            if match.location.message_id is None:
                return (await self._find(match))[1]
            if not self._versions.is_waiting(match.id):
                self.states.of(match.id).version = -1
            return await self.refresh(match)

    # The lock of the match is held from here on

    async def refresh(self, match: Match) -> Delivered:
        """Make the match's message show it, unless it shows something newer already, or it has none."""
        if match.has_lost_board:
            self.states.displayed(match.id, match.version)
            return Delivered.GONE
        if match.version <= self.states.of(match.id).version:
            return Delivered.DELIVERED
        if match.location.message_id is None:
            return Delivered.MESSAGE_REFUSED
        return (await self.update(match))[1]

    async def update(self, match: Match) -> tuple[Match, Delivered]:
        """Edit the match's message, or send a new one where only that helps; returns the match as stored.

        One that people have deleted stays away: in a server moderators alone can do that.
        """
        try:
            await self._edit(match)
        except NotDelivered as refusal:
            has_lost_thread = _is_channel_gone(refusal) and match.channel.parent_id is not None
            is_gone = is_deleted(refusal.__cause__, UNKNOWN_MESSAGE)
            await self._lose_channel(match, refusal)
            if is_gone and match.location.message_id is not None:
                await self._changes.lose_board(match.id, match.location.message_id)
            # Only a board to play on is replaced, and only where a new message may succeed: `send` leaves a
            # lost thread for the channel around it.
            may_succeed = has_lost_thread or wants_new_board(refusal.__cause__)
            if match.is_over or is_gone or not may_succeed:
                log.warning("match %d could not be displayed: %s", match.id, refusal)
                return match, refusal.outcome
            log.info("match %d gets a new board: %s", match.id, refusal)
            return await self.send(match)
        if match.is_over:
            await self.wind_up(match)
        self.states.displayed(match.id, match.version)
        return match, Delivered.DELIVERED

    async def send(self, match: Match, note: str | None = None) -> tuple[Match, Delivered]:
        """Send a new board and take the controls from the old one; returns the match as stored.

        note: the key of a text below the board.
        """
        old = match.channel
        try:
            content = Content(await self.views.board(match, note=note))
            sent = await self._messages.send(place_of(old), content, f"b{match.id}-{match.version}")
        except NotDelivered as refusal:
            if _is_channel_gone(refusal) and old.parent_id is not None and not match.is_over:
                # Its thread is gone: it goes on in the channel around it.
                await self._changes.move_out(old.channel_id, old.parent_id)
                return await self.send(await self._changes.match(match.id), "thread_was_deleted")
            await self._lose_channel(match, refusal)
            log.warning("match %d: no new board could be sent: %s", match.id, refusal)
            return match, refusal.outcome
        has_old = not match.has_lost_board
        match = await self.attach(match, replace(old, message_id=sent), None)
        if has_old:
            await self.strip(match, old)
        return match, Delivered.DELIVERED

    async def attach(self, match: Match, location: Channel, interaction: Interaction | None) -> Match:
        """Make the message that was just sent the match's board; returns the match as stored.

        interaction: whose answer the board is.
        """
        after = await self._changes.attach(match.id, location)
        state = self.states.of(match.id)
        state.is_reachable = interaction is None or is_reachable(interaction)
        if after.version == match.version + 1:
            self.states.displayed(match.id, after.version)
            return after
        # A change that was stored while the board was sent is not on it yet.
        self.states.displayed(match.id, match.version)
        return (await self.update(after))[0]

    async def wind_up(self, match: Match) -> None:
        """Let the thread of a match that is over close soon."""
        if await self._threads.own(match.channel) is None:
            return
        if not await self._changes.is_in_tournament(match.id):
            await self._threads.wind_up(match.channel, self.views.line_above(match, match.channel))

    async def remove(self, match: Match) -> None:
        """Delete the board of a match that is over; raises NotDelivered."""
        place = match.channel
        if place.message_id is not None:
            await self._messages.delete(place_of(place), place.message_id)
        self.states.displayed(match.id, match.version)
        await self.wind_up(match)

    async def strip(self, match: Match, old: Location) -> None:
        """Take the controls from a message that the match has left; one that is gone needs nothing."""
        if isinstance(old, Web) or old.message_id is None:
            return
        try:
            await self._messages.edit(place_of(old), old.message_id, Content(self.views.moved(match, old)))
        except NotDelivered as refusal:  # a press on it is told where the board is
            log.info("match %d: its old board keeps its buttons: %s", match.id, refusal)

    async def open_thread(self, match: Match, line: Channel) -> Match:
        """Open a thread below that line and send the first board there; else the line becomes the board."""
        thread_id = await self._threads.open(line, self.views.thread_name(match, line))
        if thread_id is not None:
            there = replace(line, channel_id=thread_id, message_id=None, parent_id=line.channel_id)
            # Stored first, so that a board that is lost on its way is searched for in the thread.
            match = await self._changes.attach(match.id, there)
            match, outcome = await self.send(match)
            if outcome is Delivered.DELIVERED:
                await self._link_to_thread(match, line)
                return match
        match = await self._changes.attach(match.id, line)
        self.states.of(match.id).version = -1
        await self.refresh(match)
        return match

    async def _link_to_thread(self, match: Match, line: Channel) -> None:
        content = Content(self.views.line_above(match, line))
        try:
            await self._messages.edit(place_of(line), line.message_id or 0, content)
        except NotDelivered as refusal:
            log.info("the line above thread %d has no link: %s", line.message_id, refusal)

    async def _edit(self, match: Match) -> None:
        content, place = Content(await self.views.board(match)), match.channel
        message_id = place.message_id or 0
        if self.states.of(match.id).is_reachable:
            await self._messages.edit(place_of(place), message_id, content)
        elif not await self._messages.edit_by_press(message_id, content):
            raise NotDelivered(Delivered.MESSAGE_REFUSED, "only a press can edit it")

    async def _find(self, match: Match) -> tuple[Match, Delivered]:
        """Find the board that was sent and whose id was lost, or send a new one."""
        place = match.channel
        try:
            found = await self._messages.find(
                place_of(place), match.created_at, lambda one: is_board(one, match.id)
            )
        except NotDelivered as refusal:
            await self._lose_channel(match, refusal)
            return match, refusal.outcome
        if found is not None:
            adopted = await self._changes.adopt(match.id, replace(place, message_id=found))
            if adopted is not None:  # another version of the match may be on it, so it is edited
                log.info("match %d: message %d becomes its board", match.id, found)
                return await self.update(adopted)
        return (match, Delivered.GONE) if match.is_over else await self.send(match)

    async def _lose_channel(self, match: Match, refusal: NotDelivered) -> None:
        """Let the clock stand if the match's channel was deleted."""
        place = match.channel
        if _is_channel_gone(refusal) and place.parent_id is None and not match.is_over:
            await self._changes.lose_channel(place.channel_id)


def _is_channel_gone(refusal: NotDelivered) -> bool:
    return is_deleted(refusal.__cause__, UNKNOWN_CHANNEL)


def is_board(message: discord.Message, match_id: int) -> bool:
    """Return whether the message is a board of that match."""
    routes = (PLAY.move, PLAY.select, PLAY.pick, ACTION)
    read = (route.read(one) for one in custom_ids(message) for route in routes)
    return any(values is not None and values[0] == match_id for values in read)
