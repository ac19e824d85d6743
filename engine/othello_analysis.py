"""What every move of an Othello position is worth, and what the position is: exact, or estimated and said so.

Values are differences of discs for the side to move, empty squares counted for the winner.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, replace

from engine.agents.running import running
from engine.core import Limit, Move, NotationError, Player, State
from engine.games.othello import OthelloState, frame
from engine.othello_searcher import EXACT, LARGEST, Found, Position, Searcher, schedule, weights_for

_TABLE_BITS = 20
_BOARD = re.compile(r"[-.XO]{64}|[-.XO]{36}", re.IGNORECASE)
_FIRST_SURE_DEPTH = 4


@dataclass(frozen=True, slots=True)
class MoveValue:
    """exact: the value with best play by both sides; else an estimate from `depth` plies.

    confidence: 0 to 5, how little the search left out (see `engine.kernels.othello_margins`).
    """

    move: Move
    value: float
    exact: bool
    depth: int
    confidence: int


@dataclass(frozen=True, slots=True)
class Solution:
    """What `solve` found. value is None when the time ended before even the winner was known.

    winner_only: the value is 1, 0 or -1 and says no more than who wins.
    """

    value: int | None
    winner_only: bool
    line: tuple[Move, ...]
    nodes: int
    seconds: float


def read_board(text: str) -> OthelloState:
    """The state of 64 or 36 squares from a1 on, then who moves: `X` or `*` black, `O` white, `-` or `.` none.

    White space is ignored. Raises NotationError.
    """
    marks = re.sub(r"\s+", "", text).replace("*", "X").upper()
    squares, side = marks[:-1], marks[-1:]
    if not _BOARD.fullmatch(squares) or side not in ("X", "O"):
        raise NotationError(
            "A board is 64 squares (or 36) of '-' or '.', 'X' and 'O' from a1 on, then 'X' or 'O' to move."
        )
    size = 8 if len(squares) == 64 else 6
    empty = OthelloState(size, 0, 0)
    here = Position.of(empty)
    bits = {mark: sum(1 << here.square_of(i) for i, m in enumerate(squares) if m == mark) for mark in "XO"}
    black, white = bits["X"], bits["O"]
    if side == "X":
        return OthelloState(size, black, white, Player.FIRST)
    return OthelloState(size, white, black, Player.SECOND)


def analyze(state: State, limit: Limit) -> tuple[MoveValue, ...]:
    """The value of every legal move, the best first, as good as the limit allows; () when the game is over.

    Works deeper and deeper over all moves: what is returned is each move's last finished search. Without
    a limit every value is exact, however long that takes. Raises EngineError for another game.
    """
    position = Position.of(state)
    moves = state.legal_moves()
    if not moves:
        return ()
    searcher = Searcher(weights_for(position.size), _TABLE_BITS)
    children = {
        move: position.passed() if move == position.size**2 else position.after(position.square_of(move))
        for move in moves
    }
    values = {move: _at_once(searcher, move, child) for move, child in children.items()}
    with running(limit) as run:
        searcher.begin(run)
        for depth, confidence in _depths(position.count, limit.depth):
            for move in sorted(moves, key=lambda move: -values[move].value):
                found = _deeper(searcher, children[move], move, depth, confidence)
                if searcher.has_stopped:
                    return _ranked(values)
                values[move] = found
    return _ranked(values)


def _depths(count: int, deepest: int | None) -> list[tuple[int, int]]:
    """The schedule, its first steps in full: over all moves, they cost nothing."""
    return [
        (depth, confidence if depth > _FIRST_SURE_DEPTH else EXACT)
        for depth, confidence in schedule(count, min(deepest or LARGEST, count))
    ]


def _at_once(searcher: Searcher, move: Move, child: Position) -> MoveValue:
    return MoveValue(move, -searcher.evaluate(child), False, 1, EXACT)


def _deeper(searcher: Searcher, child: Position, move: Move, depth: int, confidence: int) -> MoveValue:
    below = depth if move == child.size**2 else depth - 1
    value = float(-searcher.value(child, below, confidence))
    return MoveValue(move, value, below >= child.count and confidence == EXACT, depth, confidence)


def _ranked(values: dict[Move, MoveValue]) -> tuple[MoveValue, ...]:
    return tuple(sorted(values.values(), key=lambda value: (-value.value, value.move)))


def solve(state: State, limit: Limit) -> Solution:
    """The exact value: first who wins, which is quicker, then by how much; as far as the limit allows."""
    started = time.perf_counter()
    position = Position.of(state)
    if not state.legal_moves():
        return Solution(_final(position), False, (), 0, time.perf_counter() - started)
    searcher = Searcher(weights_for(position.size), _TABLE_BITS)
    has_passed = state.legal_moves() == (position.size**2,)
    here = position.passed() if has_passed else position
    sign = -1 if has_passed else 1
    solution = Solution(None, False, (), 0, 0.0)
    with running(limit) as run:
        searcher.begin(run)
        for found in _to_the_end(searcher, here):
            if found.is_proven:
                line = tuple(
                    position.size**2 if square == LARGEST else position.move_of(square)
                    for square in searcher.line(here, found.square)
                )
                line = (position.size**2, *line) if has_passed else line
                solution = Solution(sign * found.value, found.sign_only, line, 0, 0.0)
    return replace(solution, nodes=searcher.nodes, seconds=time.perf_counter() - started)


def _to_the_end(searcher: Searcher, position: Position) -> list[Found]:
    """Every finished search, the winner's before the last, the exact one."""
    found: list[Found] = []
    steps = schedule(position.count, LARGEST)
    for step in searcher.deepen(position, LARGEST):
        found.append(step)
        if len(found) == len(steps) - 1:
            winner = searcher.sign(position)
            if searcher.has_stopped:
                break
            found.append(Found(step.square, winner, position.count, EXACT, True, sign_only=True))
    return found


def _final(position: Position) -> int:
    grid = (1 << 64) - 1
    own, opposing = (position.own & grid).bit_count(), (position.opposing & grid).bit_count()
    empty = frame(position.size).bit_count() - own - opposing
    difference = own - opposing
    return difference + (empty if difference > 0 else -empty if difference < 0 else 0)
