"""Calls: small messages that notify the one person whose turn it is, and go when they have moved.

An edited mention does not notify, so the board itself cannot call anybody. Where many play in one channel the
calls go through the presses that led to them: Discord counts those for each press, and what the bot sends by
itself for the whole channel.
"""

from __future__ import annotations

import logging
import time
from collections import OrderedDict, deque

import discord

from bot.domain.match import Match
from bot.i18n import Texts, plain
from bot.services import SettingsCache
from bot.store import Notice
from bot.ui import formatting
from bot.ui.client import Interaction
from bot.ui.context import UNREACHABLE, is_alive
from bot.ui.layout import mentioning
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
        self._care = settings_cache
        self._sent_at: dict[int, deque[float]] = {}
        self._presses: OrderedDict[int, Interaction] = OrderedDict()

    async def call(self, match: Match, interaction: Interaction | None = None) -> Notice | None:
        """Calls whoever has to answer an offer, or else to move; None when that is an agent or failed.

        press: a live one that led to this, if there is any.
        """
        if match.draw_offer is not None:
            return await self._notify(match, match.draw_offer.other, "call_draw", interaction)
        if match.undo_request is not None:
            return await self._notify(match, match.undo_request.other, "call_undo", interaction)
        return await self._notify(match, match.to_move, "call_turn", interaction)

    async def warn(self, match: Match) -> Notice | None:
        """Warns whoever has to move that the clock runs out."""
        return await self._notify(match, match.to_move, "call_clock", None)

    async def remove(self, notice: Notice) -> None:
        """Deletes a call that has done its work."""
        channel = self._client.get_partial_messageable(notice.channel_id)
        interaction = self._presses.pop(notice.message_id, None)
        try:
            if interaction is not None and is_alive(interaction):
                await interaction.followup.delete_message(notice.message_id)
            else:
                await channel.get_partial_message(notice.message_id).delete()
        except discord.NotFound:
            log.debug("notice %d is gone already", notice.message_id)
        except UNREACHABLE as error:
            log.warning("notice %d could not be deleted: %s", notice.message_id, error)

    async def _notify(
        self, match: Match, player: Player, key: str, interaction: Interaction | None
    ) -> Notice | None:
        user_id = match.seats[player].user_id
        location = match.location
        if user_id is None or not self._care.person(user_id).is_called:
            return None
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
            message_id = await self._send(match, line, mentioning(user_id), interaction)
        except UNREACHABLE as error:
            log.warning("match %d: its player could not be called: %s", match.id, error)
            return None
        return Notice(location.channel_id, message_id)

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
        # The nonce makes a repeated request after a lost answer harmless.
        nonce = f"n{match.id}-{match.version}"[:25]
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
