"""`python -m engine analyze`: one position's board, and what every move there is worth."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from rich.console import Console
from rich.table import Table

from engine.analysis.solvers import Value, solved
from engine.cli.solve import Place, best_of, read_place, timed, value_as_json
from engine.cli.terminal import draw, side_name
from engine.cli.verbs import Verbs, add_game, add_seconds, add_verb
from engine.core import EngineError, Game, Move, State, replay
from engine.games import game

EXIT_OK = 0


def add_verbs(verbs: Verbs[argparse.ArgumentParser]) -> None:
    parser = add_verb(
        verbs,
        "analyze",
        "show what every move in a position is worth",
        "  python -m engine analyze --moves 4453\n"
        "  python -m engine analyze --moves 4444425511 --json | jq .value\n"
        "  python -m engine analyze --game othello --moves f5d6c3d3c4 --seconds 2\n"
        "  python -m engine analyze --game othello --position='--------------OX----XO-------------- X'",
        "Othello's values are proved towards the end of the game; before, they are estimates, so called.\n"
        "On Connect Four's large boards it says for how many plies nobody can force a win.",
    )
    given = parser.add_mutually_exclusive_group()
    given.add_argument("--moves", default="", help="from the start, such as 4453 or f5d6c3 (default: none)")
    given.add_argument(
        "--position", help="Othello: 64 (or 36) squares from a1 on, '-', 'X' and 'O', then who moves"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object instead of board and table")
    parser.add_argument("--as-text", action="store_true", help="plain ASCII without colours")
    add_seconds(parser)
    add_game(parser)
    parser.set_defaults(run=_analyze)


@dataclass(frozen=True, slots=True)
class Analysis:
    """values: of every legal move for the side to move; labels: the same for people."""

    state: State
    values: Mapping[Move, Value]
    labels: Mapping[Move, str]
    label: str
    nodes: int
    seconds: float

    @property
    def value(self) -> Value:
        return best_of(self.values)

    @property
    def best(self) -> tuple[Move, ...]:
        return tuple(move for move, value in self.values.items() if value.score == self.value.score)


def analysis(rules: Game, state: State, seconds: float | None = None) -> Analysis:
    """What every move is worth.

    seconds: None: see `Solved.limit`. Raises UnknownName without a solver, EngineError once the game is
    over, and when the time was too short to say anything.
    """
    entry = solved(rules)
    solver = entry.make()
    values, taken = timed(partial(solver.analyze, state), entry.limit(state, seconds))
    if values is None:
        raise EngineError("the time was too short")
    labels = {move: entry.label(value, state) for move, value in values.items()}
    return Analysis(state, values, labels, entry.label(best_of(values), state), solver.nodes, taken)


def _analyze(options: argparse.Namespace) -> int:
    rules = game(options.game)
    if options.position is not None and solved(rules).read is None:
        raise EngineError(f"{rules.key} takes --moves, not --position")
    place = read_place(rules, options.board, options.position or options.moves)
    found = analysis(rules, place.state, options.seconds)
    if options.json:
        print(json.dumps(_as_json(rules, place, found), indent=1))
        return EXIT_OK
    console = Console(markup=False, highlight=False, color_system=None if options.as_text else "auto")
    as_text = options.as_text or console.color_system is None
    console.print(draw(rules, found.state, _last_cell(rules, place), as_text=as_text))
    side = side_name(rules, found.state.to_move, as_text=as_text)
    names = ", ".join(rules.move_name(found.state, move) for move in found.best)
    console.print(f"\n{side[0].upper()}{side[1:]} to move: {found.label} ({names}).\n")
    console.print(_table(rules, found))
    return EXIT_OK


def _last_cell(rules: Game, place: Place) -> int | None:
    if not place.moves:
        return None
    return rules.cell_of(replay(rules.start(place.board), place.moves[:-1]), place.moves[-1])


def _table(rules: Game, found: Analysis) -> Table:
    table = Table(title=f"{found.nodes:,} nodes, {1000 * found.seconds:,.1f} ms", title_justify="left")
    for heading in ("move", "score"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("value", no_wrap=True)
    is_proved = all(value.exact for value in found.values.values())
    if not is_proved:
        table.add_column("known", no_wrap=True)
    for move, value in found.values.items():
        known = () if is_proved else (value.kind.replace("-", " "),)
        table.add_row(
            rules.move_name(found.state, move),
            f"{value.score:+d}" if value.score else "0",
            found.labels[move],
            *known,
            style="bold" if move in found.best else "",
        )
    return table


def _as_json(rules: Game, place: Place, found: Analysis) -> dict[str, Any]:
    return {
        "game": rules.key,
        "board": place.board or rules.boards[0],
        "moves": place.name,
        "to_move": found.state.to_move.name.lower(),
        **value_as_json(found.value),
        "value": found.label,
        "best": [rules.move_name(found.state, move) for move in found.best],
        "analysis": [
            {
                "move": rules.move_name(found.state, move),
                **value_as_json(value),
                "value": found.labels[move],
            }
            for move, value in found.values.items()
        ],
        "nodes": found.nodes,
        "seconds": round(found.seconds, 6),
    }
