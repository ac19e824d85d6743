"""The strongest Othello player: patterns, selective search, an exact end, and a small opening book."""

from __future__ import annotations

import random
import time
from dataclasses import replace

from engine.core import Choice, EngineError, Limit, SearchInfo, State
from engine.games.othello.book import book_moves
from engine.games.othello.rules import OthelloState
from engine.games.othello.searcher import LARGEST, Iteration, Position, Searcher, legal_line, weights_for
from engine.kernels.running import running

DEFAULT_DEPTH = 10
_RESERVE_SECONDS, _RESERVE_SHARE = 0.005, 0.02
_LAST_START = 0.7
"""After this share of the time no further search is begun: it would hardly come to anything."""
_LONG_SECONDS, _LARGE_TABLE, _SMALL_TABLE = 3.0, 20, 18


class PatternAgent:
    """Scores are differences of discs, empty squares counted for the winner; Othello only.

    depth: plies looked ahead; 0 for as many as the limit allows, or DEFAULT_DEPTH where it sets neither
    seconds, nodes nor a depth. book: 0 plays without the opening book.
    """

    def __init__(self, seed: int = 0, depth: int = 0, book: int = 1) -> None:
        self._rng = random.Random(seed)
        self._depth = depth
        self._has_book = bool(book)

    def choose(self, state: State, limit: Limit) -> Choice:
        """The best move found; raises EngineError when the game is over or is not Othello.

        A forced move is played at once, and one that the book knows too, unless the depth is capped.
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
            if known:
                move, score = self._rng.choice(known)
                seconds = time.perf_counter() - started
                return Choice(
                    move, SearchInfo(score=score, seconds=seconds, pv=(move,), move_scores=((move, score),))
                )
        return self._search(state, limit, started)

    def _search(self, state: OthelloState, limit: Limit, started: float) -> Choice:
        position = Position.of(state)
        is_long = limit.seconds is not None and limit.seconds >= _LONG_SECONDS
        searcher = Searcher(weights_for(state.size), _LARGE_TABLE if is_long else _SMALL_TABLE)
        found: Iteration | None = None
        with running(_within(limit, time.perf_counter() - started)) as run:
            searcher.begin(run)
            for found in searcher.deepen(position, self._deepest(limit, position.count)):  # noqa: B007
                elapsed = time.perf_counter() - started
                if limit.seconds is not None and elapsed > _LAST_START * limit.seconds:
                    break
        square = searcher.best_square
        line = searcher.line(position, square)
        if limit.depth is not None:
            line = line[: limit.depth]
        info = SearchInfo(nodes=searcher.nodes, pv=legal_line(state, position, line))
        move = info.pv[0]
        if found is not None:
            score = float(found.value)
            info = replace(
                info, score=score, proven=found.is_proven, depth=found.depth, move_scores=((move, score),)
            )
        return Choice(move, replace(info, seconds=time.perf_counter() - started))

    def _deepest(self, limit: Limit, count: int) -> int:
        is_bounded = limit.seconds is not None or limit.nodes is not None
        deepest = self._depth or (LARGEST if is_bounded or limit.depth else DEFAULT_DEPTH)
        return min(deepest, limit.depth or LARGEST, count)


def _within(limit: Limit, spent: float) -> Limit:
    """The limit with what has been spent taken off, and a little for answering."""
    if limit.seconds is None:
        return limit
    left = limit.seconds * (1 - _RESERVE_SHARE) - _RESERVE_SECONDS - spent
    return replace(limit, seconds=max(left, 0.001))
