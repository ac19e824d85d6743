"""The Gomoku agent: searches continuous fours to their end, and other moves to a depth."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence

from engine.core import Choice, Limit, Move, SearchInfo, State, Stop, moves_of
from engine.games.gomoku.rules import GomokuState, Phase, as_gomoku
from engine.games.gomoku.searcher import MAX_FOURS_NODES, Found, GomokuSearcher
from engine.kernels.running import Run, running

_REGION = 3
"""The distance from the centre within which openings are placed."""
_TRIED = 24
"""The number of squares tried for the last disc of an opening, to balance it."""
_GLANCE = 2
_CAREFUL = 4
"""From that depth on, moves that allow the other side a win by fours are left out."""


class ThreatAgent:
    """Alpha-beta over the most promising moves, after a search for a win by continuous fours.

    depth: plies, not counting forced replies. width: moves searched per state. overlooks: the probability, in
    percent, that a move is not considered at all; such an agent searches no fours either. Scores are the
    search's own; `proven` for wins by five or by fours alone. In a swap2 opening it places balanced discs,
    and takes the side that looks better.
    """

    def __init__(self, seed: int = 0, depth: int = 4, width: int = 12, overlooks: int = 0) -> None:
        self._rng = random.Random(seed)
        self._depth, self._width, self._overlooks = depth, width, overlooks / 100

    def choose(self, state: State, limit: Limit) -> Choice:
        """Return the best move found; raises EngineError if the game is over."""
        started = time.perf_counter()
        position = as_gomoku(state)
        moves_of(position)
        with running(limit) as run:
            if position.phase in (Phase.THREE, Phase.TWO):
                found = self._even(position, run)
            else:
                depth = self._depth if limit.depth is None else min(self._depth, limit.depth)
                found = self._best(position, run, depth, limit.stop)
                if found.score < 0 and position.phase is not Phase.PLAY:
                    found = Found((position.swap,), -found.score, {position.swap: -found.score}, found.depth)
        info = SearchInfo(
            score=float(found.score),
            proven=found.plies is not None,
            depth=found.depth,
            nodes=run.nodes,
            seconds=time.perf_counter() - started,
            pv=found.line,
            move_scores=tuple(sorted((move, float(score)) for move, score in found.scores.items())),
        )
        return Choice(found.line[0], info)

    def _best(self, state: GomokuState, run: Run, depth: int, stop: Stop | None) -> Found:
        searcher = GomokuSearcher(state, run)
        squares = [move for move in state.legal_moves() if move < state.swap]
        if not state.discs[0] | state.discs[1]:
            middle = state.swap // 2
            return Found((middle,), 0, {middle: 0}, 0)
        if not self._overlooks and (fours := searcher.fours()) is not None:
            return fours
        likely = self._seen(searcher.likely(self._shuffled(squares), 2 * self._width))
        if depth >= _CAREFUL:
            with running(Limit(nodes=MAX_FOURS_NODES, stop=stop)) as guard:
                likely = GomokuSearcher(state, guard).safe(likely)
        return searcher.deepened(likely, depth, self._width)

    def _seen(self, likely: list[Move]) -> list[Move]:
        """Return the moves that are not overlooked."""
        seen = [move for move in likely if self._rng.random() >= self._overlooks]
        return seen or likely[-1:]

    def _even(self, state: GomokuState, run: Run) -> Found:
        """Place a disc of an opening: the last one to balance the position, the others at random."""
        middle = state.size // 2
        near = [
            move
            for move in state.legal_moves()
            if all(abs(place - middle) <= _REGION for place in divmod(move, state.size))
        ] or list(state.legal_moves())
        tried = self._rng.sample(near, min(_TRIED, len(near)))
        if state.play(tried[0]).phase is state.phase:
            return Found((tried[0],), 0, {tried[0]: 0}, 0)
        scores = {}
        for move in tried:
            after = state.play(move)
            searcher = GomokuSearcher(after, run)
            squares = [square for square in after.legal_moves() if square < after.swap]
            scores[move] = -abs(
                searcher.deepened(searcher.likely(squares, self._width), _GLANCE, self._width).score
            )
        best = max(scores, key=scores.__getitem__)
        return Found((best,), scores[best], scores, _GLANCE)

    def _shuffled(self, moves: Sequence[Move]) -> list[Move]:
        return self._rng.sample(moves, len(moves))
