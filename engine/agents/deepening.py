"""The common part of all depth-first searches: the root, and iterative deepening."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from engine.agents.boards import board_of
from engine.agents.plain_search import PlainBoard
from engine.core import Choice, Limit, Move, SearchInfo, State, is_opening, moves_of
from engine.games import spec_of_state
from engine.kernels.control import INFINITY
from engine.kernels.heuristic_values import DECIDED
from engine.kernels.running import Array, Run, running

DEFAULT_DEPTH = 6


class Searching(Protocol):
    """Values the moves of a state; see `RootSearch`."""

    @property
    def line(self) -> tuple[int, ...]: ...
    def value(self, square: int, depth: int, best: int) -> int: ...


class Look:
    """The view of one choice on the moves of its state; by default all of them, valued by one search.

    prunes: values of at most `best` are only bounds. is_honest: values without any estimate are proved values
    of the game.
    """

    def __init__(self, search: Searching, *, prunes: bool = True, is_honest: bool = True) -> None:
        self.search = search
        self.prunes = prunes
        self.is_honest = is_honest

    def seen(self, squares: list[int]) -> list[int]:
        """Return the legal moves to consider, at least one, in the same order."""
        return squares


class Searched(Protocol):
    """A board for depth-first search, compiled or plain."""

    @property
    def groups(self) -> Sequence[Sequence[int]]: ...
    def plain_search(
        self, run: Run, *, prunes: bool = True, rates: Array | None = None, seed: int = 0
    ) -> Searching: ...
    def best_search(self, run: Run, depth: int) -> Searching: ...
    def subtlety(self, square: int) -> int: ...
    def move_of(self, square: int) -> Move: ...


LookMaker = Callable[[Searched, Run, int], Look]
"""Makes a Look for a board, a run and the maximum depth."""


@dataclass(frozen=True, slots=True)
class _Found:
    """The result of one depth; squares are the kernels'. others: lines about as good as `line`."""

    line: tuple[int, ...]
    score: int
    scores: tuple[tuple[int, int], ...]
    depth: int
    is_proven: bool
    is_complete: bool
    others: tuple[tuple[int, ...], ...] = ()


def choose(
    state: State,
    limit: Limit,
    depth: int,
    rng: random.Random,
    look_at: LookMaker,
    margin: int | None = None,
) -> Choice:
    """Return the move of the highest value, with ties within a group of the board's order broken at random.

    margin: if given, any of the best moves is equally likely, in any group, and so is any move whose value is
    at most this much less; the line is then the move's own, the score still the best. A decided result is
    never given away.

    Without a limit of time or nodes and without a stop flag, it runs one search of `depth` plies (or
    `limit.depth`, if that is less). With one, it deepens: depth 1, 2, 3 and so on up to that, so there is
    always an answer, from the deepest search or the best of an interrupted one. Raises EngineError if the
    game is over.
    """
    started = time.perf_counter()
    board: Searched = PlainBoard(state) if _is_unknown(state) else board_of(state)
    target = depth if limit.depth is None else min(depth, limit.depth)
    deepens = limit.seconds is not None or limit.nodes is not None or limit.stop is not None
    best: _Found | None = None
    with running(limit) as run:
        look = look_at(board, run, target)
        order = look.seen([square for group in board.groups for square in rng.sample(group, len(group))])
        for plies in range(1 if deepens else target, target + 1):
            found = _search(look, order, plies, run, margin)
            if found is None:
                break
            # An incomplete search counts, too: it began with the best move of the search before.
            best = found
            if found.is_proven or not found.is_complete:
                break
            order.remove(found.line[0])
            order.insert(0, found.line[0])
    if best is not None and len(best.others) > 1:
        best = replace(best, line=rng.choice(best.others))
    return _choice(board, order, best, run.nodes, time.perf_counter() - started)


def _search(look: Look, order: list[int], depth: int, run: Run, margin: int | None) -> _Found | None:
    """Search one depth; return the first best move, or None if stopped before the first result."""
    if not run.count_state():
        return None
    run.forget_estimates()
    best = -INFINITY
    line: tuple[int, ...] = ()
    scores: list[tuple[int, int]] = []
    lines: list[tuple[int, tuple[int, ...]]] = []
    for square in order:
        # Up to the floor, values are only bounds; those within the margin must be exact.
        floor = best if margin is None else _least(best, margin) - 1
        value = look.search.value(square, depth, floor)
        if run.has_stopped:
            break
        if value > floor:
            lines.append((value, (square, *look.search.line)))
        if value > best or not look.prunes:
            scores.append((square, value))
        if value > best:
            best = value
            line = (square, *look.search.line)
    if not line:
        return None
    is_complete = not run.has_stopped
    # A decided value holds even where other lines were estimated.
    is_proven = look.is_honest and is_complete and (run.estimates == 0 or abs(best) > DECIDED)
    near = () if margin is None else tuple(own for value, own in lines if value >= _least(best, margin))
    reached = depth if is_complete else depth - 1
    return _Found(line, best, tuple(scores), reached, is_proven, is_complete, near)


def margin_of(state: State) -> int:
    """Return how much worse than the best a varied player's move may be."""
    return spec_of_state(state).search.opening_margin if is_opening(state) else 0


def _least(best: int, margin: int) -> int:
    """Return the lowest value that counts as good as the best one."""
    if best == -INFINITY or abs(best) > DECIDED:
        return best
    return best - margin


def _is_unknown(state: State) -> bool:
    """Whether the game of the state has no compiled search; raises EngineError if the game is over."""
    return bool(moves_of(state)) and spec_of_state(state).search.board is None


def _choice(board: Searched, order: list[int], found: _Found | None, nodes: int, seconds: float) -> Choice:
    if found is None:
        move = board.move_of(order[0])
        return Choice(move, SearchInfo(nodes=nodes, seconds=seconds, pv=(move,)))
    pv = tuple(board.move_of(square) for square in found.line)
    scores = sorted((board.move_of(square), float(score)) for square, score in found.scores)
    info = SearchInfo(
        score=float(found.score),
        proven=found.is_proven,
        depth=found.depth,
        nodes=nodes,
        seconds=seconds,
        pv=pv,
        move_scores=tuple(scores),
    )
    return Choice(pv[0], info)
