"""The perfect agent for Connect Four: on 6 x 7 it never gives away what the position is worth."""

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

_HURRIED_SECONDS = 0.02
_HURRIED_NODES = 10_000
"""Enough for alpha-beta to look eight plies deep."""
_PROOF_NODES = 10_000_000
"""About a second's: when to leave off trying to prove what another board's position is worth."""


class PerfectAgent:
    """What the solver knows and finds out; alpha-beta when there is no time for an exact answer.

    Exact scores are proven and count stones from the end as ConnectFourSolver does; alpha-beta's have its
    own unit. Which of equally good moves it takes, chance decides; the first moves are looked up, and from
    ply 10 on the solver answers within a fraction of a second. A limit of depth asks for something inexact,
    and gets alpha-beta.

    On other boards it does what it can: at most half of the limit, or a second, goes to proving which move is
    as good as any. Where that fails, Monte Carlo tree search chooses among those not proved to be worse.
    """

    def __init__(
        self,
        hurried: Agent,
        sampling: Agent,
        rng: random.Random,
        spread: int = 0,
        slips: int = 0,
        slipping: Agent | None = None,
        early_slips: int = 0,
    ) -> None:
        """hurried: alpha-beta, for when there is no time; sampling: Monte Carlo tree search.

        spread: in the opening a move is as good as the best one if it wins at most so many stones later, or
        loses so much sooner. slips: how many moves of a hundred, on 6 x 7, it leaves to `slipping`;
        early_slips: so many more at the first move, and ever fewer until the opening ends.
        """
        self._solver = ConnectFourSolver()
        self._evaluator = ConnectFourEvaluator()
        self._hurried = hurried
        self._sampling = sampling
        self._rng = rng
        self._spread = spread
        self._slips, self._early_slips = slips, early_slips
        self._slipping = slipping or hurried

    def choose(self, state: State, limit: Limit) -> Choice:
        """A best move; raises EngineError for games other than Connect Four, and when the game is over."""
        started = time.perf_counter()
        position = connect_four_state(state)
        if limit.depth is not None or limit.nodes == 1:
            return self._hurried.choose(state, limit)
        if not position.is_usual_board:
            return self._elsewhere(position, limit, started)
        if 100 * self._rng.random() < self._slips + self._early_slips * opening_left(state) ** 2:
            return self._slipping.choose(state, limit)
        order = self._rng.sample(CENTRE_FIRST, len(CENTRE_FIRST))
        spread = self._spread if is_opening(state) else 0
        known = self._solver.best(position, _all_but_a_moment(limit), order, spread)
        nodes = self._solver.nodes
        if known is None:
            return self._hurry(state, limit, nodes, started)
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

    def _hurry(self, state: State, limit: Limit, nodes: int, started: float) -> Choice:
        """Alpha-beta's answer within what the solver has left of the limit."""
        choice = self._hurried.choose(state, _rest(limit, nodes, started))
        seconds = time.perf_counter() - started
        return Choice(choice.move, replace(choice.info, nodes=nodes + choice.info.nodes, seconds=seconds))


def _all_but_a_moment(limit: Limit) -> Limit:
    """The limit less what alpha-beta needs in case the solver fails."""
    if limit.seconds is not None:
        limit = replace(limit, seconds=max(limit.seconds / 2, limit.seconds - _HURRIED_SECONDS))
    if limit.nodes is not None:
        limit = replace(limit, nodes=max(limit.nodes // 2, limit.nodes - _HURRIED_NODES))
    return limit


def _half(limit: Limit) -> Limit:
    """Half of the limit, and never more than what a proof elsewhere is worth."""
    nodes = _PROOF_NODES if limit.nodes is None else min(limit.nodes // 2, _PROOF_NODES)
    return replace(
        limit, depth=None, nodes=nodes, seconds=None if limit.seconds is None else limit.seconds / 2
    )


def _rest(limit: Limit, nodes: int, started: float) -> Limit:
    """What so many nodes since then have left of the limit."""
    if limit.nodes is not None:
        limit = replace(limit, nodes=max(1, limit.nodes - nodes))
    if limit.seconds is not None:
        limit = replace(limit, seconds=max(0.001, limit.seconds - (time.perf_counter() - started)))
    return limit
