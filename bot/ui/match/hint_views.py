"""Hints: the proposed move on the board and in words."""

from __future__ import annotations

from dataclasses import replace

from discord import ui

from bot.domain.match import Match
from bot.i18n import Text
from bot.presentation import CLASSIC, Look, status
from bot.presentation.verdicts import hint_lines
from bot.ui.board import board_with_threats
from bot.ui.layout import box, lines
from engine.games import game as game_of
from engine.score import Evaluation


def hint_view(t: Text, match: Match, found: Evaluation, number: int, look: Look = CLASSIC) -> ui.LayoutView:
    """Return the proposed move, marked on the board and in words."""
    cell = None if found.best is None else game_of(match.game).cell_of(match.state, found.best)
    marks = replace(status.marks(match), hints=(), best=cell)
    title, *said = hint_lines(t, match, found, number)
    board = board_with_threats(t, match.game, match.state, marks, look)
    return box(lines(title), *board, lines(*said))
