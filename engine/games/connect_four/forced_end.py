"""Forced wins and losses on Connect Four boards that no solver handles, by deepening alpha-beta."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from engine.core import Limit, Move
from engine.games.connect_four.large_board import LargeBoard
from engine.games.connect_four.rules import ConnectFourState
from engine.kernels.control import INFINITY
from engine.kernels.heuristic_values import DECIDED, plies_to_end
from engine.kernels.running import Run, running
from engine.score import Evaluation, Score

_MAX_NODES = 3_000_000
"""A few seconds: an end that is not found by then would take far longer."""
_DEEPEST = 40


def forced_end(state: ConnectFourState, limit: Limit) -> Evaluation:
    """Return the proved result within the limit and a best move; else nothing."""
    board = LargeBoard.of(state)
    with running(_bounded(limit)) as run:
        search = board.plain_search(run)
        for depth in range(1, min(_DEEPEST, state.rows * state.columns - state.ply) + 1):
            run.forget_estimates()
            best = -INFINITY
            line: tuple[Move, ...] = ()
            for square in _squares(board):
                value = search.value(square, depth, best)
                if run.has_stopped:
                    return Evaluation(Score(), nodes=run.nodes)
                if value > best:
                    best, line = value, (square, *search.line)
            score = _proved(best, run)
            if score.is_known:
                return Evaluation(score, line, run.nodes)
        return Evaluation(Score(), nodes=run.nodes)


def forced_ends(state: ConnectFourState, limit: Limit) -> Evaluation:
    """Return the proofs about every move, all searched equally deep, and the state's if they suffice."""
    board = LargeBoard.of(state)
    found: dict[Move, Score] = {move: Score() for move in state.legal_moves()}
    with running(_bounded(limit)) as run:
        search = board.plain_search(run)
        for depth in range(1, min(_DEEPEST, state.rows * state.columns - state.ply) + 1):
            for move in [move for move in _squares(board) if not found[move].is_known]:
                run.forget_estimates()
                value = search.value(move, depth, -INFINITY)
                if run.has_stopped:
                    return _of_moves(found, run.nodes)
                found[move] = _proved(value, run)
    return _of_moves(found, run.nodes)


def _of_moves(found: Mapping[Move, Score], nodes: int) -> Evaluation:
    best = max(found, key=found.__getitem__)
    if found[best].result == 1 or all(score.is_known for score in found.values()):
        return Evaluation(found[best], (best,), nodes, found)  # a faster win would have been found
    return Evaluation(Score(), nodes=nodes, moves=found)


def _squares(board: LargeBoard) -> list[int]:
    return [square for group in board.groups for square in group]


def _proved(value: int, run: Run) -> Score:
    """Convert a value; the first depth at which an end is forced is its distance."""
    plies = plies_to_end(value)
    if plies is not None:
        return Score.won(plies) if value > DECIDED else Score.lost(plies)
    return Score() if run.estimates else Score.drawn()


def _bounded(limit: Limit) -> Limit:
    return replace(
        limit, depth=None, nodes=_MAX_NODES if limit.nodes is None else min(limit.nodes, _MAX_NODES)
    )
