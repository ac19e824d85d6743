"""Make labelled Othello positions by self-play: python -m tools.othello_positions OUT.npz [options].

Each game begins with some random moves. A search then values every position, exactly near the end, and plays
the best move, now and then a random one. The search's value is the label: unlike the game's result it does
not depend on later mistakes. Weights from such labels predict the same evaluation's values some plies deeper,
and are the evaluation of the next round (`tools/othello_train.py`).
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np

from engine.core import Limit
from engine.games import game
from engine.games.othello.kernels import context
from engine.games.othello.kernels.midgame import list_root, search_root
from engine.games.othello.kernels.patterns import PatternWeights, set_features
from engine.games.othello.kernels.shapes import PHASES, WEIGHTS
from engine.games.othello.kernels.tables import quadrant_of
from engine.games.othello.kernels.vectors import flips_of, moves_of
from engine.games.othello.position import Position
from engine.games.othello.searcher import Searcher, weights_for
from engine.kernels.intrinsics import load, lowest_index, popcount, shift_right, store
from engine.kernels.jit import inlined, kernel
from engine.kernels.running import running

_LONGEST_GAME = 130
_FEWEST_LABELLED = 4


@inlined
def _random(c: int) -> int:
    """31 random bits (George Marsaglia, "Xorshift RNGs", 2003)."""
    state = load(c, context.RANDOM)
    state ^= state << 13
    state ^= shift_right(state, 7)
    state ^= state << 17
    store(c, context.RANDOM, state)
    return shift_right(state, 33)


@inlined
def _parity(empties: int) -> int:
    parity = 0
    while empties:
        parity ^= quadrant_of(lowest_index(empties))
        empties &= empties - 1
    return parity


@inlined
def _one_of(c: int, squares: int) -> int:
    for _ in range(_random(c) % popcount(squares)):
        squares &= squares - 1
    return lowest_index(squares)


@kernel(
    "int64(int64, int64, int64, int64, int64, int64, int64, int64, int64, int64[::1], int64[::1], int64[::1])"
)
def play_game(
    c: int,
    own: int,
    opposing: int,
    empties: int,
    random_moves: int,
    depth: int,
    confidence: int,
    exact_from: int,
    strays: int,
    owns: Any,
    opposings: Any,
    values: Any,
) -> int:
    """Play one game and write its labelled positions; return their number.

    strays: random moves among 1,000 moves after the first `random_moves`.
    """
    written, played, colour, passes = 0, 0, 0, 0
    while passes < 2:
        moves = moves_of(own, opposing) & empties
        count = popcount(empties)
        if moves == 0:
            own, opposing = opposing, own
            colour = 1 - colour
            passes += 1
            continue
        passes = 0
        square = -1
        if played >= random_moves and count >= _FEWEST_LABELLED:
            black = own if colour == 0 else opposing
            white = opposing if colour == 0 else own
            parity = _parity(empties)
            set_features(c, black, white, count)
            list_root(c, own, opposing, empties, parity, colour)
            value = 0
            if count <= exact_from:
                value = search_root(c, own, opposing, -64, 64, count, empties, parity, colour, context.EXACT)
            else:
                for plies in range(1, depth + 1):
                    value = search_root(c, own, opposing, -64, 64, plies, empties, parity, colour, confidence)
            owns[written], opposings[written], values[written] = own, opposing, value
            written += 1
            if _random(c) % 1000 >= strays:
                square = load(c, context.BEST_SQUARE)
        if square < 0:
            square = _one_of(c, moves)
        turned = flips_of(square, own, opposing)
        bit = 1 << square
        own, opposing = opposing ^ turned, own ^ turned | bit
        empties ^= bit
        colour = 1 - colour
        played += 1
    return written


def _weights(path: str, size: int) -> PatternWeights:
    if path == "own":
        return weights_for(size)
    if path == "none":
        return PatternWeights(np.zeros((PHASES, WEIGHTS + 1), np.int16))
    with np.load(path) as data:
        return PatternWeights(data["packed"])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument(
        "--weights",
        default="own",
        help="a file; own: the engine's; none: no evaluation, for labels near the end",
    )
    parser.add_argument("--size", type=int, default=8, choices=(6, 8), help="of the board")
    parser.add_argument("--seconds", type=float, default=60, help="of processor time")
    parser.add_argument("--depth", type=int, default=8)
    parser.add_argument(
        "--confidence", type=int, default=1, help="0 to 5, see engine.games.othello.kernels.midgame"
    )
    parser.add_argument("--exact", type=int, default=15, help="empty squares from which labels are exact")
    parser.add_argument(
        "--below", type=int, default=64, help="keep positions with at most as many empty squares"
    )
    parser.add_argument("--least", type=int, default=4, help="random moves at the beginning, at least")
    parser.add_argument("--most", type=int, default=40, help="random moves at the beginning, at most")
    parser.add_argument("--strays", type=int, default=50, help="random moves in 1,000 later ones")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()

    searcher = Searcher(_weights(options.weights, options.size), table_bits=17)
    start = Position.of(game("othello").start(f"{options.size}x{options.size}"))
    rng = np.random.default_rng(options.seed)
    row = [np.zeros(_LONGEST_GAME, np.int64) for _ in range(3)]
    kept: list[list[Any]] = [[], [], []]
    games = 0
    started = time.process_time()
    with running(Limit()) as run:
        while time.process_time() - started < options.seconds:
            searcher.begin(run)
            searcher.seed(int(rng.integers(1, 2**62)))
            written = play_game(
                searcher.address,
                start.own,
                start.opposing,
                start.empties,
                int(rng.integers(options.least, options.most + 1)),
                options.depth,
                options.confidence,
                options.exact,
                options.strays,
                *row,
            )
            for part, values in zip(kept, row, strict=True):
                part.append(values[:written].copy())
            games += 1
    own, opposing, value = (np.concatenate(part) for part in kept)
    wanted = options.size**2 - np.bitwise_count(own | opposing) <= options.below
    own, opposing, value = own[wanted], opposing[wanted], value[wanted]
    np.savez(options.out, own=own, opposing=opposing, value=value.astype(np.int8))
    print(f"{options.out}: {len(own):,} positions of {games:,} games")


if __name__ == "__main__":
    main()
