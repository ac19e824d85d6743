"""The strongest Othello agent: patterns, selective search, an exact endgame, and a small opening book."""

from __future__ import annotations

import random
import time
from dataclasses import replace

from engine.core import Choice, EngineError, Limit, SearchInfo, State, is_opening
from engine.games.kept_memory import KeptMemory
from engine.games.othello.book import book_moves
from engine.games.othello.position import Position
from engine.games.othello.rules import OthelloState
from engine.games.othello.searcher import LARGEST, Iteration, Searcher, legal_line, weights_for
from engine.games.othello.thinking_time import Pace
from engine.kernels.running import running

DEFAULT_DEPTH = 10
_RESERVE_SECONDS, _RESERVE_SHARE = 0.005, 0.02
_LONG_SECONDS, _LARGE_TABLE, _SMALL_TABLE = 3.0, 20, 18
_SHALLOW_DEPTH, _SHALLOW_TABLE = 9, 14
"""Searches of at most so many plies play the same in a table of 1 MiB, and fill all pages of a larger one."""
_SAFE_LEAD, _SPARE_PART = 6, 3
"""With `early`: from a lead of so many discs on, a move may give away one part in three of it."""
BUCKET_BYTES = 64
MAX_KEPT_BYTES = 32 << 20
"""Of the tables of searchers that are kept for the next move of their match."""


_SEARCHERS: KeptMemory[Searcher] = KeptMemory(MAX_KEPT_BYTES)


class PatternAgent:
    """Plays Othello only; scores are differences of discs, with empty squares counted for the winner.

    depth: plies; 0 for as many as the limit allows, or DEFAULT_DEPTH if it has no seconds, nodes or depth.
    book: 0 plays without the opening book. spread: an opening move counts as equally good if it is at most
    this many discs worse than the best; None: the best alone. early: if not 0, the spread holds only before
    this ply; later in the opening equal moves are left, and part of a safe lead is given away for variety.
    pace: the percentage of its time that a move of the middle game may take (see `Pace`); 0 always uses all
    of it.
    """

    def __init__(
        self,
        seed: int = 0,
        depth: int = 0,
        book: int = 1,
        spread: int | None = None,
        early: int = 0,
        pace: int = 0,
    ) -> None:
        self._rng = random.Random(seed)
        self._depth = depth
        self._has_book = bool(book)
        self._spread = spread
        self._early = early
        self._pace = pace

    def choose(self, state: State, limit: Limit) -> Choice:
        """Return the best move found; raises EngineError for finished and other games.

        A forced move is played at once, and so is a book move unless the depth is limited.
        """
        started = time.perf_counter()
        if not isinstance(state, OthelloState):
            raise EngineError(f"the pattern agent plays Othello only, not {type(state).__name__}")
        moves = state.legal_moves()
        if not moves:
            raise EngineError("the game is over: there is no move to choose")
        if moves == (state.pass_move,):
            return Choice(moves[0], SearchInfo(seconds=time.perf_counter() - started, pv=moves))
        if self._has_book and not self._depth and limit.depth is None:
            known = book_moves(state)
            # Instead of a single book move, a player with a spread searches, so that games begin differently.
            if len(known) > 1 or (known and self._spread is None):
                move, score = self._rng.choice(known)
                seconds = time.perf_counter() - started
                return Choice(
                    move, SearchInfo(score=score, seconds=seconds, pv=(move,), move_scores=((move, score),))
                )
        return self._search(state, limit, started)

    def _search(self, state: OthelloState, limit: Limit, started: float) -> Choice:
        position = Position.of(state)
        is_varied = self._spread is not None and is_opening(state)
        pace = Pace.of(limit.seconds, self._pace, position.count, is_varied=is_varied)
        limit = replace(limit, seconds=pace.most)
        bits = _LARGE_TABLE if pace.most is not None and pace.most >= _LONG_SECONDS else _SMALL_TABLE
        if 0 < (self._depth or limit.depth or 0) <= _SHALLOW_DEPTH:
            bits = _SHALLOW_TABLE
        kind = state.size, bits
        searcher = _SEARCHERS.take(self, kind, lambda: Searcher(weights_for(state.size), bits))
        found: Iteration | None = None
        # Setting up a table takes time, too.
        with running(_within(limit, time.perf_counter() - started)) as run:
            searcher.begin(run, limit.threads)
            # By the processor's time, so that a busy machine ends a search at its limit, and not before.
            began = time.thread_time()
            for found in searcher.deepen(position, self._deepest(limit, position.count)):
                pace = pace.after(found.square, found.value)
                if pace.is_over(time.thread_time() - began):
                    break
            square = searcher.best_square
            # A proved result is not given away for variety.
            if is_varied and found is not None and not found.is_proven:
                square = self._drawn(searcher, state, position, found)
        info = _info(searcher, state, position, square, found, limit.depth)
        _SEARCHERS.give_back(self, kind, BUCKET_BYTES << bits, searcher)
        return Choice(info.pv[0], replace(info, seconds=time.perf_counter() - started))

    def _drawn(self, searcher: Searcher, state: OthelloState, position: Position, found: Iteration) -> int:
        """Return the square of the best move, or of one that is about as good."""
        best, spread = searcher.best_square, self._spread_of(state, found.value)
        others = [square for square in map(position.square_of, state.legal_moves()) if square != best]
        good = (square for square in others if searcher.reaches(position, square, found, spread))
        return self._rng.choice([best, *good])

    def _spread_of(self, state: OthelloState, value: int) -> int:
        """Return how many discs worse than the best an opening move may be; value: of the best."""
        spread = self._spread or 0
        if not self._early:
            return spread
        spare = value // _SPARE_PART if value >= _SAFE_LEAD else 0
        return max(spare, spread if state.ply < self._early else 0)

    def _deepest(self, limit: Limit, count: int) -> int:
        is_bounded = limit.seconds is not None or limit.nodes is not None
        deepest = self._depth or (LARGEST if is_bounded or limit.depth else DEFAULT_DEPTH)
        return min(deepest, limit.depth or LARGEST, count)


def _info(
    searcher: Searcher,
    state: OthelloState,
    position: Position,
    square: int,
    found: Iteration | None,
    depth: int | None,
) -> SearchInfo:
    """Return the findings about the move to that square; depth: the maximum length of its line."""
    line = legal_line(state, position, searcher.line(position, square)[:depth])
    info = SearchInfo(nodes=searcher.nodes, pv=line)
    if found is None:
        return info
    score = float(found.value)
    return replace(
        info, score=score, proven=found.is_proven, depth=found.depth, move_scores=((line[0], score),)
    )


def _within(limit: Limit, spent: float) -> Limit:
    """Return the limit less the time spent, and less a reserve for answering."""
    if limit.seconds is None:
        return limit
    left = limit.seconds * (1 - _RESERVE_SHARE) - _RESERVE_SECONDS - spent
    return replace(limit, seconds=max(left, 0.001))
