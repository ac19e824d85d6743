"""The one-step agent: makes every move in its head, likes one of the positions best, looks no further."""

from __future__ import annotations

import random
import time
from functools import lru_cache

from engine.agents.random import moves_of
from engine.core import Choice, EngineError, Limit, Player, SearchInfo, State
from engine.games.connect_four import ConnectFourState
from engine.games.othello import OthelloState
from engine.games.tic_tac_toe import TicTacToeState
from engine.kernels.weights import CORNER, DISC, MOBILITY, WIN

FULL, OWN_ONE_SHORT, OPPOSING_ONE_SHORT = 1_000_000, 1, -1_000


class OneStepAgent:
    """One-move lookahead, ties broken at random; plain Python, no kernel.

    Games of k in a row, over all windows of k cells after the move: 1,000,000 for each full of own
    discs, 1 for each of k - 1 own discs and an empty cell, -1,000 for each of k - 1 opposing discs and an
    empty cell. Othello: the weights of `engine.kernels.weights`, for corners, for the replies left to the
    other side (each costs), for discs; a won game 1,000,000.
    """

    def __init__(self, seed: int = 0) -> None:
        self._rng = random.Random(seed)

    def choose(self, state: State, limit: Limit) -> Choice:  # noqa: ARG002 (an instant needs no limit)
        """A legal move; raises EngineError when the game is over or is not one it can judge."""
        started = time.perf_counter()
        scores = [(move, float(value_of(state.play(move), state.to_move))) for move in moves_of(state)]
        best = max(score for _, score in scores)
        move = self._rng.choice([move for move, score in scores if score == best])
        info = SearchInfo(
            score=best,
            depth=1,
            nodes=len(scores),
            seconds=time.perf_counter() - started,
            pv=(move,),
            move_scores=tuple(scores),
        )
        return Choice(move, info)


def value_of(state: State, mover: Player) -> int:
    """How the state looks to the player who has just moved; raises EngineError for an unknown game."""
    match state:
        case ConnectFourState():
            return _line_value(state, mover, state.k)
        case TicTacToeState():
            return _line_value(state, mover, 3)
        case OthelloState():
            return _othello_value(state, mover)
    raise EngineError(f"the one-step agent cannot judge {type(state).__name__}")


def _line_value(state: State, mover: Player, k: int) -> int:
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


def _othello_value(state: OthelloState, mover: Player) -> int:
    cells = state.cells()
    discs = cells.count(mover) - cells.count(mover.other)
    outcome = state.outcome()
    if outcome is not None:
        if outcome.winner is None:
            return 0
        return discs + (WIN if outcome.winner == mover else -WIN)
    size = state.size
    held = [cells[cell] for cell in (0, size - 1, size * (size - 1), size * size - 1)]
    corners = held.count(mover) - held.count(mover.other)
    replies = sum(move != size * size for move in state.legal_moves())
    return CORNER * corners - MOBILITY * replies + DISC * discs


@lru_cache(maxsize=64)
def windows(rows: int, columns: int, k: int) -> tuple[tuple[int, ...], ...]:
    """Every k cells in a row, as indices into `State.cells()`; 69 of them for 6 x 7 and k = 4."""
    return tuple(
        tuple((row + i * down) * columns + column + i * right for i in range(k))
        for row in range(rows)
        for column in range(columns)
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))
        if 0 <= row + (k - 1) * down < rows and 0 <= column + (k - 1) * right < columns
    )
