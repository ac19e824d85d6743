"""The search of Othello for Python: iterative deepening, two threads, an exact endgame.

Every value is a difference of discs for the side to move, with empty squares counted for the winner.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from engine.core import Move, State
from engine.games.othello.book import Boards, canonical
from engine.games.othello.kernels import context
from engine.games.othello.kernels.midgame import END_SQUARES, list_root, search, search_root
from engine.games.othello.kernels.multi_probcut import margins
from engine.games.othello.kernels.patterns import PatternWeights, fine_value_of, set_features
from engine.games.othello.position import Position
from engine.kernels.control import NO_LIMIT, NODE_LIMIT
from engine.kernels.jit import Words
from engine.kernels.running import Run
from engine.kernels.two_threads import first_of_two

EXACT = context.EXACT
LARGEST = 64
"""The largest difference of discs."""
FULL_WIDTH_DEPTH = 8
"""Searches up to this depth examine every move; deeper ones skip moves that a shallow search rules out."""
_NARROW = 2
_NEAR_BITS = 12
"""A quarter of a megabyte: fits the cache of a core."""
_MIN_SHARED_DEPTH = 9
"""A search of fewer plies ends before a second thread could help."""
_ROOT_START = context.MOVES_AT + context.ROOT_LIST * context.LIST_WORDS
_ROOT_LIST = slice(_ROOT_START, _ROOT_START + context.LIST_WORDS)
_ENDGAME_PLIES = 8
"""A search that would end at most this many plies before the end of the game goes to the end instead."""
_END_CONFIDENCES = (1, 2, EXACT)
_SYMMETRIC_DISCS = 8
"""With more discs than this, hardly any position is its own mirror image."""
WEIGHT_FILES = {size: Path(__file__).parents[2] / "data" / f"othello_{size}x{size}.npz" for size in (8, 6)}


@cache
def weights_for(size: int) -> PatternWeights:
    """Return the evaluation's weights for boards of that size; loaded once."""
    return read_weights(WEIGHT_FILES[size])


def read_weights(path: Path) -> PatternWeights:
    """Read an evaluation's weights from a file that `tools.othello_train` wrote."""
    with np.load(path) as data:
        return PatternWeights(data["packed"])


@dataclass(frozen=True, slots=True)
class Iteration:
    """The result of a finished search; confidence EXACT and all empty squares make it a proof."""

    square: int
    value: int
    depth: int
    confidence: int
    is_proven: bool


@dataclass(frozen=True, slots=True)
class _Twin:
    """The memory of the second of two threads: a block and a small table; busy: shared by both."""

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
        """Run `ask`, given a block, in both threads; return the first result and stop the other thread.

        Afterwards `own` holds the nodes of both threads and the root's list of the first.
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
    """The memory of successive searches, including two transposition tables; one search at a time.

    table_bits: the large table has 2 ** table_bits buckets of 64 bytes, allocated by the system as they
    are used; near_bits: the small one for the last squares has 2 ** near_bits.
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
        """Reset the node count; from here on the run's flags and node limit end every search.

        threads: with two, long searches use both, unless nodes are limited. Exact values stay the same; the
        move may be another one of equal value.
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
        """Set the random state of kernels that play games; not 0."""
        self._block[context.RANDOM] = state

    def forget(self) -> None:
        """Clear both tables."""
        self._table.fill(0)
        self._near.fill(0)

    def evaluate(self, position: Position) -> float:
        """Return the static evaluation in discs."""
        self._show(position)
        return fine_value_of(self.address, position.count, position.colour) / 128

    def value(
        self, position: Position, depth: int, confidence: int, alpha: int = -LARGEST, beta: int = LARGEST
    ) -> int:
        """Return the value at that depth, exact between alpha and beta; meaningless if the search stopped."""
        self._show(position)
        return self._asked(search, position, alpha, beta, depth, confidence)

    def sign(self, position: Position) -> int:
        """Return the exact result, 1, 0 or -1; meaningless if the search stopped."""
        if self.value(position, position.count, EXACT, 0, 1) > 0:
            return 1
        return 0 if self.value(position, position.count, EXACT, -1, 0) >= 0 else -1

    def keeper(self, position: Position, result: int, squares: Sequence[int]) -> int | None:
        """Return the first of the squares that keeps the result of `sign`; None if the search stopped."""
        if result < 0:
            return self.best_square  # no move is worse than lost
        data = context.stored(self.address, position.own, position.opposing)
        proved = Iteration(self.best_square, result, position.count, EXACT, True)
        # The move that proved it is known while its entry is there; each further one may cost a search.
        for square in sorted(squares, key=lambda square: square != data >> 16 & 255):
            if self.reaches(position, square, proved, 0):
                return square
        return None

    def reaches(self, position: Position, square: int, found: Iteration, spread: int) -> bool:
        """Whether a move to the square is worth at most `spread` less than the best move found.

        It searches as deep as that move was searched; False if this search was stopped.
        """
        least = found.value - spread
        if least <= -LARGEST:
            return not self.has_stopped
        child = position.after(square)
        value = self.value(child, found.depth - 1, found.confidence, -least, 1 - least)
        return value <= -least and not self.has_stopped

    def deepen(self, position: Position, deepest: int) -> Iterator[Iteration]:
        """Yield each finished search of the position, from one ply to `deepest`; the side to move has a move.

        Ends when the run does. See `schedule`.
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
        """Keep only one of root moves that are mirror images of each other."""
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
        """The best square of the root that `deepen` has found so far, even if it was stopped."""
        return int(self._block[_ROOT_START])

    def _widening(self, position: Position, depth: int, confidence: int, guess: int | None) -> int:
        """Return the value by aspiration: a narrow window around the guess, widened as needed."""
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
        """Run `search` or `search_root`, with two threads if that pays off."""

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
        if not self._has_two or depth < _MIN_SHARED_DEPTH:
            found = ask(block)
        else:
            self._twin = twin = self._twin or _Twin.with_near(self._near.size)
            found = twin.first_of_two(ask, block)
        return alpha if found is None else found[1]

    def line(self, position: Position, square: int) -> tuple[int, ...]:
        """Return the principal variation after a move from the table: squares of the grid, 64 for a pass."""
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
        """Write the position's features to the row that the kernels read."""
        own, opposing = position.own, position.opposing
        black, white = (own, opposing) if position.colour == 0 else (opposing, own)
        set_features(self.address, black, white, position.count)


def schedule(count: int, deepest: int) -> list[tuple[int, int]]:
    """Return (depth, confidence) of the successive searches of a position with `count` empty squares.

    Each depth in turn, in full width up to FULL_WIDTH_DEPTH. From _ENDGAME_PLIES plies before the end on, the
    whole rest of the game with growing confidence, finally exact.
    """
    if deepest < count:
        confidence = EXACT if deepest <= FULL_WIDTH_DEPTH else 0
        return [(depth, confidence) for depth in range(1, deepest + 1)]
    if count <= END_SQUARES:
        return [(depth, 0) for depth in range(1, min(4, count))] + [(count, EXACT)]
    steps = [(depth, 0) for depth in range(1, max(2, count - _ENDGAME_PLIES))]
    return steps + [(count, confidence) for confidence in _END_CONFIDENCES]


def legal_line(state: State, position: Position, squares: Sequence[int]) -> tuple[Move, ...]:
    """Convert squares of the grid, and 64 for a pass, to moves; stops at an illegal one (a lost entry)."""
    moves: list[Move] = []
    for square in squares:
        move = position.size**2 if square == LARGEST else position.move_of(square)
        if move not in state.legal_moves():
            break
        moves.append(move)
        state = state.play(move)
    return tuple(moves)
