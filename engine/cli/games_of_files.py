"""Games of files in the terminal: their content, their titles, and the review of one."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from engine.analysis.review import LATER_SECONDS, Reviewed, review_from
from engine.core import EngineError
from engine.games import spec_of
from engine.games.spec import GameSpec
from engine.records.record import HOST, Record


def content_of(file: str) -> tuple[bytes, str]:
    """Return the content and the name of the file; `-` is stdin. Raises EngineError."""
    if file == "-":
        return sys.stdin.buffer.read(HOST.bytes + 1), ""
    try:
        with Path(file).open("rb") as stream:
            return stream.read(HOST.bytes + 1), file
    except OSError as error:
        raise EngineError(
            f"cannot read {file}: {error.strerror}. FILE holds games, such as game.sgf"
        ) from error


def chosen_spec(key: str | None) -> GameSpec | None:
    """Return the spec of that game; raises UnknownName."""
    return None if key is None else spec_of(key)


def title_of(record: Record) -> str:
    """Return `Ada - Ben, Othello 8x8, 61 moves, 2026.11.27, 0-1`."""
    about = record.about
    names = " - ".join(name or "?" for name in about.players) if any(about.players) else ""
    count = f"{len(record.moves)} moves" if record.moves else "a position"
    parts = (names, f"{record.spec.title} {record.board}", count, about.date, about.said)
    return ", ".join(part for part in parts if part)


def show_review(record: Record, options: argparse.Namespace) -> None:
    """Print each move's mark and value, as a table or as JSON."""
    rules, states = record.spec.rules, record.states
    seconds = LATER_SECONDS if options.seconds is None else options.seconds
    review = review_from(rules, states[0], record.moves, time.monotonic, later_seconds=seconds)
    rows = list(_rows(record, review.reviewed))
    if options.json:
        about = {"game": record.spec.key, "board": record.board, "players": record.about.players}
        print(json.dumps({**about, "result": record.about.result, "moves": rows}, indent=1))
        return
    table = Table(title=title_of(record), title_justify="left")
    for heading in ("move", "side", "name", "mark", "value", "better"):
        table.add_column(heading, no_wrap=True)
    for row in rows:
        table.add_row(*(str("" if part is None else part) for part in row.values()))
    console = Console(markup=False, highlight=False, color_system=None if options.as_text else "auto")
    console.print(table)


def _rows(record: Record, reviewed: tuple[Reviewed | None, ...]) -> Iterator[dict[str, Any]]:
    rules = record.spec.rules
    for ply, (state, move, mark) in enumerate(zip(record.states, record.moves, reviewed, strict=False)):
        better = mark is not None and mark.best != move
        yield {
            "move": ply + 1,
            "side": record.spec.play.sides[state.to_move],
            "name": rules.move_name(state, move),
            "mark": None if mark is None else mark.mark.value,
            "value": None if mark is None else str(mark.after),
            "better": rules.move_name(state, mark.best) if mark is not None and better else None,
        }
