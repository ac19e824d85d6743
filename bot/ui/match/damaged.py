"""The line in place of a damaged match's board, which tells its players."""

from __future__ import annotations

import logging

import discord

from bot.domain.boards import DamagedMatch
from bot.i18n import Texts
from bot.services.ports import Delivered
from bot.ui.discord_errors import DISCORD_ERRORS, classify
from bot.ui.layout import box, lines

log = logging.getLogger(__name__)


async def tell_players(client: discord.Client, texts: Texts, match: DamagedMatch) -> Delivered:
    """Edit the match's message; errors of Discord are logged and returned."""
    channel = client.get_partial_messageable(match.channel_id)
    text = texts.of(match.locale)("match_damaged", number=match.match_id)
    try:
        await channel.get_partial_message(match.message_id).edit(view=box(lines(text)))
    except DISCORD_ERRORS as error:
        log.info("match %d: its players could not be told that it is damaged: %r", match.match_id, error)
        return classify(error)
    return Delivered.DELIVERED
