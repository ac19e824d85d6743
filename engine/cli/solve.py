"""`python -m engine solve`: score a stream of positions, with proofs if possible."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TextIO

from engine.analysis.evaluators import evaluator_of
from engine.cli.verbs import Verbs, add_game, add_seconds, add_verb
from engine.core import EngineError, Game, Limit, Move, NotationError, State, Stop, UnknownName, replay
from engine.games import game, spec_of
from engine.games.notation import format_moves, parse_moves
from engine.score import Evaluation, Evaluator, Score

EXIT_OK, EXIT_BAD_LINES = 0, 1

_SECONDS = 10.0


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
        "for the winner. The fifth word 'depth-22' then means an estimate from so many plies.\n\n"
        "Of games without a solver the score is the mean result of playouts in hundredths, the fifth word\n"
        "'playouts'.",
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
    """A position from the input. name: its moves as written by people, or its board.

    board: as `Game.start` takes it; moves: None for a drawing.
    """

    name: str
    state: State
    board: str | None = None
    moves: tuple[Move, ...] | None = None

    @property
    def empty(self) -> int:
        """The number of empty cells."""
        return self.state.cells().count(None)


def read_place(rules: Game, board: str | None, text: str) -> Place:
    """Return the position after those moves, or of that drawing of a board.

    Raises NotationError with the column of the error, BoardError.
    """
    spec, stripped = spec_of(rules.key), text.strip()
    if spec.play.read_board is not None and stripped.startswith(spec.play.board_marks):
        state = spec.play.read_board(text)
        return Place(" ".join(stripped.split()), state, f"{state.rows}x{state.columns}")
    moves = parse_moves(rules, board, text)
    return Place(format_moves(rules, board, moves), replay(rules.start(board), moves), board, moves)


@dataclass(frozen=True, slots=True)
class Line:
    """The answer to a line. microseconds: of wall-clock time; moves: every legal one by name, if requested.

    number: from 1. says_kind: whether the text distinguishes proofs and estimates.
    """

    place: Place
    found: Evaluation
    microseconds: int
    moves: tuple[tuple[str, Score], ...] = ()
    number: int = 1
    says_kind: bool = False

    @property
    def score(self) -> int:
        return self.found.score.points(self.place.empty)

    def __str__(self) -> str:
        words = [self.place.name, f"{self.score} {self.found.nodes} {self.microseconds}"]
        if self.says_kind:
            words.append(kind(self.found.score))
        words += [f"{name}:{score.points(self.place.empty)}:{kind(score)}" for name, score in self.moves]
        return " ".join(words)

    def as_json(self, rules: Game) -> dict[str, Any]:
        found: dict[str, Any] = {
            "line": self.number,
            "position": self.place.name,
            "to_move": self.place.state.to_move.name.lower(),
            **score_as_json(self.found.score, self.place.empty),
            "best_line": _names(rules, self.place.state, self.found.line),
            "nodes": self.found.nodes,
            "seconds": round(self.microseconds / 1e6, 6),
        }
        if self.moves:
            found["analysis"] = [
                {"move": name, **score_as_json(score, self.place.empty)} for name, score in self.moves
            ]
        return found


def kind(score: Score) -> str:
    """Return `exact`, `winner` if only that is proved, `playouts`, or `depth-22` for an estimate."""
    if score.mean is not None:
        return "playouts"
    return "exact" if score.exact else "winner" if score.is_proved else f"depth-{score.depth}"


def score_as_json(score: Score, empty: int) -> dict[str, Any]:
    """empty: the number of empty cells."""
    return {
        "score": score.points(empty),
        "exact": score.exact,
        "winner_only": score.is_proved and not score.exact,
        "depth": None if score.exact else score.depth,
    }


def _names(rules: Game, state: State, moves: Sequence[Move]) -> list[str]:
    names = []
    for move in moves:
        names.append(rules.move_name(state, move))
        state = state.play(move)
    return names


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line without an answer, and the reason. number, column: from 1."""

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
    """Yield the answer to every line that is not blank, in order, as soon as it is known.

    seconds: per line; None: see `limit_for`. Raises UnknownName for a game without an evaluator, BoardError.
    """
    evaluator = evaluator_of(rules)
    rules.start(board)
    for number, line in enumerate(lines, 1):
        text = line.rstrip()
        if not text:
            continue
        try:
            place = read_place(rules, board, text)
            limit = limit_for(evaluator, place.state, seconds)
            answer = _answer(rules, evaluator, place, limit, every_move=every_move)
        except NotationError as error:
            yield BadLine(number, error.column + 1, str(error.__cause__ or error))
        except EngineError as error:  # the moves are legal, but the game is over, or time ran out
            yield BadLine(number, len(text), str(error))
        else:
            yield replace(answer, number=number, says_kind=not evaluator.proves(place.state))


def _answer(rules: Game, evaluator: Evaluator, place: Place, limit: Limit, *, every_move: bool) -> Line:
    search = evaluator.evaluate_moves if every_move else evaluator.solve
    found, seconds = timed(partial(search, place.state), limit)
    moves = found.moves.items() if every_move else ()
    named = tuple((rules.move_name(place.state, move), score) for move, score in moves)
    return Line(place, found, round(1e6 * seconds), named)


def limit_for(evaluator: Evaluator, state: State, seconds: float | None) -> Limit:
    """Return the limit; seconds None: unlimited if everything can be proved, else 10 seconds."""
    return Limit(seconds=_SECONDS if seconds is None and not evaluator.proves(state) else seconds)


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
    """Open the input; bytes that are not UTF-8 become invalid characters, an error of their line only."""
    if file in (None, "-"):
        if hasattr(sys.stdin, "reconfigure"):
            sys.stdin.reconfigure(errors="replace")
        yield sys.stdin
        return
    try:
        stream = open(str(file), encoding="utf-8", errors="replace")  # noqa: SIM115 - closed below
    except OSError as error:
        raise UnknownName(
            f"cannot read {file}: {error.strerror}. FILE holds positions, one a line; for a single one, "
            "write: echo 44455554221 | python -m engine solve"
        ) from error
    with stream:
        yield stream


def timed(search: Callable[[Limit], Evaluation], limit: Limit) -> tuple[Evaluation, float]:
    """Run a search in a thread, since compiled code does not react to Ctrl-C; return it with its seconds.

    Raises EngineError if the limit was too short for any result.
    """
    stop = Stop()

    def searched() -> tuple[Evaluation, float]:
        started = time.perf_counter()
        return search(replace(limit, stop=stop)), time.perf_counter() - started

    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(searched)
        try:
            found, seconds = future.result()
        except KeyboardInterrupt:
            stop.set()
            raise
    if not found.score.is_known:
        raise EngineError("the time was too short")
    return found, seconds
