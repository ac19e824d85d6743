"""Positions made visible, as emoji text and as pictures; knows neither Discord nor storage."""

from bot.render.discs import discs
from bot.render.look import CLASSIC, Look, Size, Theme
from bot.render.position import Marks, marks_of
from bot.render.text import draw_text

__all__ = ["CLASSIC", "Look", "Marks", "Size", "Theme", "discs", "draw_text", "marks_of"]
