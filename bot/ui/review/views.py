"""The message of a review: the losing move, a plot, the board at any ply, and buttons to step."""

from __future__ import annotations

import asyncio
import io
from dataclasses import dataclass
from typing import Any

import discord
from discord import ui

from bot.domain.match import Match
from bot.i18n import Text
from bot.presentation import CLASSIC, Look, marks_of, status
from bot.presentation.plot import draw_plot
from bot.presentation.verdicts import (
    accuracy_line,
    certainty,
    described,
    is_draw,
    key_moments,
    last_chances,
    losing_line,
    losing_move,
    moment_line,
    move_line,
    plot_legend,
)
from bot.ui.board import board_with_threats, pictures_of
from bot.ui.layout import Item, box, gallery, lines
from bot.ui.review.routes import KEY_MOMENTS, REVIEW_STEP, arrows, play_from_button
from engine.analysis.review import Mark, Review
from engine.core import Player
from engine.games import game as game_of

PLOT = "value.png"


@dataclass(frozen=True, slots=True)
class ReviewMessage:
    """A view and its files, the plot first."""

    view: ui.LayoutView
    files: tuple[discord.File, ...]


def opening_ply(match: Match, review: Review) -> int:
    """Return the ply after the losing move, the last chance or the worst move, else the last ply."""
    chances = last_chances(review) if is_draw(match) else ()
    move = losing_move(match, review) or (chances[-1] if chances else review.worst_move())
    return len(review.moves) if move is None else move.ply + 1


async def review_message(
    match: Match, review: Review, t: Text, ply: int, look: Look = CLASSIC
) -> ReviewMessage:
    """Return the review at that ply."""
    faults = [move.ply for move in review.reviewed if move and move.mark in (Mark.MISTAKE, Mark.BLUNDER)]
    values = [review.expectation(index) for index in range(len(review.states))]
    png = await asyncio.to_thread(draw_plot, match.game, values, ply, faults, review.exact_from, look.theme)
    picture = discord.File(io.BytesIO(png), PLOT, description=described(t, match, review))
    view = review_view(match, review, t, ply, picture, look)
    return ReviewMessage(view, (picture, *await pictures_of(view)))


def review_view(
    match: Match,
    review: Review,
    t: Text,
    ply: int,
    picture: discord.File,
    look: Look = CLASSIC,
) -> ui.LayoutView:
    rules = game_of(match.game)
    marks = marks_of(rules, review.states[0], review.moves[:ply])
    return box(
        lines(
            f"### {t('review_title', game=status.title(t, match))}",
            losing_line(t, match, review, look),
        ),
        *_key_moments(match, review, t, ply, look),
        lines(
            " · ".join(accuracy_line(t, match, review, player, look) for player in Player),
            f"-# {certainty(t, review)}",
        ),
        *board_with_threats(t, match.game, review.states[ply], marks, look),
        lines(move_line(t, match, review, ply, look)),
        lines(t("plot_title")),
        gallery(picture),
        lines(f"-# {plot_legend(t, match)}"),
        ui.ActionRow(*arrows(REVIEW_STEP, match, ply)),
        ui.ActionRow(play_from_button(t, match, ply, review.states[ply])),
    )


def _key_moments(match: Match, review: Review, t: Text, ply: int, look: Look) -> list[Item]:
    """Return a line for each key moment, with a button that shows it."""
    parts: list[Item] = []
    for slot, move in zip(KEY_MOMENTS, key_moments(match, review), strict=False):
        there = move.ply + 1
        custom_id = REVIEW_STEP(match.id, slot, there)
        button = ui.Button[Any](label=t("button_show"), disabled=ply == there, custom_id=custom_id)
        said = lines(moment_line(t, match, review, move, look))
        parts.append(ui.Section(said, accessory=button))
    return [lines(f"**{t('review_moments')}**"), *parts] if parts else []


def shared_review_view(
    match: Match, review: Review, t: Text, ply: int, look: Look = CLASSIC
) -> ui.LayoutView:
    """Return the match for other people: its players, its result, and the board of its key moment."""
    marks = marks_of(game_of(match.game), review.states[0], review.moves[:ply])
    return box(
        lines(f"### {status.pairing(t, match)}", status.result(t, match, look)),
        *board_with_threats(t, match.game, review.states[ply], marks, look),
        lines(losing_line(t, match, review, look)),
    )
