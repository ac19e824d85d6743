"""Dots and Boxes: draw lines between dots, and close more boxes than the other side."""

from engine.games.dots_and_boxes.rules import DotsAndBoxes, DotsState
from engine.games.dots_and_boxes.spec import SPEC

__all__ = ["SPEC", "DotsAndBoxes", "DotsState"]
