"""The Hex agent: Monte Carlo tree search, a fair first stone, and chains finished without detours."""

from __future__ import annotations

import random
import time

from engine.core import Choice, Limit, Move, SearchInfo, State, moves_of
from engine.games.hex.rules import HexState, around, as_hex
from engine.games.hex.searcher import Tried, bridges, simulated
from engine.kernels.running import Run, running

_USUAL_SIMULATIONS = 4_000
_OPENINGS_TRIED, _OPENING_SIMULATIONS = 6, 2_000
_NEARLY_EQUAL = 0.6
"""Moves with this share of the best one's simulations are chosen as well, in the first plies."""
_EARLY_SIMULATIONS = 600
"""Of an early move. More simulations agree on one move nearly every time."""

_SOLVED_SIZE = 7
_WINNING_FIRST_STONES = 0x4BBEFEFBA40
"""The 27 first stones that win on 7 × 7 without the swap, one bit per cell.

Proved by a search outside this repository (df-pn over must-play regions, with captured cells filled in; it
agreed with brute force in 3,899 positions of 3 × 3 and 4 × 4), a million positions for the 25 first stones
that differ under rotation. Hayward and others solved the same 49 in 2003.
"""


class BridgeAgent:
    """Plays the move that the search simulates most; scores are -1 to 1, proved ones are bridged chains.

    strays: the probability, in percent, of a thoughtless move next to the stones. solved: 1, and on 7 × 7
    exactly the first stones that win are taken over. early: before this ply few games are simulated, so that
    the moves differ. The first stone is one that leaves both sides about equal chances, since the other side
    may take it over.
    """

    def __init__(self, seed: int = 0, strays: int = 0, solved: int = 0, early: int = 0) -> None:
        self._rng, self._strays, self._solved = random.Random(seed), strays / 100, solved
        self._early = early

    def choose(self, state: State, limit: Limit) -> Choice:
        """Return the best move found; raises EngineError if the game is over."""
        started, position = time.perf_counter(), as_hex(state)
        moves_of(position)
        if limit.nodes is None and limit.seconds is None:
            limit = Limit(nodes=_USUAL_SIMULATIONS, stop=limit.stop)
        with running(limit) as run:
            move, score, proven = self._chosen(position, run)
        seconds = time.perf_counter() - started
        return Choice(move, SearchInfo(score, proven, 0, run.nodes, seconds, (move,)))

    def _chosen(self, state: HexState, run: Run) -> tuple[Move, float, bool]:
        """Return the move, its score, and whether that is proved."""
        if state.ply == 0:
            return self._fair_first(state, run)
        if self._rng.random() < self._strays:
            stones = state.stones[0] | state.stones[1]
            near = around(around(stones, state.size), state.size) & state.free
            return self._rng.choice([cell for cell in range(state.swap) if near >> cell & 1]), 0.0, False
        is_known = bool(self._solved) and state.ply == 1 and state.size == _SOLVED_SIZE
        if is_known and state.stones[0] & _WINNING_FIRST_STONES:
            return state.swap, 1.0, True
        # A player who strays does not see that a chain has won already.
        chain = None if self._strays else bridges(state, state.to_move)
        if chain is not None:
            last = [cell for cell in chain if state.play(cell).won]
            return self._rng.choice(last or chain), 1.0, True
        # Whether to take the first stone over is worth a full search.
        is_early = 1 < state.ply < self._early
        with run.part(_EARLY_SIMULATIONS if is_early else run.nodes_left):
            tried = simulated(state, run, self._rng.getrandbits(32))
        if not tried:  # stopped before the first simulation
            return self._rng.choice(state.legal_moves()), 0.0, False
        best = max(tried, key=lambda cell: tried[cell].visits)
        score = 2 * tried[best].share - 1
        # The first stone is too good: `swap` makes it this side's, and the other side's chances with it.
        if state.ply == 1 and score < 0 and not is_known:
            return state.swap, -score, False
        return self._varied(state, tried, best), score, False

    def _varied(self, state: HexState, tried: dict[Move, Tried], best: Move) -> Move:
        if state.ply >= state.size:
            return best
        enough = _NEARLY_EQUAL * tried[best].visits
        return self._rng.choice([cell for cell, found in tried.items() if found.visits >= enough])

    def _fair_first(self, state: HexState, run: Run) -> tuple[Move, float, bool]:
        scores: dict[Move, float] = {}
        each = min(_OPENING_SIMULATIONS, run.nodes_left // _OPENINGS_TRIED)
        for cell in self._rng.sample(state.legal_moves(), _OPENINGS_TRIED):
            with run.part(max(1, each)):
                after = simulated(state.play(cell), run, self._rng.getrandbits(32))
            scores[cell] = 1 - 2 * max((found.share for found in after.values()), default=0.5)
        fairest = min(scores, key=lambda cell: abs(scores[cell]))
        return fairest, scores[fairest], False
