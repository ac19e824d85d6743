"""`python -m engine check-game`: run the conformance checks on a game."""

from __future__ import annotations

import argparse

from engine.cli.verbs import Verbs, add_verb, table_console
from engine.games import SPECS, spec_of
from engine.games.conformance import CHECKS, failures

EXIT_OK, EXIT_BROKEN = 0, 1


def add_verbs(verbs: Verbs[argparse.ArgumentParser]) -> None:
    parser = add_verb(
        verbs,
        "check-game",
        "check that a game does what every game must",
        f"  python -m engine check-game {next(iter(SPECS))}",
        "Plays random games on each of its boards. Prints what is wrong, and then ends with exit code 1.",
    )
    parser.add_argument("game", metavar="KEY", help=", ".join(SPECS))
    parser.set_defaults(run=_check)


def _check(options: argparse.Namespace) -> int:
    spec = spec_of(options.game)
    found = list(failures(spec))
    console = table_console()
    for check in CHECKS:
        wrong = [failure for failure in found if failure.check == check]
        console.print(f"{'FAILS' if wrong else 'ok   '}  {check}")
        for failure in wrong:
            console.print(f"       {failure.board}: {failure.problem}")
    boards = ", ".join(spec.rules.boards)
    console.print(
        f"\n{spec.title} ({boards}): " + (f"{len(found)} problems." if found else "it can be played.")
    )
    return EXIT_BROKEN if found else EXIT_OK
