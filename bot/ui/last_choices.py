"""The choices that a person made for their last match, which are the defaults of the next one."""

from __future__ import annotations

from dataclasses import replace

from bot.domain.panel_choices import Mode, Start
from bot.domain.preferences import Preferences
from bot.ui.client import Interaction
from bot.ui.context import person_of
from engine.games import USUAL


def default_start(interaction: Interaction) -> Start:
    """Return the latest choices of the person, before them a match against an easy level."""
    return _preferences(interaction).start or Start(USUAL)


async def is_newcomer(interaction: Interaction) -> bool:
    """Return whether the person has never started or played a match."""
    if _preferences(interaction).start is not None:
        return False
    return await interaction.client.services.matches.is_newcomer(person_of(interaction))


def chosen_mode(interaction: Interaction, rated: bool | None = None) -> Mode | None:
    """Return the mode that the person chose last; None before they have. rated: their choice now."""
    if rated is not None:
        return Mode.RATED if rated else Mode.CASUAL
    return _preferences(interaction).mode


async def remember_start(interaction: Interaction, start: Start) -> None:
    """Make this the person's default from now on; a mode that they did not choose changes nothing."""
    known = _preferences(interaction)
    start = replace(start.to_remember, mode=start.mode or known.mode)
    if known.start != start:
        await interaction.client.services.settings.prefer(interaction.user.id, replace(known, start=start))


def _preferences(interaction: Interaction) -> Preferences:
    return interaction.client.services.settings.person(interaction.user.id)
