"""`python -m engine solve | analyze`: exact values of positions, many in a stream or one with its board."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, Protocol, TextIO, TypeVar

from rich.console import Console
from rich.table import Table

from engine.core import EngineError, Game, Limit, Move, NotationError, State, Stop, UnknownName, replay
from engine.games import game
from engine.notation import format_moves, parse_moves
from engine.terminal import draw, side_name
from engine.values import label
from engine.verbs import Verbs, add_game, add_verb

EXIT_OK, EXIT_BAD_LINES = 0, 1

T = TypeVar("T")


class Solver(Protocol):
    """Proves what states of one game are worth; raises EngineError for boards that it does not know.

    Scores are for the side to move, higher is better, 0 is a draw. None: the limit ended the search.
    """

    @property
    def nodes(self) -> int:
        """How many states the last call searched."""
        ...

    def solve(self, state: State, limit: Limit | None = None) -> int | None: ...
    def analyze(self, state: State, limit: Limit | None = None) -> dict[Move, int] | None:
        """The score of every legal move, for the side that makes it."""
        ...


@dataclass(frozen=True, slots=True)
class Solved:
    """A game with a solver. label: what a score in that state means to people."""

    make: Callable[[], Solver]
    label: Callable[[int, State], str]


def _connect_four() -> Solver:
    from engine.agents.connect_four_solver import ConnectFourSolver  # loads compiled code: only when used

    return ConnectFourSolver()


SOLVED: Mapping[str, Solved] = MappingProxyType(
    {
        "connect-four": Solved(_connect_four, lambda score, state: label(score, state.ply)),
    }
)
"""By game key; a game with a new solver gets a line here."""


def solved(rules: Game) -> Solved:
    """The game's solver; raises UnknownName, listing the games that have one."""
    if rules.key not in SOLVED:
        raise UnknownName(f"{rules.key} has no solver yet; there is one for {', '.join(SOLVED)}")
    return SOLVED[rules.key]


def add_verbs(verbs: Verbs[argparse.ArgumentParser]) -> None:
    parser = add_verb(
        verbs,
        "solve",
        "solve the positions after given moves, one a line",
        "  python -m engine solve positions.txt\n"
        "  echo 44455554221 | python -m engine solve\n"
        "  python -m engine solve < positions.txt > scores.txt 2> errors.txt",
        "Reads lines of moves such as 44455554221 (columns from 1) and writes 'moves score nodes\n"
        "microseconds' for each, in order, as soon as it is known. A score of k: the side to move wins with\n"
        "its k-th stone from the end; -k: it loses to the other's k-th stone from the end; 0: a draw. Blank\n"
        "lines are skipped. A line that cannot be solved is named on stderr and makes the exit code 1.",
    )
    parser.add_argument("file", nargs="?", metavar="FILE", help="default, and '-': stdin")
    add_game(parser)
    parser.set_defaults(run=_solve)
    parser = add_verb(
        verbs,
        "analyze",
        "show what every move in a position is worth",
        "  python -m engine analyze --moves 4453\n"
        "  python -m engine analyze --moves 4444425511 --json | jq .value",
    )
    parser.add_argument("--moves", default="", help="from the start, such as 4453 (default: none)")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of board and table")
    parser.add_argument("--as-text", action="store_true", help="plain ASCII without colours")
    add_game(parser)
    parser.set_defaults(run=_analyze)


# solve


@dataclass(frozen=True, slots=True)
class Line:
    """A line's answer. moves: as people write them; microseconds: of wall-clock time."""

    moves: str
    score: int
    nodes: int
    microseconds: int

    def __str__(self) -> str:
        return f"{self.moves} {self.score} {self.nodes} {self.microseconds}"


@dataclass(frozen=True, slots=True)
class BadLine:
    """Why a line has no answer. number, column: from 1."""

    number: int
    column: int
    reason: str

    def __str__(self) -> str:
        return f"line {self.number}, column {self.column}: {self.reason}"


def solve_lines(rules: Game, board: str | None, lines: Iterable[str]) -> Iterator[Line | BadLine]:
    """The answer to every line that is not blank, in order, each as soon as it is known.

    Raises UnknownName for a game without a solver, BoardError.
    """
    solver = solved(rules).make()
    rules.start(board)
    for number, line in enumerate(lines, 1):
        text = line.rstrip()
        if text:
            yield _solve_line(rules, board, solver, number, text)


def _solve_line(rules: Game, board: str | None, solver: Solver, number: int, text: str) -> Line | BadLine:
    try:
        moves = parse_moves(rules, board, text)
        state = replay(rules.start(board), moves)
        score, seconds = _timed(partial(solver.solve, state))
    except NotationError as error:
        return BadLine(number, error.column + 1, str(error.__cause__ or error))
    except EngineError as error:  # nothing is wrong with the moves, but the game is over after them
        return BadLine(number, len(text), str(error))
    if score is None:
        raise RuntimeError("a search without a limit was ended")
    return Line(format_moves(rules, board, moves), score, solver.nodes, round(1e6 * seconds))


def _solve(options: argparse.Namespace) -> int:
    code = EXIT_OK
    with _reading(options.file) as lines:
        for answer in solve_lines(game(options.game), options.board, lines):
            if isinstance(answer, Line):
                print(answer, flush=True)
            else:
                print(f"python -m engine solve: {answer}", file=sys.stderr, flush=True)
                code = EXIT_BAD_LINES
    return code


@contextmanager
def _reading(file: str | None) -> Iterator[TextIO]:
    """Bytes that are no text become characters that are no moves: an error of their line alone."""
    if file in (None, "-"):
        if hasattr(sys.stdin, "reconfigure"):
            sys.stdin.reconfigure(errors="replace")
        yield sys.stdin
        return
    try:
        stream = open(str(file), encoding="utf-8", errors="replace")  # noqa: SIM115 - closed below
    except OSError as error:
        raise UnknownName(f"cannot read {file}: {error.strerror}") from error
    with stream:
        yield stream


def _timed(search: Callable[[Limit], T]) -> tuple[T, float]:
    """(what the search found, its seconds); in a thread, since compiled code would not hear Ctrl-C."""
    stop = Stop()

    def timed() -> tuple[T, float]:
        started = time.perf_counter()
        return search(Limit(stop=stop)), time.perf_counter() - started

    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(timed)
        try:
            return future.result()
        except KeyboardInterrupt:
            stop.set()
            raise


# analyze


@dataclass(frozen=True, slots=True)
class Analysis:
    """scores: of every legal move for the side to move; labels: the same for people."""

    state: State
    scores: Mapping[Move, int]
    labels: Mapping[Move, str]
    nodes: int
    seconds: float

    @property
    def score(self) -> int:
        return max(self.scores.values())

    @property
    def best(self) -> tuple[Move, ...]:
        return tuple(move for move, score in self.scores.items() if score == self.score)


def analysis(rules: Game, state: State) -> Analysis:
    """What every move is worth; raises UnknownName without a solver, EngineError once the game is over."""
    entry = solved(rules)
    solver = entry.make()
    scores, seconds = _timed(partial(solver.analyze, state))
    if scores is None:
        raise RuntimeError("a search without a limit was ended")
    labels = {move: entry.label(score, state) for move, score in scores.items()}
    return Analysis(state, scores, labels, solver.nodes, seconds)


def _analyze(options: argparse.Namespace) -> int:
    rules = game(options.game)
    solved(rules)
    moves = parse_moves(rules, options.board, options.moves)
    states = [rules.start(options.board)]
    for move in moves:
        states.append(states[-1].play(move))
    found = analysis(rules, states[-1])
    if options.json:
        print(json.dumps(_as_json(rules, options.board, moves, found), indent=1))
        return EXIT_OK
    last_cell = rules.cell_of(states[-2], moves[-1]) if moves else None
    console = Console(markup=False, highlight=False, color_system=None if options.as_text else "auto")
    as_text = options.as_text or console.color_system is None
    console.print(draw(rules, found.state, last_cell, as_text=as_text))
    side = side_name(rules, found.state.to_move, as_text=as_text)
    names = ", ".join(rules.move_name(found.state, move) for move in found.best)
    console.print(f"\n{side[0].upper()}{side[1:]} to move: {found.labels[found.best[0]]} ({names}).\n")
    console.print(_table(rules, found))
    return EXIT_OK


def _table(rules: Game, found: Analysis) -> Table:
    table = Table(title=f"{found.nodes:,} nodes, {1000 * found.seconds:,.1f} ms", title_justify="left")
    for heading in ("move", "score"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("value", no_wrap=True)
    for move, score in found.scores.items():
        style = "bold" if move in found.best else ""
        name = rules.move_name(found.state, move)
        table.add_row(name, f"{score:+d}" if score else "0", found.labels[move], style=style)
    return table


def _as_json(rules: Game, board: str | None, moves: tuple[Move, ...], found: Analysis) -> dict[str, Any]:
    return {
        "game": rules.key,
        "board": board or rules.boards[0],
        "moves": format_moves(rules, board, moves),
        "to_move": found.state.to_move.name.lower(),
        "score": found.score,
        "value": found.labels[found.best[0]],
        "best": [rules.move_name(found.state, move) for move in found.best],
        "analysis": [
            {"move": rules.move_name(found.state, move), "score": score, "value": found.labels[move]}
            for move, score in found.scores.items()
        ],
        "nodes": found.nodes,
        "seconds": round(found.seconds, 6),
    }
