"""How the agent of a match thinks: what its search said of each move when it is asked again."""

from __future__ import annotations

import asyncio
import io

import discord
from discord import ui

from bot.domain.errors import MatchError
from bot.domain.match import Match
from bot.i18n import Text, plain, shortened
from bot.presentation import marks_of
from bot.presentation.verdicts import move_words, why_words
from bot.services.command_costs import Cost
from bot.ui.answers import edit_answer, respond
from bot.ui.board import board_with_threats, pictures_of
from bot.ui.client import Interaction
from bot.ui.context import own_look, own_text, person_of, spend
from bot.ui.layout import Item, box, gallery, lines
from bot.ui.match.thoughts import TREES, Asked, Thoughts, thoughts_of, whole_tree_of
from engine.agents.levels import Level
from engine.core import UnknownName, states_of
from engine.games import game as game_of

KNOWN = frozenset({"random", "corner", "one-step", "mcts", "perfect", "pattern", "threats"}) | TREES
MOST_DESCRIBED = 1000
"""Discord's limit for alternative texts is 1,024 characters."""


async def explain(interaction: Interaction, match: Match) -> None:
    """Answers privately about the agent's last move in the match; raises MatchError.

    The words come first, the pictures when they are drawn.
    """
    ply = _last_agent_ply(match)
    states = states_of(game_of(match.game).start(match.board), match.moves)
    asked_of = () if ply is None else (states[ply],)
    await interaction.client.services.matches.check_explained(match, person_of(interaction), asked_of)
    if ply is None:
        raise MatchError("nothing_to_explain")
    spend(interaction, Cost.EXPLANATION)
    t = own_text(interaction)
    await respond(interaction, box(lines(t("explain_thinking"))))
    state = states[ply]
    try:
        level = interaction.client.services.roster.level(match.seats[state.to_move].level or "")
    except UnknownName:  # a plug-in that is no longer installed
        raise MatchError("nothing_to_explain") from None
    asked = Asked(match, ply, state, own_look(interaction).theme)
    thoughts = await thoughts_of(interaction, t, asked, level)
    await edit_answer(interaction, _view(interaction, t, asked, level, thoughts, ()))
    files = await _pictures(t, asked, thoughts)
    if files:
        view = _view(interaction, t, asked, level, thoughts, files)
        await interaction.edit_original_response(view=view, attachments=(*files, *await pictures_of(view)))


def _view(
    interaction: Interaction,
    t: Text,
    asked: Asked,
    level: Level,
    thoughts: Thoughts,
    files: tuple[discord.File, ...],
) -> ui.LayoutView:
    match, ply = asked.match, asked.ply
    rules = game_of(match.game)
    marks = marks_of(rules, rules.start(match.board), match.moves[:ply])
    how = t(f"thinks_{level.kind}") if level.kind in KNOWN else t("thinks_other")
    name = plain(match.seats[asked.state.to_move].name)
    move = move_words(t, match.game, asked.state, asked.played)
    why = why_words(t, match.game, asked.state, asked.played)
    played = t("hint_move", move=move, why=why) if why else t("explain_played", move=move)
    parts: list[Item] = [
        lines(f"### {t('explain_title', name=name, number=ply + 1)}", how),
        *board_with_threats(t, match.game, asked.state, marks, own_look(interaction)),
        lines(*(() if files else thoughts.listed), *thoughts.lines, played),
    ]
    if files:
        parts.append(gallery(*files))
    return box(*parts)


async def _pictures(t: Text, asked: Asked, thoughts: Thoughts) -> tuple[discord.File, ...]:
    found = []
    for name, pictured in (("thoughts.png", thoughts), ("tree.png", await whole_tree_of(asked, t))):
        if pictured is not None and pictured.draw is not None:
            png = await asyncio.to_thread(pictured.draw)
            described = shortened(pictured.described, MOST_DESCRIBED)
            found.append(discord.File(io.BytesIO(png), name, description=described))
    return tuple(found)


def _last_agent_ply(match: Match) -> int | None:
    states = states_of(game_of(match.game).start(match.board), match.moves)
    plies = (ply for ply in range(len(match.moves) - 1, -1, -1) if match.seats[states[ply].to_move].is_agent)
    return next(plies, None)
