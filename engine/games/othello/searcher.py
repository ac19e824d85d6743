"""A search of Othello as Python sees it: positions, deepening step by step, exact at the end.

Every value is a difference of discs for the side to move, empty squares counted for the winner.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from engine.core import EngineError, Move, Player, State
from engine.games.othello.book import Boards, canonical
from engine.games.othello.kernels import context
from engine.games.othello.kernels.midgame import END_SQUARES, list_root, search, search_root
from engine.games.othello.kernels.multi_probcut import margins
from engine.games.othello.kernels.patterns import PatternWeights, fine_value_of, set_features
from engine.games.othello.kernels.perft import turned_discs
from engine.games.othello.kernels.tables import QUADRANTS
from engine.games.othello.kernels.vectors import signed
from engine.games.othello.rules import OthelloState, frame
from engine.kernels.control import NO_LIMIT, NODE_LIMIT
from engine.kernels.jit import Words
from engine.kernels.running import Run
from engine.kernels.two_threads import first_of_two

EXACT = context.EXACT
LARGEST = 64
"""The largest difference of discs."""
SURE_DEPTH = 8
"""Searches up to this depth look at every move; deeper ones leave out what a shallow search rules out."""
_NARROW = 2
_NEAR_BITS = 12
"""A quarter of a megabyte: it stays in a core's own cache."""
_ALONE_BELOW = 9
"""A search to fewer plies is over before a second thread could help."""
_ROOT_START = context.MOVES_AT + context.ROOT_LIST * context.LIST_WORDS
_ROOT_LIST = slice(_ROOT_START, _ROOT_START + context.LIST_WORDS)
_JUMP = 8
"""From this many plies before the end, deepening goes on with the whole rest of the game."""
_END_CONFIDENCES = (1, 2, EXACT)
_SYMMETRIC_DISCS = 8
"""With more discs than this, hardly any position is its own mirror image."""
WEIGHT_FILES = {size: Path(__file__).parents[2] / "data" / f"othello_{size}x{size}.npz" for size in (8, 6)}


@cache
def weights_for(size: int) -> PatternWeights:
    """The evaluation's weights for boards of that size; loaded once."""
    return read_weights(WEIGHT_FILES[size])


def read_weights(path: Path) -> PatternWeights:
    """An evaluation's weights from a file that `tools.othello_train` wrote."""
    with np.load(path) as data:
        return PatternWeights(data["packed"])


@dataclass(frozen=True, slots=True)
class Position:
    """A state as the kernels take it: boards as int64, a bit for each quadrant with odd empty squares."""

    size: int
    own: int
    opposing: int
    empties: int
    parity: int
    colour: int

    @classmethod
    def of(cls, state: State) -> Position:
        """Raises EngineError for another game."""
        if not isinstance(state, OthelloState):
            raise EngineError(f"this search plays Othello only, not {type(state).__name__}")
        return cls.of_boards(state.size, state.own, state.opponent, int(state.to_move is Player.SECOND))

    @classmethod
    def of_boards(cls, size: int, own: int, opposing: int, colour: int = 0) -> Position:
        """The position on boards of the grid, signed or not."""
        empties = frame(size) & ~(own | opposing)
        parity = 0
        for square in range(64):
            if empties >> square & 1:
                parity ^= int(QUADRANTS[square])
        return cls(size, signed(own), signed(opposing), signed(empties), parity, colour)

    @property
    def count(self) -> int:
        """Empty squares."""
        return (self.empties & (1 << 64) - 1).bit_count()

    def after(self, square: int) -> Position:
        """The position for the other side after a legal move to that square of the grid."""
        turned = turned_discs(square, self.own, self.opposing)
        bit = signed(1 << square)
        return Position.of_boards(self.size, self.opposing ^ turned, self.own ^ turned | bit, 1 - self.colour)

    def passed(self) -> Position:
        """The position for the other side after a pass."""
        return Position(self.size, self.opposing, self.own, self.empties, self.parity, 1 - self.colour)

    def square_of(self, move: Move) -> int:
        """The square of the grid of a move that is no pass."""
        margin = (8 - self.size) // 2
        row, column = divmod(move, self.size)
        return 8 * (row + margin) + column + margin

    def move_of(self, square: int) -> Move:
        margin = (8 - self.size) // 2
        row, column = divmod(square, 8)
        return (row - margin) * self.size + column - margin


@dataclass(frozen=True, slots=True)
class Iteration:
    """What a finished search of some depth says; confidence EXACT and all empty squares make a proof."""

    square: int
    value: int
    depth: int
    confidence: int
    is_proven: bool


@dataclass(frozen=True, slots=True)
class _Twin:
    """What the second of two threads works on: a block and a small table of its own; busy: they share it."""

    block: Words
    near: Words
    busy: Words

    @classmethod
    def with_near(cls, words: int) -> _Twin:
        block, near = context.aligned_words(context.BLOCK_WORDS), context.aligned_words(words)
        return cls(block, near, context.aligned_words(context.BUSY_WORDS))

    def first_of_two(
        self, ask: Callable[[Words], tuple[Words, int] | None], own: Words
    ) -> tuple[Words, int] | None:
        """What `ask`, given a block, comes to first; the other thread's block is then told to stop.

        The nodes of both and the root's list of whoever came first are in `own` afterwards.
        """
        self.busy.fill(0)
        own[context.BUSY_AT] = self.busy.ctypes.data
        self.block[:] = own
        self.block[context.NODES] = 0
        self.block[context.NEAR_AT] = self.near.ctypes.data
        stops = [block[context.STOPPED : context.STOPPED + 1] for block in (own, self.block)]
        try:
            found = first_of_two(lambda: ask(own), stops[0], lambda: ask(self.block), stops[1])
        finally:
            own[context.BUSY_AT] = 0
            own[context.NODES] += self.block[context.NODES]
        if found is not None:
            for part in (context.BEST_SQUARE, context.BEST_VALUE, _ROOT_LIST):
                own[part] = found[0][part]
            own[context.STOPPED] = 0
        return found


class Searcher:
    """Two transposition tables and all else that one search after another works on; one search at a time.

    table_bits: the large table has 2 ** table_bits buckets of 64 bytes, taken from the system as they fill;
    near_bits: the small one for the last squares has 2 ** near_bits.
    """

    def __init__(self, weights: PatternWeights, table_bits: int = 18, near_bits: int = _NEAR_BITS) -> None:
        self._weights = weights
        self._table = context.aligned_words(8 << table_bits)
        self._block = context.aligned_words(context.BLOCK_WORDS)
        self._near = context.aligned_words(8 << near_bits)
        self._twin: _Twin | None = None
        self._has_two = False
        self._margins = margins()
        block = self._block
        block[context.TABLE_AT] = self._table.ctypes.data
        block[context.TABLE_SHIFT] = 64 - table_bits
        block[context.NEAR_AT] = self._near.ctypes.data
        block[context.NEAR_SHIFT] = 64 - near_bits
        block[context.MARGINS_AT] = self._margins.ctypes.data
        for count in range(61):
            for colour in (0, 1):
                block[context.WEIGHTS_AT + 2 * count + colour] = weights.address(count, colour)
        self._run: Run | None = None
        self.address = int(block.ctypes.data)

    @property
    def nodes(self) -> int:
        """Positions visited since `begin`; those of the last few squares are not counted."""
        return int(self._block[context.NODES])

    @property
    def has_stopped(self) -> bool:
        return bool(self._block[context.STOPPED])

    def begin(self, run: Run, threads: int = 1) -> None:
        """Starts counting anew; from here on the run's flags and node limit end every search.

        threads: two do long searches together, unless nodes are limited. An exact value stays the same; of
        moves worth as much another may be found.
        """
        self._run = run  # keeps the flags alive while kernels hold their addresses
        self._has_two = threads > 1 and run.counters[NODE_LIMIT] == NO_LIMIT
        block = self._block
        block[context.NODES] = block[context.STOPPED] = 0
        block[context.NODE_LIMIT] = run.counters[NODE_LIMIT]
        block[context.STOP_AT] = run.stop.ctypes.data
        block[context.TIMER_AT] = run.timer.ctypes.data
        block[context.GENERATION] = (block[context.GENERATION] + 1) & 127

    def seed(self, state: int) -> None:
        """Sets the random numbers of kernels that play games; not 0."""
        self._block[context.RANDOM] = state

    def forget(self) -> None:
        """Empties both tables."""
        self._table.fill(0)
        self._near.fill(0)

    def evaluate(self, position: Position) -> float:
        """The evaluation without looking ahead, in discs."""
        self._show(position)
        return fine_value_of(self.address, position.count, position.colour) / 128

    def value(
        self, position: Position, depth: int, confidence: int, alpha: int = -LARGEST, beta: int = LARGEST
    ) -> int:
        """The value to that depth, exact between alpha and beta; meaningless when the search has stopped."""
        self._show(position)
        return self._asked(search, position, alpha, beta, depth, confidence)

    def sign(self, position: Position) -> int:
        """1, 0 or -1: who wins, exactly; meaningless when the search has stopped."""
        if self.value(position, position.count, EXACT, 0, 1) > 0:
            return 1
        return 0 if self.value(position, position.count, EXACT, -1, 0) >= 0 else -1

    def reaches(self, position: Position, square: int, found: Iteration, spread: int) -> bool:
        """Whether moving there is worth at most `spread` less than the best move that was found.

        Asked of a search as deep as that one; False when this one has stopped.
        """
        least = found.value - spread
        if least <= -LARGEST:
            return not self.has_stopped
        child = position.after(square)
        value = self.value(child, found.depth - 1, found.confidence, -least, 1 - least)
        return value <= -least and not self.has_stopped

    def deepen(self, position: Position, deepest: int) -> Iterator[Iteration]:
        """Each finished search of the position, from one ply to `deepest`; the side to move has a move.

        Ends early when the run does. See `schedule`.
        """
        self._show(position)
        listed = list_root(
            self.address, position.own, position.opposing, position.empties, position.parity, position.colour
        )
        self._drop_mirrored(position, listed)
        guess: int | None = None
        for depth, confidence in schedule(position.count, deepest):
            value = self._widening(position, depth, confidence, guess)
            if self.has_stopped:
                return
            is_proven = depth == position.count and confidence == EXACT
            guess = value
            yield Iteration(self.best_square, value, depth, confidence, is_proven)
            if listed == 1 and deepest < position.count:
                return

    def _drop_mirrored(self, position: Position, listed: int) -> None:
        """Leaves, of root moves that are mirror images of each other, one."""
        if position.size**2 - position.count > _SYMMETRIC_DISCS:
            return
        block = self._block
        moves = block[_ROOT_LIST][: listed * context.MOVE_WORDS].reshape(listed, context.MOVE_WORDS)
        kinds: dict[Boards, Words] = {}
        for move in moves.copy():
            after = position.after(int(move[0]))
            kinds.setdefault(canonical(after.own, after.opposing)[0], move)
        moves[: len(kinds)] = list(kinds.values())
        block[context.ROOT_MOVES] = len(kinds)

    @property
    def best_square(self) -> int:
        """The best square of the root that `deepen` has found so far, also when it was stopped."""
        return int(self._block[_ROOT_START])

    def _widening(self, position: Position, depth: int, confidence: int, guess: int | None) -> int:
        """The value, first asked in a narrow window about the guess, which then only grows."""
        low, high = (-LARGEST, LARGEST) if guess is None else (guess - _NARROW, guess + _NARROW)
        width = 2 * _NARROW
        while True:
            low, high = max(low, -LARGEST), min(high, LARGEST)
            value = self._asked(search_root, position, low, high, depth, confidence)
            if self.has_stopped:
                return value
            if value <= low and low > -LARGEST:
                low = min(low, value) - width
            elif value >= high and high < LARGEST:
                high = max(high, value) + width
            else:
                return value
            width *= 4

    def _asked(
        self,
        kernel: Callable[..., int],
        position: Position,
        alpha: int,
        beta: int,
        depth: int,
        confidence: int,
    ) -> int:
        """What `search` or `search_root` comes to, done by two threads where that pays."""

        def ask(block: Words) -> tuple[Words, int] | None:
            value = kernel(
                int(block.ctypes.data),
                position.own,
                position.opposing,
                alpha,
                beta,
                depth,
                position.empties,
                position.parity,
                position.colour,
                confidence,
            )
            return None if block[context.STOPPED] else (block, value)

        block = self._block
        if not self._has_two or depth < _ALONE_BELOW:
            found = ask(block)
        else:
            self._twin = twin = self._twin or _Twin.with_near(self._near.size)
            found = twin.first_of_two(ask, block)
        return alpha if found is None else found[1]

    def line(self, position: Position, square: int) -> tuple[int, ...]:
        """The expected line from a move on, as squares of the grid and 64 for a pass, from the table."""
        line = [square]
        here = position.after(square)
        while len(line) < position.count:
            data = context.stored(self.address, here.own, here.opposing)
            following = data >> 16 & 255
            if data and following < context.NO_SQUARE:
                here = here.after(following)
            elif data == 0 and line[-1] != context.NO_SQUARE:
                here, following = here.passed(), context.NO_SQUARE
            else:
                break
            line.append(following)
        while line[-1] == context.NO_SQUARE:
            line.pop()
        return tuple(line)

    def _show(self, position: Position) -> None:
        """Writes the position's features where the kernels expect them."""
        own, opposing = position.own, position.opposing
        black, white = (own, opposing) if position.colour == 0 else (opposing, own)
        set_features(self.address, black, white, position.count)


def schedule(count: int, deepest: int) -> list[tuple[int, int]]:
    """(depth, confidence) of each search in turn, for a position with `count` empty squares.

    To fewer plies than the game has left: each depth in turn, in full up to SURE_DEPTH. Else, from _JUMP
    plies before the end on, the whole rest with growing confidence, at last exactly.
    """
    if deepest < count:
        confidence = EXACT if deepest <= SURE_DEPTH else 0
        return [(depth, confidence) for depth in range(1, deepest + 1)]
    if count <= END_SQUARES:
        return [(depth, 0) for depth in range(1, min(4, count))] + [(count, EXACT)]
    steps = [(depth, 0) for depth in range(1, max(2, count - _JUMP))]
    return steps + [(count, confidence) for confidence in _END_CONFIDENCES]


def legal_line(state: State, position: Position, squares: Sequence[int]) -> tuple[Move, ...]:
    """Squares of the grid, and 64 for a pass, as moves; up to the first illegal one: entries can be lost."""
    moves: list[Move] = []
    for square in squares:
        move = position.size**2 if square == LARGEST else position.move_of(square)
        if move not in state.legal_moves():
            break
        moves.append(move)
        state = state.play(move)
    return tuple(moves)
