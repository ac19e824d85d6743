"""BoardDelivery: brings the message of a match up to date, by whichever way works.

Of each message it remembers the version and the ways to edit it.
"""

from __future__ import annotations

import asyncio
import enum
import logging
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any
from weakref import WeakValueDictionary

import discord
from discord import ui

from bot.domain.match import Channel, Location, Match, Web
from bot.services.changes import Changes
from bot.services.ports import Delivered
from bot.services.shown_versions import ShownVersions
from bot.ui.board import pictures_of
from bot.ui.client import Interaction, PressTokens
from bot.ui.context import is_reachable
from bot.ui.discord_errors import (
    DISCORD_ERRORS,
    UNKNOWN_CHANNEL,
    UNKNOWN_MESSAGE,
    classify,
    find_own,
    is_deleted,
    wants_new_board,
)
from bot.ui.layout import custom_ids
from bot.ui.match.board_views import BoardViews
from bot.ui.match.pings import PingMessages
from bot.ui.match.routes import ACTION, PLAY
from bot.ui.threads import BoardThreads

log = logging.getLogger(__name__)


LOCK_WAIT_SECONDS = 1.5
"""How long a press waits for an earlier edit of its board; Discord wants an answer within 3 s."""

MAX_BOARDS_IN_MEMORY = 2000


class PendingAnswer:
    """A press whose answer waits a moment for a newer version, such as the agent's move."""

    def __init__(self, match: Match) -> None:
        self.match = match
        self._is_newer = asyncio.Event()

    def offer(self, match: Match) -> None:
        if match.version > self.match.version:
            self.match = match
            self._is_newer.set()

    async def newest(self, seconds: float) -> Match:
        """Return the newer match as soon as it is offered, or after that time the match as it was."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._is_newer.wait()
        return self.match


@dataclass(slots=True)
class BoardState:
    """One match's message.

    version: the displayed one. is_reachable: the bot's own token can edit it, not only that of a press.
    """

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    version: int = -1
    is_reachable: bool = True
    pending: PendingAnswer | None = None


class BoardStates:
    """By match. Lives on the event loop."""

    def __init__(self) -> None:
        self._states: OrderedDict[int, BoardState] = OrderedDict()

    def __len__(self) -> int:
        return len(self._states)

    def of(self, match_id: int) -> BoardState:
        """Return the state of the match's message; an unlocked one is evicted beyond the limit."""
        found = self._states.get(match_id)
        if found is None:
            if len(self._states) >= MAX_BOARDS_IN_MEMORY:
                # A second state of a match that is being edited would let two edits overtake each other.
                idle = next((key for key, other in self._states.items() if not other.lock.locked()), None)
                self._states.pop(match_id if idle is None else idle, None)
            found = self._states[match_id] = BoardState()
        self._states.move_to_end(match_id)
        return found


class Ways(enum.Flag):
    """The ways to bring a board up to date, in the order in which they are tried.

    PRESS: edit it by the token of its newest interaction. Discord counts those edits per
    interaction, and the bot's own per channel; and in servers without the bot there is no other way.
    EDIT: edit it by the bot's token. SEARCH: find a message whose id was lost, and edit it. SEND: send a new
    message, which becomes the board.
    """

    PRESS = enum.auto()
    EDIT = enum.auto()
    SEARCH = enum.auto()
    SEND = enum.auto()


KNOWN = Ways.PRESS | Ways.EDIT | Ways.SEND
"""For a match whose message is known."""

UNKNOWN = Ways.SEARCH | Ways.SEND


class BoardDelivery:
    """The boards of one client. Lives on its event loop; a match's lock is held while it is delivered."""

    def __init__(
        self,
        client: discord.Client,
        views: BoardViews,
        pings: PingMessages,
        changes: Changes,
        versions: ShownVersions,
        threads: BoardThreads,
        presses: PressTokens,
    ) -> None:
        self._client = client
        self.views = views
        self.pings = pings
        self._changes = changes
        self._versions = versions
        self._threads = threads
        self._presses = presses
        self._states = BoardStates()
        self._invitation_locks: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()

    async def deliver(
        self, match: Match, ways: Ways = KNOWN, *, note: str | None = None
    ) -> tuple[Match, Delivered]:
        """Show the match by the first way that works; returns the match as stored.

        note: the key of a text below the board.
        """
        view = await self.views.board(match, note=note)
        if Ways.PRESS in ways and await self._edit_by_press(match, view):
            return await self._delivered(match), Delivered.DELIVERED
        if Ways.EDIT in ways:
            if not self._states.of(match.id).is_reachable:
                log.info("match %d waits for a press: the bot itself cannot edit its board", match.id)
                return match, Delivered.MESSAGE_REFUSED
            if self.is_out_of_guild(match):
                return match, Delivered.GONE
            error = await self._edit_by_bot(match, view)
            if error is None:
                return await self._delivered(match), Delivered.DELIVERED
            has_lost_thread = is_deleted(error, UNKNOWN_CHANNEL) and match.location.parent_id is not None
            await self._lose_channel(match, error)
            # Only a board to play on is replaced, and only where a new message may succeed: `_send` leaves a
            # lost thread for the channel around it.
            if match.is_over or not (has_lost_thread or wants_new_board(error)):
                log.warning("match %d could not be displayed: %r", match.id, error)
                return match, classify(error)
            log.info("match %d gets a new board: %s", match.id, error)
            note = "board_was_deleted" if is_deleted(error, UNKNOWN_MESSAGE) else None
        if Ways.SEARCH in ways:
            found = await self._find(match)
            if isinstance(found, Delivered):
                return match, found
            there = replace(match.channel, message_id=found)
            adopted = None if found is None else await self._changes.adopt(match.id, there)
            if adopted is not None:  # another version of the match may be on it, so it is edited
                log.info("match %d: message %d becomes its board", match.id, found)
                return await self.deliver(adopted)
            if match.is_over:
                return match, Delivered.GONE
        return await self._send(match, note)

    def is_displayed(self, match_id: int, version: int) -> None:
        """Record which version the match's message shows."""
        self._states.of(match_id).version = version
        self._versions.board(match_id, version)

    async def attach(self, match: Match, location: Channel, interaction: Interaction | None) -> Match:
        """Make the message that was just sent the match's board; returns the match as stored.

        interaction: whose answer the board is.
        """
        after = await self._changes.attach(match.id, location)
        state = self._states.of(match.id)
        state.is_reachable = interaction is None or is_reachable(interaction)
        if after.version == match.version + 1:
            self.is_displayed(match.id, after.version)
            return after
        # A change that was stored while the board was sent is not on it yet.
        self.is_displayed(match.id, match.version)
        return (await self.deliver(after))[0]

    async def wind_up(self, match: Match) -> None:
        """Let the thread of a match that is over close soon."""
        if await self._threads.own(match.channel) is None:
            return
        if not await self._changes.is_in_tournament(match.id):
            await self._threads.wind_up(match.channel, self.views.line_above(match, match.channel))

    async def strip(self, match: Match, old: Location) -> None:
        """Take the controls from a message that the match has left; one that is gone needs nothing."""
        if isinstance(old, Web) or old.message_id is None:
            return
        try:
            await self.edit(old, view=self.views.moved(match, old), attachments=[])
        except discord.NotFound:
            log.debug("match %d: its old board is gone", match.id)
        except Exception as error:  # noqa: BLE001 - a press on it is told where the board is
            log.info("match %d: its old board keeps its buttons: %r", match.id, error)

    async def _delivered(self, match: Match) -> Match:
        if match.is_over:
            await self.wind_up(match)
        self.is_displayed(match.id, match.version)
        return match

    async def _edit_by_press(self, match: Match, view: ui.LayoutView) -> bool:
        message_id, pictures = match.location.message_id, await pictures_of(view)
        try:
            return await self._presses.edit(message_id, view=view, attachments=pictures)
        except Exception as error:  # noqa: BLE001 - the bot's own edit may succeed
            log.info("match %d could not be displayed through its last press: %r", match.id, error)
            for picture in pictures:
                picture.reset()
            return False

    async def _edit_by_bot(self, match: Match, view: ui.LayoutView) -> Exception | None:
        message = self.message(match.channel.channel_id, match.channel.message_id or 0)
        try:
            await message.edit(view=view, attachments=await pictures_of(view))
        except Exception as error:  # noqa: BLE001 - returned, and classified by the caller
            return error
        return None

    async def _find(self, match: Match) -> int | Delivered | None:
        """Return the id of a board that was sent and whose id was lost; None if there is none."""
        if self.is_out_of_guild(match):
            return Delivered.GONE
        try:
            found = await find_own(
                self._client,
                match.channel.channel_id,
                match.created_at,
                lambda one: is_board(one, match.id),
            )
        except discord.Forbidden as error:
            log.info("match %d: its board cannot be searched for: %s", match.id, error)
            return None
        except DISCORD_ERRORS as error:
            await self._lose_channel(match, error)
            return classify(error)
        return found[0].id if found else None

    async def _lose_channel(self, match: Match, error: Exception) -> None:
        """Let the clock stand if the error says that the match's channel was deleted."""
        place = match.channel
        if is_deleted(error, UNKNOWN_CHANNEL) and place.parent_id is None and not match.is_over:
            await self._changes.lose_channel(place.channel_id)

    async def _send(self, match: Match, note: str | None) -> tuple[Match, Delivered]:
        """Send a new board and take the controls from the old one."""
        old = match.channel
        channel = self._client.get_partial_messageable(old.channel_id, guild_id=old.guild_id)
        view = await self.views.board(match, note=note)
        try:
            # By the nonce a repeated request after a lost answer makes no second message.
            sent = await channel.send(
                view=view, files=await pictures_of(view), nonce=f"b{match.id}-{match.version}"[:25]
            )
        except Exception as error:  # noqa: BLE001 - whatever Discord answers, the match goes on
            if is_deleted(error, UNKNOWN_CHANNEL) and old.parent_id is not None and not match.is_over:
                # Its thread is gone: it goes on in the channel around it.
                await self._changes.move_out(old.channel_id, old.parent_id)
                return await self._send(await self._changes.match(match.id), "thread_was_deleted")
            await self._lose_channel(match, error)
            log.warning("match %d: no new board could be sent: %r", match.id, error)
            return match, classify(error)
        match = await self.attach(match, replace(old, message_id=sent.id), None)
        await self.strip(match, old)
        return match, Delivered.DELIVERED

    async def edit(self, place: Channel, **content: Any) -> None:
        """Edit a message by its newest press, else by the bot's own token; raises the errors of Discord."""
        if not await self._presses.edit(place.message_id, **content):
            await self.message(place.channel_id, place.message_id or 0).edit(**content)

    def message(self, channel_id: int, message_id: int) -> discord.PartialMessage:
        return self._client.get_partial_messageable(channel_id).get_partial_message(message_id)

    def is_out_of_guild(self, match: Match) -> bool:
        """Whether the match is in a server that the bot is no member of."""
        guild_id = match.location.guild_id
        return guild_id is not None and self._client.get_guild(guild_id) is None


def is_board(message: discord.Message, match_id: int) -> bool:
    """Return whether the message is a board of that match."""
    routes = (PLAY.move, PLAY.select, PLAY.pick, ACTION)
    read = (route.read(one) for one in custom_ids(message) for route in routes)
    return any(values is not None and values[0] == match_id for values in read)
