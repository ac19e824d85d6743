"""Explanations: how an agent came to its last move, for one player alone."""

from __future__ import annotations

import asyncio
import io

import discord

from bot.domain.errors import MatchError
from bot.domain.even_match import level_at
from bot.domain.match import Match
from bot.i18n import Text, shortened
from bot.services.command_costs import Cost
from bot.ui.answers import edit_answer, respond
from bot.ui.board import pictures_of
from bot.ui.client import Interaction
from bot.ui.context import own_look, own_text, person_of, spend
from bot.ui.layout import box, lines
from bot.ui.match.explanation_views import (
    ExplainedMove,
    Explanation,
    explain_search,
    explanation_view,
    whole_tree_of,
)
from engine.agents.roster import Roster
from engine.core import UnknownName

MAX_DESCRIPTION = 1000
"""Discord's limit for alternative texts is 1,024 characters."""


async def explain(interaction: Interaction, match: Match) -> None:
    """Explain the agent's last move: first in words, then with pictures; raises MatchError."""
    ply = _last_agent_ply(match)
    told = () if ply is None else (match.states[ply],)
    await interaction.client.services.allowed_help.check_explained(match, person_of(interaction), told)
    if ply is None:
        raise MatchError("nothing_to_explain")
    spend(interaction, Cost.EXPLANATION)
    t, look, services = own_text(interaction), own_look(interaction), interaction.client.services
    await respond(interaction, box(lines(t("explain_thinking"))))
    state = match.states[ply]
    try:
        level = services.roster.level(level_at(match, state.to_move, ply))
    except UnknownName:  # a plug-in that is no longer installed
        raise MatchError("nothing_to_explain") from None
    played = ExplainedMove(match, ply, state, look.theme)
    explanation = await explain_search(services.reviews, services.roster, t, played, level)
    await edit_answer(interaction, explanation_view(t, played, level, explanation, look))
    files = await _pictures(t, played, explanation)
    if files:
        view = explanation_view(t, played, level, explanation, look, files)
        await interaction.edit_original_response(view=view, attachments=(*files, *await pictures_of(view)))


def has_search(roster: Roster, match: Match) -> bool:
    """Return whether the match has a move that an agent found by a search."""
    ply = _last_agent_ply(match)
    if ply is None or ply < match.opening:
        return False
    try:
        return roster.level(level_at(match, match.movers[ply], ply)).kind != "random"
    except UnknownName:
        return False


async def _pictures(t: Text, played: ExplainedMove, explanation: Explanation) -> tuple[discord.File, ...]:
    found = []
    for name, drawn in (("thoughts.png", explanation), ("tree.png", await whole_tree_of(played, t))):
        if drawn is not None and drawn.draw is not None:
            png = await asyncio.to_thread(drawn.draw)
            description = shortened(drawn.description, MAX_DESCRIPTION)
            found.append(discord.File(io.BytesIO(png), name, description=description))
    return tuple(found)


def _last_agent_ply(match: Match) -> int | None:
    plies = (ply for ply in reversed(range(len(match.movers))) if match.seats[match.movers[ply]].is_agent)
    return next(plies, None)
