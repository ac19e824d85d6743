"""A hint: the best move of a running match, shown on the board, and why."""

from __future__ import annotations

from dataclasses import replace

from discord import ui

from bot.domain.errors import Refusal
from bot.domain.match import Match
from bot.i18n import Text
from bot.presentation import CLASSIC, Look, status
from bot.presentation.verdicts import opening_words, score_words, why_words
from bot.services.matches import MAX_HINTS
from bot.ui.answers import edit_answer, respond
from bot.ui.board import board_with_threats
from bot.ui.client import Interaction
from bot.ui.context import own_look, own_text, person_of
from bot.ui.layout import box, lines
from engine.games import game as game_of
from engine.score import Evaluation


async def give_hint(interaction: Interaction, match: Match) -> None:
    """Answers privately, at once with a promise and then with the move; raises Refusal."""
    number = await interaction.client.services.matches.take_hint(match, person_of(interaction))
    t = own_text(interaction)
    await respond(interaction, box(lines(t("hint_thinking"))))
    try:
        found = await interaction.client.services.reviews.hint(match)
    except Refusal as refusal:
        # The bot ends before there is an answer, and nobody pays for none.
        await interaction.client.services.matches.give_hint_back(match, person_of(interaction))
        await interaction.edit_original_response(view=box(lines(t(refusal.key))))
        return
    await edit_answer(interaction, hint_view(t, match, found, number, own_look(interaction)))


def hint_view(t: Text, match: Match, found: Evaluation, number: int, look: Look = CLASSIC) -> ui.LayoutView:
    """The proposed move as a ghost on the board, then in words."""
    cell = None if found.best is None else game_of(match.game).cell_of(match.state, found.best)
    marks = replace(status.marks(match), hints=(), best=cell)
    said = hint_lines(t, match, found, number)
    board = board_with_threats(t, match.game, match.state, marks, look)
    return box(lines(said[0]), *board, lines(*said[1:]))


def hint_lines(t: Text, match: Match, found: Evaluation, number: int) -> tuple[str, ...]:
    if found.best is None:
        raise ValueError(f"match {match.id} has no move to hint at")
    move = opening_words(t, match.game, match.state, found.best)
    why = why_words(t, match.game, match.state, found.best)
    said = (
        f"### 💡 {t('hint_title', game=status.title(t, match), number=number, limit=MAX_HINTS)}",
        t("hint_move", move=move, why=why or t("why_quiet")),
    )
    if match.state.play(found.best).outcome() is not None:
        return said  # nothing comes after it
    return (*said, f"-# {t('hint_worth', worth=score_words(t, found.score))}")
