"""Rows that cannot be understood: set aside one by one, so that they stop nobody but themselves."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeVar

log = logging.getLogger(__name__)

T = TypeVar("T")

DAMAGE = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError)
"""What a row raises that no version of the bot has written; an illegal move, too, is a ValueError."""

BATCH = 500
"""Rows that are read at once: SQLite allows only so many values in one question."""


class Damage:
    """What one store has set aside, each row told once in the log.

    subject: what a row is called. rows: the problem of each, by its number. is_logged: False keeps quiet.
    """

    def __init__(self, subject: str, *, is_logged: bool = True) -> None:
        self._subject = subject
        self._is_logged = is_logged
        self.rows: dict[int, str] = {}

    @property
    def lines(self) -> list[str]:
        """One for each row that was set aside."""
        return [f"{self._subject} {number}: {problem}" for number, problem in sorted(self.rows.items())]

    def note(self, number: int, error: Exception) -> None:
        problem = f"{type(error).__name__}: {error}"
        is_new = self.rows.get(number) != problem
        self.rows[number] = problem
        if is_new and self._is_logged:
            log.error(
                "%s %d is damaged and set aside; `python -m bot check` tells more: %s",
                self._subject,
                number,
                problem,
            )

    async def whole(
        self, numbers: Sequence[int], read: Callable[[Sequence[int]], Awaitable[Mapping[int, T]]]
    ) -> list[T]:
        """What `read` makes of these rows, in their order, without the damaged ones.

        read: gets a batch of numbers; it may raise for a batch that holds a damaged row.
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
