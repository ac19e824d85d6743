"""Kalah a second time, as plainly as can be: a board is a dict, and seeds walk one by one."""

from __future__ import annotations

from functools import cache

Row = tuple[int, ...]
Board = tuple[Row, int, Row, int]
"""The mover's pits and store, then the other side's."""


def start(pits: int, seeds: int) -> Board:
    return (seeds,) * pits, 0, (seeds,) * pits, 0


def moves(board: Board) -> list[int]:
    """Return the mover's pits with seeds; nothing once a side is empty."""
    own, _, theirs, _ = board
    return [pit for pit, seeds in enumerate(own) if seeds] if any(theirs) else []


def made(board: Board, pit: int) -> tuple[Board, bool]:
    """Return the board after the move, still from the mover's view, and whether the mover goes on."""
    own, store, theirs, their_store = board
    holes = {("own", place): seeds for place, seeds in enumerate(own)}
    holes |= {("theirs", place): seeds for place, seeds in enumerate(theirs)}
    holes["store", 0] = store
    hand, holes["own", pit], here = holes["own", pit], 0, ("own", pit)
    while hand:
        here = _next(here, len(own))
        holes[here] += 1
        hand -= 1
    if here[0] == "own" and holes[here] == 1:
        across = ("theirs", len(own) - 1 - here[1])
        holes["store", 0] += holes[here] + holes[across]
        holes[here] = holes[across] = 0
    mine = tuple(holes["own", place] for place in range(len(own)))
    others = tuple(holes["theirs", place] for place in range(len(own)))
    return (mine, holes["store", 0], others, their_store), here[0] == "store"


def _next(hole: tuple[str, int], pits: int) -> tuple[str, int]:
    row, place = hole
    if row == "store":
        return "theirs", 0
    if place + 1 < pits:
        return row, place + 1
    return ("store", 0) if row == "own" else ("own", 0)


def is_over(board: Board) -> bool:
    return not any(board[0]) or not any(board[2])


@cache
def lead(own: Row, theirs: Row) -> int:
    """Return how many more seeds the mover stores from now on, with best play."""
    board = (own, 0, theirs, 0)
    if is_over(board):
        return sum(own) - sum(theirs)
    found = []
    for pit in moves(board):
        (mine, gained, others, _), goes_on = made(board, pit)
        rest = lead(mine, others) if goes_on else -lead(others, mine)
        found.append(gained + rest)
    return max(found)


def count_lines(board: Board, depth: int) -> int:
    """Count the lines of `depth` moves, without those that end sooner."""
    if depth == 0:
        return 1
    count = 0
    for pit in moves(board):
        (mine, store, others, their_store), goes_on = made(board, pit)
        after = (mine, store, others, their_store) if goes_on else (others, their_store, mine, store)
        count += count_lines(after, depth - 1)
    return count
