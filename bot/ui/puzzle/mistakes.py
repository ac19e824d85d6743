"""Handlers of training one's own mistakes, from a review, a command or a reminder."""

from __future__ import annotations

from bot.domain.errors import Refusal
from bot.services.command_costs import Cost
from bot.ui.answers import acknowledge, edit_pressed, promise
from bot.ui.client import Interaction
from bot.ui.context import check_channel, is_private, own_look, own_text, person_of, seen_match, spend
from bot.ui.move_choices import Picked
from bot.ui.puzzle.mistake_views import better_view, day_view, mistake_view, trained_view
from bot.ui.puzzle.routes import MistakeStep
from engine.core import Move


async def train_match(interaction: Interaction, match_id: int) -> None:
    """Keep the person's blunders in that match, and answer with the first; raises Refusal."""
    match = await seen_match(interaction, match_id)
    match.player_of(interaction.user.id)
    spend(interaction, Cost.REVIEW)
    await promise(interaction, is_private=True)
    if not await interaction.client.services.training.keep_match(match, person_of(interaction)):
        raise Refusal("mistakes_none")
    await _show_next(interaction)


async def open_mistakes(interaction: Interaction) -> None:
    """Answer with the next position, after a look through the last matches if none waits; raises Refusal."""
    check_channel(interaction)
    training, person = interaction.client.services.training, person_of(interaction)
    await (acknowledge(interaction) if is_private(interaction) else promise(interaction, is_private=True))
    if not (await training.day(person)).waiting:
        spend(interaction, Cost.REVIEW)
        await training.look_through(person)
    await _show_next(interaction)


async def answer(interaction: Interaction, mistake_id: int, version: int, move: Move) -> None:
    """Judge the answer and show the verdict; raises Refusal."""
    spend(interaction, Cost.REVIEW_STEP)
    await acknowledge(interaction)
    training, person = interaction.client.services.training, person_of(interaction)
    trained = await training.answer(mistake_id, person, version, move)
    await edit_pressed(interaction, trained_view(own_text(interaction), trained, own_look(interaction)))


async def pick(interaction: Interaction, mistake_id: int, _version: int, picked: Picked) -> None:
    """Offer the next choices on the way to a move; raises Refusal."""
    await _show(interaction, mistake_id, picked)


async def step(interaction: Interaction, mistake_id: int, wanted: MistakeStep) -> None:
    """Pose the position again or the next one, show the better move, or end the training; raises Refusal."""
    training, person = interaction.client.services.training, person_of(interaction)
    if wanted is MistakeStep.AGAIN:
        await _show(interaction, mistake_id)
    elif wanted is MistakeStep.SHOW:
        posed = await training.give_up(mistake_id, person)
        await edit_pressed(interaction, better_view(own_text(interaction), posed, own_look(interaction)))
    elif wanted is MistakeStep.NEXT:
        await _show_next(interaction)
    else:
        await _show_day(interaction)


async def _show(interaction: Interaction, mistake_id: int, picked: Picked | None = None) -> None:
    posed = await interaction.client.services.training.posed(mistake_id, person_of(interaction))
    await edit_pressed(interaction, mistake_view(own_text(interaction), posed, own_look(interaction), picked))


async def _show_next(interaction: Interaction) -> None:
    posed = await interaction.client.services.training.next(person_of(interaction))
    if posed is None:
        await _show_day(interaction)
    else:
        await edit_pressed(interaction, mistake_view(own_text(interaction), posed, own_look(interaction)))


async def _show_day(interaction: Interaction) -> None:
    services = interaction.client.services
    day = await services.training.day(person_of(interaction))
    quiet_until = services.settings.person(interaction.user.id).quiet_until
    await edit_pressed(interaction, day_view(own_text(interaction), day, quiet_until))
