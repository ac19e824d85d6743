"""Messages to everybody through a press's token, said once: Discord knows no nonce there.

discord.py repeats what was answered by 500 or 502, though it may have had its effect. Here it is looked for.
"""

from __future__ import annotations

import asyncio
import logging
from copy import copy
from typing import Any

import aiohttp
import discord

from bot.ui.discord_errors import CONNECTION_ERRORS, DISCORD_ERRORS, find_own
from bot.ui.layout import custom_ids

log = logging.getLogger(__name__)

PAUSES = (0.5, 2.0, 4.0)
"""Seconds after which it is looked for, and said again where it is not there, but not after the last."""

Pressed = discord.Interaction[Any]


async def follow_up(interaction: Pressed, **content: Any) -> int:
    """Says it to everybody; the message's id.

    Where the bot cannot look for it, as in servers that it is not in, it is said again without.
    Raises what Discord and the network raise.
    """
    for pause in PAUSES:
        try:
            message: discord.WebhookMessage = await _unrepeated(interaction).send(**content, wait=True)
            return message.id
        except CONNECTION_ERRORS:
            await asyncio.sleep(pause)
            found = await _said_before(interaction, content)
            if found is not None:
                return found
            if pause == PAUSES[-1]:
                raise
            for file in content.get("files", ()):
                file.reset()
    raise AssertionError("there are pauses")


async def _said_before(interaction: Pressed, content: dict[str, Any]) -> int | None:
    """The message that came of an earlier try, if any can be seen."""
    view = content.get("view")
    parts = () if view is None else view.walk_children()
    ids = {str(part.custom_id) for part in parts if getattr(part, "custom_id", None)}

    def is_meant(message: discord.Message) -> bool:
        about = message.interaction_metadata
        is_ours = about is not None and about.id == interaction.id and message.id > interaction.id
        return is_ours and message.content == content.get("content", "") and custom_ids(message) == ids

    if interaction.channel_id is None:
        return None
    try:
        found = await find_own(interaction.client, interaction.channel_id, interaction.created_at, is_meant)
    except DISCORD_ERRORS as error:
        log.info("what was to follow %s cannot be looked for: %r", interaction.id, error)
        return None
    return found[-1].id if found else None


class _Once:
    """The session, to which a fault of Discord's own is an error like a torn connection."""

    def __init__(self, session: aiohttp.ClientSession) -> None:
        self._session = session

    def request(self, method: str, url: str, **options: Any) -> Any:
        return self._session.request(method, url, raise_for_status=_refuse_faults, **options)


def _unrepeated(interaction: Pressed) -> discord.Webhook:
    """Its follow-ups, each of which is sent once."""
    webhook = copy(interaction.followup)
    webhook.session = _Once(webhook.session)  # type: ignore[assignment]
    return webhook


async def _refuse_faults(response: aiohttp.ClientResponse) -> None:
    if response.status >= 500:
        response.raise_for_status()
