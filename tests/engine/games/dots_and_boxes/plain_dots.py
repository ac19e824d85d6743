"""Dots and Boxes a second time, as plainly as can be: lines are pairs of dots, a board is a set of them."""

from __future__ import annotations

from functools import cache
from itertools import product

Dot = tuple[int, int]
Line = frozenset[Dot]
Lines = frozenset[Line]


def all_lines(down: int, across: int) -> list[Line]:
    dots = list(product(range(down + 1), range(across + 1)))
    pairs = [(dot, (dot[0] + 1, dot[1])) for dot in dots] + [(dot, (dot[0], dot[1] + 1)) for dot in dots]
    return [frozenset(pair) for pair in pairs if pair[1] in dots]


def around(row: int, column: int) -> Lines:
    """Return the four lines of the box whose upper left dot that is."""
    a, b, c, d = (row, column), (row, column + 1), (row + 1, column), (row + 1, column + 1)
    return frozenset(map(frozenset, ((a, b), (a, c), (b, d), (c, d))))


def closed(drawn: Lines, line: Line, down: int, across: int) -> int:
    """Return how many boxes the line closes."""
    boxes = [around(row, column) for row in range(down) for column in range(across)]
    return sum(line in box and box <= drawn | {line} for box in boxes)


@cache
def lead(drawn: Lines, down: int, across: int) -> int:
    """Return how many more boxes the mover closes from now on, with best play."""
    found = []
    for line in all_lines(down, across):
        if line not in drawn:
            gained = closed(drawn, line, down, across)
            rest = lead(drawn | {line}, down, across)
            found.append(gained + rest if gained else -rest)
    return max(found, default=0)
