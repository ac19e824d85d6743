"""Bucket: a budget that refills."""

from __future__ import annotations

from collections.abc import Callable


class Bucket:
    """Is full at first, and gets `a_second` back until it has `most` again. time: a clock in seconds."""

    def __init__(self, most: float, a_second: float, time: Callable[[], float]) -> None:
        self._most = most
        self._a_second = a_second
        self._time = time
        self._left, self._at = most, time()

    @property
    def left(self) -> float:
        now = self._time()
        # A clock that was set back gives nothing; waiting until it catches up would be unfair.
        self._left = min(self._most, self._left + max(0.0, now - self._at) * self._a_second)
        self._at = now
        return self._left

    def spend(self, amount: float) -> None:
        """Take it, also where less is left; a negative amount is given back."""
        self._left = min(self._most, self.left - amount)

    def seconds_until(self, amount: float) -> float:
        """Return in how many seconds as much is left."""
        return max(0.0, amount - self.left) / self._a_second
