"""What somebody began last, and so what they are offered first; newcomers begin gently."""

from __future__ import annotations

from dataclasses import replace

from bot.domain.start_choices import Mode, Start
from bot.ui.client import Interaction
from bot.ui.context import person_of
from engine.agents.levels import Difficulty, level_for, levels_of
from engine.games import GAMES, USUAL


async def usual_start(interaction: Interaction) -> Start:
    """What the person began last; for a newcomer an easy match that does not count."""
    remembered = interaction.client.services.settings.person(interaction.user.id).start
    if remembered is not None:
        return remembered
    if not await is_newcomer(interaction):
        return Start(USUAL, mode=Mode.RATED)
    ladder = levels_of(USUAL, GAMES[USUAL].boards[0])
    return Start(USUAL, level_for(Difficulty.EASY, ladder).key)


async def is_newcomer(interaction: Interaction) -> bool:
    """Whether the person has never begun a match nor played one."""
    if interaction.client.services.settings.person(interaction.user.id).start is not None:
        return False
    return await interaction.client.services.matches.is_newcomer(person_of(interaction))


async def mode_meant(interaction: Interaction, rated: bool | None) -> tuple[bool, Mode]:
    """Whether the person is new here, and what a match of theirs counts for; rated: what they say of it."""
    is_new = await is_newcomer(interaction)
    if rated is not None:
        return is_new, Mode.RATED if rated else Mode.CASUAL
    remembered = interaction.client.services.settings.person(interaction.user.id).start
    if remembered is not None:
        return is_new, remembered.mode
    return is_new, Mode.CASUAL if is_new else Mode.RATED


async def remember(interaction: Interaction, start: Start) -> None:
    """What the person is offered first from now on."""
    cache, user_id = interaction.client.services.settings, interaction.user.id
    if cache.person(user_id).start != start.to_remember:
        await cache.prefer(user_id, replace(cache.person(user_id), start=start.to_remember))
