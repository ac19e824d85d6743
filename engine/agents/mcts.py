"""Monte Carlo tree search (UCT): plays thousands of random games and makes the most visited move."""

from __future__ import annotations

import random
import time
from dataclasses import replace

from engine.agents.boards import board_of
from engine.agents.plain_mcts import PlainMcts
from engine.core import Choice, Limit, SearchInfo, State, opening_left
from engine.games import spec_of_state
from engine.games.search_board import SearchBoard
from engine.kernels.running import running
from engine.kernels.uct_tree import UctTree

_DEEPEST = 64
_DEFAULT_SIMULATIONS = 10_000
_UNBOUNDED = 1 << 40
_KNOWN, _WELL_KNOWN = 10, 100
"""Visits that a move needs to be compared with the most visited one; the second number for moves with fewer
than a tenth of its visits."""
_REUSED_PLIES = 2
"""The number of plies after its last state at which an agent reuses its tree: its move and the answer."""


class MctsAgent:
    """UCT with decisive moves, for every game; compiled for games with a search board.

    simulations: the maximum per choice, whatever the limit; without this option, 10,000 if the limit has
    neither nodes (simulations) nor seconds. exploration: the constant of UCB1, in hundredths. spread: in the
    opening, a move whose mean result is at most this many hundredths below the most visited one counts as
    equally good, less so the later; one of these is chosen at random.

    One or two moves later, an agent continues with the subtree of its last search. These inherited
    simulations count towards `simulations` and `Limit.nodes`, so the tree is as large as without them, but
    complete sooner. `Choice.info` counts new simulations as nodes, and all of them as visits. Scores are mean
    results from -1 (lost) to 1 (won) for the side to move.
    """

    def __init__(
        self, seed: int = 0, simulations: int | None = None, exploration: int = 100, spread: int = 0
    ) -> None:
        self._rng = random.Random(seed)
        self._spread = spread / 100
        self._simulations = simulations
        self._exploration = exploration / 100
        self._grown: tuple[State, SearchBoard, UctTree] | None = None
        self._plain = PlainMcts(self._rng, self._exploration)

    def choose(self, state: State, limit: Limit) -> Choice:
        """Return the most visited move, or one about as good; raises EngineError if the game is over."""
        wanted = self._wanted(limit)
        if spec_of_state(state).search.board is None:
            return self._plain.choose(state, limit, wanted)
        started = time.perf_counter()
        board = board_of(state)
        tree = self._tree_for(state, board, wanted, limit.depth)
        limit = replace(limit, nodes=None if wanted is None else max(1, wanted - tree.simulations))
        depth = _DEEPEST if limit.depth is None else min(limit.depth, _DEEPEST)
        with running(limit) as run:
            board.simulate(self._exploration, depth, self._rng.getrandbits(62), run, tree)
        self._grown = (state, board, tree)
        spread = self._spread * opening_left(state) ** 2
        best = self._drawn(tree, spread) if spread else tree.best_child(0)
        children = sorted((board.move_of(int(tree.square[child])), child) for child in tree.children_of(0))
        info = SearchInfo(
            score=tree.mean(best),
            proven=tree.has_won(best),
            depth=0,
            nodes=run.nodes,
            seconds=time.perf_counter() - started,
            pv=tuple(map(board.move_of, (int(tree.square[best]), *tree.best_line(best)))),
            move_scores=tuple((move, tree.mean(child)) for move, child in children),
            visits=_visits(state, {move: int(tree.visits[child]) for move, child in children}),
        )
        return Choice(info.pv[0], info)

    def _drawn(self, tree: UctTree, spread: float) -> int:
        """Return the most visited child or, unless it has won, one about as good."""
        best = tree.best_child(0)
        if tree.has_won(best):
            return best
        least, known = tree.mean(best) - spread, min(tree.visits[best] / _KNOWN, _WELL_KNOWN)
        return self._rng.choice(
            [
                child
                for child in tree.children_of(0)
                if tree.visits[child] > known and tree.mean(child) >= least
            ]
        )

    def _wanted(self, limit: Limit) -> int | None:
        """Return the wanted number of simulations in the tree; None for as many as time allows."""
        bounds = [bound for bound in (limit.nodes, self._simulations) if bound is not None]
        if not bounds and limit.seconds is None:
            return _DEFAULT_SIMULATIONS
        return min(bounds, default=None)

    def _tree_for(self, state: State, board: SearchBoard, wanted: int | None, depth: int | None) -> UctTree:
        """Return the state's subtree from the last choice, or an empty tree (always with a depth limit)."""
        simulations = _UNBOUNDED if wanted is None else wanted
        if self._grown is not None and depth is None:
            root, grown_board, tree = self._grown
            self._grown = None  # frees the old tree before the copy needs memory
            node = _node_of(state, root, grown_board, tree, 0)
            if node:
                return tree.below(node, simulations, board.widest)
        return UctTree.with_room_for(simulations, board.widest)


def _node_of(wanted: State, state: State, board: SearchBoard, tree: UctTree, node: int) -> int | None:
    """Return the node of a state up to two moves later; None if it was never visited."""
    if state == wanted:
        return node
    if not 0 < wanted.ply - state.ply <= _REUSED_PLIES:
        return None
    for child in sorted(tree.children_of(node), key=lambda child: -int(tree.visits[child])):
        if not tree.visits[child]:
            break
        following = state.play(board.move_of(int(tree.square[child])))
        found = _node_of(wanted, following, board, tree, child)
        if found is not None:
            return found
    return None


def _visits(state: State, visits: dict[int, int]) -> tuple[tuple[int, int], ...]:
    """Return a count for every legal move; moves that lose or miss an immediate win have none."""
    return tuple((move, visits.get(move, 0)) for move in state.legal_moves())
