"""Whether another bot answers this one's presses: the same token on two machines, with two databases."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from datetime import datetime, timedelta

log = logging.getLogger(__name__)

MOST, WITHIN = 5, timedelta(minutes=1)
"""So many answers that Discord has already, in that time, are no torn connections any more."""

SAID_AGAIN = timedelta(hours=1)


class Twins:
    """One a process. clock: the current UTC time."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._times: deque[datetime] = deque(maxlen=MOST)
        self._said_at: datetime | None = None

    def note(self) -> None:
        """Discord has just refused the first answer to something, since there was one."""
        now = self._clock()
        self._times.append(now)
        if len(self._times) < MOST or now - self._times[0] > WITHIN:
            return
        if self._said_at is None or now - self._said_at > SAID_AGAIN:
            self._said_at = now
            log.error("somebody else answers this bot's presses: does another one run with the same token?")
