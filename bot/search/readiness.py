"""Readiness: which compiled code is there, and about when the rest is."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection

from engine.agents.warm import STAGES, Stage, needed

STEP_SECONDS = 5
"""Estimates are multiples of this, and never less."""

TRUSTED_SECONDS = 10.0
"""How much the usual times weigh beside what this machine took so far."""


class Readiness:
    """One per process: everything that waits for compiled code asks this, and says the same.

    missing: the stages that are not ready, by key; empty from the end of the warm-up on.
    """

    def __init__(self, *, is_ready: bool = False, clock: Callable[[], float] = time.monotonic) -> None:
        self.missing: dict[str, Stage] = {} if is_ready else {stage.key: stage for stage in STAGES}
        self._on_wanted: Callable[[str], None] | None = None
        self._clock = clock
        self._began_at = self._changed_at = clock()
        self._wanted: list[str] = []
        self._under_way = next(iter(self.missing), "")
        self._done = 0.0

    def lacks(self, kind: str, game: str) -> bool:
        """Return whether such a search has to wait; kind: of its agent, "" for an evaluator without one."""
        return needed(kind, game) in self.missing

    def want(self, kind: str, game: str) -> None:
        """Have what such a search needs compiled next."""
        key = needed(kind, game)
        if key is not None and key in self.missing and key not in self._wanted:
            self._wanted.append(key)
            if self._on_wanted is not None:
                self._on_wanted(key)

    def seconds_left(self, kind: str, game: str) -> int | None:
        """Return about how long such a search has to wait, and want it; None if it can begin."""
        key = needed(kind, game)
        if key is None or key not in self.missing:
            return None
        self.want(kind, game)
        return self._rounded((*self._wanted[: self._wanted.index(key)], key))

    @property
    def seconds_left_in_all(self) -> int:
        """About how long the rest takes; 0 if nothing is missing."""
        return self._rounded(self.missing) if self.missing else 0

    def begin(self, on_wanted: Callable[[str], None]) -> None:
        """Note that compiling begins now. on_wanted: told of each stage to be compiled before the others."""
        self._began_at = self._changed_at = self._clock()
        self._on_wanted = on_wanted
        for key in self._wanted:
            on_wanted(key)

    def finish(self, key: str) -> None:
        """Note that this stage is ready."""
        self._done += self.missing.pop(key).seconds if key in self.missing else 0.0
        self._wanted = [one for one in self._wanted if one != key]
        self._under_way = next(iter((*self._wanted, *self.missing)), "")
        self._changed_at = self._clock()

    def _rounded(self, keys: Collection[str]) -> int:
        """Return the time until all of these stages are ready, after the one under way."""
        pace = (self._changed_at - self._began_at + TRUSTED_SECONDS) / (self._done + TRUSTED_SECONDS)
        rest = self.missing[self._under_way].seconds * pace - (self._clock() - self._changed_at)
        others = sum(self.missing[key].seconds for key in {*keys} - {self._under_way})
        return STEP_SECONDS * math.ceil((max(rest, 1.0) + others * pace) / STEP_SECONDS)
