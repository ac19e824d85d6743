"""Puzzles: positions with exactly one winning move, graded by how deep the win is.

A game's file, written by `tools/make_puzzles.py`, has one puzzle per line: the game, the moves that lead
there as in `engine.games.notation`, the winning move, the depth of the win, and its themes separated by
commas, `-` for none. Each position occurs once, including its rotations and reflections.
"""

from __future__ import annotations

import hashlib
import random
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources.abc import Traversable
from pathlib import Path
from types import MappingProxyType

from engine.core import Game, Limit, Move, State, replay
from engine.games import SPECS, game, spec_of, spec_of_state
from engine.games.notation import format_moves, parse_moves
from engine.games.puzzle_themes import PuzzleTheme
from engine.score import Evaluator, Score

_DATA = Path(__file__).parents[1] / "data"

GRADES = range(1, 6)
"""From easy for beginners to hard for almost everyone."""


NO_THEME = "-"


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A position in which `best` is the only winning move.

    moves: from the start of the game's default board. depth: the winner's remaining moves against the best
    defence, including this one, or as `depth_of` says. themes: the ideas in it.
    """

    game: str
    moves: tuple[Move, ...]
    best: Move
    depth: int
    themes: tuple[PuzzleTheme, ...] = ()

    @property
    def key(self) -> str:
        """Twelve characters that identify the puzzle, independent of the rest of the file."""
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
        """Return the puzzle's line of the file."""
        moves, best = format_moves(self.rules, None, self.moves), self.rules.move_name(self.state, self.best)
        return f"{self.game} {moves} {best} {self.depth} {','.join(self.themes) or NO_THEME}"

    @classmethod
    def parse(cls, line: str) -> Puzzle:
        """Parse one line of the file; raises ValueError."""
        key, moves, best, depth, named = line.split()
        rules = game(key)
        played = parse_moves(rules, None, moves)
        themes = () if named == NO_THEME else tuple(map(PuzzleTheme, named.split(",")))
        return cls(key, played, rules.parse_move(replay(rules.start(), played), best), int(depth), themes)


def file_of(game_key: str) -> Traversable:
    """Return the file of the game's puzzles, which need not exist."""
    return spec_of(game_key).teach.puzzles or _DATA / f"puzzles_{game_key.replace('-', '_')}.txt"


def depth_of(state: State, score: Score) -> int:
    """Return the depth of a won position, 0 if it is unknown. score: of the side to move, or a bound."""
    spec = spec_of_state(state)
    if spec.teach.puzzle_depth is not None:
        return spec.teach.puzzle_depth(state)
    if spec.play.counts_discs:
        return state.cells().count(None)
    return (score.low and score.low.moves) or 0


def grade_of(game_key: str, depth: int) -> int:
    """Return the grade of a win of that depth; see Puzzle."""
    return 1 + sum(depth > deepest for deepest in spec_of(game_key).teach.puzzle_depths)


_reading = threading.Lock()


def puzzles() -> Mapping[str, Puzzle]:
    """Return all puzzles by key, game by game in the file's order; thread-safe, reads the files once."""
    with _reading:
        return _puzzles()


@cache
def _puzzles() -> Mapping[str, Puzzle]:
    files = [file_of(key) for key, spec in SPECS.items() if spec.teach.puzzle_depths]
    lines = [line for file in files if file.is_file() for line in file.read_text("ascii").splitlines()]
    return MappingProxyType({puzzle.key: puzzle for puzzle in map(Puzzle.parse, lines)})


@cache
def select(
    game_key: str | None = None, grade: int | None = None, theme: PuzzleTheme | None = None
) -> Mapping[str, Puzzle]:
    """Return the puzzles of that game, grade and theme, by key; None for any."""
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
    """Whether the game has puzzles of every grade, as a course requires."""
    return len(spec_of(game_key).teach.puzzle_depths) == len(GRADES) - 1


def course(seed: int, per_grade: int, game_key: str | None = None) -> tuple[str, ...]:
    """Return the keys of a course: `per_grade` random puzzles of each grade, and all of the last.

    They get harder and never repeat. seed: determines the choice. game_key: None for all games.
    """
    rng, keys = random.Random(seed), []
    for grade in GRADES:
        found = list(select(game_key, grade).values())
        drawn = rng.sample(found, len(found) if grade == GRADES[-1] else min(per_grade, len(found)))
        # Depths of different games cannot be compared; within one game the shallower comes first.
        keys += [puzzle.key for puzzle in sorted(drawn, key=lambda puzzle: puzzle.depth)]
    return tuple(keys)


def themed(puzzle: Puzzle, evaluator: Evaluator) -> Puzzle:
    """Return the puzzle with its themes. evaluator: one that solves all its positions."""

    def best_of(state: State) -> Move:
        best = evaluator.evaluate(state, Limit()).best
        if best is None:
            raise ValueError(f"no best move after {puzzle}")
        return best

    return replace(
        puzzle, themes=tuple(spec_of(puzzle.game).teach.themes(puzzle.state, puzzle.best, best_of))
    )
