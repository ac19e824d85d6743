"""Monte Carlo tree search in plain Python, for games without a compiled search."""

from __future__ import annotations

import math
import random
import time

from engine.core import Choice, Limit, Move, Player, SearchInfo, State, moves_of

_MAX_SECONDS = 3.0
"""The time of a choice whose limit sets none; the number of simulations depends on game and machine."""


class _Node:
    """A visited state. visits, gain: of the simulations through it, for the player who moved here.

    wins, loses: whether that player has won, or loses to an immediate win.
    """

    __slots__ = ("children", "gain", "loses", "move", "mover", "state", "visits", "wins")

    def __init__(self, state: State, move: Move | None, mover: Player | None) -> None:
        self.state, self.move, self.mover = state, move, mover
        self.children: list[_Node] | None = None
        self.visits, self.gain = 0, 0
        outcome = state.outcome()
        self.wins = outcome is not None and outcome.winner is mover
        self.loses = False

    @property
    def mean(self) -> float:
        if self.wins:
            return 1.0
        if self.loses:
            return -1.0
        return self.gain / self.visits if self.visits else 0.0

    def grow(self) -> None:
        """Add its children; only the winning one if there is an immediate win."""
        state = self.state
        self.children = []
        for move in state.legal_moves():
            child = _Node(state.play(move), move, state.to_move)
            if child.wins:
                self.children = [child]
                self.loses = state.to_move is not self.mover
                return
            self.children.append(child)

    def best(self) -> _Node:
        """Return the child to play; raises ValueError without children."""
        return max(
            self.children or (), key=lambda child: (child.wins, not child.loses, child.visits, child.mean)
        )


class PlainMcts:
    """UCT with random playouts. Detects wins in one move and losses to one; the rest comes from playouts."""

    def __init__(self, rng: random.Random, exploration: float) -> None:
        self._rng = rng
        self._exploration = exploration

    def choose(self, state: State, limit: Limit, simulations: int | None) -> Choice:
        """Return the most visited move; raises EngineError if the game is over.

        The tree is at most as deep as the limit. simulations: the maximum; None for as many as time allows.
        Without a time limit it takes three seconds at most. Scores are mean results from -1 to 1.
        """
        started = time.perf_counter()
        moves_of(state)
        ends_at = started + (_MAX_SECONDS if limit.seconds is None else limit.seconds)
        root = _Node(state, None, None)
        root.grow()
        done = 0
        children = root.children or []
        # One child: the only move, or an immediate win, for which `grow` leaves out the others.
        while len(children) > 1 and (simulations is None or done < simulations):
            self._simulate(root, limit.depth)
            done += 1
            if time.perf_counter() >= ends_at or (limit.stop is not None and limit.stop.is_set()):
                break
        best, line = root.best(), []
        node: _Node | None = best
        while node is not None and node.move is not None:
            line.append(node.move)
            node = node.best() if node.children and node.visits else None
        known = {child.move: child for child in children}
        info = SearchInfo(
            score=best.mean,
            proven=best.wins,
            nodes=done,
            seconds=time.perf_counter() - started,
            pv=tuple(line),
            move_scores=tuple((move, known[move].mean) for move in state.legal_moves() if move in known),
            visits=tuple((move, known[move].visits if move in known else 0) for move in state.legal_moves()),
        )
        return Choice(line[0], info)

    def _simulate(self, root: _Node, depth: int | None) -> None:
        way, node = [root], root
        while node.children:
            node = self._select(node)
            way.append(node)
            # A node grows at its second visit at the earliest, since growing plays all its moves.
            if not node.visits or node.wins:
                break
            if node.children is None and (depth is None or len(way) <= depth):
                node.grow()
        winner = self._played_out(node.state)
        for node in way:
            node.visits += 1
            if winner is not None:
                node.gain += 1 if winner is node.mover else -1

    def _select(self, node: _Node) -> _Node:
        """UCB1 (Kocsis and Szepesvari, Bandit based Monte-Carlo Planning, 2006), losing moves last."""
        children = node.children or []
        fresh = [child for child in children if not child.visits]
        if fresh:
            return self._rng.choice(fresh)
        scale = self._exploration * math.sqrt(math.log(node.visits))
        open_ones = [child for child in children if not child.loses] or children
        return max(open_ones, key=lambda child: child.mean + scale / math.sqrt(child.visits))

    def _played_out(self, state: State) -> Player | None:
        moves = state.legal_moves()
        while moves:
            state = state.play(self._rng.choice(moves))
            moves = state.legal_moves()
        outcome = state.outcome()
        return None if outcome is None else outcome.winner
