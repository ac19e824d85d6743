"""`python -m engine perft`: count lines of play, which checks and times the rules."""

from __future__ import annotations

import argparse
import sys
import time

from engine.cli.verbs import EXIT_OK, Verbs, add_game, add_verb, progress_bar, table_console, whole_number
from engine.core import State
from engine.games import game
from engine.games.perft import counting_of, perft

_ROW = "{:>5} {:>24} {:>10} {:>15}"
"""Widths that fit a terminal of 60 columns."""


def add_verbs(verbs: Verbs[argparse.ArgumentParser]) -> None:
    parser = add_verb(
        verbs,
        "perft",
        "count the ways to play on, which checks and times the rules",
        "  python -m engine perft --depth 7\n  python -m engine perft --game othello --depth 11",
    )
    add_game(parser)
    parser.add_argument(
        "--depth", type=whole_number(1, 99, 6), default=6, help="moves, 1 to 99 (default: %(default)s)"
    )
    parser.set_defaults(run=_perft)


def _perft(options: argparse.Namespace) -> int:
    rules = game(options.game)
    start = rules.start(options.board)
    perft(start, 1)  # loads the kernel, if there is one, before the time is taken
    console, previous = table_console(), 0
    console.print(f"{rules.key} {options.board or rules.boards[0]}: {counting_of(start).rule}")
    console.print(_ROW.format("depth", "lines", "seconds", "lines/s"))
    for depth in range(1, options.depth + 1):
        started = time.perf_counter()
        count = _counted(start, depth)
        if count == 0 or (count == previous and counting_of(start).keeps_ended):
            console.print(f"Every game is over after {depth - 1} moves.")
            break
        took, previous = time.perf_counter() - started, count
        console.print(_ROW.format(depth, f"{count:,}", f"{took:.3f}", f"{count / took:,.0f}" if took else ""))
        sys.stdout.flush()
    return EXIT_OK


def _counted(start: State, depth: int) -> int:
    """Count the lines of that depth, behind a progress bar that leaves no trace."""
    started = time.perf_counter()
    with progress_bar() as progress:
        task = progress.add_task("", total=None)

        def show(done: int, total: int, lines: int) -> None:
            rate = lines / (time.perf_counter() - started)
            label = f"depth {depth}: {lines:,} lines, {rate:,.0f}/s"
            progress.update(task, completed=done, total=total, description=label)

        return perft(start, depth, show)
