"""The perfect agent for Connect Four: on 6 x 7 its moves always keep the score."""

from __future__ import annotations

import random
import time
from dataclasses import replace

from engine.core import Agent, Choice, Limit, SearchInfo, State, is_opening, opening_left
from engine.games.connect_four.any_board_solver import connect_four_state, empty_cells
from engine.games.connect_four.early_scores import CENTRE_FIRST
from engine.games.connect_four.evaluator import ConnectFourEvaluator
from engine.games.connect_four.exact_solver import ConnectFourSolver
from engine.games.connect_four.rules import ConnectFourState

_FALLBACK_SECONDS = 0.02
_FALLBACK_NODES = 10_000
"""Enough for alpha-beta to search eight plies."""
_PROOF_NODES = 10_000_000
"""About a second: the limit of a proof on other boards."""


class PerfectAgent:
    """Plays the solver's moves; falls back on alpha-beta if there is no time for an exact answer.

    Exact scores are proven and count stones from the end as in ConnectFourSolver; alpha-beta's have their
    own unit. Among equally good moves it chooses at random. The scores of the first plies are stored, and
    from ply 10 on the solver takes a fraction of a second. A depth limit asks for an inexact answer, so
    alpha-beta gives it.

    On other boards it spends at most half of the limit, or a second, on proving a best move. If that fails,
    Monte Carlo tree search chooses among the moves that are not proved to be worse.
    """

    def __init__(
        self,
        fallback: Agent,
        sampling: Agent,
        rng: random.Random,
        spread: int = 0,
        slips: int = 0,
        slipping: Agent | None = None,
        early_slips: int = 0,
    ) -> None:
        """fallback: alpha-beta, the fallback without time; sampling: Monte Carlo tree search.

        spread: in the opening, a move that wins at most this many stones later than the best, or loses this
        many sooner, counts as equally good. slips: the percentage of moves on 6 x 7 left to `slipping`;
        early_slips: added to it at the first move, decreasing to 0 until the opening ends.
        """
        self._solver = ConnectFourSolver()
        self._evaluator = ConnectFourEvaluator()
        self._fallback = fallback
        self._sampling = sampling
        self._rng = rng
        self._spread = spread
        self._slips, self._early_slips = slips, early_slips
        self._slipping = slipping or fallback

    def choose(self, state: State, limit: Limit) -> Choice:
        """Return a best move; raises EngineError for other games and for finished games."""
        started = time.perf_counter()
        position = connect_four_state(state)
        if limit.depth is not None or limit.nodes == 1:
            return self._fallback.choose(state, limit)
        if not position.is_usual_board:
            return self._elsewhere(position, limit, started)
        if 100 * self._rng.random() < self._slips + self._early_slips * opening_left(state) ** 2:
            return self._slipping.choose(state, limit)
        order = self._rng.sample(CENTRE_FIRST, len(CENTRE_FIRST))
        spread = self._spread if is_opening(state) else 0
        known = self._solver.best(position, _all_but_a_moment(limit), order, spread)
        nodes = self._solver.nodes
        if known is None:
            return self._fall_back(state, limit, nodes, started)
        move, score = known
        info = SearchInfo(
            score=float(score),
            proven=True,
            nodes=nodes,
            seconds=time.perf_counter() - started,
            pv=(move,),
            move_scores=((move, float(score)),),
        )
        return Choice(move, info)

    def _elsewhere(self, state: ConnectFourState, limit: Limit, started: float) -> Choice:
        found = self._evaluator.evaluate(state, _half(limit))
        if found.best is not None:
            score = float(found.score.points(empty_cells(state)))
            info = SearchInfo(score=score, proven=found.score.exact, nodes=found.nodes, pv=found.line)
        else:
            choice = self._sampling.choose(state, _rest(limit, found.nodes, started))
            info = replace(choice.info, nodes=found.nodes + choice.info.nodes)
            if found.moves and choice.move not in found.moves:
                info = replace(info, pv=(max(found.moves, key=dict(info.visits).__getitem__),))
        return Choice(info.pv[0], replace(info, seconds=time.perf_counter() - started))

    def _fall_back(self, state: State, limit: Limit, nodes: int, started: float) -> Choice:
        """Return alpha-beta's move within the remainder of the limit."""
        choice = self._fallback.choose(state, _rest(limit, nodes, started))
        seconds = time.perf_counter() - started
        return Choice(choice.move, replace(choice.info, nodes=nodes + choice.info.nodes, seconds=seconds))


def _all_but_a_moment(limit: Limit) -> Limit:
    """Return the limit less the time that alpha-beta needs in case the solver fails."""
    if limit.seconds is not None:
        limit = replace(limit, seconds=max(limit.seconds / 2, limit.seconds - _FALLBACK_SECONDS))
    if limit.nodes is not None:
        limit = replace(limit, nodes=max(limit.nodes // 2, limit.nodes - _FALLBACK_NODES))
    return limit


def _half(limit: Limit) -> Limit:
    """Return half of the limit, at most the nodes of a proof."""
    nodes = _PROOF_NODES if limit.nodes is None else min(limit.nodes // 2, _PROOF_NODES)
    return replace(
        limit, depth=None, nodes=nodes, seconds=None if limit.seconds is None else limit.seconds / 2
    )


def _rest(limit: Limit, nodes: int, started: float) -> Limit:
    """Return the remainder of the limit after those nodes and the time since `started`."""
    if limit.nodes is not None:
        limit = replace(limit, nodes=max(1, limit.nodes - nodes))
    if limit.seconds is not None:
        limit = replace(limit, seconds=max(0.001, limit.seconds - (time.perf_counter() - started)))
    return limit
