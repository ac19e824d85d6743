"""The coach: a word after a mistake, and the key moments after the match, for one player alone."""

from __future__ import annotations

import logging

from discord import ui

from bot.domain.errors import MatchError, Refusal
from bot.domain.match import Match
from bot.services.reviews import Advice
from bot.ui.answers import promise
from bot.ui.client import Interaction
from bot.ui.context import own_text, person_of, seen_match
from bot.ui.discord_errors import DISCORD_ERRORS
from bot.ui.layout import box, lines
from bot.ui.match.coach_views import advice_view, moments_view
from engine.analysis.review import Mark

log = logging.getLogger(__name__)


async def advise(interaction: Interaction, match: Match) -> None:
    """Tell of a mistake in a coached match; after the match, show its key moments.

    Raises nothing, since the move is played and displayed already.
    """
    try:
        advice = None if match.is_over else await _advice(interaction, match)
        latest = await interaction.client.services.matches.match(match.id)
        if latest.is_over:
            await _send(interaction, await _moments(interaction, latest))
        elif advice is not None:
            await _send(interaction, advice_view(own_text(interaction), match, advice))
    except (Refusal, *DISCORD_ERRORS) as error:
        log.info("match %d: no advice: %s", match.id, error)
    except Exception:
        log.exception("match %d: no advice", match.id)


async def _advice(interaction: Interaction, match: Match) -> Advice | None:
    """Return advice on the last move, the person's; None where it gave too little away."""
    advice = await interaction.client.services.reviews.advice(match)
    if advice is None or advice.judged.mark not in (Mark.MISTAKE, Mark.BLUNDER):
        return None
    told = (advice.before, advice.after)
    await interaction.client.services.allowed_help.check_fair(
        person_of(interaction.user), match.game, match.board, told
    )
    return advice


async def _send(interaction: Interaction, view: ui.LayoutView) -> None:
    await interaction.followup.send(view=view, ephemeral=True)


async def take_back(interaction: Interaction, match_id: int, ply: int) -> None:
    """Take back the move that the advice is about, if it is the person's last; raises Refusal."""
    client, person = interaction.client, person_of(interaction.user)
    match = await client.services.matches.match(match_id)
    if match.last_choice(match.player_of(person.user_id)) != ply:
        raise MatchError("coach_too_late")
    await client.services.playing.ask_undo(match_id, person, turn=match.turn)
    await interaction.response.edit_message(view=box(lines(own_text(interaction)("you_took_back"))))


async def show_moments(interaction: Interaction, match_id: int) -> None:
    """Answer with the key moments of a finished match; raises Refusal."""
    match = await seen_match(interaction, match_id)
    match.player_of(interaction.user.id)
    await promise(interaction, is_private=True)
    await interaction.edit_original_response(view=await _moments(interaction, match))


async def _moments(interaction: Interaction, match: Match) -> ui.LayoutView:
    person = person_of(interaction.user)
    await interaction.client.services.allowed_help.check_reviewed(match, person)
    moments = await interaction.client.services.puzzles.moments(match, person)
    return moments_view(own_text(interaction), match, moments)
