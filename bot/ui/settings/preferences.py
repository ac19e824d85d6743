"""The panel of /preferences: a private message of selects; each choice is stored, then shown."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import Any

import discord
from discord import ui

from bot.domain.errors import SetupError
from bot.domain.preferences import Preferences
from bot.i18n import Text
from bot.presentation import Size, Theme
from bot.presentation.examples import example
from bot.ui.answers import edit_pressed, respond
from bot.ui.board import board_part
from bot.ui.client import Interaction
from bot.ui.context import own_look, own_text
from bot.ui.layout import Item, box, lines, options_of, worded_options
from bot.ui.routing import choice
from bot.ui.settings.routes import WISH
from engine.games import USUAL

DISCORDS = "discord"
"""The choice that follows Discord's own language."""


async def wish(interaction: Interaction, field: str) -> None:
    """One wish of whoever presses it: nobody can change another's."""
    settings_cache = interaction.client.services.settings
    wishes = _wished(settings_cache.person(interaction.user.id), field, choice(interaction), interaction)
    await settings_cache.prefer(interaction.user.id, wishes)
    await edit_pressed(interaction, preferences_view(interaction))


def _wished(wishes: Preferences, field: str, value: str, interaction: Interaction) -> Preferences:
    """The wishes with that one changed; raises SetupError for a value that was never offered."""
    if field == "theme" and value in set(Theme):
        return replace(wishes, theme=Theme(value))
    if field == "size" and value in set(Size):
        return replace(wishes, size=Size(value))
    if field == "language" and value in (DISCORDS, *interaction.client.services.texts.languages):
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
    t, wishes = own_text(interaction), interaction.client.services.settings.person(interaction.user.id)
    shown = example(USUAL)
    answers = {True: "yes", False: "no"}
    offered = {
        "theme": _themes(t, wishes),
        "size": worded_options("size", t, Size, wishes.look.size),
        "language": language_options(interaction, t, wishes.language),
        "calls": worded_options("calls", t, ("yes", "no"), answers[wishes.is_called]),
        "listed": worded_options("listed", t, ("no", "yes"), answers[wishes.is_listed]),
    }
    return box(
        lines(f"### {t('preferences_title')}", f"-# {t('preferences_about')}"),
        board_part(t, USUAL, shown.state, shown.marks, own_look(interaction)),
        *chain.from_iterable(_offer(t, field, options) for field, options in offered.items()),
    )


def _offer(t: Text, field: str, options: list[discord.SelectOption]) -> tuple[Item, Item]:
    """What is asked, and the menu of answers, which screen readers call by the same words."""
    asked = t(f"preferences_{field}")
    menu: ui.Select[Any] = ui.Select(custom_id=WISH(field), options=options, placeholder=asked)
    return lines(f"**{asked}**"), ui.ActionRow(menu)


def _themes(t: Text, wishes: Preferences) -> list[discord.SelectOption]:
    options = worded_options("theme", t, Theme, wishes.look.theme)
    for option in options:
        option.description = t(f"theme_about_{option.value}")
    return options


def language_options(interaction: Interaction, t: Text, chosen: str | None) -> list[discord.SelectOption]:
    """Discord's own choice, then every language by its own name."""
    texts = interaction.client.services.texts
    own_names = ((language, texts.of(language)("language_name")) for language in texts.languages)
    return options_of([(DISCORDS, t("language_discord")), *own_names], chosen or DISCORDS)
