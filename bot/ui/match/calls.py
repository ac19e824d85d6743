"""Calls: small messages that notify the one person whose turn it is, and go when they have moved.

An edited mention does not notify, so the board itself cannot call anybody. Where many play, in one channel or
everywhere, the calls go through the presses that led to them: Discord counts those for each press, and what
the bot sends by itself for the whole channel, and among the 50 requests a second that it allows a bot.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Sequence

import discord

from bot.domain.lru_dict import LruDict
from bot.domain.match import Match
from bot.i18n import Texts, plain
from bot.presentation import status
from bot.services.ports import Delivered
from bot.services.settings import SettingsCache
from bot.store.calls import Call
from bot.store.shared import SENDING_FOR
from bot.ui.answers import has_live_token
from bot.ui.client import Interaction
from bot.ui.discord_errors import CONNECTION_ERRORS, DISCORD_ERRORS, classify, find_own
from bot.ui.followups import follow_up
from bot.ui.layout import LINK, custom_ids, linked, mentioning
from engine.core import Player

log = logging.getLogger(__name__)


CROWD, CROWD_SECONDS = 3, 5.0
"""So many calls in a channel within so many seconds are left to the bot's own token; Discord takes about five
messages in that time."""

EVERYWHERE, EVERYWHERE_SECONDS = 10, 20.0
"""The same over all channels of one process: with their removal a request a second, so that 25 processes
still have half of the 50 left (docs/scaling.md)."""

REMEMBERED = 500
"""Calls sent through a press that can still be taken back through it."""


class Calls:
    """Sends and deletes the calls of one client. Lives on its event loop."""

    def __init__(self, client: discord.Client, texts: Texts, settings_cache: SettingsCache) -> None:
        self._client = client
        self._texts = texts
        self._settings_cache = settings_cache
        self._sent_at: dict[int, deque[float]] = {}
        self._sent_anywhere: deque[float] = deque()
        self._presses: LruDict[int, Interaction] = LruDict(REMEMBERED)
        self._deleted: LruDict[int, None] = LruDict(REMEMBERED)

    def is_wanted(self, match: Match) -> bool:
        """Whether who has to answer an offer, or else to move, is a person and wishes to be called."""
        user_id = match.seats[_asked(match)].user_id
        return user_id is not None and self._settings_cache.person(user_id).is_called

    async def call(self, match: Match, interaction: Interaction | None = None) -> int | Delivered:
        """Calls whoever has to answer an offer, or else to move: the message's id, or why there is none.

        press: a live one that led to this, if there is any.
        """
        if match.draw_offer is not None:
            return await self._notify(match, _asked(match), "call_draw", interaction)
        if match.undo_request is not None:
            return await self._notify(match, _asked(match), "call_undo", interaction)
        return await self._notify(match, match.to_move, "call_turn", interaction)

    async def warn(self, match: Match) -> int | Delivered:
        """Warns whoever has to move that the clock runs out."""
        return await self._notify(match, match.to_move, "call_clock", None)

    async def find(self, lost: Sequence[Call], match: Match | None = None) -> tuple[int, ...] | Delivered:
        """The messages of calls to one board from the first to the last of these, or why nobody can tell.

        They are oldest first. After the sending of one of them the process ended, or its connection tore.
        match: as it is now, for those alone that call whoever is to act in it.
        """
        call, until = lost[0], lost[-1].called_at + SENDING_FOR
        mention = "" if match is None else f"<@{match.seats[_asked(match)].user_id}>"

        def is_meant(message: discord.Message) -> bool:
            is_call = message.content.startswith(("<@", "⏳")) and not custom_ids(message)
            is_linked = LINK in message.content
            is_there = f"/{call.board_id}" in message.content if call.board_id else not is_linked
            return is_call and is_there and mention in message.content

        try:
            own = await find_own(self._client, call.channel_id, call.called_at, is_meant, until=until)
            return tuple(message.id for message in own)
        except Exception as error:  # noqa: BLE001 - whatever it is, it must stop nothing but this message
            return self._failed(call, "looked for", error)

    async def remove(self, call: Call) -> Delivered:
        """Deletes a call that has done its work; its message must be known."""
        if call.message_id is None:
            return Delivered.GONE
        # Discord may tell of it before it answers.
        self._deleted[call.message_id] = None
        try:
            interaction = self._presses.pop(call.message_id, None)
            if interaction is not None and has_live_token(interaction):
                await interaction.followup.delete_message(call.message_id)
            else:
                channel = self._client.get_partial_messageable(call.channel_id)
                await channel.get_partial_message(call.message_id).delete()
        except Exception as error:  # noqa: BLE001 - whatever it is, it must stop nothing but this message
            return self._failed(call, "deleted", error)
        return Delivered.DELIVERED

    def has_deleted(self, message_id: int) -> bool:
        """Whether `remove` was lately asked to delete it."""
        return message_id in self._deleted

    @staticmethod
    def _failed(call: Call, what: str, error: Exception) -> Delivered:
        outcome = classify(error)
        if outcome is not Delivered.GONE:
            log.warning("match %d: a call could not be %s: %r", call.match_id, what, error)
        return outcome

    async def _notify(
        self, match: Match, player: Player, key: str, interaction: Interaction | None
    ) -> int | Delivered:
        user_id = match.seats[player].user_id
        location = match.location
        if user_id is None or not self._settings_cache.person(user_id).is_called:
            return Delivered.GONE
        t = self._texts.of(location.locale)
        text = t(
            key,
            mention=f"<@{user_id}>",
            other=plain(match.seats[player.other].name),
            game=status.title(t, match),
            when="" if match.deadline is None else f"<t:{int(match.deadline.timestamp())}:R>",
        )
        line = linked(t, text, location)
        try:
            return await self._send(match, line, mentioning(user_id), interaction)
        except Exception as error:  # noqa: BLE001 - whatever it is, the match goes on
            log.warning("match %d: its player could not be called: %r", match.id, error)
            return classify(error)

    async def _send(
        self, match: Match, line: str, mentions: discord.AllowedMentions, interaction: Interaction | None
    ) -> int:
        """The new message's id; raises what Discord and the network raise."""
        location = match.location
        if interaction is not None and self._is_crowded(location.channel_id):
            sent = await self._follow_up(line, mentions, interaction)
            if sent is not None:
                return sent
        channel = self._client.get_partial_messageable(location.channel_id, guild_id=location.guild_id)
        nonce = f"n{match.id}-{match.version}"[:25]
        try:
            return (await channel.send(line, allowed_mentions=mentions, nonce=nonce)).id
        except CONNECTION_ERRORS:
            # By its nonce the second one is the first, if that was sent after all.
            return (await channel.send(line, allowed_mentions=mentions, nonce=nonce)).id

    async def _follow_up(
        self, line: str, mentions: discord.AllowedMentions, interaction: Interaction
    ) -> int | None:
        """The new message's id; None where it was not sent: the connection tore, or the press is no good."""
        try:
            message_id = await follow_up(interaction, content=line, allowed_mentions=mentions)
        except DISCORD_ERRORS as error:
            log.info("nobody could be called through %s: %r", interaction.id, error)
            return None
        self._presses[message_id] = interaction
        return message_id

    def _is_crowded(self, channel_id: int) -> bool:
        """Whether the bot itself has called so often lately, there or everywhere, that one more might wait.

        If not, one more is counted.
        """
        now = time.monotonic()
        if len(self._sent_at) > REMEMBERED:
            self._sent_at.clear()
        there, anywhere = self._sent_at.setdefault(channel_id, deque()), self._sent_anywhere
        _forget(there, now - CROWD_SECONDS)
        _forget(anywhere, now - EVERYWHERE_SECONDS)
        if len(there) >= CROWD or len(anywhere) >= EVERYWHERE:
            return True
        there.append(now)
        anywhere.append(now)
        return False


def _forget(times: deque[float], before: float) -> None:
    while times and times[0] < before:
        times.popleft()


def _asked(match: Match) -> Player:
    """Who has to answer an offer, or else to move."""
    offer = match.undo_request if match.draw_offer is None else match.draw_offer
    return match.to_move if offer is None else offer.other
