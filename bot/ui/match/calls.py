"""Calls: small messages that notify the one person whose turn it is, and go when they have moved.

An edited mention does not notify, so the board itself cannot call anybody.
"""

from __future__ import annotations

import logging

import discord
from aiohttp import ClientError

from bot.domain.match import Match
from bot.i18n import Texts, plain
from bot.services import SettingsCache
from bot.store import Notice
from bot.ui import formatting as wording
from bot.ui.layout import mentioning
from engine.core import Player

log = logging.getLogger(__name__)

UNREACHABLE = (discord.HTTPException, discord.RateLimited, ClientError, OSError, TimeoutError)
"""What Discord refuses, and what the network does."""


class Calls:
    """Sends and deletes the calls of one client."""

    def __init__(self, client: discord.Client, texts: Texts, settings_cache: SettingsCache) -> None:
        self._client = client
        self._texts = texts
        self._care = settings_cache

    async def call(self, match: Match) -> Notice | None:
        """Calls whoever has to answer an offer, or else to move; None when that is an agent or failed."""
        if match.draw_offer is not None:
            return await self._notify(match, match.draw_offer.other, "call_draw")
        if match.undo_request is not None:
            return await self._notify(match, match.undo_request.other, "call_undo")
        return await self._notify(match, match.to_move, "call_turn")

    async def warn(self, match: Match) -> Notice | None:
        """Warns whoever has to move that the clock runs out."""
        return await self._notify(match, match.to_move, "call_clock")

    async def remove(self, notice: Notice) -> None:
        """Deletes a call that has done its work."""
        channel = self._client.get_partial_messageable(notice.channel_id)
        try:
            await channel.get_partial_message(notice.message_id).delete()
        except discord.NotFound:
            log.debug("notice %d is gone already", notice.message_id)
        except UNREACHABLE as error:
            log.warning("notice %d could not be deleted: %s", notice.message_id, error)

    async def _notify(self, match: Match, player: Player, key: str) -> Notice | None:
        user_id = match.seats[player].user_id
        location = match.location
        if user_id is None or not self._care.person(user_id).is_called:
            return None
        t = self._texts.of(location.locale)
        text = t(
            key,
            mention=f"<@{user_id}>",
            other=plain(match.seats[player.other].name),
            game=wording.title(t, match),
            when="" if match.deadline is None else f"<t:{int(match.deadline.timestamp())}:R>",
        )
        address = wording.board_link(location)
        channel = self._client.get_partial_messageable(location.channel_id, guild_id=location.guild_id)
        try:
            # The nonce makes a repeated request after a lost answer harmless.
            sent = await channel.send(
                text if address is None else t("linked", text=text, address=address),
                allowed_mentions=mentioning(user_id),
                nonce=f"n{match.id}-{match.version}"[:25],
            )
        except UNREACHABLE as error:
            log.warning("match %d: its player could not be called: %s", match.id, error)
            return None
        return Notice(location.channel_id, sent.id)
