"""What a server, or its owner in private, is told once: a greeting, a permission that is missing."""

from __future__ import annotations

import logging
from typing import Any

import discord

from bot.domain.errors import Unavailable
from bot.i18n import plain
from bot.store.facts import FactStore
from bot.ui.discord_errors import DISCORD_ERRORS
from bot.ui.server_texts import ServerTexts

log = logging.getLogger(__name__)


class Owners:
    """One a client."""

    def __init__(self, client: discord.Client, texts: ServerTexts, facts: FactStore) -> None:
        self._client = client
        self._texts = texts
        self._facts = facts

    async def is_first(self, guild: discord.Guild, fact: str) -> bool:
        """Whether that was never said to this server; from now on it was: rather not at all than twice."""
        key = f"{fact}:{guild.id}"
        if await self._facts.value(key) is not None:
            return False
        await self._facts.remember(key, "yes")
        return True

    async def send(self, guild: discord.Guild, **content: Any) -> None:
        """To whoever owns it; raises what Discord raises."""
        if guild.owner_id is not None:
            await (await self._client.create_dm(discord.Object(guild.owner_id))).send(**content)

    async def tell_once(self, guild: discord.Guild, fact: str, key: str, **named: str) -> None:
        """Sends the text of that key, with the server's name and these, unless the fact says it was; raises
        nothing that Discord, the network or the database does.
        """
        try:
            if await self.is_first(guild, fact):
                name = plain(guild.name)
                await self.send(guild, content=self._texts.for_owner(guild)(key, server=name, **named))
        except (*DISCORD_ERRORS, Unavailable) as error:
            log.info("the owner of server %d could not be told (%s): %r", guild.id, key, error)
