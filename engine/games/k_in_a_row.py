"""Shared parts of games of k in a row: windows of k cells, their values, and reasons for moves."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from engine.core import Move, Outcome, Player, State
from engine.games.reasons import Reason, Why

FULL, OWN_ONE_SHORT, OPPOSING_ONE_SHORT = 1_000_000, 1, -1_000


@lru_cache(maxsize=64)
def windows(rows: int, columns: int, k: int) -> tuple[tuple[int, ...], ...]:
    """Return every k cells in a row, as indices into `State.cells()`; 69 of them for 6 x 7 and k = 4."""
    return tuple(
        tuple((row + i * down) * columns + column + i * right for i in range(k))
        for row in range(rows)
        for column in range(columns)
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))
        if 0 <= row + (k - 1) * down < rows and 0 <= column + (k - 1) * right < columns
    )


def line_value(state: State, mover: Player, k: int) -> int:
    """Return the value of a state for the player who has just moved, as a sum over all windows of k cells.

    1,000,000 for each full of own discs, 1 for each of k - 1 own discs and an empty cell, -1,000 for each of
    k - 1 opposing discs and an empty cell.
    """
    cells = state.cells()
    value = 0
    for window in windows(state.rows, state.columns, k):
        held = [cells[cell] for cell in window]
        own, empty = held.count(mover), held.count(None)
        if own == k:
            value += FULL
        elif empty == 1:
            if own == k - 1:
                value += OWN_ONE_SHORT
            elif own == 0:
                value += OPPOSING_ONE_SHORT
    return value


def line_reasons(
    state: State, move: Move, length: int, turned: Callable[[State], State], *, is_central: bool
) -> list[Reason]:
    """Return the reasons about lines of that length. turned: swaps the side to move."""
    found = []
    after = state.play(move)
    still_loses = any(_line_by(after, square) for square in after.legal_moves())
    threatened = _line_by(turned(state), move)
    if threatened is not None and not still_loses:
        found.append(Reason(_direction(threatened.line, state.columns), length))
    if after.outcome() is None:
        # The same board with the mover to move again shows their immediate wins.
        again = turned(after)
        threats = sum(_line_by(again, square) is not None for square in again.legal_moves())
        if threats >= 2 and not still_loses:
            found.append(Reason(Why.TWO_THREATS))
        elif threats:
            found.append(Reason(Why.THREAT, length))
    if is_central:
        found.append(Reason(Why.CENTRE))
    return found


def _line_by(state: State, move: Move) -> Outcome | None:
    """Return the outcome of the move, if it makes a line."""
    if move not in state.legal_moves():
        return None
    outcome = state.play(move).outcome()
    return outcome if outcome is not None and outcome.line else None


def _direction(line: tuple[int, ...], columns: int) -> Why:
    rows = {cell // columns for cell in line}
    if len(rows) == 1:
        return Why.STOPS_ROW
    return Why.STOPS_COLUMN if len({cell % columns for cell in line}) == 1 else Why.STOPS_DIAGONAL
