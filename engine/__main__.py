"""The engine's command line: `python -m engine VERB`, one file of `engine.cli` per verb."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Collection, Sequence
from pathlib import Path

from rich.console import Console

from engine.cli import agents, analyze, arena, check_game, convert, perft, play, serve, solve
from engine.cli.verbs import EXIT_OK
from engine.core import EngineError, UnknownName
from engine.games import titles

EXIT_PIPE, EXIT_USAGE, EXIT_INTERRUPTED = 1, 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb and return the exit code: 2 for a name or a number that is not accepted."""
    parser, verbs = _parser()
    if "_ARGCOMPLETE" in os.environ:  # set by the shell that asks for completions
        import argcomplete

        argcomplete.autocomplete(parser)
    given = sys.argv[1:] if arguments is None else arguments
    if not given:
        parser.print_help()
        return EXIT_OK
    logging.basicConfig(level=logging.WARNING, format="%(message)s", stream=sys.stderr)
    try:
        if not given[0].startswith("-") and given[0] not in verbs:
            raise UnknownName(f"there is no verb {given[0]!r}: there are {', '.join(verbs)}", given[0], verbs)
        options = parser.parse_args(given)
        code: int = options.run(options)
        sys.stdout.flush()
    except EngineError as error:
        errors = Console(stderr=True, markup=False, highlight=False, soft_wrap=not sys.stderr.isatty())
        errors.print(f"{parser.prog} {given[0]}: {error}")
        return EXIT_USAGE
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader of the pipe is gone; this prevents Python's second complaint at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_PIPE
    return code


def _parser() -> tuple[argparse.ArgumentParser, Collection[str]]:
    """Return the parser and the names of its verbs."""
    parser = argparse.ArgumentParser(
        prog="discade-engine" if Path(sys.argv[0]).stem == "discade-engine" else "python -m engine",
        description=f"{titles()} without Discord.",
        epilog="'python -m engine VERB --help' shows examples.",
    )
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    for verb in (play, arena, perft, agents, solve, analyze, convert, serve, check_game):
        verb.add_verbs(verbs)
    return parser, verbs.choices


if __name__ == "__main__":
    sys.exit(main())
