"""The choices that lead to a move: the parts that one touches for it (`GameSpec.press_of`), then its name.

Moves that begin with the same part share a choice, such as the moves of a piece, and the next choices tell
them apart. A choice with one move plays it. Parts that are too many for buttons are found by their column.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_letters
from typing import TypeVar

from bot.ui.layout import chunks
from engine.core import Move, State
from engine.games.spec import GameSpec

MAX_CHOICES = 24
"""If there are more, their columns are offered first."""

MAX_COLUMNS = 20
"""If there are more, or only one, choices that stand together in the list share a choice instead."""

K = TypeVar("K")
V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Picked:
    """The choices that a person has made: the first ones on the way to this move, and how many."""

    move: Move
    steps: int

    def __str__(self) -> str:
        return f"{self.move}.{self.steps}"

    @classmethod
    def read(cls, text: str) -> Picked:
        move, _, steps = text.partition(".")
        return cls(int(move), int(steps))


@dataclass(frozen=True, slots=True)
class Choice:
    """A choice. moves: those that it leads to; () for a column or a cell without any.

    is_column: it only leads to other choices, and is no part of a move. cells: of a column, with or without a
    move.
    """

    label: str
    moves: tuple[Move, ...]
    is_column: bool = False
    cells: tuple[int, ...] = ()

    @property
    def is_move(self) -> bool:
        return len(self.moves) == 1 and not self.is_column


class MoveChoices:
    """The choices among these legal moves of a state."""

    def __init__(self, spec: GameSpec, board: str, state: State, moves: Sequence[Move]) -> None:
        self._places = spec.places_of(board)
        self._parts = {
            move: (*spec.press_of(state, move), spec.rules.move_name(state, move)) for move in moves
        }

    def after(self, picked: Picked | None) -> tuple[Sequence[Choice], Choice | None]:
        """Return the choices to offer, and the one made last; the first ones if `picked` leads to none."""
        found, last = self._split(tuple(self._parts)), None
        if picked is not None:
            for _ in range(picked.steps):
                last = next((one for one in found if picked.move in one.moves), None)
                if last is None or last.is_move:
                    return self.after(None)
                found = self._in_column(last) if last.cells else self._with_moves(last.moves)
        return found, last

    def _with_moves(self, moves: Sequence[Move]) -> Sequence[Choice]:
        return [one for one in self._split(moves) if one.moves]

    def _in_column(self, column: Choice) -> Sequence[Choice]:
        """Return a choice for each cell of the column, so that none moves once another is taken."""
        by_cell: dict[int, list[Move]] = {cell: [] for cell in column.cells}
        for move in column.moves:
            by_cell[next(part for part in self._parts[move] if part in by_cell)].append(move)
        return [
            self._choice(cell, moves) if moves else Choice(self._places[cell].name, ())
            for cell, moves in by_cell.items()
        ]

    def _split(self, moves: Sequence[Move]) -> Sequence[Choice]:
        """Return a choice for each value of the first part in which the moves differ, or for columns."""
        at = 0
        while len({self._parts[move][at] for move in moves}) == 1 < len(moves):
            at += 1
        by_part = _grouped(moves, lambda move: self._parts[move][at])
        found = {part: self._choice(part, same) for part, same in by_part.items()}
        if len(found) <= MAX_CHOICES:
            return list(found.values())
        columns = self._columns({part: one for part, one in found.items() if isinstance(part, int)})
        if 1 < len(columns) <= MAX_COLUMNS and sum(len(one.moves) for one in columns) == len(moves):
            return columns
        return [_run(run) for run in chunks(list(found.values()), -(-len(found) // MAX_COLUMNS))]

    def _choice(self, part: int | str, moves: Sequence[Move]) -> Choice:
        if len(moves) == 1:
            return Choice(str(self._parts[moves[0]][-1]), tuple(moves))
        return Choice(self._places[part].name if isinstance(part, int) else part, tuple(moves))

    def _columns(self, by_cell: Mapping[int, Choice]) -> Sequence[Choice]:
        """Return a choice for each column with cells like these, so that none moves once another is full."""
        shapes = {self._places[cell].shape for cell in by_cell}
        cells = [cell for cell, place in enumerate(self._places) if place.shape in shapes]
        columns = _grouped(cells, lambda cell: self._places[cell].column)
        letters = {at: _letters([self._places[cell].name for cell in columns[at]]) for at in sorted(columns)}
        has_letters = len({*letters.values(), ""}) > len(letters)
        return [
            Choice(
                letter if has_letters else _range([self._places[cell].name for cell in columns[at]]),
                tuple(move for cell in columns[at] if cell in by_cell for move in by_cell[cell].moves),
                is_column=True,
                cells=tuple(columns[at]),
            )
            for at, letter in letters.items()
        ]


def _run(choices: Sequence[Choice]) -> Choice:
    moves = tuple(move for one in choices for move in one.moves)
    return Choice(_range([one.label for one in choices]), moves, is_column=True)


def _letters(names: Sequence[str]) -> str:
    """Return the letters that all these names begin with, if each begins with the same."""
    found = {name[: len(name) - len(name.lstrip(ascii_letters))] for name in names}
    return found.pop() if len(found) == 1 else ""


def _range(names: Sequence[str]) -> str:
    return names[0] if names[0] == names[-1] else f"{names[0]}–{names[-1]}"


def _grouped(items: Iterable[V], key: Callable[[V], K]) -> dict[K, list[V]]:
    """Return the items by their keys, each list in their order."""
    found: dict[K, list[V]] = {}
    for item in items:
        found.setdefault(key(item), []).append(item)
    return found
