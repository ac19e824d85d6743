"""A hint: the best move in a casual match, for the person to move."""

from __future__ import annotations

from bot.domain.errors import MatchError, Refusal
from bot.domain.match import Match
from bot.presentation.refusals import refusal_line
from bot.presentation.verdicts import move_words
from bot.ui.answers import acknowledge, edit_answer, respond
from bot.ui.client import Interaction
from bot.ui.context import own_look, own_text, person_of
from bot.ui.layout import box, lines
from bot.ui.match.hint_views import hint_view
from engine.core import Move


async def give_hint(interaction: Interaction, match: Match) -> None:
    """Answer at once, and with the best move when it is found; raises Refusal."""
    number = await interaction.client.services.allowed_help.take_hint(match, person_of(interaction))
    await respond(interaction, box(lines(own_text(interaction)("hint_thinking"))))
    await _show(interaction, match, number)


async def play_hint(interaction: Interaction, match_id: int, turn: int, move: Move) -> None:
    """Play the move of the hint, and say so once the board shows it; raises Refusal."""
    services, t = interaction.client.services, own_text(interaction)
    before = await services.changes.latest(match_id)
    after = await services.playing.play(match_id, person_of(interaction), move, turn=turn)
    played = move_words(t, before.game, before.state, move)
    await interaction.client.display.answer_privately(
        interaction, after, lambda _shown: t("hint_played", move=played)
    )
    if after.is_coached:
        await interaction.client.coach.advise(interaction, after)


async def show_worth(interaction: Interaction, match_id: int, turn: int) -> None:
    """Show the same hint with the value of the move; raises Refusal."""
    match = await interaction.client.services.matches.match(match_id)
    if match.turn != turn:
        raise MatchError("stale")
    number = await interaction.client.services.allowed_help.take_hint(match, person_of(interaction))
    await acknowledge(interaction)
    await _show(interaction, match, number, has_worth=True)


async def _show(interaction: Interaction, match: Match, number: int, *, has_worth: bool = False) -> None:
    t = own_text(interaction)
    try:
        found = await interaction.client.services.reviews.hint(match)
    except Refusal as refusal:
        # The bot is starting or ending: a hint that was not given does not count.
        await interaction.client.services.allowed_help.give_hint_back(match, person_of(interaction))
        await interaction.edit_original_response(view=box(lines(refusal_line(t, refusal))))
        return
    view = hint_view(t, match, found, number, own_look(interaction), has_worth=has_worth)
    await edit_answer(interaction, view)
