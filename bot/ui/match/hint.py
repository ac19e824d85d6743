"""A hint: the best move in a casual match, for the person to move."""

from __future__ import annotations

from bot.domain.errors import Refusal
from bot.domain.match import Match
from bot.ui.answers import edit_answer, respond
from bot.ui.client import Interaction
from bot.ui.context import own_look, own_text, person_of
from bot.ui.layout import box, lines
from bot.ui.match.hint_views import hint_view


async def give_hint(interaction: Interaction, match: Match) -> None:
    """Answer at once, and with the best move when it is found; raises Refusal."""
    number = await interaction.client.services.allowed_help.take_hint(match, person_of(interaction.user))
    t = own_text(interaction)
    await respond(interaction, box(lines(t("hint_thinking"))))
    try:
        found = await interaction.client.services.reviews.hint(match)
    except Refusal as refusal:
        # The bot is ending: a hint that was not given does not count.
        await interaction.client.services.allowed_help.give_hint_back(match, person_of(interaction.user))
        await interaction.edit_original_response(view=box(lines(t(refusal.key))))
        return
    await edit_answer(interaction, hint_view(t, match, found, number, own_look(interaction)))
