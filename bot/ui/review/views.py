"""The message of a review: the losing move, the board at any ply with buttons to step, and a plot."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Iterable
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
    last_chances,
    losing_line,
    losing_move,
    move_line,
    plot_legend,
    set_up_line,
)
from bot.ui.board import board_with_threats, pictures_of
from bot.ui.layout import box, gallery, lines
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
    values = [review.expectation(index) for index in range(len(review.states))]
    png = await asyncio.to_thread(
        draw_plot, match.game, values, ply, _faults(review), review.exact_from, look.theme
    )
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
    # In two rows, since a fourth button beside a word wraps on a narrow phone.
    first, back, forward, last = arrows(REVIEW_STEP, match, ply)
    return box(
        lines(
            f"### {t('review_title', game=status.title(t, match))}",
            losing_line(t, match, review, look),
        ),
        *board_with_threats(t, match.game, review.states[ply], marks, look),
        ui.ActionRow(back, forward, *_next_mistake(match, review, t, ply)),
        lines(move_line(t, match, review, ply, look)),
        gallery(picture),
        lines(
            f"-# {plot_legend(t, match)}",
            " · ".join(accuracy_line(t, match, review, player, look) for player in Player),
            f"-# {certainty(t, review)}",
            *([f"-# {only}"] if (only := set_up_line(t, match)) else []),
        ),
        ui.ActionRow(first, last, play_from_button(t, match, ply, review.states[ply])),
    )


def _faults(review: Review) -> list[int]:
    """Return the plies of the bad moves, in order."""
    return [move.ply for move in review.reviewed if move and move.mark in (Mark.MISTAKE, Mark.BLUNDER)]


def _next_mistake(match: Match, review: Review, t: Text, ply: int) -> Iterable[ui.Button[Any]]:
    """Return a button to the next bad move, after the last one to the first; none without a bad move."""
    faults = [fault + 1 for fault in _faults(review)]
    if faults:
        there = next((fault for fault in faults if fault > ply), faults[0])
        custom_id = REVIEW_STEP(match.id, KEY_MOMENTS[0], there)
        style = discord.ButtonStyle.primary
        yield ui.Button(
            label=t("button_next_mistake"), style=style, disabled=there == ply, custom_id=custom_id
        )


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
