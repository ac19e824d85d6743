"""What a state is worth: proved where there is time for it, estimated elsewhere, and always said which.

Importing this is cheap: the searches, and numba behind them, load when the first Valuer is made.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from engine.core import Choice, EngineError, Limit, Move, SearchInfo, State
from engine.games.connect_four import ConnectFourState
from engine.games.othello import OthelloState
from engine.games.tic_tac_toe import TicTacToeState
from engine.kernels.weights import WIN
from engine.score import moves_to_win

if TYPE_CHECKING:
    from engine.games.connect_four.any_board_solver import LineSolver
    from engine.games.connect_four.exact_solver import ConnectFourSolver
    from engine.games.othello.searcher import Position, Searcher

_GLANCE_DEPTH, _GLANCE_NODES, _SIMULATIONS = 8, 30_000, 2_000
_ESTIMATE_DEPTH = 8
_DISCS_OF_CERTAINTY = 14.0
"""An estimated lead of so many discs is worth about three quarters of a win."""


@dataclass(frozen=True, slots=True)
class Worth:
    """What a state or a move is worth to one side.

    expectation: -1 (lost) to 1 (won); -1, 0 or 1 where it is exact.
    exact: proved, not estimated.
    moves: how many moves the winner still makes up to the last one; None for draws, estimates and Othello.
    discs: the difference of discs at the end, empty squares counted for the winner; Othello only.
    """

    expectation: float
    exact: bool = False
    moves: int | None = None
    discs: int | None = None

    @property
    def result(self) -> int | None:
        """1 won, 0 drawn, -1 lost; None for an estimate."""
        return round(self.expectation) if self.exact else None

    def __neg__(self) -> Worth:
        """The same for the other side."""
        return replace(self, expectation=-self.expectation, discs=None if self.discs is None else -self.discs)


@dataclass(frozen=True, slots=True)
class Valued:
    """What the state is worth to the side to move, and a best move; None where the game is over."""

    worth: Worth
    best: Move | None = None
    line: tuple[Move, ...] = ()


class Valuer:
    """An agent that is asked for what it thinks of a state rather than for its move.

    It proves what it can within the limit's seconds and estimates the rest; a limit of depth asks for a
    quick estimate. Scores of its choices: discs in Othello; elsewhere 1,000,000 less the plies to the win
    where proved, else a mean result from -1 to 1. What one search finds out helps the next.
    """

    def __init__(self, seed: int = 0) -> None:
        from engine.agents.alphabeta import AlphaBetaAgent
        from engine.agents.mcts import MctsAgent

        self._glance = AlphaBetaAgent(seed, _GLANCE_DEPTH)
        self._mcts = MctsAgent(seed, _SIMULATIONS)
        self._solver: ConnectFourSolver | None = None
        self._lines: LineSolver | None = None
        self._searchers: dict[int, Searcher] = {}

    def choose(self, state: State, limit: Limit) -> Choice:
        """A best move and the score; raises EngineError when the game is over."""
        started = time.perf_counter()
        moves = state.legal_moves()
        if not moves:
            raise EngineError("the game is over: there is no move to value")
        if isinstance(state, OthelloState) and _has_patterns(state.size):
            choice = self._othello(state, limit)
        elif isinstance(state, TicTacToeState):
            choice = _tic_tac_toe(state)
        else:
            choice = self._line(state, limit)
        return replace(choice, info=replace(choice.info, seconds=time.perf_counter() - started))

    def value(self, state: State, limit: Limit) -> Valued:
        """What the state is worth, also when the game is over."""
        return valued(state, self.choose(state, limit)) if state.legal_moves() else settled(state)

    def _othello(self, state: OthelloState, limit: Limit) -> Choice:
        from engine.games.othello.searcher import Position, Searcher, weights_for
        from engine.kernels.running import running

        if state.legal_moves() == (state.pass_move,):
            after = state.play(state.pass_move)
            answer = self._othello(after, limit)
            info = answer.info
            line = (state.pass_move, *info.pv)
            return Choice(state.pass_move, replace(info, score=-(info.score or 0.0), pv=line))
        position = Position.of(state)
        if state.size not in self._searchers:
            self._searchers[state.size] = Searcher(weights_for(state.size))
        searcher = self._searchers[state.size]
        deepest = position.count if limit.depth is None else min(limit.depth, position.count)
        score, is_proven, depth = float(state.own.bit_count() - state.opponent.bit_count()), False, 0
        with running(replace(limit, depth=None)) as run:
            searcher.begin(run)
            for found in searcher.deepen(position, deepest):
                score, is_proven, depth = float(found.value), found.is_proven, found.depth
            nodes = searcher.nodes
        line = _legal(state, position, searcher.line(position, searcher.best_square))
        return Choice(line[0], SearchInfo(score=score, proven=is_proven, depth=depth, nodes=nodes, pv=line))

    def _line(self, state: State, limit: Limit) -> Choice:
        glance = self._glance.choose(state, Limit(nodes=_GLANCE_NODES, stop=limit.stop))
        if glance.info.proven:
            return glance
        if limit.depth is None and isinstance(state, ConnectFourState):
            found = self._proved(state, limit)
            if found is not None:
                move, stones = found
                score = _decided(stones, state.ply, state.rows * state.columns)
                return Choice(move, SearchInfo(score=score, proven=True, pv=(move,)))
        choice = self._mcts.choose(state, Limit(stop=limit.stop))
        return Choice(choice.move, replace(choice.info, proven=False))

    def _proved(self, state: ConnectFourState, limit: Limit) -> tuple[Move, int] | None:
        """(a best move, its score in stones from the end); None where the limit ended the search."""
        from engine.games.connect_four.any_board_solver import LineSolver, best_moves, most_central, of_best
        from engine.games.connect_four.exact_solver import ConnectFourSolver

        if state.is_usual_board:
            self._solver = self._solver or ConnectFourSolver()
            return self._solver.best(state, limit)
        if limit.seconds is None:  # on other boards it might never end
            return None
        self._lines = self._lines or LineSolver()
        bounds = self._lines.choose(state, limit)
        proved, worth = best_moves(bounds), of_best(bounds)
        return (most_central(state, proved), worth.low) if proved and worth.is_exact else None


def valued(state: State, choice: Choice) -> Valued:
    """What a Valuer's choice says of the state."""
    score, is_proven = choice.info.score or 0.0, choice.info.proven
    if isinstance(state, OthelloState) and _has_patterns(state.size):
        worth = _of_discs(round(score), is_proven)
    elif not is_proven:
        worth = Worth(max(-1.0, min(1.0, score)))
    elif score == 0:
        worth = Worth(0.0, exact=True)
    elif isinstance(state, OthelloState):
        worth = Worth(math.copysign(1.0, score), exact=True)
    else:
        plies = WIN - abs(int(score))
        worth = Worth(math.copysign(1.0, score), exact=True, moves=(plies + 1) // 2)
    return Valued(worth, choice.move, choice.info.pv)


def settled(state: State) -> Valued:
    """What a state that is over is worth to `to_move`, as if it were still their turn; raises EngineError."""
    outcome = state.outcome()
    if outcome is None:
        raise EngineError("the game is not over")
    if isinstance(state, OthelloState):
        own, other = state.own.bit_count(), state.opponent.bit_count()
        empty = state.size * state.size - own - other
        discs = own - other
        return Valued(_of_discs(discs + (empty if discs > 0 else -empty if discs < 0 else 0), True))
    if outcome.winner is None:
        return Valued(Worth(0.0, exact=True))
    # The last mover made the line: whoever would be next has lost, with no further move of the winner.
    return Valued(Worth(-1.0, exact=True, moves=0))


def estimate_limit() -> Limit:
    """Asks a Valuer for a quick estimate."""
    return Limit(depth=_ESTIMATE_DEPTH)


def value_moves(valuer: Valuer, state: State, limit: Limit) -> tuple[tuple[Move, Worth], ...]:
    """(move, what it is worth to the side that makes it) for every legal move; the limit is for each."""
    return tuple((move, -valuer.value(state.play(move), limit).worth) for move in state.legal_moves())


def states_of(start: State, moves: Sequence[Move]) -> tuple[State, ...]:
    """The state before each move and the last one; raises IllegalMove."""
    states = [start]
    for move in moves:
        states.append(states[-1].play(move))
    return tuple(states)


@cache
def _has_patterns(size: int) -> bool:
    """Whether the evaluation was trained for boards of that size."""
    return (resources.files("engine") / "data" / f"othello_{size}x{size}.npz").is_file()


def _of_discs(discs: int, is_exact: bool) -> Worth:
    if is_exact:
        return Worth(float((discs > 0) - (discs < 0)), exact=True, discs=discs)
    return Worth(math.tanh(discs / _DISCS_OF_CERTAINTY), discs=discs)


def _decided(stones: int, ply: int, squares: int) -> float:
    """The solver's score, stones from the end, as 1,000,000 less the plies to the win."""
    moves = moves_to_win(stones, ply, squares)
    if moves is None:
        return 0.0
    return float(WIN - (2 * moves - 1) if stones > 0 else 2 * moves - WIN)


def _legal(state: OthelloState, position: Position, squares: Sequence[int]) -> tuple[Move, ...]:
    """Squares of the grid as moves, up to the first that is none: entries of a table can be lost."""
    moves: list[Move] = []
    for square in squares:
        move = state.pass_move if square == 64 else position.move_of(square)
        if move not in state.legal_moves():
            break
        moves.append(move)
        state = state.play(move)
    return tuple(moves)


def _tic_tac_toe(state: TicTacToeState) -> Choice:
    score, line = _searched(state)
    return Choice(line[0], SearchInfo(score=float(score), proven=True, pv=line))


@cache
def _searched(state: TicTacToeState) -> tuple[int, tuple[Move, ...]]:
    """(score as of Valuer, a best line) of one of the 5,478 states, by playing everything out."""
    outcome = state.outcome()
    if outcome is not None:
        return (0 if outcome.winner is None else -WIN), ()
    found = []
    for move in state.legal_moves():
        score, line = _searched(state.play(move))
        # A ply further from the end than from there.
        score = -score - (1 if score < 0 else -1 if score > 0 else 0)
        found.append((score, (move, *line)))
    return max(found, key=lambda entry: entry[0])
