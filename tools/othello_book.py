"""Make Othello's opening book by search: `python -m tools.othello_book`.

From the first position on, the book's likeliest next position is searched to --depth plies. The good moves
are searched again, --deeper, and those nearly as good as the best go into the book; the positions after every
sensible move come next. A position's likelihood falls with every move by the value that the move gives away.
"""

from __future__ import annotations

import argparse
import heapq
import itertools
import time

from engine.core import Limit
from engine.games.notation import format_moves
from engine.games.othello import Othello, OthelloState
from engine.games.othello.book import BOARD, FILE, canonical
from engine.games.othello.evaluator import OthelloEvaluator

_NEARLY_BEST = 1.0
"""In discs: largest loss of a book move against the best move, by the deeper searches."""
_GOOD = 2.0
"""The same by the first search: moves for which a deeper one pays."""
_SENSIBLE = 6.0
"""In discs: the book skips replies worse than this."""
_PLY_COST = 1.0


def made(positions: int, depth: int, deeper: int) -> list[str]:
    """Return the lines of the book, shorter openings first."""
    rules = Othello()
    numbers = itertools.count()
    start = rules.start(BOARD)
    waiting: list[tuple[float, int, tuple[int, ...], OthelloState]] = [(0.0, next(numbers), (), start)]
    seen = {canonical(start.own, start.opponent)[0]}
    lines: list[tuple[int, str]] = []
    while waiting and len(lines) < positions:
        cost, _, moves, state = heapq.heappop(waiting)
        evaluator = OthelloEvaluator()
        scores = evaluator.evaluate_moves(state, Limit(depth=depth)).moves
        values = {move: score.discs or 0 for move, score in scores.items()}
        best = max(values.values())
        good = [move for move, value in values.items() if value >= best - _GOOD]
        known = {move: -_value(evaluator, state.play(move), deeper - 1) for move in good}
        entries = " ".join(
            f"{rules.move_name(state, move)}={value}"
            for move, value in sorted(known.items(), key=lambda each: -each[1])
            if value >= max(known.values()) - _NEARLY_BEST
        )
        lines.append((len(moves), f"{format_moves(rules, BOARD, moves)}: {entries}"))
        for move, value in values.items():
            after = state.play(move)
            key = canonical(after.own, after.opponent)[0]
            if value >= best - _SENSIBLE and key not in seen and after.outcome() is None:
                seen.add(key)
                price = cost + best - value + _PLY_COST
                heapq.heappush(waiting, (price, next(numbers), (*moves, move), after))
    return [line for _, line in sorted(lines)]


def _value(evaluator: OthelloEvaluator, state: OthelloState, depth: int) -> int:
    return evaluator.evaluate(state, Limit(depth=depth)).score.discs or 0


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--positions", type=int, default=250)
    parser.add_argument("--depth", type=int, default=14)
    parser.add_argument("--deeper", type=int, default=20)
    options = parser.parse_args()
    started = time.process_time()
    lines = made(options.positions, options.depth, options.deeper)
    FILE.write_text("\n".join(lines) + "\n", "ascii")
    seconds = time.process_time() - started
    print(f"{FILE.name}: {len(lines)} positions, {FILE.stat().st_size:,} bytes, {seconds:.0f} s")


if __name__ == "__main__":
    main()
