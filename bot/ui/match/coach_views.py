"""The coach's words while it holds an answer, and about better moves at the end."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import discord
from discord import ui

from bot.domain.match import Held, Match
from bot.i18n import Text
from bot.presentation import Look, cell_of_move, marks_of, names
from bot.presentation.advice import better_words, held_words
from bot.presentation.status import name_of
from bot.ui.board import board_part
from bot.ui.layout import Item, box, lines
from bot.ui.match.routes import ACTION, Action
from bot.ui.puzzle.routes import train_button
from engine.games import spec_of


def held_view(t: Text, match: Match, held: Held, better_in: Look | None = None) -> ui.LayoutView:
    """Return the loss of the person's turn, and their choices.

    better_in: with the better move, marked on a board of that look as it was before the turn.
    """
    shows_better = better_in is not None
    labels = {Action.TAKE_BACK: t("button_take_back")}
    if shows_better:
        better = names.move_label(spec_of(match.game), match.states[held.ply], held.better)
        labels = {Action.PLAY_BETTER: t("button_hint_play", move=better), **labels}
    else:
        labels[Action.SHOW_BETTER] = t("button_show_better")
    labels[Action.PLAY_ON] = t("button_play_on")
    main, usual = discord.ButtonStyle.success, discord.ButtonStyle.secondary
    buttons = [
        ui.Button[Any](
            label=label, style=usual if number else main, custom_id=ACTION(match.id, match.turn, action)
        )
        for number, (action, label) in enumerate(labels.items())
    ]
    return box(
        *([] if better_in is None else [_before(t, match, held, better_in)]),
        lines(
            held_words(t, match, held),
            better_words(t, match, held) if shows_better else None,
            f"-# {t('coach_note', name=name_of(match, match.to_move))}",
        ),
        ui.ActionRow(*buttons),
    )


def _before(t: Text, match: Match, held: Held, look: Look) -> Item:
    """Return the board before the person's turn, with the better move."""
    spec, state = spec_of(match.game), match.states[held.ply]
    marks = marks_of(spec.rules, match.states[0], match.moves[: held.ply])
    better = replace(marks, best=cell_of_move(spec, state, held.better))
    return board_part(t, match.game, state, better, look)


def moments_view(t: Text, match: Match, count: int) -> ui.LayoutView:
    """Return how many better moves the person had, and the way to train them."""
    if not count:
        return box(lines(t("moments_none")))
    return box(lines(t("moments_title", n=count)), ui.ActionRow(train_button(t, match.id)))
