"""Public follow-up messages of an interaction, sent at most once: Discord takes no nonce for them."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import discord

from bot.domain.outgoing import Place
from bot.services.ports import NotDelivered
from bot.ui.discord_errors import CONNECTION_ERRORS
from bot.ui.discord_internals import unrepeated
from bot.ui.layout import custom_ids

log = logging.getLogger(__name__)

RETRY_SECONDS = (0.5, 2.0, 4.0)
"""Pauses after which a lost message is looked for, and sent again if it is not there; not after the last."""


async def follow_up(interaction: discord.Interaction[Any], **content: Any) -> int:
    """Send the message and return its id; raises the errors of Discord and the network.

    Where the bot may not read the channel, it is sent again without looking for it.
    """
    for pause in RETRY_SECONDS:
        try:
            sent: discord.WebhookMessage = await unrepeated(interaction.followup).send(**content, wait=True)
            return sent.id
        except CONNECTION_ERRORS:
            await asyncio.sleep(pause)
            found = await _find_sent(interaction, content)
            if found is not None:
                return found
            if pause == RETRY_SECONDS[-1]:
                raise
            for file in content.get("files", ()):
                file.reset()
    raise AssertionError("there are pauses")


async def _find_sent(interaction: discord.Interaction[Any], content: dict[str, Any]) -> int | None:
    """Return the message that an earlier try has sent, if it can be seen."""
    view = content.get("view")
    parts = () if view is None else view.walk_children()
    ids = {str(part.custom_id) for part in parts if getattr(part, "custom_id", None)}

    def is_same(message: discord.Message) -> bool:
        cause = message.interaction_metadata
        is_ours = cause is not None and cause.id == interaction.id and message.id > interaction.id
        return is_ours and message.content == content.get("content", "") and custom_ids(message) == ids

    if interaction.channel_id is None:
        return None
    place = Place(interaction.channel_id, interaction.guild_id)
    try:
        sent: int | None = await interaction.client.messages.find(place, interaction.created_at, is_same)
    except NotDelivered as refusal:
        log.info("follow-up of %s cannot be looked for: %s", interaction.id, refusal)
        return None
    return sent
