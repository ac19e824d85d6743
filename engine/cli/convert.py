"""`python -m engine convert`: the games of a file in another format."""

from __future__ import annotations

import argparse
import sys

from engine.cli.games_of_files import chosen_spec, content_of
from engine.cli.verbs import EXIT_OK, Verbs, add_game, add_verb, completes, whole_number
from engine.records.reading import FORMATS, read_each
from engine.records.record import HOST, RecordError
from engine.records.writing import write

EXIT_REFUSED = 1


def add_verbs(verbs: Verbs[argparse.ArgumentParser]) -> None:
    written = [form.key for form in FORMATS if form.write is not None]
    parser = add_verb(
        verbs,
        "convert",
        "write the games of a file in another format",
        "  python -m engine convert games.ggf --to text\n"
        "  python -m engine convert base.wtb --to ggf > base.ggf\n"
        "  python -m engine convert games.txt --game draughts --number 2",
        "Reads all formats that 'analyze' reads. A game that cannot be read or written is named on stderr\n"
        "and makes the exit code 1; the others are written.",
    )
    parser.add_argument("file", metavar="FILE", help="of games; '-': stdin")
    to = parser.add_argument(
        "--to", metavar="FORMAT", help=f"{', '.join(written)} (default: the game's usual)"
    )
    completes(to, written)
    parser.add_argument("--number", type=whole_number(1, 10**6, 2), help="of the only game to write")
    add_game(parser, None, "default: as the file says")
    parser.set_defaults(run=_convert)


def _convert(options: argparse.Namespace) -> int:
    spec, code = chosen_spec(options.game), EXIT_OK
    records = read_each(*content_of(options.file), spec, options.board, HOST, options.number)
    for number, record in enumerate(records, options.number or 1):
        try:
            if isinstance(record, RecordError):
                raise record
            sys.stdout.write(write(record, options.to))
        except RecordError as error:
            place = "" if str(error).startswith("Game ") else f"Game {number}: "
            print(f"python -m engine convert: {place}{error}", file=sys.stderr, flush=True)
            code = EXIT_REFUSED
    return code
