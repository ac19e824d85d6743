"""The panel of /preferences: a private message of selects; each choice is stored, then shown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import discord
from discord import ui

from bot.domain.errors import SetupError
from bot.domain.preferences import Preferences
from bot.i18n import Text
from bot.presentation import Size, Theme
from bot.presentation.examples import example
from bot.ui.board import board_part
from bot.ui.client import Interaction
from bot.ui.context import edit_pressed, own_look, own_text, respond
from bot.ui.layout import box, lines
from bot.ui.routing import choice
from bot.ui.settings.routes import WISH
from engine.games import USUAL

DISCORDS = "discord"
"""The choice that follows Discord's own language."""


async def wish(interaction: Interaction, field: str) -> None:
    """One wish of whoever presses it: nobody can change another's."""
    settings_cache = interaction.client.settings_cache
    wishes = _wished(settings_cache.person(interaction.user.id), field, choice(interaction), interaction)
    await settings_cache.prefer(interaction.user.id, wishes)
    await edit_pressed(interaction, preferences_view(interaction))


def _wished(wishes: Preferences, field: str, value: str, interaction: Interaction) -> Preferences:
    """The wishes with that one changed; raises SetupError for a value that was never offered."""
    if field == "theme" and value in set(Theme):
        return replace(wishes, theme=Theme(value))
    if field == "size" and value in set(Size):
        return replace(wishes, size=Size(value))
    if field == "language" and value in (DISCORDS, *interaction.client.texts.languages):
        return replace(wishes, language=None if value == DISCORDS else value)
    if field == "calls" and value in ("yes", "no"):
        return replace(wishes, is_called=value == "yes")
    if field == "listed" and value in ("yes", "no"):
        return replace(wishes, is_listed=value == "yes")
    raise SetupError("unknown_choice", choice=value)


async def show_preferences(interaction: Interaction) -> None:
    await respond(interaction, preferences_view(interaction))


def preferences_view(interaction: Interaction) -> ui.LayoutView:
    """What the person has chosen, an example of it, and what else there is."""
    t, wishes = own_text(interaction), interaction.client.settings_cache.person(interaction.user.id)
    shown = example(USUAL)
    return box(
        lines(f"### {t('preferences_title')}", f"-# {t('preferences_about')}"),
        board_part(t, USUAL, shown.state, shown.marks, own_look(interaction)),
        lines(f"**{t('preferences_theme')}**"),
        ui.ActionRow(_select("theme", _themes(t, wishes), t("preferences_theme"))),
        lines(f"**{t('preferences_size')}**"),
        ui.ActionRow(_select("size", _sizes(t, wishes), t("preferences_size"))),
        lines(f"**{t('preferences_language')}**"),
        ui.ActionRow(
            _select("language", language_options(interaction, t, wishes.language), t("preferences_language"))
        ),
        lines(f"**{t('preferences_calls')}**"),
        ui.ActionRow(_select("calls", _calls(t, wishes), t("preferences_calls"))),
        lines(f"**{t('preferences_listed')}**"),
        ui.ActionRow(_select("listed", _listed(t, wishes), t("preferences_listed"))),
    )


def _select(field: str, options: Iterable[discord.SelectOption], name: str) -> ui.Select[Any]:
    """name: what screen readers call it."""
    return ui.Select(custom_id=WISH(field), options=list(options), placeholder=name)


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


def _listed(t: Text, wishes: Preferences) -> Iterable[discord.SelectOption]:
    for value in ("no", "yes"):
        yield discord.SelectOption(
            label=t(f"listed_{value}"), value=value, default=(value == "yes") is wishes.is_listed
        )
