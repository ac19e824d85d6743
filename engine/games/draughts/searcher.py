"""The compiled search of draughts for Python: iterative deepening, and the table of endings."""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

import numpy as np

from engine.core import Move, Player
from engine.games.draughts.kernels import endings as ending_kernels
from engine.games.draughts.kernels.endings import ENDINGS, MOST_PIECES
from engine.games.draughts.kernels.moves import KEY, NONE, NUMBER, generate
from engine.games.draughts.kernels.search import BEFORE, LONGEST, search
from engine.games.draughts.rules import QUIET_PLIES_FOR_DRAW, REPETITIONS_FOR_DRAW, DraughtsState
from engine.kernels.control import BLUNDER_RATES, INFINITY, PV, PV_WIDTH, SEED
from engine.kernels.heuristic_values import WIN
from engine.kernels.jit import FOLDER, Bytes
from engine.kernels.running import Array, Run
from engine.kernels.transposition import LIST_WORDS, LISTS, new_memory

_WIDTH = LONGEST + 3
_FILE = None if FOLDER is None else FOLDER / "draughts_endings.npy"
_filling = threading.Lock()


def endings() -> Bytes:
    """Return the values of all endings, see the kernel; made once, in some seconds, and kept in a file."""
    with _filling:
        return _endings()


@cache
def _endings() -> Bytes:
    if _FILE is not None and _FILE.exists():
        return cast(Bytes, np.load(_FILE, mmap_mode="r"))
    table, memory = np.zeros(ENDINGS, np.int8), new_memory(1)
    for pieces in range(2, MOST_PIECES + 1):
        top = value = 0
        while value <= top:
            top = max(top, cast(Any, ending_kernels.fill)(table, pieces, value, memory.ctypes.data))
            value += 1
    if _FILE is not None:
        with suppress(OSError):
            draft = _FILE.with_suffix(f".{os.getpid()}.npy")
            np.save(draft, table)
            os.replace(draft, _FILE)
    return table


def words(pieces: tuple[int, int], kings: int, mover: Player) -> tuple[int, int]:
    """Return a position as the kernels have it."""
    one = pieces[mover] | (kings << 35 & (1 << 64) - 1)
    return one - (one >> 63 << 64), pieces[mover.other] | kings >> 29 << 35 | mover << 41


def words_of(state: DraughtsState) -> tuple[int, int]:
    return words(state.pieces, state.kings, state.to_move)


def is_ending(state: DraughtsState) -> bool:
    """Whether the table of endings has the position."""
    return (state.pieces[0] | state.pieces[1]).bit_count() <= MOST_PIECES and all(state.pieces)


@dataclass(frozen=True, slots=True)
class Depth:
    """The result of one depth, for the side to move; scores: of moves that are at most the margin worse.

    is_whole: whether every move was searched; one that was not may be better, and save a lost position.
    """

    line: tuple[Move, ...]
    score: int
    scores: dict[Move, int]
    depth: int
    is_whole: bool = True


def holds(state: DraughtsState, plies: int) -> bool:
    """Whether a forced end within that number of plies comes before a draw by the rules.

    The fastest end never repeats a position, so it counts unless a position has occurred twice.
    """
    is_repeated = len({(seen, number & 1) for number, seen in enumerate(state.seen)}) < len(state.seen)
    return state.times == 1 and not is_repeated and len(state.seen) + plies <= QUIET_PLIES_FOR_DRAW


class DraughtsSearcher:
    """Searches one position; the run holds its limits.

    rates: of missed moves, by ply; None: none. avoided: how often a position of the game has occurred whose
    return counts as a draw.
    """

    def __init__(
        self,
        state: DraughtsState,
        run: Run,
        rates: Array | None = None,
        seed: int = 0,
        table_bits: int = 14,
        avoided: int = REPETITIONS_FOR_DRAW - 1,
    ) -> None:
        self._run, self._rates = run, rates
        self._memory, self._pv = new_memory(table_bits), np.zeros((_WIDTH, _WIDTH), np.int64)
        before = len(state.seen)
        self._path = np.zeros((before + _WIDTH, 2), np.int64)
        known = [(seen, number & 1) for number, seen in enumerate((*state.seen, (state.pieces, state.kings)))]
        times = Counter(known)
        for number, (seen, parity) in enumerate(known):
            if number == before or times[seen, parity] >= avoided:
                self._path[number] = words(*seen, Player(state.ply - before + parity & 1))
        self._table = endings() if rates is None else None
        table = 0 if self._table is None else self._table.ctypes.data
        self._place = run.describe(self._memory, (self._path.ctypes.data, before, table))
        self._memory[PV], self._memory[PV_WIDTH], self._memory[SEED] = self._pv.ctypes.data, _WIDTH, seed
        self._memory[BLUNDER_RATES] = 0 if rates is None else rates.ctypes.data
        self._after = {move: state.play(move) for move in state.legal_moves()}

    def deepen(self, moves: Sequence[Move], deepest: int, margin: int = 0) -> Iterator[Depth]:
        """Yield the best of these moves at each depth; the last result may be of some of the moves only.

        margin: a move that is at most this much worse than the best has an exact score.
        """
        order = list(moves)
        for depth in range(1, deepest + 1):
            best, scores, line, searched = -INFINITY, dict[Move, int](), tuple(order[:1]), 0
            for move in order:
                # One below the margin: at most the floor, a value is only a bound.
                value = self.value(move, depth, best - margin - 1 if scores else -INFINITY)
                if self._run.has_stopped:
                    break
                searched += 1
                if value > best:
                    best, line = value, self._line(move)
                if value >= best - margin:
                    scores[move] = value
            if scores:
                # The best rose meanwhile, so early moves may have left the margin.
                near = {move: own for move, own in scores.items() if own >= best - margin}
                yield Depth(line, best, near, depth, is_whole=searched == len(order))
            if self._run.has_stopped:
                return
            order.sort(key=lambda move: -scores.get(move, -INFINITY))

    def value(self, move: Move, depth: int, floor: int = -INFINITY) -> int:
        """Return the value of a move; of at most `floor`, it is an upper bound."""
        after = self._after[move]
        outcome = after.outcome()
        self._pv[1, 0] = 0
        if outcome is not None:
            self._run.count_state()
            return 0 if outcome.winner is None else WIN - 1
        since = 0 if after.seen else int(self._memory[BEFORE]) + 1
        arguments = (*words_of(after), depth - 1, -INFINITY, -floor, 1, since, self._place)
        return -int(cast(Any, search)(*arguments))

    def _line(self, move: Move) -> tuple[Move, ...]:
        """Return the principal variation that begins with the move that was valued last."""
        line, state = [move], self._after[move]
        for number in self._pv[1, 1 : 1 + self._pv[1, 0]]:
            count = cast(Any, generate)(*words_of(state), NONE, LONGEST + 1, self._place)
            start = LISTS + (LONGEST + 1) * LIST_WORDS
            listed = self._memory[start : start + 2 * count].reshape(-1, 2)
            wanted = [(int(one), int(two) & KEY) for one, two in listed if int(two) >> NUMBER & 63 == number]
            found = [other for other in state.legal_moves() if words_of(state.play(other)) in wanted]
            if not found:
                break
            line.append(found[0])
            state = state.play(found[0])
        return tuple(line)
