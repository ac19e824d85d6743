"""Addresses of messages in Discord."""

from __future__ import annotations

from bot.domain.location import Location, Web

LINK = "https://discord.com/channels/"
"""The address of a message begins with it."""


def link(guild_id: int | None, channel_id: int, message_id: int) -> str:
    """Return the address of a message, which Discord's apps open themselves."""
    return f"{LINK}{guild_id or '@me'}/{channel_id}/{message_id}"


def board_link(location: Location) -> str | None:
    """Return the address of the message in that place, if there is one."""
    if isinstance(location, Web) or location.message_id is None:
        return None
    return link(location.guild_id, location.channel_id, location.message_id)
