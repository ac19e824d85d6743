"""Fit the estimates of draughts to results of its own games.

`python -m tools.draughts_train play GAMES.npz` plays games from random openings, both sides with a limit of
states, and writes their calm positions. `python -m tools.draughts_train fit WORTHS.npz GAMES.npz …` writes
the file that `engine.games.draughts.searcher` loads. The fit is a logistic regression of the results on the
men of each square of 4 x 4, the kings of each square, the lead in men, and being to move. A small ridge draws
each pattern to nothing, so that a rare one counts as its men do.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
import numpy.typing as npt

from engine.games.draughts.kernels.endings import MOST_PIECES
from engine.games.draughts.kernels.moves import FIELD, generate, side_of
from engine.games.draughts.kernels.search import (
    KINGS,
    MAN,
    MOST_MEN,
    PATTERN_SIZE,
    PATTERNS,
    TEMPO,
    TERNARY,
    search,
)
from engine.games.draughts.rules import BITS, DraughtsState
from engine.games.draughts.searcher import Halves, endings, words_of, worths
from engine.kernels.control import (
    BEFORE,
    COUNTERS,
    GENERATION,
    INFINITY,
    NODE_LIMIT,
    NODES,
    PATH,
    PV,
    PV_WIDTH,
    REDUCES,
    STOPPED,
)
from engine.kernels.game_search import NONE, QUIET, RETURNS
from engine.kernels.heuristic_values import DECIDED
from engine.kernels.intrinsics import load, popcount, store
from engine.kernels.jit import Bytes, Ints, Words
from engine.kernels.running import Run
from engine.kernels.transposition import LIST_WORDS, LISTS, LONGEST, new_memory

KEPT_BACK = 10
"""Every tenth game is not fitted to, but measures the fit."""
POINTS = 71
"""Of an estimate, for each unit of the logarithm of the odds; with it the estimates by hand are likeliest."""
RIDGE = 1e-4
_RATES = (0.3, 0.3, 0.2, 0.1, 0.05, 0.02)
"""Of learning, one a pass over all positions."""
_FIRST_RANDOM, _MOST_RANDOM = 4, 12
"""How many random moves games begin with."""
_MOST_PLIES, _MOST_QUIET, _DEEPEST = 400, 50, 40
_TABLE = 14
_SPARE = LONGEST + 1
"""A ply whose list no search uses."""
_WIDTH = LONGEST + 3
_BIASES = 9 * PATTERN_SIZE
"""The first of the columns that are no patterns: a man, being to move, then a king on each square."""
_COLUMNS = _BIASES + 2 + len(BITS)

Floats = npt.NDArray[np.float64]
F = TypeVar("F", bound=Callable[..., Any])
_compiled = cast(Callable[[F], F], numba.njit)


@_compiled
def _play(seed: int, one: int, two: int, nodes: int, path: Words, found: Words, memory: int) -> int:
    """Play a game; return the number of positions found, whose last word is twice FIRST's points."""
    np.random.seed(seed)
    opening = np.random.randint(_FIRST_RANDOM, _MOST_RANDOM + 1)
    counters, place = load(memory, COUNTERS), memory + 8 * (LISTS + _SPARE * LIST_WORDS)
    here, count, points = 0, 0, 1
    for ply in range(_MOST_PLIES):
        path[here] = one, two
        moves, side = generate(one, two, NONE, _SPARE, memory), side_of(two)
        if moves == 0:
            points = 2 * side
            break
        chosen = 0
        if ply < opening:
            chosen = np.random.randint(moves)
        elif moves > 1:
            if load(place, 2) & QUIET:
                found[count] = one, two, 0
                count += 1
            store(counters, NODES, 0)
            store(counters, NODE_LIMIT, nodes)
            store(counters, STOPPED, 0)
            store(memory, BEFORE, here)
            store(memory, GENERATION, load(memory, GENERATION) + 1)
            best = 0
            for depth in range(_DEEPEST):
                best, first = -INFINITY, 0
                for index in range(moves):
                    child, after = load(place, 3 * index), load(place, 3 * index + 1)
                    since = 0 if load(place, 3 * index + 2) & RETURNS else here + 1
                    value = -search(child, after, depth, -INFINITY, -best, 1, since, memory)
                    if load(counters, STOPPED):
                        break
                    if value > best:
                        best, first = value, index
                for word in range(3):  # the best comes first at the next depth
                    kept = load(place, word)
                    store(place, word, load(place, 3 * first + word))
                    store(place, 3 * first + word, kept)
                if load(counters, STOPPED) or abs(best) > DECIDED:
                    break
            if not load(counters, STOPPED) and abs(best) > DECIDED:
                points = 2 if (best > 0) == (side == 0) else 0
                break
            if popcount((one | two) & FIELD) <= MOST_PIECES or here == _MOST_QUIET:
                break
        here = here + 1 if load(place, 3 * chosen + 2) & RETURNS else 0
        one, two = load(place, 3 * chosen), load(place, 3 * chosen + 1)
    found[:count, 2] = points
    return count


def play(games: int, nodes: int, seed: int, *, is_fitted: bool) -> Iterator[Words]:
    """Yield the calm positions of each game: the kernel's two words, twice the points of its FIRST."""
    run, memory = Run(np.zeros(1, np.int64), np.zeros(1, np.int64)), new_memory(_TABLE)
    lines, path = np.zeros((_WIDTH, _WIDTH), np.int64), np.zeros((_MOST_PLIES + _WIDTH, 2), np.int64)
    memory[PATH], memory[PV], memory[PV_WIDTH] = path.ctypes.data, lines.ctypes.data, _WIDTH
    memory[REDUCES] = 1
    rules = endings().ctypes.data, worths().ctypes.data if is_fitted else 0
    place, found = run.describe(memory, rules), np.zeros((_MOST_PLIES, 3), np.int64)
    for number in range(games):
        count = _play(seed + number, *words_of(DraughtsState()), nodes, path, found, place)
        yield found[:count].copy()


def _eight(bits: Words, shift: int) -> Words:
    bits = bits >> shift
    return bits & 3 | bits >> 2 & 12 | bits >> 5 & 48 | bits >> 7 & 192


def _ternary() -> Words:
    return np.array([int(f"{bits:b}", 3) for bits in range(256)])


def columns() -> tuple[Words, Floats]:
    """Return the column of each pattern, and its sign: a board turned by half is the other side's."""
    digits = np.arange(PATTERN_SIZE)[:, None] // 3 ** np.arange(8) % 3
    turned = np.array([0, 2, 1])[digits[:, ::-1]] @ 3 ** np.arange(8)
    numbers = np.arange(9 * PATTERN_SIZE).reshape(9, PATTERN_SIZE)
    others = numbers[::-1, turned]
    return np.minimum(numbers, others), np.sign(others - numbers).astype(float)


def features(positions: Words) -> tuple[Ints, Bytes, Floats, Floats]:
    """Return columns of positions, their signs, shares of pieces left, and results, for the side to move."""
    one, two, points = positions.T
    own, other, side = one & FIELD, two & FIELD, two >> 41 & 1
    kings = one >> 35 & (1 << 29) - 1 | (two >> 35 & 63) << 29
    down, up = np.where(side, other, own), np.where(side, own, other)
    men, others, sign = down & ~kings, up & ~kings, np.where(side, -1, 1)
    shifts, ternary = [9 * row + column for row in range(3) for column in range(3)], _ternary()
    column_of, sign_of = columns()
    patterns = np.stack(
        [ternary[_eight(men, shift)] + 2 * ternary[_eight(others, shift)] for shift in shifts]
    )
    where, signs = (np.stack([part[place] for part, place in zip(each, patterns, strict=True)], axis=1)
                    for each in (column_of, sign_of))  # fmt: skip
    lead = np.bitwise_count(men).astype(int) - np.bitwise_count(others)
    crowned = [
        ((down & kings) >> bit & 1) - ((up & kings) >> turned & 1)
        for bit, turned in zip(BITS, reversed(BITS), strict=True)
    ]
    biases = np.stack([sign * lead, np.ones_like(sign), *(sign * each for each in crowned)], axis=1)
    whole = np.broadcast_to(_BIASES + np.arange(biases.shape[1]), biases.shape)
    pieces = np.bitwise_count(own | other) / MOST_MEN
    results = np.where(side, 2 - points, points) / 2
    values = np.hstack([signs * sign[:, None], biases])
    return np.hstack([where, whole]).astype(np.int32), values.astype(np.int8), pieces, results


@_compiled
def _chance(where: Ints, values: Bytes, pieces: float, exponents: Floats) -> float:
    """Return the expected result of a position."""
    total = 0.0
    for at in range(len(where)):
        total += values[at] * (pieces * exponents[where[at], 0] + (1 - pieces) * exponents[where[at], 1])
    return 1 / (1 + math.exp(-total))


@_compiled
def _learn(
    order: Words, where: Ints, values: Bytes, pieces: Floats, results: Floats, exponents: Floats,
    slopes: Floats, rate: float,
) -> None:  # fmt: skip
    """Move the exponents uphill, position by position; slopes: the sum of squares of each one's so far."""
    for number in order:
        error = results[number] - _chance(where[number], values[number], pieces[number], exponents)
        for at in range(where.shape[1]):
            if values[number, at]:
                column = where[number, at]
                for end in range(2):
                    share = 1 - pieces[number] if end else pieces[number]
                    slope = error * values[number, at] * share
                    slope -= RIDGE * exponents[column, end] if column < _BIASES else 0
                    slopes[column, end] += slope * slope
                    exponents[column, end] += rate * slope / np.sqrt(1 + slopes[column, end])


def log_loss(where: Ints, values: Bytes, pieces: Floats, results: Floats, exponents: Floats) -> float:
    """Return the mean negative logarithm of the likelihood of the results."""
    chances = np.array([_chance(*each, exponents) for each in zip(where, values, pieces, strict=True)])
    return float(-np.mean(results * np.log(chances) + (1 - results) * np.log(1 - chances)))


def fit(games: Sequence[Words], seed: int = 0) -> Halves:
    """Fit the worths to positions of games, and print how well they foretell the games that are kept back."""
    rng = np.random.default_rng(seed)
    used = features(np.concatenate([game for number, game in enumerate(games) if number % KEPT_BACK]))
    kept = features(np.concatenate(games[::KEPT_BACK]))
    exponents, slopes = np.zeros((_COLUMNS, 2)), np.zeros((_COLUMNS, 2))
    for rate in _RATES:
        _learn(rng.permutation(len(used[0])), *used, exponents, slopes, rate)
        print(
            f"log-loss of {len(kept[0]):,} positions kept back: {log_loss(*kept, exponents):.4f}", flush=True
        )
    print(f"{len(used[0]):,} positions")
    points = np.round(POINTS * exponents).astype(np.int16)
    column_of, sign_of = columns()
    found = np.zeros(PATTERNS + 2 * _BIASES, np.int16)
    found[MAN : MAN + 2], found[TEMPO : TEMPO + 2] = points[_BIASES : _BIASES + 2]
    found[KINGS : KINGS + 2 * len(BITS)] = points[_BIASES + 2 :].ravel()
    found[TERNARY:PATTERNS] = _ternary()
    found[PATTERNS:] = (points[column_of] * sign_of[..., None]).ravel()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    playing = commands.add_parser("play", help="write the positions of games")
    playing.add_argument("games_file", type=Path)
    playing.add_argument("--games", type=int, default=12_000)
    playing.add_argument("--nodes", type=int, default=2_500, help="states a move")
    playing.add_argument("--seed", type=int, default=920_000_000)
    playing.add_argument("--plain", action="store_true", help="with the estimates made by hand")
    fitting = commands.add_parser("fit", help="write the worths")
    fitting.add_argument("worths_file", type=Path)
    fitting.add_argument("games_files", type=Path, nargs="+")
    options = parser.parse_args()
    if options.command == "fit":
        games = [game for file in options.games_files for game in np.load(file).values()]
        np.savez_compressed(options.worths_file, worths=fit(games))
        return
    played = play(options.games, options.nodes, options.seed, is_fitted=not options.plain)
    np.savez_compressed(options.games_file, *played)


if __name__ == "__main__":
    main()
