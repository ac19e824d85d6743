"""`python -m engine analyze`: one position's board and the score of every move, or the games of a file."""

from __future__ import annotations

import argparse
import json
from functools import partial
from typing import Any

from rich.console import Console
from rich.table import Table

from engine.analysis.evaluators import evaluator_of
from engine.cli.games_of_files import chosen_spec, content_of, show_review, title_of
from engine.cli.solve import Place, kind, limit_for, read_place, score_as_json, timed
from engine.cli.terminal import draw, side_name
from engine.cli.verbs import EXIT_OK, Verbs, add_game, add_seconds, add_verb, whole_number
from engine.core import EngineError, Game, Move, State, replay
from engine.games import USUAL, game, spec_of
from engine.records.reading import FORMATS, read_games
from engine.records.record import HOST
from engine.score import Evaluation


def add_verbs(verbs: Verbs[argparse.ArgumentParser]) -> None:
    parser = add_verb(
        verbs,
        "analyze",
        "show what every move in a position, or of a game in a file, is worth",
        "  python -m engine analyze --moves 4453\n"
        "  python -m engine analyze --moves 4444425511 --json | jq .value\n"
        "  python -m engine analyze --game othello --moves f5d6c3d3c4 --seconds 2\n"
        "  python -m engine analyze --game othello --position='--------------OX----XO-------------- X'\n"
        "  python -m engine analyze game.sgf\n"
        "  python -m engine analyze games.sgf --number 2 --game hex",
        "Othello's values are proved towards the end of the game; before, they are estimates, so called.\n"
        "On Connect Four's large boards it says for how many plies nobody can force a win.\n\n"
        f"FILE is one of these: {', '.join(form.title for form in FORMATS)}. Of one game it shows every\n"
        "move's mark and value; of more, their list. 'docs/game-files.md' says what is read.",
    )
    parser.usage = "%(prog)s [OPTIONS]"  # argparse would not break the two that exclude each other
    given = parser.add_mutually_exclusive_group()
    given.add_argument("file", nargs="?", metavar="FILE", help="of games; '-': stdin")
    given.add_argument("--moves", default="", help="from the start, such as 4453 or f5d6c3 (default: none)")
    given.add_argument(
        "--position", help="Othello: 64 (or 36) squares from a1 on, '-', 'X' and 'O', then who moves"
    )
    parser.add_argument("--number", type=whole_number(1, 10**6, 2), help="of the game in the file")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of board and table")
    parser.add_argument("--as-text", action="store_true", help="plain ASCII without colours")
    add_seconds(parser)
    add_game(parser, None, f"default: as the file says, else {USUAL}")
    parser.set_defaults(run=_analyze)


def analysis(rules: Game, state: State, seconds: float | None = None) -> tuple[Evaluation, float]:
    """Return (the evaluation of every move, the seconds it took).

    seconds: None: see `limit_for`. Raises UnknownName without an evaluator, EngineError if the game is over,
    and if the time was too short for any result.
    """
    evaluator = evaluator_of(rules)
    return timed(partial(evaluator.evaluate_moves, state), limit_for(evaluator, state, seconds))


def best_moves(found: Evaluation, empty: int) -> tuple[Move, ...]:
    """Return the moves with the position's own score, proved or estimated."""
    points = found.score.points(empty)
    return tuple(move for move, score in found.moves.items() if score.points(empty) == points)


def _analyze(options: argparse.Namespace) -> int:
    if options.file is not None:
        return _analyze_file(options)
    rules = game(options.game or USUAL)
    if options.position is not None and spec_of(rules.key).play.read_board is None:
        raise EngineError(f"{rules.key} takes --moves, not --position")
    return _show(rules, read_place(rules, options.board, options.position or options.moves), options)


def _analyze_file(options: argparse.Namespace) -> int:
    """Show the game with that number, or the only one; else the list of all."""
    spec = chosen_spec(options.game)
    games = read_games(*content_of(options.file), spec, options.board, HOST, options.number)
    if len(games) > 1:
        for number, record in enumerate(games, 1):
            print(f"{number}  {title_of(record)}")
        print(f"\nThere are {len(games)} games: choose one with --number.")
        return EXIT_OK
    record = games[0]
    if not record.moves:
        state = record.states[0]
        return _show(record.spec.rules, Place(title_of(record), state, record.board), options)
    show_review(record, options)
    return EXIT_OK


def _show(rules: Game, place: Place, options: argparse.Namespace) -> int:
    found, seconds = analysis(rules, place.state, options.seconds)
    if options.json:
        print(json.dumps(_as_json(rules, place, found, seconds), indent=1))
        return EXIT_OK
    console = Console(markup=False, highlight=False, color_system=None if options.as_text else "auto")
    as_text = options.as_text or console.color_system is None
    console.print(draw(rules, place.state, _last_cell(rules, place), as_text=as_text))
    side = side_name(rules, place.state.to_move, as_text=as_text)
    if not found.judges_moves:
        console.print(
            f"\n{side[0].upper()}{side[1:]} to move: nothing is evaluated while an opening is placed."
        )
        return EXIT_OK
    names = ", ".join(rules.move_name(place.state, move) for move in best_moves(found, place.empty))
    console.print(f"\n{side[0].upper()}{side[1:]} to move: {found.score} ({names}).\n")
    console.print(_table(rules, place, found, seconds))
    return EXIT_OK


def _last_cell(rules: Game, place: Place) -> int | None:
    if not place.moves:
        return None
    return rules.cell_of(replay(rules.start(place.board), place.moves[:-1]), place.moves[-1])


def _table(rules: Game, place: Place, found: Evaluation, seconds: float) -> Table:
    table = Table(title=f"{found.nodes:,} nodes, {1000 * seconds:,.1f} ms", title_justify="left")
    for heading in ("move", "score"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("value", no_wrap=True)
    is_proved = all(score.exact for score in found.moves.values())
    if not is_proved:
        table.add_column("known", no_wrap=True)
    best = best_moves(found, place.empty)
    for move, score in found.moves.items():
        points = score.points(place.empty)
        table.add_row(
            rules.move_name(place.state, move),
            f"{points:+d}" if points else "0",
            str(score),
            *(() if is_proved else (kind(score).replace("-", " "),)),
            style="bold" if move in best else "",
        )
    return table


def _as_json(rules: Game, place: Place, found: Evaluation, seconds: float) -> dict[str, Any]:
    return {
        "game": rules.key,
        "board": place.board or rules.boards[0],
        "moves": place.name,
        "to_move": place.state.to_move.name.lower(),
        **score_as_json(found.score, place.empty),
        "value": str(found.score),
        "best": [rules.move_name(place.state, move) for move in best_moves(found, place.empty)],
        "analysis": [
            {
                "move": rules.move_name(place.state, move),
                **score_as_json(score, place.empty),
                "value": str(score),
            }
            for move, score in found.moves.items()
        ],
        "nodes": found.nodes,
        "seconds": round(seconds, 6),
    }
