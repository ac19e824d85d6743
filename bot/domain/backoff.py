"""Back-off: growing pauses between tries, and when to try again after failures, by key."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator

LONGEST_PAUSE_SECONDS = 900.0


def growing_pauses(first_seconds: float = 5.0, longest_seconds: float = 60.0) -> Iterator[float]:
    """Yield pauses between tries, each twice as long as the one before, without end."""
    seconds = first_seconds
    while True:
        yield seconds
        seconds = min(2 * seconds, longest_seconds)


class Backoff:
    """Pauses of 1 s, 2 s, 4 s … after each failure of a key.

    `now` is in seconds of a clock that only grows.
    """

    def __init__(self) -> None:
        self._failed: dict[Hashable, tuple[int, float]] = {}

    def is_waiting(self, key: Hashable, now: float) -> bool:
        """Whether it is too early to try this key again."""
        return self._failed.get(key, (0, now))[1] > now

    def has_failed(self, key: Hashable) -> bool:
        return key in self._failed

    def fail(self, key: Hashable, now: float, *, longest: float = LONGEST_PAUSE_SECONDS) -> None:
        """Lengthen the pause. Failures during the pause count as one: they were under way together."""
        times, until = self._failed.get(key, (0, now))
        if until <= now:
            self._failed[key] = times + 1, now + min(longest, 2.0**times)

    def succeed(self, key: Hashable) -> None:
        self._failed.pop(key, None)

    def keep(self, keys: Collection[Hashable]) -> None:
        """Forget the failures of all other keys."""
        self._failed = {key: failed for key, failed in self._failed.items() if key in keys}
