"""What a server's owner is told in private, once: a permission keeps something from working."""

from __future__ import annotations

import logging

import discord

from bot.i18n import Texts
from bot.services import SettingsCache
from bot.store.facts import FactStore
from bot.ui.context import UNREACHABLE

log = logging.getLogger(__name__)


class Owners:
    """One a client."""

    def __init__(
        self, client: discord.Client, texts: Texts, settings_cache: SettingsCache, facts: FactStore
    ) -> None:
        self._client = client
        self._texts = texts
        self._settings_cache = settings_cache
        self._facts = facts

    async def tell_once(self, guild: discord.Guild, fact: str, key: str, **named: str) -> None:
        """Sends the text of that key, with the server's name and these, unless the fact says it was; raises
        nothing that Discord or the network does.
        """
        fact = f"{fact}:{guild.id}"
        try:
            if await self._facts.value(fact) is not None or guild.owner_id is None:
                return
            await self._facts.remember(fact, "yes")
            settings = self._settings_cache
            language = settings.person(guild.owner_id).language or settings.server(guild.id).language
            t = self._texts.of(language or str(guild.preferred_locale))
            owner = await self._client.create_dm(discord.Object(guild.owner_id))
            await owner.send(t(key, server=discord.utils.escape_markdown(guild.name), **named))
        except UNREACHABLE as error:
            log.info("the owner of server %d could not be told (%s): %r", guild.id, key, error)
