"""`python -m engine solve`: what positions are worth, many in a stream, proved where that is possible."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TextIO, TypeVar

from engine.analysis.solvers import Solver, Value, solved
from engine.cli.verbs import Verbs, add_game, add_seconds, add_verb
from engine.core import EngineError, Game, Limit, Move, NotationError, State, Stop, UnknownName, replay
from engine.games import game
from engine.games.notation import format_moves, parse_moves

EXIT_OK, EXIT_BAD_LINES = 0, 1

T = TypeVar("T")


def add_verbs(verbs: Verbs[argparse.ArgumentParser]) -> None:
    parser = add_verb(
        verbs,
        "solve",
        "solve positions, one a line",
        "  python -m engine solve positions.txt\n"
        "  echo 44455554221 | python -m engine solve\n"
        "  echo 12344321 | python -m engine solve --board 7x8x4 --seconds 2\n"
        "  echo f5d6c3d3c4 | python -m engine solve --game othello --seconds 2 --every-move\n"
        "  python -m engine solve --json < positions.txt > scores.jsonl 2> errors.txt",
        "Reads lines of moves such as 44455554221 (columns from 1) or f5d6c3 and writes 'moves score nodes\n"
        "microseconds' for each, in order, as soon as it is known. A score of k: the side to move wins with\n"
        "its k-th stone from the end; -k: it loses to the other's k-th stone from the end; 0: a draw. Blank\n"
        "lines are skipped. A line that cannot be solved is named on stderr and makes the exit code 1.\n\n"
        "Connect Four on other boards: a fifth word says what the score is: 'exact', 'winner' when only who\n"
        "wins could be proved in time, or 'depth-22': 0, and nobody can force a win within 22 plies.\n\n"
        "Othello: a line may also be a board, 64 (or 36) squares from a1 on as '-' or '.', 'X' (black) and\n"
        "'O' (white), and who moves. The score is the difference of discs at the end, empty squares counted\n"
        "for the winner. The fifth word 'depth-22' then means an estimate from so many plies.",
    )
    parser.add_argument("file", nargs="?", metavar="FILE", help="default, and '-': stdin")
    parser.add_argument(
        "--every-move", action="store_true", help="then 'move:score:kind' for every legal move, too"
    )
    parser.add_argument("--json", action="store_true", help="an object a line instead of words")
    add_seconds(parser)
    add_game(parser)
    parser.set_defaults(run=_solve)


@dataclass(frozen=True, slots=True)
class Place:
    """A position that was asked about. name: the moves to it as people write them, or its board.

    board: as `Game.start` takes it; moves: None where the position was given as a drawing.
    """

    name: str
    state: State
    board: str | None = None
    moves: tuple[Move, ...] | None = None


def read_place(rules: Game, board: str | None, text: str) -> Place:
    """The position after those moves, or on that drawing of a board.

    Raises NotationError with the column of what is wrong, UnknownName for a game without a solver.
    """
    entry = solved(rules)
    stripped = text.strip()
    if entry.read is not None and stripped and stripped[0] in entry.begins:
        state = entry.read(text)
        return Place(" ".join(stripped.split()), state, f"{state.rows}x{state.columns}")
    moves = parse_moves(rules, board, text)
    return Place(format_moves(rules, board, moves), replay(rules.start(board), moves), board, moves)


@dataclass(frozen=True, slots=True)
class Line:
    """A line's answer. microseconds: of wall-clock time; moves: every legal one, where asked for.

    number: from 1. says_kind: whether its words tell proofs from estimates.
    """

    place: Place
    value: Value
    nodes: int
    microseconds: int
    moves: tuple[tuple[str, Value], ...] = ()
    number: int = 1
    says_kind: bool = False

    @property
    def score(self) -> int:
        return self.value.score

    def __str__(self) -> str:
        words = [self.place.name, f"{self.score} {self.nodes} {self.microseconds}"]
        if self.says_kind:
            words.append(self.value.kind)
        words += [f"{name}:{value.score}:{value.kind}" for name, value in self.moves]
        return " ".join(words)

    def as_json(self, rules: Game) -> dict[str, Any]:
        found: dict[str, Any] = {
            "line": self.number,
            "position": self.place.name,
            "to_move": self.place.state.to_move.name.lower(),
            **value_as_json(self.value),
            "best_line": _names(rules, self.place.state, self.value.line),
            "nodes": self.nodes,
            "seconds": round(self.microseconds / 1e6, 6),
        }
        if self.moves:
            found["analysis"] = [{"move": name, **value_as_json(value)} for name, value in self.moves]
        return found


def value_as_json(value: Value) -> dict[str, Any]:
    return {
        "score": value.score,
        "exact": value.exact,
        "winner_only": value.winner_only,
        "depth": None if value.exact else value.depth,
    }


def _names(rules: Game, state: State, moves: Sequence[Move]) -> list[str]:
    names = []
    for move in moves:
        names.append(rules.move_name(state, move))
        state = state.play(move)
    return names


@dataclass(frozen=True, slots=True)
class BadLine:
    """Why a line has no answer. number, column: from 1."""

    number: int
    column: int
    reason: str

    def __str__(self) -> str:
        return f"line {self.number}, column {self.column}: {self.reason}"


def solve_lines(
    rules: Game,
    board: str | None,
    lines: Iterable[str],
    seconds: float | None = None,
    *,
    every_move: bool = False,
) -> Iterator[Line | BadLine]:
    """The answer to every line that is not blank, in order, each as soon as it is known.

    seconds: that a line may take; None: see `Solved.limit`. Raises UnknownName for a game without a solver,
    BoardError.
    """
    entry = solved(rules)
    solver = entry.make()
    rules.start(board)
    for number, line in enumerate(lines, 1):
        text = line.rstrip()
        if not text:
            continue
        try:
            place = read_place(rules, board, text)
            limit = entry.limit(place.state, seconds)
            answer = _answer(rules, solver, place, limit, every_move=every_move)
        except NotationError as error:
            yield BadLine(number, error.column + 1, str(error.__cause__ or error))
        except EngineError as error:  # right moves, but nothing to solve after them, or no time
            yield BadLine(number, len(text), str(error))
        else:
            yield replace(answer, number=number, says_kind=not entry.proves(answer.place.state))


def _answer(rules: Game, solver: Solver, place: Place, limit: Limit, *, every_move: bool) -> Line:
    moves: tuple[tuple[str, Value], ...] = ()
    if every_move:
        values, seconds = timed(partial(solver.analyze, place.state), limit)
        if values is None:
            raise EngineError("the time was too short")
        value = best_of(values)
        moves = tuple((rules.move_name(place.state, move), found) for move, found in values.items())
    else:
        found, seconds = timed(partial(solver.solve, place.state), limit)
        if found is None:
            raise EngineError("the time was too short")
        value = found
    return Line(place, value, solver.nodes, round(1e6 * seconds), moves)


def best_of(values: Mapping[Move, Value]) -> Value:
    """What the position is worth whose moves are worth that.

    Proved only where no other move can be worth more; a proved win stays one, though another may win by more.
    """
    best = max(values.values(), key=lambda value: (value.score, value.exact))
    if best.exact and all(_at_most(value, best.score) for value in values.values()):
        return best
    wins = best.score > 0 and (best.exact or best.winner_only)
    depth = min(value.depth for value in values.values())
    return replace(best, exact=False, winner_only=wins, depth=depth)


def _at_most(value: Value, score: int) -> bool:
    return value.score <= score if value.exact else value.most is not None and value.most <= score


def _solve(options: argparse.Namespace) -> int:
    rules = game(options.game)
    code = EXIT_OK
    with _reading(options.file) as lines:
        answers = solve_lines(rules, options.board, lines, options.seconds, every_move=options.every_move)
        for answer in answers:
            if isinstance(answer, Line):
                print(json.dumps(answer.as_json(rules)) if options.json else answer, flush=True)
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


def timed(search: Callable[[Limit], T], limit: Limit) -> tuple[T, float]:
    """(what the search found, its seconds); in a thread, since compiled code would not hear Ctrl-C."""
    stop = Stop()

    def searched() -> tuple[T, float]:
        started = time.perf_counter()
        return search(replace(limit, stop=stop)), time.perf_counter() - started

    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(searched)
        try:
            return future.result()
        except KeyboardInterrupt:
            stop.set()
            raise
