"""The agent of draughts, and the evaluator of its positions."""

from __future__ import annotations

import math
import random
import time
from dataclasses import replace

from engine.core import Choice, Limit, Move, SearchInfo, State, is_opening, moves_of
from engine.games.draughts.kernels.search import DOUBLE_JUMP, LONGEST, SINGLE_JUMP
from engine.games.draughts.rules import DraughtsState, as_draughts, taken_on
from engine.games.draughts.searcher import Depth, DraughtsSearcher, holds, is_ending
from engine.kernels.blundering import CERTAIN, PLAIN, blunder_rates
from engine.kernels.control import INFINITY
from engine.kernels.heuristic_values import DECIDED, WIN
from engine.kernels.running import running
from engine.score import Evaluation, Evaluator, Score

_DEEPEST = 40
_LARGE_TABLE = 17
_GLANCE_NODES = 30_000
_SURE = 0.97
"""The expected result of a win that the search found but did not prove."""
_OF_CERTAINTY = 150.0
"""An estimate of one and a half men counts as about three quarters of a win."""


class JumpingAgent:
    """Alpha-beta to a depth, every jump to its end, with exact endings.

    overlooks: the probability, in percent, that it misses one of its moves; it misses replies more often, and
    turns that take several pieces twice as often, and knows no endings. spread: in the opening, a move that
    is at most this many hundredths of a man worse than the best counts as equally good.
    """

    def __init__(self, seed: int = 0, depth: int = 8, overlooks: int = 0, spread: int = 0) -> None:
        self._rng = random.Random(seed)
        self._depth, self._spread = depth, spread
        self._rates = blunder_rates(LONGEST + 1, overlooks / 100) if overlooks else None

    def choose(self, state: State, limit: Limit) -> Choice:
        """Return the best move found; raises EngineError if the game is over."""
        started = time.perf_counter()
        position = as_draughts(state)
        moves = self._seen(position, list(moves_of(position)))
        deepest = self._depth if limit.depth is None else min(self._depth, limit.depth)
        spread = self._spread if is_opening(position) else 0
        best, last = Depth((moves[0],), 0, {}, 0, is_whole=False), None
        with running(limit) as run:
            bits = 12 if deepest < 8 else _LARGE_TABLE
            # To come back to no position of the game lets it make progress when it is ahead.
            searcher = DraughtsSearcher(
                position, run, self._rates, self._rng.getrandbits(62), bits, avoided=1
            )
            for found in searcher.deepen(moves, deepest, spread):
                last, best = best, found
                if abs(found.score) > DECIDED and WIN - abs(found.score) <= found.depth:
                    break
            if run.has_stopped and last is not None and spread:
                best = last  # an interrupted search has not compared all moves
            if spread and abs(best.score) < DECIDED:
                move = self._rng.choice(sorted(best.scores) or [best.line[0]])
                best = replace(best, line=(move,) if move != best.line[0] else best.line)
        is_sure = best.is_whole or best.score > 0
        is_proved = self._rates is None and is_sure and _score(position, best.score, best.depth).is_proved
        info = SearchInfo(
            score=float(best.score),
            proven=is_proved,
            depth=best.depth,
            nodes=run.nodes,
            seconds=time.perf_counter() - started,
            pv=best.line,
            move_scores=tuple(sorted((move, float(score)) for move, score in best.scores.items())),
        )
        return Choice(best.line[0], info)

    def _seen(self, state: DraughtsState, moves: list[Move]) -> list[Move]:
        """Return the moves that are not overlooked, in random order; a random one if it sees none."""
        self._rng.shuffle(moves)
        if self._rates is None:
            return moves
        rate = int(self._rates[0])
        return [
            move for move in moves if PLAIN * self._rng.randrange(CERTAIN) >= rate * _subtlety(state, move)
        ] or moves[:1]


def _subtlety(state: DraughtsState, move: Move) -> int:
    taken = len(taken_on(state.paths[move]))
    return PLAIN if not taken else SINGLE_JUMP if taken == 1 else DOUBLE_JUMP


class DraughtsEvaluator(Evaluator):
    """Proves endings of up to four pieces and forced wins; everything else is an estimate.

    A depth limit asks for a quick look.
    """

    def evaluate(self, state: State, limit: Limit) -> Evaluation:
        """Raises EngineError for other games, and once the game is over."""
        return self._evaluated(state, limit, 0)

    def evaluate_moves(self, state: State, limit: Limit) -> Evaluation:
        """Evaluate every move to the same depth. Raises EngineError as `evaluate`."""
        return self._evaluated(state, limit, INFINITY)

    def _evaluated(self, state: State, limit: Limit, margin: int) -> Evaluation:
        position = as_draughts(state)
        moves = moves_of(position)
        glance = Limit(nodes=_GLANCE_NODES, stop=limit.stop) if limit.depth is not None else limit
        best: Depth | None = None
        known = dict[Move, Score]()
        with running(glance) as run:
            for found in DraughtsSearcher(position, run, table_bits=_LARGE_TABLE).deepen(
                moves, _DEEPEST, margin
            ):
                if not found.is_whole:
                    break
                best = found
                known = {
                    move: _score(position, value, found.depth, move) for move, value in found.scores.items()
                }
                if all(score.exact for score in known.values()):
                    break
        if best is None:
            return Evaluation(Score(), moves[:1], run.nodes)
        score = _score(position, best.score, best.depth)
        if margin:
            known = {move: known.get(move, Score()) for move in moves}
        return Evaluation(score, best.line, run.nodes, known if margin else {})


def _score(state: DraughtsState, value: int, depth: int, move: Move | None = None) -> Score:
    """Return the score of a search's value, for a move or for the best one; depth: plies searched."""
    is_exact = is_ending(state if move is None else state.play(move))
    plies = WIN - abs(value)
    if abs(value) > DECIDED and holds(state, plies):
        # Within the depth every line was searched, so no win is faster; beyond it only forced ones.
        won = Score.won(plies) if is_exact or plies <= depth else replace(Score.won(), mean=_SURE)
        return won if value > 0 else -won
    if value == 0 and is_exact and holds(state, 0):
        return Score.drawn()
    return Score.likely(_SURE * math.tanh(value / _OF_CERTAINTY))
