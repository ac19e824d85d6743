"""The engine's command line: `python -m engine VERB`, one file of `engine.cli` per verb."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from engine.cli import agents, analyze, arena, check_game, perft, play, solve
from engine.core import EngineError
from engine.games import titles

EXIT_PIPE, EXIT_USAGE, EXIT_INTERRUPTED = 1, 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb and return the exit code: 2 for a name or a number that is not accepted."""
    options = _parser().parse_args(arguments)
    logging.basicConfig(level=logging.WARNING, format="%(message)s", stream=sys.stderr)
    try:
        code: int = options.run(options)
        sys.stdout.flush()
    except EngineError as error:
        print(f"python -m engine {options.verb}: {error}", file=sys.stderr)
        return EXIT_USAGE
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader of the pipe is gone; this prevents Python's second complaint at exit.

        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_PIPE
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="discade-engine" if Path(sys.argv[0]).stem == "discade-engine" else "python -m engine",
        description=f"{titles()} without Discord.",
        epilog="'python -m engine VERB --help' shows examples.",
    )
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    for verb in (play, arena, perft, agents, solve, analyze, check_game):
        verb.add_verbs(verbs)
    return parser


if __name__ == "__main__":
    sys.exit(main())
