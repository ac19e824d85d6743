"""The Gomoku agent: proves wins by threats, and searches other moves to a depth."""

from __future__ import annotations

import random
import time
from dataclasses import replace

from engine.core import Choice, Limit, Move, SearchInfo, State, moves_of
from engine.games.gomoku.rules import GomokuState, Phase, as_gomoku
from engine.games.gomoku.searcher import Found, GomokuSearcher
from engine.games.gomoku.sight import noticed
from engine.kernels.heuristic_values import DECIDED
from engine.kernels.running import Run, running

_REGION = 3
"""The distance from the centre within which openings are placed."""
_TRIED = 24
"""The number of squares tried for the last disc of an opening, to balance it."""
_GLANCE = 2
_CAREFUL = 4
"""From that depth on, wins by threes are proved, and moves that allow the other side one are left out."""
_VARIED_PLIES = 8
"""The ply from which on only the best move is played."""
_PROOF_NODES, _DOUBT_NODES = 150_000, 600_000
"""The limits of states in a search for its own win by threats, and for the other side's."""


class ThreatAgent:
    """Alpha-beta over the most promising moves, after a search for a win by threats.

    depth: plies, not counting forced replies. width: moves searched per state. overlooks: the probability, in
    percent, that a plain line is not seen; such an agent looks at single squares alone, see `noticed`.
    spread: at first, moves whose value is at most this much less are as likely as the best, later fewer.
    Scores are the search's own; `proven` for wins by five or by threats alone. In a swap2 opening it places
    balanced discs, and takes the side that looks better.
    """

    def __init__(
        self, seed: int = 0, depth: int = 4, width: int = 12, overlooks: int = 0, spread: int = 0
    ) -> None:
        self._rng = random.Random(seed)
        self._depth, self._width, self._overlooks = depth, width, overlooks / 100
        self._spread = spread

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
                found = self._best(position, run, depth)
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

    def _best(self, state: GomokuState, run: Run, depth: int) -> Found:
        if not state.discs[0] | state.discs[1]:
            first = self._rng.choice(_middle(state))
            return Found((first,), 0, {first: 0}, 0)
        if self._overlooks:
            values = noticed(state, self._overlooks, self._rng)
            best = max(values, key=values.__getitem__)
            return Found((best,), values[best], values, 1)
        searcher = GomokuSearcher(state, run)
        if (fours := searcher.fours()) is not None:
            return fours
        is_careful = depth >= _CAREFUL
        if is_careful and (proved := searcher.by_threats(min(_PROOF_NODES, run.nodes_left // 5))) is not None:
            return proved
        squares = [move for move in state.legal_moves() if move < state.swap]
        likely = searcher.likely(self._rng.sample(squares, len(squares)), 2 * self._width)
        margin = round(self._spread * max(0.0, 1 - state.ply / _VARIED_PLIES))
        while True:
            is_final = not is_careful or len(likely) == 1
            # As many states are kept to refute the move that is found.
            with run.part(run.nodes_left // (1 if is_final else 2)):
                found = searcher.deepened(likely, depth, self._width, margin)
            if margin and found.scores and abs(found.score) <= DECIDED:
                near = [move for move, score in sorted(found.scores.items()) if score >= found.score - margin]
                move = self._rng.choice(near)
                found = found if move == found.line[0] else replace(found, line=(move,))
            if is_final or run.has_stopped or found.score < -DECIDED:
                return found
            if not searcher.allows_threats(found.line[0], min(_DOUBT_NODES, run.nodes_left // 2)):
                return found
            likely.remove(found.line[0])

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


def _middle(state: GomokuState) -> list[Move]:
    """Return the nine squares in the middle."""
    middle, size = state.size // 2, state.size
    return [
        row * size + column
        for row in range(middle - 1, middle + 2)
        for column in range(middle - 1, middle + 2)
    ]
