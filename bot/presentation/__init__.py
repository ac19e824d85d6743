"""Positions as emoji text and as pictures; independent of Discord and storage."""

from bot.domain.look import CLASSIC, Look, Size, Theme
from bot.presentation.discs import discs
from bot.presentation.position import Marks, cell_of_move, marks_after, marks_of, with_hints
from bot.presentation.text import draw_text, empty_icon, icon, icons

__all__ = [
    "CLASSIC",
    "Look",
    "Marks",
    "Size",
    "Theme",
    "cell_of_move",
    "discs",
    "draw_text",
    "empty_icon",
    "icon",
    "icons",
    "marks_after",
    "marks_of",
    "with_hints",
]
