"""Calls: small messages that notify the one person whose turn it is, and go when they have moved.

An edited mention does not notify, so the board itself cannot call anybody. Where many play in one channel the
calls go through the presses that led to them: Discord counts those for each press, and what the bot sends by
itself for the whole channel.
"""

from __future__ import annotations

import logging
import time
from collections import OrderedDict, deque
from collections.abc import Collection

import discord

from bot.domain.match import Match
from bot.i18n import Texts, plain
from bot.services import SettingsCache, Shown
from bot.store import Call
from bot.ui import formatting
from bot.ui.client import Interaction
from bot.ui.context import TORN, is_alive
from bot.ui.layout import custom_ids, mentioning
from bot.ui.refusals import find_own, outcome_of
from engine.core import Player

log = logging.getLogger(__name__)


CROWD, CROWD_SECONDS = 3, 5.0
"""So many calls in a channel within so many seconds are left to the bot's own token; Discord takes about five
messages in that time."""

REMEMBERED = 500
"""Calls sent through a press that can still be taken back through it."""


class Calls:
    """Sends and deletes the calls of one client. Lives on its event loop."""

    def __init__(self, client: discord.Client, texts: Texts, settings_cache: SettingsCache) -> None:
        self._client = client
        self._texts = texts
        self._settings_cache = settings_cache
        self._sent_at: dict[int, deque[float]] = {}
        self._presses: OrderedDict[int, Interaction] = OrderedDict()

    def is_wanted(self, match: Match) -> bool:
        """Whether who has to answer an offer, or else to move, is a person and wishes to be called."""
        user_id = match.seats[_asked(match)].user_id
        return user_id is not None and self._settings_cache.person(user_id).is_called

    async def call(self, match: Match, interaction: Interaction | None = None) -> int | Shown:
        """Calls whoever has to answer an offer, or else to move: the message's id, or why there is none.

        press: a live one that led to this, if there is any.
        """
        if match.draw_offer is not None:
            return await self._notify(match, _asked(match), "call_draw", interaction)
        if match.undo_request is not None:
            return await self._notify(match, _asked(match), "call_undo", interaction)
        return await self._notify(match, match.to_move, "call_turn", interaction)

    async def warn(self, match: Match) -> int | Shown:
        """Warns whoever has to move that the clock runs out."""
        return await self._notify(match, match.to_move, "call_clock", None)

    async def remove(self, call: Call, others: Collection[int] = ()) -> Shown:
        """Deletes a call that has done its work, once found if its id was lost."""
        try:
            message_id = call.message_id or await self._found(call, others)
            if message_id is None:
                return Shown.NEVER
            interaction = self._presses.pop(message_id, None)
            if interaction is not None and is_alive(interaction):
                await interaction.followup.delete_message(message_id)
            else:
                channel = self._client.get_partial_messageable(call.channel_id)
                await channel.get_partial_message(message_id).delete()
        except Exception as error:  # noqa: BLE001 - whatever it is, it must stop nothing but this message
            outcome = outcome_of(error)
            if outcome is not Shown.NEVER:
                log.warning("match %d: a call could not be deleted: %r", call.match_id, error)
            return outcome
        return Shown.YES

    async def _found(self, call: Call, others: Collection[int]) -> int | None:
        """The message of a call after whose sending the process ended, or its connection tore."""

        def is_meant(message: discord.Message) -> bool:
            if message.id in others or custom_ids(message):
                return False
            is_call = message.content.startswith(("<@", "⏳"))
            return is_call and (call.board_id is None or f"/{call.board_id}" in message.content)

        found = await find_own(self._client, call.channel_id, call.called_at, is_meant)
        return None if found is None else found.id

    async def _notify(
        self, match: Match, player: Player, key: str, interaction: Interaction | None
    ) -> int | Shown:
        user_id = match.seats[player].user_id
        location = match.location
        if user_id is None or not self._settings_cache.person(user_id).is_called:
            return Shown.NEVER
        t = self._texts.of(location.locale)
        text = t(
            key,
            mention=f"<@{user_id}>",
            other=plain(match.seats[player.other].name),
            game=formatting.title(t, match),
            when="" if match.deadline is None else f"<t:{int(match.deadline.timestamp())}:R>",
        )
        address = formatting.board_link(location)
        line = text if address is None else t("linked", text=text, address=address)
        try:
            return await self._send(match, line, mentioning(user_id), interaction)
        except Exception as error:  # noqa: BLE001 - whatever it is, the match goes on
            log.warning("match %d: its player could not be called: %r", match.id, error)
            return outcome_of(error)

    async def _send(
        self, match: Match, line: str, mentions: discord.AllowedMentions, interaction: Interaction | None
    ) -> int:
        """The new message's id; raises what Discord and the network raise."""
        location = match.location
        if interaction is not None and self._is_crowded(location.channel_id):
            sent = await interaction.followup.send(line, allowed_mentions=mentions, wait=True)
            self._presses[sent.id] = interaction
            while len(self._presses) > REMEMBERED:
                self._presses.popitem(last=False)
            return sent.id
        channel = self._client.get_partial_messageable(location.channel_id, guild_id=location.guild_id)
        nonce = f"n{match.id}-{match.version}"[:25]
        try:
            return (await channel.send(line, allowed_mentions=mentions, nonce=nonce)).id
        except TORN:
            # By its nonce the second one is the first, if that was sent after all.
            return (await channel.send(line, allowed_mentions=mentions, nonce=nonce)).id

    def _is_crowded(self, channel_id: int) -> bool:
        """Whether the bot itself has called so often there lately that one more might have to wait.

        If not, one more is counted.
        """
        now = time.monotonic()
        if len(self._sent_at) > REMEMBERED:
            self._sent_at.clear()
        lately = self._sent_at.setdefault(channel_id, deque())
        while lately and now - lately[0] > CROWD_SECONDS:
            lately.popleft()
        if len(lately) >= CROWD:
            return True
        lately.append(now)
        return False


def _asked(match: Match) -> Player:
    """Who has to answer an offer, or else to move."""
    offer = match.undo_request if match.draw_offer is None else match.draw_offer
    return match.to_move if offer is None else offer.other
