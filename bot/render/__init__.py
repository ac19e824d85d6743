"""Positions made visible, as emoji text and as pictures; knows neither Discord nor storage."""

from bot.render.position import Marks, marks_of
from bot.render.text import discs, draw_text

__all__ = ["Marks", "discs", "draw_text", "marks_of"]
