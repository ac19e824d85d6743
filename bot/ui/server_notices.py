"""Notices to servers and their owners, each sent once: a greeting, a missing permission."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any

import discord

from bot.domain.errors import Unavailable
from bot.domain.names import clean
from bot.i18n import Text, Texts, plain
from bot.services.ports import Facts
from bot.services.settings import SettingsCache
from bot.ui.discord_errors import DISCORD_ERRORS

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ServerTexts:
    """The texts in a server's language: the chosen one, else Discord's."""

    texts: Texts
    settings_cache: SettingsCache

    def of(self, guild: discord.Guild | None) -> Text:
        """Return the texts for everybody there, those in English for an unknown server."""
        if guild is None:
            return self.texts.of("")
        return self.texts.of(self.settings_cache.server(guild.id).language or str(guild.preferred_locale))

    def for_owner(self, guild: discord.Guild) -> Text:
        """Return the texts for a private message to its owner, in the owner's own language where known."""
        chosen = None if guild.owner_id is None else self.settings_cache.person(guild.owner_id).language
        return self.of(guild) if chosen is None else self.texts.of(chosen)


class ServerNotices:
    """Sends notices, and remembers in the database which servers have had them."""

    def __init__(self, client: discord.Client, texts: ServerTexts, facts: Facts) -> None:
        self._client = client
        self._texts = texts
        self._facts = facts

    async def is_first(self, guild: discord.Guild, fact: str) -> bool:
        """Return whether the notice was never sent there, and mark it as sent: better lost than repeated."""
        key = f"{fact}:{guild.id}"
        if await self._facts.value(key) is not None:
            return False
        await self._facts.remember(key, "yes")
        return True

    async def send_to_owner(self, guild: discord.Guild, **content: Any) -> None:
        """Send a private message to the owner; raises Discord's errors."""
        if guild.owner_id is not None:
            await (await self._client.create_dm(discord.Object(guild.owner_id))).send(**content)

    async def tell_owner_once(self, guild: discord.Guild, fact: str, key: str, **params: str) -> None:
        """Send the text of that key to the owner, once for that fact; errors are logged."""
        try:
            if await self.is_first(guild, fact):
                text = self._texts.for_owner(guild)(key, server=plain(clean(guild.name)), **params)
                await self.send_to_owner(guild, content=text)
        except (*DISCORD_ERRORS, Unavailable) as error:
            log.info("notice %s not sent to the owner of server %d: %r", key, guild.id, error)
