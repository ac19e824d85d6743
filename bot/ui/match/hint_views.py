"""Hints: the proposed move on the board and in words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import discord
from discord import ui

from bot.domain.match import Match
from bot.i18n import Text
from bot.presentation import CLASSIC, Look, cell_of_move, names, status
from bot.presentation.verdicts import hint_lines
from bot.ui.board import board_with_threats
from bot.ui.layout import box, lines
from bot.ui.match.routes import HINT_WORTH, PLAY_HINT
from engine.games import spec_of
from engine.score import Evaluation


def hint_view(
    t: Text, match: Match, found: Evaluation, number: int, look: Look = CLASSIC, *, has_worth: bool = False
) -> ui.LayoutView:
    """Return the proposed move, marked on the board and in words, with a button to play it.

    has_worth: with its value and distance, which only people who ask for it want to know.
    """
    if found.best is None:
        raise ValueError(f"match {match.id} has no move to hint at")
    spec = spec_of(match.game)
    cell = cell_of_move(spec, match.state, found.best)
    marks = replace(status.marks(match), hints=(), best=cell)
    title, *said = hint_lines(t, match, found, number, has_worth=has_worth)
    board = board_with_threats(t, match.game, match.state, marks, look)
    name = names.move_label(spec, match.state, found.best)
    is_pass = spec.is_pass(match.state, found.best)
    buttons = [
        ui.Button[Any](
            label=t("button_pass") if is_pass else t("button_hint_play", move=name),
            style=discord.ButtonStyle.primary,
            custom_id=PLAY_HINT(match.id, match.turn, found.best),
        )
    ]
    if not has_worth and match.state.play(found.best).outcome() is None:
        worth = HINT_WORTH(match.id, match.turn)
        buttons.append(ui.Button[Any](label=t("button_hint_more"), custom_id=worth))
    return box(lines(title), *board, lines(*said), ui.ActionRow(*buttons))
