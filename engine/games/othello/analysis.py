"""What every move of an Othello position is worth, and what the position is: exact, or estimated and said so.

Values are differences of discs for the side to move, empty squares counted for the winner.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from engine.core import Limit, Move, NotationError, Player, State
from engine.games.othello.rules import OthelloState, frame
from engine.games.othello.searcher import EXACT, LARGEST, Found, Position, Searcher, schedule, weights_for
from engine.kernels.running import running

_TABLE_BITS = 20
_MARKS = {"-": "-", ".": "-", "X": "X", "*": "X", "O": "O"}
_SIZES = {64: 8, 36: 6}
_HOW = "A board is 64 squares (or 36) of '-' or '.', 'X' and 'O' from a1 on, then 'X' or 'O' to move."
_FIRST_SURE_DEPTH = 4


@dataclass(frozen=True, slots=True)
class MoveValue:
    """exact: the value with best play by both sides; else an estimate from `depth` plies.

    confidence: 0 to 5, how little the search left out (see `engine.games.othello.kernels.multi_probcut`).
    """

    move: Move
    value: float
    exact: bool
    depth: int
    confidence: int


@dataclass(frozen=True, slots=True)
class Solution:
    """What `solve` found. value is None when the time ended before even the winner was known.

    winner_only: the value is 1, 0 or -1 and says no more than who wins. line: begins with a best move, as
    far as that is known. estimate: what the last finished search said, from `depth` plies; the value itself
    where that is known.
    """

    value: int | None
    winner_only: bool
    line: tuple[Move, ...]
    nodes: int
    seconds: float
    estimate: int = 0
    depth: int = 0


def read_board(text: str) -> OthelloState:
    """The state of 64 or 36 squares from a1 on, then who moves: `X` or `*` black, `O` white, `-` or `.` none.

    White space is ignored. Raises NotationError, with the column of what is wrong.
    """
    marks = [(column, mark) for column, mark in enumerate(text.upper()) if not mark.isspace()]
    for column, mark in marks:
        if mark not in _MARKS:
            raise NotationError(f"{mark!r} is no square. {_HOW}", column)
    *squares, side = [_MARKS[mark] for _, mark in marks] or [""]
    end = marks[-1][0] if marks else 0
    if len(squares) not in _SIZES:
        raise NotationError(f"These are {len(squares)} squares and a side to move. {_HOW}", end)
    if side not in ("X", "O"):
        raise NotationError(f"Nobody is to move. {_HOW}", end)
    size = _SIZES[len(squares)]
    here = Position.of(OthelloState(size, 0, 0))
    bits = {mark: sum(1 << here.square_of(i) for i, m in enumerate(squares) if m == mark) for mark in "XO"}
    black, white = bits["X"], bits["O"]
    if side == "X":
        return OthelloState(size, black, white, Player.FIRST)
    return OthelloState(size, white, black, Player.SECOND)


def make_searcher(size: int) -> Searcher:
    """What `analyze` and `solve` may be given, so that one call's table serves the next."""
    return Searcher(weights_for(size), _TABLE_BITS)


def analyze(state: State, limit: Limit, searcher: Searcher | None = None) -> tuple[MoveValue, ...]:
    """The value of every legal move, the best first, as good as the limit allows; () when the game is over.

    Works deeper and deeper over all moves: what is returned is each move's last finished search. Without
    a limit every value is exact, however long that takes. searcher: one of `make_searcher`; None: a new one.
    Raises EngineError for another game.
    """
    position = Position.of(state)
    moves = state.legal_moves()
    if not moves:
        return ()
    searcher = searcher or make_searcher(position.size)
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


def solve(state: State, limit: Limit, searcher: Searcher | None = None) -> Solution:
    """The exact value: first who wins, which is quicker, then by how much; as far as the limit allows.

    searcher: one of `make_searcher`; None: a new one. Raises EngineError for another game.
    """
    started = time.perf_counter()
    position = Position.of(state)
    if not state.legal_moves():
        value = _final(position)
        return Solution(value, False, (), 0, time.perf_counter() - started, value)
    searcher = searcher or make_searcher(position.size)
    has_passed = state.legal_moves() == (position.size**2,)
    here = position.passed() if has_passed else position
    sign = -1 if has_passed else 1
    solution = Solution(None, False, (), 0, 0.0, round(sign * searcher.evaluate(here)))
    with running(limit) as run:
        searcher.begin(run)
        for found in _to_the_end(searcher, here):
            line = _as_moves(here, searcher.line(here, found.square))
            line = (position.size**2, *line) if has_passed else line
            value = sign * found.value
            if found.sign_only:
                solution = replace(solution, value=value, winner_only=True)
            elif found.is_proven:
                solution = Solution(value, False, line, 0, 0.0, value, found.depth)
            else:
                solution = replace(solution, line=line, estimate=value, depth=found.depth)
    return replace(solution, nodes=searcher.nodes, seconds=time.perf_counter() - started)


def _as_moves(position: Position, squares: Sequence[int]) -> tuple[Move, ...]:
    """Squares of the grid, and 64 for a pass, as moves."""
    return tuple(position.size**2 if square == LARGEST else position.move_of(square) for square in squares)


def _to_the_end(searcher: Searcher, position: Position) -> Iterator[Found]:
    """Every finished search, the winner's before the last, the exact one."""
    last = len(schedule(position.count, LARGEST)) - 1
    for number, step in enumerate(searcher.deepen(position, LARGEST), 1):
        yield step
        if number == last:
            winner = searcher.sign(position)
            if searcher.has_stopped:
                return
            yield Found(step.square, winner, position.count, EXACT, True, sign_only=True)


def _final(position: Position) -> int:
    grid = (1 << 64) - 1
    own, opposing = (position.own & grid).bit_count(), (position.opposing & grid).bit_count()
    empty = frame(position.size).bit_count() - own - opposing
    difference = own - opposing
    return difference + (empty if difference > 0 else -empty if difference < 0 else 0)
