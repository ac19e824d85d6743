"""Handlers and messages of the key moments of a coached match, where the person looks for a better move.

A moment with a proved score becomes a puzzle, except on an old board, where nothing new begins. One with an
estimate has no single right answer to store: its message shows the position and the score of the last answer,
and any move about as good as the best is right.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from discord import ui

from bot.domain.match import Match
from bot.domain.puzzle import check_legal
from bot.i18n import Text
from bot.presentation import Look, icon, marks_of, names, status
from bot.presentation.verdicts import opening_words, score_words
from bot.services.puzzles import becomes_puzzle
from bot.ui.answers import acknowledge, edit_answer, promise
from bot.ui.board import board_part, buttons_are_board
from bot.ui.client import Interaction
from bot.ui.context import own_look, own_text, person_of, seen_match
from bot.ui.layout import Item, box, lines
from bot.ui.move_choices import Picked
from bot.ui.move_views import MoveOffer, offered_moves
from bot.ui.puzzle.routes import MOMENT_ANSWER
from bot.ui.puzzle.views import puzzle_view
from bot.ui.review.routes import KEY_MOMENTS, REVIEW_STEP
from engine.analysis.review import Mark, Reviewed
from engine.core import Move
from engine.games import game as game_of
from engine.games import spec_of

RIGHT = (Mark.BEST, Mark.GOOD)


async def open_moment(interaction: Interaction, match_id: int, ply: int) -> None:
    """Answer with the position before that move of the person's match; raises Refusal."""
    match, person = await _match(interaction, match_id), person_of(interaction)
    await promise(interaction, is_private=True)
    moment = await interaction.client.services.puzzles.key_moment(match, ply, person)
    if becomes_puzzle(match, moment):
        attempt = await interaction.client.services.puzzles.moment(
            match, moment, person, interaction.guild_id
        )
        await edit_answer(interaction, puzzle_view(attempt, own_text(interaction), own_look(interaction)))
    else:
        await edit_answer(
            interaction, moment_view(own_text(interaction), match, moment, own_look(interaction))
        )


async def answer(interaction: Interaction, match_id: int, ply: int, move: Move) -> None:
    """Show the score of that move in the position; raises Refusal."""
    match, t = await _match(interaction, match_id), own_text(interaction)
    state = match.states[ply]
    check_legal(match.game, state, move)
    await acknowledge(interaction)
    moment = await interaction.client.services.puzzles.key_moment(match, ply, person_of(interaction))
    judged = await interaction.client.services.reviews.judge(match, ply, move)
    is_right = judged.mark in RIGHT
    key = "puzzle_right" if is_right else "puzzle_wrong"
    said = t(
        key, move=opening_words(t, match.game, state, move), worth=score_words(t, match.game, judged.after)
    )
    view = moment_view(t, match, moment, own_look(interaction), told=(said,), is_over=is_right)
    await edit_answer(interaction, view)


async def pick(interaction: Interaction, match_id: int, ply: int, picked: Picked) -> None:
    """Offer the next choices on the way to a move; raises Refusal."""
    match = await _match(interaction, match_id)
    await acknowledge(interaction)
    moment = await interaction.client.services.puzzles.key_moment(match, ply, person_of(interaction))
    await edit_answer(
        interaction, moment_view(own_text(interaction), match, moment, own_look(interaction), picked=picked)
    )


def moment_view(
    t: Text,
    match: Match,
    moment: Reviewed,
    look: Look,
    *,
    told: Sequence[str] = (),
    picked: Picked | None = None,
    is_over: bool = False,
) -> ui.LayoutView:
    """Return the message. told: about the last answer. picked: on the way to a move.

    is_over: it is solved.
    """
    rules, spec, before = game_of(match.game), spec_of(match.game), match.moves[: moment.ply]
    start = rules.start(match.board)
    state = match.states[moment.ply]
    played = opening_words(t, match.game, state, moment.move)
    task = t("moment_task", disc=icon(match.game, moment.player, look), move=played)
    heading = f"### {t('puzzle_title_own', game=status.title(t, match))}"
    parts: list[Item] = [lines(heading, f"-# {t('puzzle_practice')}")]
    if is_over or not buttons_are_board(match.game, look):
        marks = marks_of(rules, start, before, hints=spec.look.shows_legal_moves and not is_over)
        parts.append(board_part(t, match.game, state, marks, look))
    parts.append(lines(*told, None if is_over else task))
    if not is_over:
        subject, at = match.id, moment.ply
        offer = MoveOffer(
            spec, match.board, state, MOMENT_ANSWER, subject, at, look, picked, fades_taken=True
        )
        parts.extend(offered_moves(offer, t))
    parts.append(ui.ActionRow(_review_button(t, match, moment)))
    return box(*parts, colour=names.accent(match.game, moment.player, look.theme))


def _review_button(t: Text, match: Match, moment: Reviewed) -> ui.Button[Any]:
    custom_id = REVIEW_STEP(match.id, KEY_MOMENTS[0], moment.ply + 1)
    return ui.Button(label=t("button_review"), emoji="🔍", custom_id=custom_id)


async def _match(interaction: Interaction, match_id: int) -> Match:
    """Return a match of the person that may be reviewed; raises Refusal."""
    match = await seen_match(interaction, match_id)
    match.player_of(interaction.user.id)
    await interaction.client.services.allowed_help.check_reviewed(match, person_of(interaction))
    return match
