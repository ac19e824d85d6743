"""PingMessages: small messages that notify the person to act, since an edited mention sends no notification.

In a crowd, in one channel or in all together, pings go through the presses that led to them: Discord counts
those for each press, and the bot's own for the whole channel and among its 50 requests a second.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import discord

from bot.domain.lru_dict import LruDict
from bot.domain.match import Match
from bot.domain.outgoing import Place, place_of
from bot.domain.turn_ping import CLOCK, DRAW, UNDO, ask_of
from bot.i18n import Texts, plain
from bot.presentation import status
from bot.presentation.links import LINK
from bot.services.ports import Delivered, NotDelivered
from bot.services.rate_window import RateWindow
from bot.services.settings import SettingsCache
from bot.ui.answers import has_live_token
from bot.ui.client import Interaction, PressTokens
from bot.ui.discord_errors import CLOCK_SLACK, CONNECTION_ERRORS, DISCORD_ERRORS, classify
from bot.ui.followups import follow_up
from bot.ui.layout import custom_ids, linked, mentioning
from bot.ui.messages import Content, Messages
from engine.core import Player

log = logging.getLogger(__name__)

OWN_PINGS_PER_CHANNEL, CHANNEL_SECONDS = 3, 5.0
"""Pings by the bot's own token; Discord takes about five messages in a channel in that time."""

OWN_PINGS, OWN_PINGS_SECONDS = 10, 20.0
"""The same over all channels of one process: with their deletion a request a second, so that 25 processes
still have half of the 50 left (docs/scaling.md)."""

MAX_PRESSES = 500
"""Pings sent through a press that can still be deleted through it."""

MAX_DELETED = 2000
"""Deleted messages that are remembered: pings, and whatever else is deleted where the bot can see it."""

PAGE_SIZE, MAX_PAGES = 100, 10
"""Messages that one request returns, and how many requests go back in a channel for lost pings."""

SHARED_SECONDS = 30.0
"""How long a search of a channel serves all its matches."""

MAX_HISTORIES = 500
"""Channels that are searched at once."""

TEXTS = {0: "call_turn", DRAW: "call_draw", UNDO: "call_undo", CLOCK: "call_clock"}


@dataclass(slots=True)
class ReadHistory:
    """The bot's pings among the latest messages of a channel, newest first, as message and text.

    began_at: in the loop's time. oldest, newest: the messages between which the channel is read.
    """

    began_at: float
    oldest: int | None = None
    newest: int = 0
    pages: int = 0
    pings: list[tuple[int, str]] = field(default_factory=list)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class PingMessages:
    """Sends, finds and deletes the pings of one client. Lives on its event loop."""

    def __init__(
        self,
        client: discord.Client,
        messages: Messages,
        presses: PressTokens,
        texts: Texts,
        settings_cache: SettingsCache,
    ) -> None:
        self._client = client
        self._messages = messages
        self._board_presses = presses
        self._texts = texts
        self._settings_cache = settings_cache
        self._anywhere = RateWindow(OWN_PINGS, OWN_PINGS_SECONDS)
        self._there: LruDict[int, RateWindow] = LruDict(MAX_PRESSES)
        self._presses: LruDict[int, Interaction] = LruDict(MAX_PRESSES)
        self._deleted: LruDict[int, bool] = LruDict(MAX_DELETED)
        self._read: LruDict[int, ReadHistory] = LruDict(MAX_HISTORIES)

    def is_wanted(self, match: Match) -> bool:
        """Whether the person to act wants pings and can get them; False for agents."""
        user_id = match.seats[asked_player(match)].user_id
        if user_id is None or self._messages.problem(match.location.guild_id) is Delivered.GONE:
            return False
        return self._settings_cache.person(user_id).is_called

    async def send(self, match: Match) -> int | Delivered:
        """Ping the person to act: the message's id, or why there is none."""
        player, location = asked_player(match), match.channel
        user_id = match.seats[player].user_id or 0
        t = self._texts.of(location.locale)
        kind = (ask_of(match) or 0) % 4
        # An offer to the player to move, often made with a move, is told beside the turn or the clock.
        offers = [said for _, side, said in status.offers(t, match) if match.to_move is player is side.other]
        text = t(
            TEXTS[0 if offers and kind in (DRAW, UNDO) else kind],
            mention=f"<@{user_id}>",
            other=plain(match.seats[player.other].name),
            game=status.title(t, match),
            when="" if match.deadline is None else f"<t:{int(match.deadline.timestamp())}:R>",
        )
        line = linked(t, " ".join((text, *offers)), location)
        if self._deleted.get(location.message_id or 0):
            line = " ".join((text, *offers, t("call_without_board")))
        interaction = self._board_presses.newest(location.message_id)
        if interaction is not None and self._is_crowded(location.channel_id):
            sent = await self._follow_up(line, mentioning(user_id), interaction)
            if sent is not None:
                return sent
        try:
            return await self._send(match, Content(text=line, mentions=mentioning(user_id)))
        except NotDelivered as refusal:
            log.warning("match %d: its player could not be pinged: %s", match.id, refusal)
            self._read.pop(location.channel_id, None)  # it may have been sent all the same
            return refusal.outcome

    async def find(self, match: Match, since: int | None) -> Mapping[int, bool] | Delivered:
        """Return the pings that link to the board, oldest first, and whether each is for the person to act.

        since: the match's ping that is known, which is among them, as False, unless it is gone; None for all
        pings of the match.
        """
        location = match.channel
        if location.message_id is None:
            return {} if since is None else {since: False}
        # A message's id is a time by Discord's clock; before the match there are no pings of it.
        begun = discord.utils.time_snowflake(match.created_at - CLOCK_SLACK)
        after = begun if since is None else since
        board, mention = f"/{location.message_id}", f"<@{match.seats[asked_player(match)].user_id}>"
        try:
            pings, is_covered = await self._pings_after(location.channel_id, after)
        except DISCORD_ERRORS as error:
            log.warning("match %d: its pings could not be searched for: %r", match.id, error)
            return classify(error)
        found = {
            key: mention in content for key, content in reversed(pings) if key > after and board in content
        }
        # Only a search that went back far enough tells that the known ping is gone.
        if since is None or (is_covered and all(key != since for key, _ in pings)):
            return found
        return {since: False, **found}

    async def delete(self, channel_id: int, message_id: int) -> Delivered:
        """Delete a ping that has done its work, unless Discord has told that it is gone."""
        if self._deleted.get(message_id):
            return Delivered.DELIVERED
        is_repeated = message_id in self._deleted
        # Noted before: Discord may tell of the deletion before it answers the request.
        self._deleted[message_id] = False
        try:
            interaction = self._presses.pop(message_id, None)
            if interaction is not None and has_live_token(interaction):
                await interaction.followup.delete_message(message_id)
            else:
                await self._messages.delete(Place(channel_id), message_id, may_stay=False)
        except (NotDelivered, *DISCORD_ERRORS) as error:
            outcome = classify(error)
            if outcome is not Delivered.GONE:
                log.warning("ping %d could not be deleted: %r", message_id, error)
            # The first request succeeded although its answer was lost, or a person deleted the ping.
            return Delivered.DELIVERED if outcome is Delivered.GONE and is_repeated else outcome
        return Delivered.DELIVERED

    def are_gone(self, message_ids: Collection[int]) -> list[int]:
        """Note that these messages, if they were pings or boards, are gone; return those new to it."""
        strange = [message_id for message_id in message_ids if message_id not in self._deleted]
        self._deleted.update(dict.fromkeys(message_ids, True))
        return strange

    async def _pings_after(self, channel_id: int, after: int) -> tuple[list[tuple[int, str]], bool]:
        """Return the channel's latest pings with their texts, newest first, back to that message.

        The second value says whether that message, if it is a ping, would be among them.

        After a crash many matches of a channel look for theirs, and Discord takes about one such request a
        second there, so they share the pages that were read.
        """
        now = asyncio.get_running_loop().time()
        read = self._read.get(channel_id)
        if read is None or now - read.began_at > SHARED_SECONDS:
            read = self._read[channel_id] = ReadHistory(now)
        channel = self._client.get_partial_messageable(channel_id)
        own_id = None if self._client.user is None else self._client.user.id
        async with read.lock:
            while (read.oldest is None or read.oldest > after) and read.pages < MAX_PAGES:
                before = None if read.oldest is None else discord.Object(read.oldest)
                page = [message async for message in channel.history(limit=PAGE_SIZE, before=before)]
                read.pages += 1
                read.newest = max((read.newest, *(message.id for message in page)))
                # A page that is not full reaches the channel's beginning: 0 is before every message.
                read.oldest = page[-1].id if len(page) == PAGE_SIZE else 0
                read.pings += [
                    (message.id, message.content)
                    for message in page
                    if message.author.id == own_id and _is_ping(message)
                ]
        return read.pings, (read.oldest or 0) <= after <= read.newest

    async def _send(self, match: Match, content: Content) -> int:
        location = match.channel
        # Discord recognises the nonce for some minutes: sent again, after a lost answer or a crash, it is the
        # same message. With the board in it, a ping for another board is another message.
        nonce = f"n{match.id}-{ask_of(match)}-{(location.message_id or 0) % 100_000}"
        try:
            return await self._messages.send(place_of(location), content, nonce)
        except NotDelivered as refusal:
            if not isinstance(refusal.__cause__, CONNECTION_ERRORS):
                raise
            return await self._messages.send(place_of(location), content, nonce)

    async def _follow_up(
        self, line: str, mentions: discord.AllowedMentions, interaction: Interaction
    ) -> int | None:
        """Send it through the press: its id, or None if that failed."""
        try:
            message_id = await follow_up(interaction, content=line, allowed_mentions=mentions)
        except DISCORD_ERRORS as error:
            log.info("no ping could be sent through %s: %r", interaction.id, error)
            return None
        self._presses[message_id] = interaction
        return message_id

    def _is_crowded(self, channel_id: int) -> bool:
        """Whether one more ping by the bot's own token might have to wait; if not, it is counted."""
        there = self._there.get(channel_id) or RateWindow(OWN_PINGS_PER_CHANNEL, CHANNEL_SECONDS)
        self._there[channel_id] = there
        if there.left < 1 or self._anywhere.left < 1:
            return True
        there.spend(1)
        self._anywhere.spend(1)
        return False


def _is_ping(message: discord.Message) -> bool:
    return message.content.startswith(("<@", "⏳")) and LINK in message.content and not custom_ids(message)


def asked_player(match: Match) -> Player:
    """Return the player to answer an offer, or else to move; a warning of the clock is for the latter."""
    if match.warned_turn == match.turn:
        return match.to_move
    offer = match.undo_request if match.draw_offer is None else match.draw_offer
    return match.to_move if offer is None else offer.other
