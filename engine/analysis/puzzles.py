"""Puzzles: positions with exactly one winning move, graded by how deep the win is.

`engine/data/puzzles.txt`, made by `tools/make_puzzles.py`, has one puzzle a line: the game, the moves that
lead there as in `engine.games.notation`, the winning move, how deep the win is, and its themes with commas
between them, `-` for none. No position stands there twice, nor with a turned or mirrored image of itself.
"""

from __future__ import annotations

import hashlib
import random
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from pathlib import Path
from types import MappingProxyType

from engine.core import Game, Limit, Move, State, replay
from engine.games import game, spec_of
from engine.games.notation import format_moves, parse_moves
from engine.games.puzzle_themes import PuzzleTheme
from engine.score import Evaluator

FILE = Path(__file__).parents[1] / "data" / "puzzles.txt"

GRADES = range(1, 6)
"""From what a beginner sees to what hardly anybody sees."""

_WEEK = (1, 2, 2, 3, 3, 4, 5)
"""The grade of each weekday's puzzle: the week begins gently."""

_STRIDE = 7919
"""A prime larger than any number of puzzles, so that its multiples visit all of them before any twice."""

NO_THEME = "-"


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A position in which `best` wins and nothing else does.

    moves: from the start of the game's usual board. depth: moves that the winner still makes against the best
    defence, this one included; where discs are counted, empty squares. themes: what it is about.
    """

    game: str
    moves: tuple[Move, ...]
    best: Move
    depth: int
    themes: tuple[PuzzleTheme, ...] = ()

    @property
    def key(self) -> str:
        """Twelve characters that name the puzzle for ever, whatever else is in the file."""
        text = f"{self.game} {format_moves(self.rules, None, self.moves)}"
        return hashlib.blake2s(text.encode(), digest_size=6).hexdigest()

    @property
    def rules(self) -> Game:
        return game(self.game)

    @property
    def grade(self) -> int:
        """1 to 5; see GRADES."""
        return grade_of(self.game, self.depth)

    @property
    def state(self) -> State:
        return replay(self.rules.start(), self.moves)

    def __str__(self) -> str:
        """As the file has it."""
        moves, best = format_moves(self.rules, None, self.moves), self.rules.move_name(self.state, self.best)
        return f"{self.game} {moves} {best} {self.depth} {','.join(self.themes) or NO_THEME}"

    @classmethod
    def parse(cls, line: str) -> Puzzle:
        """The puzzle of one line of the file; raises ValueError."""
        key, moves, best, depth, named = line.split()
        rules = game(key)
        played = parse_moves(rules, None, moves)
        themes = () if named == NO_THEME else tuple(map(PuzzleTheme, named.split(",")))
        return cls(key, played, rules.parse_move(replay(rules.start(), played), best), int(depth), themes)


def grade_of(game_key: str, depth: int) -> int:
    """The grade of a win that deep; see Puzzle."""
    return 1 + sum(depth > deepest for deepest in spec_of(game_key).teach.puzzle_depths)


_reading = threading.Lock()


def puzzles() -> Mapping[str, Puzzle]:
    """All puzzles by key, in the file's order; read once, however many threads ask at the same time."""
    with _reading:
        return _puzzles()


@cache
def _puzzles() -> Mapping[str, Puzzle]:
    found = map(Puzzle.parse, FILE.read_text("ascii").splitlines())
    return MappingProxyType({puzzle.key: puzzle for puzzle in found})


@cache
def select(
    game_key: str | None = None, grade: int | None = None, theme: PuzzleTheme | None = None
) -> Mapping[str, Puzzle]:
    """The puzzles of that game, grade and theme, by key; None for any."""
    return MappingProxyType(
        {
            key: puzzle
            for key, puzzle in puzzles().items()
            if game_key in (None, puzzle.game)
            and grade in (None, puzzle.grade)
            and (theme is None or theme in puzzle.themes)
        }
    )


def has_course(game_key: str) -> bool:
    """Whether the game has puzzles of every grade, so that a course can lead through them."""
    return len(spec_of(game_key).teach.puzzle_depths) == len(GRADES) - 1


def course(seed: int, per_grade: int, game_key: str | None = None) -> tuple[str, ...]:
    """The keys of puzzles that get harder, none twice: so many drawn of each grade, and all of the last.

    seed: what is drawn depends on it alone. game_key: None for all games.
    """
    rng, keys = random.Random(seed), []
    for grade in GRADES:
        found = list(select(game_key, grade).values())
        drawn = rng.sample(found, len(found) if grade == GRADES[-1] else min(per_grade, len(found)))
        # Depths of different games are not of one kind; within one the shallower comes first.
        keys += [puzzle.key for puzzle in sorted(drawn, key=lambda puzzle: puzzle.depth)]
    return tuple(keys)


def themed(puzzle: Puzzle, evaluator: Evaluator) -> Puzzle:
    """The puzzle with its themes. evaluator: proves what every position of it is worth."""

    def best_of(state: State) -> Move:
        best = evaluator.evaluate(state, Limit()).best
        if best is None:
            raise ValueError(f"no best move after {puzzle}")
        return best

    return replace(
        puzzle, themes=tuple(spec_of(puzzle.game).teach.themes(puzzle.state, puzzle.best, best_of))
    )


def daily(day: date) -> Puzzle:
    """The puzzle of that day, the same for everybody; none comes twice within a year and a half."""
    week, weekday = divmod(day.toordinal() - 1, 7)
    grade = _WEEK[weekday]
    found = select(grade=grade)
    number = week * _WEEK.count(grade) + weekday - _WEEK.index(grade)
    return found[sorted(found)[number * _STRIDE % len(found)]]
