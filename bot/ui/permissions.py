"""Which of Discord's permissions the bot or a person lacks for an action."""

from __future__ import annotations

import enum
from typing import Any

import discord

from bot.domain.location import Location

FOR_THREADS = ("create_public_threads", "send_messages_in_threads")


class RoleProblem(enum.StrEnum):
    """Why the bot cannot give a role."""

    NOT_GIVABLE = "not_givable"
    NO_PERMISSION = "no_permission"
    TOO_HIGH = "too_high"


def role_problem(role: discord.Role) -> RoleProblem | None:
    """Return why the bot cannot give the role, or None if it can."""
    me = role.guild.me
    if role.managed or role.is_default():
        return RoleProblem.NOT_GIVABLE
    if not me.guild_permissions.manage_roles:
        return RoleProblem.NO_PERMISSION
    return RoleProblem.TOO_HIGH if role >= me.top_role else None


def is_moderator(interaction: discord.Interaction[Any]) -> bool:
    """Whether the person manages messages in the channel of the interaction, or its server."""
    allowed = interaction.permissions
    return interaction.guild_id is not None and (allowed.manage_messages or allowed.manage_guild)


def may_post(channel: discord.abc.GuildChannel | discord.Thread) -> bool:
    """Whether the bot can see the channel and send messages there."""
    return can_post(channel, channel.guild.me)


def can_post(channel: discord.abc.GuildChannel | discord.Thread, member: discord.Member) -> bool:
    """Whether the member can see the channel and send messages there."""
    allowed = channel.permissions_for(member)
    is_thread = isinstance(channel, discord.Thread)
    return allowed.view_channel and (allowed.send_messages_in_threads if is_thread else allowed.send_messages)


def is_public(client: discord.Client, place: Location) -> bool:
    """Return whether everybody in its server can see the channel; False where that is unknown."""
    guild = client.get_guild(place.guild_id or 0)
    channel = None if guild is None else guild.get_channel_or_thread(place.channel_id or 0)
    if isinstance(channel, discord.Thread):
        channel = None if channel.is_private() else channel.parent
    return (
        guild is not None and channel is not None and channel.permissions_for(guild.default_role).view_channel
    )


def may_open_threads(channel: discord.abc.GuildChannel) -> bool:
    """Whether the bot can create threads in the channel and write in them."""
    allowed = channel.permissions_for(channel.guild.me)
    return all(getattr(allowed, name) for name in FOR_THREADS)


def may_create_events(guild: discord.Guild) -> bool:
    """Whether the bot can create scheduled events in the server."""
    return guild.me.guild_permissions.create_events


def missing_for_tournament(allowed: discord.Permissions, *, is_thread: bool) -> str | None:
    """Return the key of the text that names the missing permission to post; None if none is missing."""
    if not allowed.view_channel:
        return "tournament_cannot_see"
    if is_thread:
        return None if allowed.send_messages_in_threads else "tournament_cannot_write_thread"
    return None if allowed.send_messages else "tournament_cannot_write"
