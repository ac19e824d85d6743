"""The panel of /preferences: a private message of selects; each choice is stored, then shown."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Self

import discord
from discord import ui

from bot.domain.preferences import Preferences
from bot.i18n import Text
from bot.presentation import Size, Theme, draw_text
from bot.presentation.examples import example
from bot.ui.client import AnyInteraction, Interaction
from bot.ui.context import own_text
from bot.ui.errors import guarded
from bot.ui.ids import PREFIX
from bot.ui.layout import box, lines
from engine.games import USUAL

DISCORDS = "discord"
"""The choice that follows Discord's own language."""


class WishSelect(
    ui.DynamicItem[ui.Select[Any]], template=rf"{PREFIX}:w:(?P<field>theme|size|language|calls)"
):
    """One wish of whoever presses it: nobody can change another's."""

    def __init__(
        self, field: str, options: Iterable[discord.SelectOption] = (), name: str | None = None
    ) -> None:
        """name: what screen readers call it."""
        super().__init__(ui.Select(custom_id=f"{PREFIX}:w:{field}", options=list(options), placeholder=name))
        self.field = field

    @classmethod
    async def from_custom_id(cls, _press: AnyInteraction, _item: ui.Item[Any], match: re.Match[str]) -> Self:
        return cls(match["field"], [discord.SelectOption(label="·")])

    async def callback(self, interaction: AnyInteraction) -> None:
        await guarded(interaction, self._press, None)

    async def _press(self, interaction: Interaction) -> None:
        settings_cache = interaction.client.settings_cache
        wishes = _wished(
            settings_cache.person(interaction.user.id), self.field, self.item.values[0], interaction
        )
        await settings_cache.prefer(interaction.user.id, wishes)
        await interaction.response.edit_message(view=preferences_view(interaction))


def _wished(wishes: Preferences, field: str, value: str, interaction: Interaction) -> Preferences:
    """The wishes with that one changed; a value that was never offered changes nothing."""
    if field == "theme" and value in set(Theme):
        return replace(wishes, theme=Theme(value))
    if field == "size" and value in set(Size):
        return replace(wishes, size=Size(value))
    if field == "language" and value in (DISCORDS, *interaction.client.texts.languages):
        return replace(wishes, language=None if value == DISCORDS else value)
    if field == "calls" and value in ("yes", "no"):
        return replace(wishes, is_called=value == "yes")
    return wishes


async def show_preferences(interaction: Interaction) -> None:
    await interaction.response.send_message(view=preferences_view(interaction), ephemeral=True)


def preferences_view(interaction: Interaction) -> ui.LayoutView:
    """What the person has chosen, an example of it, and what else there is."""
    t, wishes = own_text(interaction), interaction.client.settings_cache.person(interaction.user.id)
    shown = example(USUAL)
    return box(
        lines(f"### {t('preferences_title')}", f"-# {t('preferences_about')}"),
        lines(t.board(draw_text(USUAL, shown.state, shown.marks, wishes.look))),
        lines(f"**{t('preferences_theme')}**"),
        ui.ActionRow(WishSelect("theme", _themes(t, wishes), t("preferences_theme"))),
        lines(f"**{t('preferences_size')}**"),
        ui.ActionRow(WishSelect("size", _sizes(t, wishes), t("preferences_size"))),
        lines(f"**{t('preferences_language')}**"),
        ui.ActionRow(
            WishSelect(
                "language", language_options(interaction, t, wishes.language), t("preferences_language")
            )
        ),
        lines(f"**{t('preferences_calls')}**"),
        ui.ActionRow(WishSelect("calls", _calls(t, wishes), t("preferences_calls"))),
    )


def _themes(t: Text, wishes: Preferences) -> Iterable[discord.SelectOption]:
    for theme in Theme:
        yield discord.SelectOption(
            label=t(f"theme_{theme}"),
            description=t(f"theme_about_{theme}"),
            value=theme,
            default=theme is wishes.look.theme,
        )


def _sizes(t: Text, wishes: Preferences) -> Iterable[discord.SelectOption]:
    for size in Size:
        yield discord.SelectOption(label=t(f"size_{size}"), value=size, default=size is wishes.look.size)


def language_options(interaction: Interaction, t: Text, chosen: str | None) -> Iterable[discord.SelectOption]:
    """Discord's own choice, then every language by its own name."""
    yield discord.SelectOption(label=t("language_discord"), value=DISCORDS, default=chosen is None)
    texts = interaction.client.texts
    for language in texts.languages:
        yield discord.SelectOption(
            label=texts.of(language)("language_name"), value=language, default=language == chosen
        )


def _calls(t: Text, wishes: Preferences) -> Iterable[discord.SelectOption]:
    for value in ("yes", "no"):
        yield discord.SelectOption(
            label=t(f"calls_{value}"), value=value, default=(value == "yes") is wishes.is_called
        )
