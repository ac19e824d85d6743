"""Dots and Boxes: the last lines, by the table of all their subsets that other tests use as well."""

from __future__ import annotations

from collections.abc import Sequence

from engine.score import Score
from tests.engine.games.dots_and_boxes.plain_dots import Table, all_lines, closed, line

MOST_LINES = 9


def truth(board: str, moves: Sequence[str], most_lines: int = MOST_LINES) -> Score | None:
    whole = left = all_lines(*map(int, board.split("x")))
    mover, boxes = 0, [0, 0]
    for name in moves:
        gained = closed(left, line(name), whole)
        left, boxes[mover] = left ^ line(name), boxes[mover] + gained
        mover = mover if gained else 1 - mover
    if left.bit_count() > most_lines:
        return None
    return Score.by_discs(boxes[mover] - boxes[1 - mover] + Table(whole).lead(left))
