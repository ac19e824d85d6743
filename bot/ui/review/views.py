"""A finished match looked at again: the losing move, a plot, the board at any move, buttons to step.

Every view is private to whoever asked for it. Buttons work after any restart: what they show is searched
again where it has been forgotten.
"""

from __future__ import annotations

import asyncio
import io
import logging
from dataclasses import dataclass

import discord
from discord import ui

from bot.domain.match import Match
from bot.i18n import Text, shortened
from bot.presentation import CLASSIC, Look, marks_of, status
from bot.presentation.plot import draw_plot
from bot.presentation.verdicts import (
    accuracy_line,
    certainty,
    described,
    is_draw,
    last_chances,
    losing_line,
    losing_move,
    move_line,
    plot_legend,
)
from bot.services.command_costs import Cost
from bot.ui.answers import respond
from bot.ui.board import board_with_threats, pictures_of
from bot.ui.client import Interaction
from bot.ui.context import own_look, own_text, person_of, seen_match, spend
from bot.ui.layout import Item, box, gallery, lines
from bot.ui.review.play_from import button_from
from bot.ui.review.routes import OTHERS_WORST, REVIEW_STEP, WORST, arrows
from bot.ui.share_button import What, with_sharing
from engine.analysis.review import Mark, Review
from engine.core import Player
from engine.games import game as game_of

log = logging.getLogger(__name__)

PLOT = "value.png"

MOST_LABEL = 80
"""Characters that Discord allows on a button."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A message to send or to edit in: its view and its pictures, the plot first."""

    view: ui.LayoutView
    pictures: tuple[discord.File, ...]


async def press_review(interaction: Interaction, match_id: int) -> None:
    """The button under a finished match."""
    await open_review(interaction, await seen_match(interaction, match_id))


async def press_step(interaction: Interaction, match_id: int, _slot: str, ply: int) -> None:
    """Shows the review at another ply, on the message that was pressed."""
    match = await seen_match(interaction, match_id)
    await interaction.client.services.matches.check_reviewed(match, person_of(interaction))
    await step(interaction, match, min(ply, len(match.turns)))


async def open_review(interaction: Interaction, match: Match) -> None:
    """Answers privately with the match at its losing move; better values follow while nobody turns it."""
    await interaction.client.services.matches.check_reviewed(match, person_of(interaction))
    spend(interaction, Cost.REVIEW)
    t = own_text(interaction)
    waiting = box(lines(t("review_begins", n=len(match.turns))))
    sent = await respond(interaction, waiting)
    ply, is_whole = len(match.turns), False
    async for review in interaction.client.services.reviews.steps(match):
        if sent is not None and sent in interaction.client.ui.turned_reviews:
            continue
        if not is_whole and review.share == 1:
            ply, is_whole = opening_ply(match, review), True
        shown = await drawn(match, review, t, ply, interaction.user.id, own_look(interaction))
        view = with_sharing(interaction, shown.view, What.REVIEW, match.id)
        await interaction.edit_original_response(view=view, attachments=shown.pictures)


async def step(interaction: Interaction, match: Match, ply: int) -> None:
    """Shows the review at that ply on the message that was pressed."""
    spend(interaction, Cost.REVIEW_STEP)
    if interaction.message is not None:
        interaction.client.ui.turned_reviews[interaction.message.id] = True
    t = own_text(interaction)
    review = interaction.client.services.reviews.known(match.id)
    if review is None:
        await interaction.response.defer()
        review = await interaction.client.services.reviews.whole(match)
    shown = await drawn(match, review, t, ply, interaction.user.id, own_look(interaction))
    view = with_sharing(interaction, shown.view, What.REVIEW, match.id)
    if interaction.response.is_done():
        await interaction.edit_original_response(view=view, attachments=shown.pictures)
    else:
        await interaction.response.edit_message(view=view, attachments=shown.pictures)


def opening_ply(match: Match, review: Review) -> int:
    """Right after the losing move or the last chance missed, or after the worst move, or at the end."""
    chances = last_chances(review) if is_draw(match) else ()
    move = losing_move(match, review) or (chances[-1] if chances else review.worst_move())
    return len(review.moves) if move is None else move.ply + 1


async def drawn(
    match: Match, review: Review, t: Text, ply: int, reader_id: int, look: Look = CLASSIC
) -> Shown:
    """The review with so many moves made, for that reader."""
    faults = [move.ply for move in review.reviewed if move and move.mark in (Mark.MISTAKE, Mark.BLUNDER)]
    values = [review.expectation(index) for index in range(len(review.states))]
    png = await asyncio.to_thread(draw_plot, match.game, values, ply, faults, review.exact_from, look.theme)
    picture = discord.File(io.BytesIO(png), PLOT, description=described(t, match, review))
    view = review_view(match, review, t, ply, picture, reader_id, look)
    return Shown(view, (picture, *await pictures_of(view)))


def review_view(
    match: Match,
    review: Review,
    t: Text,
    ply: int,
    picture: discord.File,
    reader_id: int,
    look: Look = CLASSIC,
) -> ui.LayoutView:
    rules = game_of(match.game)
    marks = marks_of(rules, review.states[0], review.moves[:ply])
    return box(
        lines(
            f"### {t('review_title', game=status.title(t, match))}",
            losing_line(t, match, review, look),
            " · ".join(accuracy_line(t, match, review, player, look) for player in Player),
            f"-# {certainty(t, review)}",
        ),
        *board_with_threats(t, match.game, review.states[ply], marks, look),
        lines(move_line(t, match, review, ply, look)),
        lines(t("plot_title")),
        gallery(picture),
        lines(f"-# {plot_legend(t, match)}"),
        ui.ActionRow(*arrows(REVIEW_STEP, match, ply)),
        ui.ActionRow(*_worst_moves(match, review, t, ply, reader_id)),
        ui.ActionRow(button_from(t, match, ply, review.states[ply])),
    )


def _worst_moves(match: Match, review: Review, t: Text, ply: int, reader_id: int) -> list[Item]:
    """A button to the worst move of each side, the reader's own first."""
    own = match.players_of(reader_id)
    first = own[0] if own else Player.FIRST
    buttons: list[Item] = []
    for slot, player in ((WORST, first), (OTHERS_WORST, first.other)):
        name = match.seats[player].name
        label = t("button_worst") if own and player is first else t("button_worst_of", name=name)
        worst = review.worst_move(player)
        there = len(review.moves) if worst is None else worst.ply + 1
        buttons.append(
            ui.Button(
                label=shortened(label, MOST_LABEL),
                disabled=worst is None or ply == there,
                custom_id=REVIEW_STEP(match.id, slot, there),
            )
        )
    return buttons
