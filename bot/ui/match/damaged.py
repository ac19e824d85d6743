"""What players are told of a match that is damaged and set aside: a line in place of its board."""

from __future__ import annotations

import logging

import discord

from bot.i18n import Texts
from bot.store.matches import SetAside
from bot.ui.layout import box, lines

log = logging.getLogger(__name__)


async def tell_players(client: discord.Client, texts: Texts, aside: SetAside) -> None:
    """Says so on the message that shows the match; what Discord refuses is logged."""
    channel = client.get_partial_messageable(aside.channel_id)
    text = texts.of(aside.locale)("match_damaged", number=aside.match_id)
    try:
        await channel.get_partial_message(aside.message_id).edit(view=box(lines(text)))
    except discord.HTTPException as error:
        log.info("match %d: its players could not be told that it is damaged: %s", aside.match_id, error)
