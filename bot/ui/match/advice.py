"""Handlers of advice on a match, for one player alone: hints, the coach, and how its agent thinks."""

from __future__ import annotations

import asyncio
import io
import logging

import discord
from discord import ui

from bot.domain.errors import MatchError, Refusal
from bot.domain.match import Match
from bot.i18n import Text, shortened
from bot.services.command_costs import Cost
from bot.services.reviews import Advice
from bot.ui.answers import edit_answer, promise, respond
from bot.ui.board import pictures_of
from bot.ui.client import Interaction
from bot.ui.context import own_look, own_text, person_of, seen_match, spend
from bot.ui.discord_errors import DISCORD_ERRORS
from bot.ui.layout import box, lines
from bot.ui.match.advice_views import advice_view, hint_view, moments_view
from bot.ui.match.explanation_views import (
    ExplainedMove,
    Explanation,
    explain_search,
    explanation_view,
    whole_tree_of,
)
from engine.analysis.review import Mark
from engine.core import UnknownName, states_of
from engine.games import game as game_of

log = logging.getLogger(__name__)

MAX_DESCRIPTION = 1000
"""Discord's limit for alternative texts is 1,024 characters."""


async def give_hint(interaction: Interaction, match: Match) -> None:
    """Answer at once, and with the best move when it is found; raises Refusal."""
    number = await interaction.client.services.fairness.take_hint(match, person_of(interaction))
    t = own_text(interaction)
    await respond(interaction, box(lines(t("hint_thinking"))))
    try:
        found = await interaction.client.services.reviews.hint(match)
    except Refusal as refusal:
        # The bot is ending: a hint that was not given does not count.
        await interaction.client.services.fairness.give_hint_back(match, person_of(interaction))
        await interaction.edit_original_response(view=box(lines(t(refusal.key))))
        return
    await edit_answer(interaction, hint_view(t, match, found, number, own_look(interaction)))


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
    await interaction.client.services.fairness.check_fair(
        person_of(interaction), match.game, match.board, told
    )
    return advice


async def _send(interaction: Interaction, view: ui.LayoutView) -> None:
    await interaction.followup.send(view=view, ephemeral=True)


async def take_back(interaction: Interaction, match_id: int, ply: int) -> None:
    """Take back the move that the advice is about, if it is the person's last; raises Refusal."""
    client, person = interaction.client, person_of(interaction)
    match = await client.services.matches.match(match_id)
    if match.last_choice(match.player_of(person.user_id)) != ply:
        raise MatchError("coach_too_late")
    match = await client.services.playing.ask_undo(match_id, person, turn=match.turn)
    await interaction.response.edit_message(view=box(lines(own_text(interaction)("you_took_back"))))
    await client.display.show(match)
    client.services.pings.ping(match)


async def show_moments(interaction: Interaction, match_id: int) -> None:
    """Answer with the key moments of a finished match; raises Refusal."""
    match = await seen_match(interaction, match_id)
    match.player_of(interaction.user.id)
    await promise(interaction, is_private=True)
    await interaction.edit_original_response(view=await _moments(interaction, match))


async def _moments(interaction: Interaction, match: Match) -> ui.LayoutView:
    person = person_of(interaction)
    await interaction.client.services.fairness.check_reviewed(match, person)
    moments = await interaction.client.services.puzzles.moments(match, person)
    return moments_view(own_text(interaction), match, moments)


async def explain(interaction: Interaction, match: Match) -> None:
    """Explain the agent's last move: first in words, then with pictures; raises MatchError."""
    ply = _last_agent_ply(match)
    states = states_of(game_of(match.game).start(match.board), match.moves)
    told = () if ply is None else (states[ply],)
    await interaction.client.services.fairness.check_explained(match, person_of(interaction), told)
    if ply is None:
        raise MatchError("nothing_to_explain")
    spend(interaction, Cost.EXPLANATION)
    t, look, services = own_text(interaction), own_look(interaction), interaction.client.services
    await respond(interaction, box(lines(t("explain_thinking"))))
    state = states[ply]
    try:
        level = services.roster.level(match.seats[state.to_move].level or "")
    except UnknownName:  # a plug-in that is no longer installed
        raise MatchError("nothing_to_explain") from None
    played = ExplainedMove(match, ply, state, look.theme)
    explanation = await explain_search(services.reviews, services.roster, t, played, level)
    await edit_answer(interaction, explanation_view(t, played, level, explanation, look))
    files = await _pictures(t, played, explanation)
    if files:
        view = explanation_view(t, played, level, explanation, look, files)
        await interaction.edit_original_response(view=view, attachments=(*files, *await pictures_of(view)))


async def _pictures(t: Text, played: ExplainedMove, explanation: Explanation) -> tuple[discord.File, ...]:
    found = []
    for name, drawn in (("thoughts.png", explanation), ("tree.png", await whole_tree_of(played, t))):
        if drawn is not None and drawn.draw is not None:
            png = await asyncio.to_thread(drawn.draw)
            description = shortened(drawn.description, MAX_DESCRIPTION)
            found.append(discord.File(io.BytesIO(png), name, description=description))
    return tuple(found)


def _last_agent_ply(match: Match) -> int | None:
    states = states_of(game_of(match.game).start(match.board), match.moves)
    plies = (ply for ply in range(len(match.moves) - 1, -1, -1) if match.seats[states[ply].to_move].is_agent)
    return next(plies, None)
