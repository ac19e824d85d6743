"""Shared parts of the command line's verbs: declaration, arguments, output."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterable
from textwrap import wrap

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from engine.games import GAMES, USUAL
from engine.games.typed import compact, fold

EXIT_OK = 0

_WIDTH_OF_FILES = 240  # so that nothing in files is squeezed into 80 columns

Verbs = argparse._SubParsersAction  # argparse has no public name for what add_subparsers returns


def add_verb(
    verbs: Verbs[argparse.ArgumentParser], name: str, summary: str, examples: str, notes: str = ""
) -> argparse.ArgumentParser:
    """Return the verb's parser. notes: a paragraph between the summary and the options."""
    description = f"{summary[0].upper()}{summary[1:]}."
    return verbs.add_parser(
        name,
        help=summary,
        description=f"{description}\n\n{notes}" if notes else description,
        epilog=f"examples:\n{examples}",
        formatter_class=_HelpFormatter,
    )


class _HelpFormatter(argparse.HelpFormatter):
    """Fits paragraphs to the width of the terminal, and the indented examples without breaking them."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:  # noqa: ARG002 - it is always empty
        lines = []
        for line in re.sub(r"(?<=[^:\n])\n(?=\S)", " ", text).splitlines():
            if line.startswith("  "):
                quoted = re.sub("'[^']*'", lambda match: match[0].replace(" ", "\0"), line)
                parts = wrap(
                    quoted,
                    width - 2,
                    subsequent_indent="      ",
                    break_on_hyphens=False,
                    break_long_words=False,
                )
                lines.append(" \\\n".join(parts).replace("\0", " "))
            else:
                lines.append("\n".join(wrap(line, width)))
        return "\n".join(lines)


def completes(argument: argparse.Action, names: Iterable[str]) -> None:
    """Let shells complete the argument with these names."""
    argument.completer = lambda **_: tuple(names)  # type: ignore[attr-defined] # read by argcomplete


def add_game(
    parser: argparse.ArgumentParser, default: str | None = USUAL, without: str = f"default: {USUAL}"
) -> None:
    """without: what happens without this option, for people."""
    completes(parser.add_argument("--game", default=default, help=f"{', '.join(GAMES)} ({without})"), GAMES)
    parser.add_argument(
        "--board", type=compact, help="such as 6x7x4 (rows x columns x k) or 8x8; default: the game's own"
    )


def add_seconds(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--seconds",
        type=seconds,
        help="that a position may take (default: 10 where not everything can be proved, else no limit)",
    )


def seconds(text: str) -> float:
    """Parse a time above 0; raises ArgumentTypeError."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no time: write seconds above 0, such as 0.5 or 10")
    return value


def whole_number(least: int, most: int, example: int) -> Callable[[str], int]:
    """Return a parser of whole numbers from `least` to `most`; raises ArgumentTypeError with the example."""

    def read(text: str) -> int:
        number = fold(text)
        if re.fullmatch(r"-?[0-9]{1,18}", number) and least <= int(number) <= most:
            return int(number)
        allowed = f"a whole number from {least} to {most}, such as {example}"
        raise argparse.ArgumentTypeError(f"{text!r} is not {allowed}")

    return read


def progress_bar() -> Progress:
    """Return a progress bar on stderr, which displays nothing outside a terminal."""
    errors = Console(stderr=True)
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=errors,
        transient=True,
        disable=not errors.is_terminal,
    )


def table_console() -> Console:
    return Console(markup=False, highlight=False, width=None if sys.stdout.isatty() else _WIDTH_OF_FILES)
