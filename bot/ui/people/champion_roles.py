"""Gives and takes champions' roles, and says what keeps the bot from it."""

from __future__ import annotations

import logging

import discord

from bot.store.champions import Holding
from bot.ui.discord_errors import DISCORD_ERRORS
from bot.ui.permissions import role_problem
from bot.ui.server_notices import ServerTexts

log = logging.getLogger(__name__)


class RoleKeeper:
    """One a client."""

    def __init__(self, client: discord.Client, texts: ServerTexts) -> None:
        self._client = client
        self._texts = texts

    async def give(self, holding: Holding) -> bool:
        """Whether they have it now."""
        guild = self._client.get_guild(holding.guild_id)
        role = None if guild is None else guild.get_role(holding.role_id)
        if guild is None or role is None or role_problem(role) is not None:
            return False
        t = self._texts.of(guild)
        try:
            member = await guild.fetch_member(holding.user_id)
            await member.add_roles(role, reason=t(f"holds_{holding.title}"))
        except DISCORD_ERRORS as error:
            log.info("server %d: a champion has no role: %r", guild.id, error)
            return False
        return True

    async def take(self, holding: Holding) -> bool:
        """Whether they have it no more."""
        guild = self._client.get_guild(holding.guild_id)
        role = None if guild is None else guild.get_role(holding.role_id)
        if guild is None or role is None:
            return guild is not None  # a role that is gone is nobody's
        if role_problem(role) is not None:
            return False
        try:
            member = await guild.fetch_member(holding.user_id)
            await member.remove_roles(role)
        except discord.NotFound:
            return True  # they have left
        except DISCORD_ERRORS as error:
            log.info("server %d: somebody keeps a champion's role: %r", guild.id, error)
            return False
        return True

    def is_in(self, guild_id: int) -> bool:
        """Until the connection is ready it is taken to be, since nobody knows."""
        return not self._client.is_ready() or self._client.get_guild(guild_id) is not None
