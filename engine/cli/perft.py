"""`python -m engine perft`: count lines of play, which checks and times the rules."""

from __future__ import annotations

import argparse
import time

from engine.cli.tables import perft_table
from engine.cli.verbs import EXIT_OK, Verbs, add_game, add_verb, progress_bar, table_console, whole_number
from engine.games import game
from engine.games.perft import counting_of, perft


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
    rows = []
    perft(start, 1)  # loads the kernel, if there is one, before the time is taken
    with progress_bar() as progress:
        task = progress.add_task("", total=None)
        for depth in range(1, options.depth + 1):
            started = time.perf_counter()

            def show(done: int, total: int, lines: int, depth: int = depth, started: float = started) -> None:
                rate = lines / (time.perf_counter() - started)
                label = f"depth {depth}: {lines:,} lines, {rate:,.0f}/s"
                progress.update(task, completed=done, total=total, description=label)

            count = perft(start, depth, show)
            rows.append((depth, count, time.perf_counter() - started))
    board = options.board or rules.boards[0]
    console = table_console()
    console.print(perft_table(f"{rules.key} {board}", rows))
    console.print(f"How they are counted: {counting_of(start).rule}.")
    return EXIT_OK
