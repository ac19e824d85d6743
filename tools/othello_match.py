"""Play two evaluations of Othello against each other: python -m tools.othello_match OLD.npz [NEW.npz].

Both search to the same full depth and play endings exactly. Every balanced random opening is played twice
with colours swapped. The tool prints the new evaluation's score with its 95% error bar over pairs. Without
NEW.npz the engine's own weights play.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
from pathlib import Path

from engine.core import Player
from engine.games.othello import OthelloState
from engine.games.othello.openings import balanced_openings, best_move
from engine.games.othello.searcher import Searcher, read_weights, weights_for


def _searcher(path: Path | None) -> Searcher:
    return Searcher(weights_for(8) if path is None else read_weights(path))


def _played(state: OthelloState, players: dict[Player, Searcher], depth: int) -> int:
    """Return Black's discs less White's at the end."""
    while state.outcome() is None:
        moves = state.legal_moves()
        move = moves[0] if len(moves) == 1 else best_move(players[state.to_move], state, depth)[0]
        state = state.play(move)
    black, white = state.score
    return black - white


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path, nargs="?")
    parser.add_argument("--depth", type=int, default=4)
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    old, new = _searcher(options.old), _searcher(options.new)
    points, margins = [], []
    for state in balanced_openings(options.games // 2, new, random.Random(options.seed)):
        first = _played(state, {Player.FIRST: new, Player.SECOND: old}, options.depth)
        second = -_played(state, {Player.FIRST: old, Player.SECOND: new}, options.depth)
        points.append(sum((margin > 0) + (margin == 0) / 2 for margin in (first, second)) / 2)
        margins.append((first + second) / 2)
    error = 1.96 * statistics.stdev(points) / math.sqrt(len(points))
    print(
        f"depth {options.depth}, {2 * len(points)} games: {statistics.mean(points):.3f} ± {error:.3f},"
        f" {statistics.mean(margins):+.2f} discs a game"
    )


if __name__ == "__main__":
    main()
