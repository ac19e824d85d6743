"""Random, distinct and nearly even openings for Othello matches."""

from __future__ import annotations

import random

from engine.core import Limit, Move
from engine.games.othello.position import Position
from engine.games.othello.rules import Othello, OthelloState
from engine.games.othello.searcher import Searcher
from engine.kernels.running import running

_OPENING_MOVES, _BALANCED = 10, 8
_JUDGING_DEPTH = 6


def best_move(searcher: Searcher, state: OthelloState, depth: int) -> tuple[Move, int]:
    """Return (move, its value in discs for the side to move) of a search to `depth` plies.

    The state must have a move other than a pass.
    """
    position = Position.of(state)
    with running(Limit()) as run:
        searcher.begin(run)
        *_, last = searcher.deepen(position, min(depth, position.count))
    return position.move_of(last.square), last.value


def balanced_openings(count: int, judge: Searcher, rng: random.Random) -> list[OthelloState]:
    """Return `count` distinct positions after ten random moves, within 8 discs of even for the judge."""
    found: set[OthelloState] = set()
    while len(found) < count:
        state = Othello().start()
        for _ in range(_OPENING_MOVES):
            moves = state.legal_moves()
            state = state.play(rng.choice(moves)) if moves else state
        can_choose = len(state.legal_moves()) > 1
        if can_choose and abs(best_move(judge, state, _JUDGING_DEPTH)[1]) <= _BALANCED:
            found.add(state)
    return sorted(found, key=lambda state: (state.own, state.opponent))
