"""Damaged rows are found and left out one by one, so that the other rows of a query stay usable."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

log = logging.getLogger(__name__)

T = TypeVar("T")

DAMAGE = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError)
"""Errors that a damaged row raises when it is read; an illegal move is a ValueError as well."""

BATCH = 500
"""Rows that are read by one query: SQLite limits its parameters."""


class Damage:
    """The damaged rows that one store has found; each is logged once.

    subject: the name of a row in the log. rows: the problem of each row, by its number.
    """

    def __init__(self, subject: str, *, is_logged: bool = True) -> None:
        self._subject = subject
        self._is_logged = is_logged
        self.rows: dict[int, str] = {}

    @property
    def lines(self) -> list[str]:
        """Return a line for each damaged row."""
        return [f"{self._subject} {number}: {problem}" for number, problem in sorted(self.rows.items())]

    def note(self, number: int, error: Exception) -> None:
        problem = f"{type(error).__name__}: {error}"
        is_new = self.rows.get(number) != problem
        self.rows[number] = problem
        if is_new and self._is_logged:
            log.error(
                "%s %d is damaged and left out; `python -m bot check` lists all such rows: %s",
                self._subject,
                number,
                problem,
            )

    def without(self, rows: Iterable[Any], read: Callable[[Any], T]) -> list[T]:
        """Return what `read` makes of each row, without the damaged ones. A row's number is its id."""
        found = list[T]()
        for row in rows:
            if row.id in self.rows:
                continue  # noted before, perhaps for what only its reader sees, such as an illegal move
            try:
                found.append(read(row))
            except DAMAGE as error:
                self.note(row.id, error)
        return found

    async def whole(
        self, numbers: Sequence[int], read: Callable[[Sequence[int]], Awaitable[Mapping[int, T]]]
    ) -> list[T]:
        """Return the values that `read` makes of these rows, in order, without the damaged ones.

        read: makes values of a batch; it may raise if one row of the batch is damaged.
        """
        found: dict[int, T] = {}
        for start in range(0, len(numbers), BATCH):
            found |= await self._read(numbers[start : start + BATCH], read)
        return [found[number] for number in numbers if number in found]

    async def _read(
        self, numbers: Sequence[int], read: Callable[[Sequence[int]], Awaitable[Mapping[int, T]]]
    ) -> dict[int, T]:
        try:
            return dict(await read(numbers))
        except DAMAGE as error:
            if len(numbers) == 1:
                self.note(numbers[0], error)
                return {}
        half = len(numbers) // 2
        return await self._read(numbers[:half], read) | await self._read(numbers[half:], read)
