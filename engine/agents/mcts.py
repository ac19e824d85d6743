"""Monte Carlo tree search (UCT): plays thousands of games in its head and makes the move it kept to."""

from __future__ import annotations

import random
import time

from engine.agents.boards import board_of
from engine.agents.running import running
from engine.agents.uct_tree import UctTree
from engine.core import Choice, Limit, SearchInfo, State

_DEEPEST = 64
_UNBOUNDED = 1 << 40


class MctsAgent:
    """UCT with decisive moves, for every game.

    simulations: how many a choice gets when the limit bounds neither nodes (simulations) nor seconds.
    exploration: the constant of UCB1, in hundredths.
    Scores are mean results from -1 (lost) to 1 (won) for the side to move.
    """

    def __init__(self, seed: int = 0, simulations: int = 10_000, exploration: int = 100) -> None:
        self._rng = random.Random(seed)
        self._simulations = simulations
        self._exploration = exploration / 100

    def choose(self, state: State, limit: Limit) -> Choice:
        """The move most often tried; raises EngineError when the game is over."""
        started = time.perf_counter()
        board = board_of(state)
        if limit.nodes is None and limit.seconds is None:
            limit = Limit(None, self._simulations, limit.depth, limit.stop)
        simulations = _UNBOUNDED if limit.nodes is None else limit.nodes
        tree = UctTree.with_room_for(simulations, board.widest)
        depth = _DEEPEST if limit.depth is None else min(limit.depth, _DEEPEST)
        with running(limit) as run:
            board.simulate(self._exploration, depth, self._rng.getrandbits(62), run, tree)
        best = tree.best_child(0)
        children = sorted((board.move_of(int(tree.square[child])), child) for child in tree.children_of(0))
        info = SearchInfo(
            score=tree.mean(best),
            proven=tree.has_won(best),
            depth=0,
            nodes=run.nodes,
            seconds=time.perf_counter() - started,
            pv=tuple(board.move_of(square) for square in tree.best_line(0)),
            move_scores=tuple((move, tree.mean(child)) for move, child in children),
            visits=_visits(state, {move: int(tree.visits[child]) for move, child in children}),
        )
        return Choice(info.pv[0], info)


def _visits(state: State, visits: dict[int, int]) -> tuple[tuple[int, int], ...]:
    """A number for every legal move: those that lose or miss a win at once are never tried."""
    return tuple((move, visits.get(move, 0)) for move in state.legal_moves())
