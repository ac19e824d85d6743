"""Names and descriptions of commands in other languages, for Discord's command list."""

from __future__ import annotations

from typing import Any

import discord
from discord import app_commands

from bot.i18n.texts import Texts, english

_NAMES = {
    app_commands.TranslationContextLocation.command_name: "name_command_{}",
    app_commands.TranslationContextLocation.group_name: "name_command_{}",
    app_commands.TranslationContextLocation.parameter_name: "name_option_{}",
}


def say(key: str, otherwise: str | None = None) -> app_commands.locale_str:
    """The English text of that key, to be translated when the commands are registered.

    otherwise: the text if no catalogue has the key, as for a game without texts of its own. Raises
    UnknownText where that is None.
    """
    t = english()
    text = otherwise if otherwise is not None and key not in t else t(key)
    return app_commands.locale_str(text, key=key)


class Translator(app_commands.Translator):
    """Looks texts made by `say` up in the catalogues.

    Names of commands and options stay English unless a catalogue has `name_command_play`,
    `name_option_level` and so on, in lower case and without spaces as Discord asks for.
    """

    def __init__(self, texts: Texts) -> None:
        self._texts = texts

    async def translate(
        self,
        string: app_commands.locale_str,
        locale: discord.Locale,
        context: app_commands.TranslationContext[Any, Any],
    ) -> str | None:
        """The translation, or None to keep the English text."""
        text = self._texts.of(locale.value)
        if text.language == "en":
            return None
        key = string.extras.get("key")
        if key is None:
            pattern = _NAMES.get(context.location)
            if pattern is None:
                return None
            key = pattern.format(string.message)
        return text(key) if key in text else None
