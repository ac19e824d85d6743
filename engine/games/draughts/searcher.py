"""The compiled search of draughts for Python, and the table of endings."""

from __future__ import annotations

import math
import os
import random
import threading
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from functools import cache
from importlib import resources
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from engine.core import Move, Player, State
from engine.games.deepening import PERFECT, Depth, Habits, MoveSearch
from engine.games.draughts.kernels import endings as ending_kernels
from engine.games.draughts.kernels.endings import ENDINGS, MOST_PIECES
from engine.games.draughts.kernels.moves import generate
from engine.games.draughts.kernels.search import DOUBLE_JUMP, SINGLE_JUMP, search
from engine.games.draughts.rules import (
    QUIET_PLIES_FOR_DRAW,
    REPETITIONS_FOR_DRAW,
    DraughtsState,
    as_draughts,
    taken_on,
)
from engine.kernels.blundering import PLAIN, blunder_rates
from engine.kernels.control import BEFORE
from engine.kernels.game_search import NONE
from engine.kernels.heuristic_values import DECIDED, WIN
from engine.kernels.jit import FOLDER, Bytes, Words
from engine.kernels.running import Run
from engine.kernels.transposition import CODES, LIST_WORDS, LISTS, LONGEST, new_memory
from engine.score import Score

WORTHS_FILE = "draughts_worths.npz"
Halves = npt.NDArray[np.int16]

_SURE = 0.97
"""The expected result of a win that the search found but did not prove."""
_OF_CERTAINTY = 150.0
"""An estimate of one and a half men counts as about three quarters of a win."""
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


def holds(state: DraughtsState, plies: int) -> bool:
    """Whether a forced end within that number of plies comes before a draw by the rules.

    The fastest end never repeats a position, so it counts unless a position has occurred twice.
    """
    is_repeated = len({(seen, number & 1) for number, seen in enumerate(state.seen)}) < len(state.seen)
    return state.times == 1 and not is_repeated and len(state.seen) + plies <= QUIET_PLIES_FOR_DRAW


@cache
def worths() -> Halves:
    """Return the fitted worths, see the kernel."""
    with (resources.files("engine.data") / WORTHS_FILE).open("rb") as file:
        return cast(Halves, np.load(file)["worths"])


class DraughtsSearch(MoveSearch[DraughtsState]):
    """Values turns in hundredths of a man; one who overlooks something knows no endings."""

    kernel = staticmethod(search)
    is_fitted = False
    """Whether its estimates are those fitted to results of games."""

    def __init__(self, state: State, run: Run, memory: Words, habits: Habits = PERFECT) -> None:
        position = as_draughts(state)
        rates = blunder_rates(LONGEST + 1, habits.overlooks) if habits.overlooks else None
        # How often a position of the game has occurred whose return counts as a draw.
        avoided = 1 if habits.is_moving else REPETITIONS_FOR_DRAW - 1
        before = len(position.seen)
        stood = enumerate((*position.seen, (position.pieces, position.kings)))
        known = [(seen, number & 1) for number, seen in stood]
        times = Counter(known)
        path = [
            words(*seen, Player(position.ply - before + parity & 1))
            if number == before or times[seen, parity] >= avoided
            else (0, 0)
            for number, (seen, parity) in enumerate(known)
        ]
        self._table = endings() if rates is None else None
        table = 0 if self._table is None else self._table.ctypes.data
        fitted = worths().ctypes.data if self.is_fitted else 0
        super().__init__(position, run, memory, habits, (table, fitted), path, rates)

    def words(self, state: DraughtsState) -> tuple[int, int]:
        return words_of(state)

    def since(self, after: DraughtsState) -> int:
        return 0 if after.seen else int(self.memory[BEFORE]) + 1

    def is_sure(self, found: Depth) -> bool:
        is_best = found.is_whole or found.score > 0
        return is_best and score_of(self.state, found.score, found.depth).is_proved

    def is_final(self, found: Depth) -> bool:
        return found.is_decided

    def overlooked(self, move: Move, rng: random.Random, chance: float) -> bool:
        """Turns that take several pieces are missed twice as often as steps, single jumps half as often."""
        taken = len(taken_on(self.state.paths[move]))
        subtlety = PLAIN if not taken else SINGLE_JUMP if taken == 1 else DOUBLE_JUMP
        return PLAIN * rng.random() < chance * subtlety

    def move_of(self, state: DraughtsState, code: int) -> Move | None:
        count = cast(Any, generate)(*words_of(state), NONE, LONGEST + 1, self.place)
        start = LISTS + (LONGEST + 1) * LIST_WORDS
        listed = self.memory[start : start + 3 * count].reshape(-1, 3)
        wanted = [(int(one), int(two)) for one, two, about in listed if int(about) & CODES - 1 == code]
        return next((move for move in state.legal_moves() if words_of(state.play(move)) in wanted), None)


class FittedSearch(DraughtsSearch):
    """The same with fitted estimates."""

    is_fitted = True


def score_of(state: DraughtsState, value: int, depth: int, move: Move | None = None) -> Score:
    """Return the score of a search's value, for a move or for the best one; depth: plies searched."""
    is_exact = is_ending(state if move is None else state.play(move))
    plies = WIN - abs(value)
    if abs(value) > DECIDED and holds(state, plies):
        # Within the depth every line was searched, so no win is faster; beyond it only forced ones.
        won = Score.won(plies) if is_exact or plies <= depth else replace(Score.won(), mean=_SURE)
        return won if value > 0 else -won
    if value == 0 and is_exact and holds(state, 0):
        return Score.drawn()
    return Score.likely(_SURE * math.tanh(value / _OF_CERTAINTY))
