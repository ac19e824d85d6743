"""The texts of a server: what it has chosen, else what Discord knows of it."""

from __future__ import annotations

from dataclasses import dataclass

import discord

from bot.i18n import Text, Texts
from bot.services.settings import SettingsCache


@dataclass(frozen=True, slots=True)
class ServerTexts:
    texts: Texts
    settings_cache: SettingsCache

    def of(self, guild: discord.Guild) -> Text:
        """For everybody there."""
        return self.texts.of(self.settings_cache.server(guild.id).language or str(guild.preferred_locale))

    def for_owner(self, guild: discord.Guild) -> Text:
        """For its owner in private, whose own choice counts first."""
        theirs = None if guild.owner_id is None else self.settings_cache.person(guild.owner_id).language
        return self.of(guild) if theirs is None else self.texts.of(theirs)
