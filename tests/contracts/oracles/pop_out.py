"""Pop Out, some plies ahead: columns are texts from bottom to top, X begins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache

from engine.score import Score
from tests.contracts.oracles.connect_four import Columns, has_line

ROWS, WIDTH, K = 6, 7, 4
PLIES = 3
Position = tuple[Columns, str]
"""The columns, and whose turn it is."""


def following(columns: Columns, mover: str) -> Iterator[tuple[str, Position]]:
    """Yield the name of each move, with the position after it."""
    other = "O" if mover == "X" else "X"
    for at, column in enumerate(columns):
        changed = {str(at + 1): column + mover} if len(column) < ROWS else {}
        if column.startswith(mover):
            changed[f"p{at + 1}"] = column[1:]
        for name, one in changed.items():
            yield name, ((*columns[:at], one, *columns[at + 1 :]), other)


def winner(columns: Columns, mover: str) -> str:
    """Return who has four in a row; if both have, the side that has just moved."""
    other = "O" if mover == "X" else "X"
    marks = [mark for mark in (other, mover) if has_line(columns, mark, K, ROWS)]
    return marks[0] if marks else ""


@cache
def is_won(position: Position, side: str, plies: int, drawn: frozenset[Position]) -> bool:
    """Whether the side forces four in a row within so many plies.

    drawn: the positions that end the game, since they would come for the third time. No other position needs
    to be remembered: the fastest win never comes back to one.
    """
    columns, mover = position
    ended = winner(columns, mover)
    if ended or position in drawn or plies == 0:
        return ended == side
    after = (is_won(next_one, side, plies - 1, drawn) for _, next_one in following(columns, mover))
    return any(after) if mover == side else all(after)


def truth(_board: str, moves: Sequence[str], plies: int = PLIES) -> Score:
    here: Position = ("",) * WIDTH, "X"
    stood = Counter([here])
    for name in moves:
        here = dict(following(*here))[name]
        stood[here] += 1
    drawn = frozenset(position for position, times in stood.items() if times == 2 and position != here)
    if stood[here] > 2:
        return Score.drawn()
    mover = here[1]
    for ahead in range(1, plies + 1):
        for side, score in ((mover, Score.won(ahead)), ("XO"[mover == "X"], Score.lost(ahead))):
            if is_won(here, side, ahead, drawn):
                return score
    if is_won.cache_info().currsize > 300_000:
        is_won.cache_clear()
    return Score.between(Score.lost(plies + 1), Score.won(plies + 1))
