"""Gives and takes champions' roles."""

from __future__ import annotations

import logging

import discord

from bot.domain.champion import ChampionRole
from bot.services.ports import Delivered
from bot.ui.discord_errors import DISCORD_ERRORS, classify
from bot.ui.messages import Messages
from bot.ui.permissions import role_problem
from bot.ui.server_notices import ServerTexts

log = logging.getLogger(__name__)


class Roles:
    """One per client."""

    def __init__(self, client: discord.Client, messages: Messages, texts: ServerTexts) -> None:
        self._client = client
        self._messages = messages
        self._texts = texts

    async def give(self, holding: ChampionRole) -> Delivered:
        guild, problem = self._client.get_guild(holding.guild_id), self._messages.problem(holding.guild_id)
        if guild is None or problem is not None:
            return problem or Delivered.GONE
        role = guild.get_role(holding.role_id)
        if role is None or role_problem(role) is not None:
            return Delivered.CHANNEL_REFUSED
        reason = self._texts.of(guild)(f"holds_{holding.title}")
        try:
            member = await guild.fetch_member(holding.user_id)
            await member.add_roles(role, reason=reason)
        except DISCORD_ERRORS as error:
            log.info("server %d: a champion's role could not be given: %r", guild.id, error)
            return classify(error)
        return Delivered.DELIVERED

    async def take(self, holding: ChampionRole) -> Delivered:
        """DELIVERED also for a deleted role and for a person outside the server."""
        guild, problem = self._client.get_guild(holding.guild_id), self._messages.problem(holding.guild_id)
        if guild is None or problem is not None:
            return problem or Delivered.GONE
        role = guild.get_role(holding.role_id)
        if role is None:
            return Delivered.DELIVERED
        if role_problem(role) is not None:
            return Delivered.CHANNEL_REFUSED
        try:
            member = await guild.fetch_member(holding.user_id)
            await member.remove_roles(role)
        except discord.NotFound:
            return Delivered.DELIVERED
        except DISCORD_ERRORS as error:
            log.info("server %d: a champion's role could not be taken: %r", guild.id, error)
            return classify(error)
        return Delivered.DELIVERED
