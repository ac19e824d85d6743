"""`python -m engine check-game`: run the conformance checks on a game, and let the bot draw it."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from engine.cli.verbs import Verbs, add_verb, table_console
from engine.games import SPECS, spec_of
from engine.games.conformance import CHECKS, failures

EXIT_OK, EXIT_BROKEN = 0, 1


def add_verbs(verbs: Verbs[argparse.ArgumentParser]) -> None:
    parser = add_verb(
        verbs,
        "check-game",
        "check that a game does what every game must",
        f"  python -m engine check-game {next(iter(SPECS))}\n"
        f"  python -m engine check-game {next(iter(SPECS))} --pictures drawn",
        "Plays random games on each of its boards. Prints what is wrong, and then ends with exit code 1.",
    )
    parser.add_argument("game", metavar="KEY", help=", ".join(SPECS))
    parser.add_argument(
        "--pictures",
        type=Path,
        metavar="FOLDER",
        help="draw three positions of each board into this folder, light and dark",
    )
    parser.set_defaults(run=_check)


def _check(options: argparse.Namespace) -> int:
    spec = spec_of(options.game)
    found = list(failures(spec))
    console = table_console()
    for check in CHECKS:
        wrong = [failure for failure in found if failure.check == check]
        console.print(_verdict(check, is_wrong=bool(wrong)))
        for failure in wrong:
            console.print(f"       {failure.board}: {failure.problem}")
    problems = len(found)
    if options.pictures is not None:
        error = _draw(spec.key, options.pictures)
        console.print(_verdict(f"its boards are drawn in {options.pictures}", is_wrong=bool(error)))
        if error:
            console.print(f"       {error}")
            problems += 1
    boards = ", ".join(spec.rules.boards)
    console.print(
        f"\n{spec.title} ({boards}): " + (f"{problems} problems." if problems else "it can be played.")
    )
    return EXIT_BROKEN if problems else EXIT_OK


def _verdict(check: str, *, is_wrong: bool) -> str:
    return f"{'FAILS' if is_wrong else 'ok   '}  {check}"


def _draw(key: str, folder: Path) -> str:
    """Let the bot draw the boards, in a process of its own as the engine imports no bot; return its error."""
    done = subprocess.run(
        [sys.executable, "-m", "bot.presentation", key, str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    return "" if done.returncode == 0 else (done.stderr.strip().splitlines() or ["it has no output"])[-1]
