"""Notices a second bot that runs with the same token, on its own database."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from datetime import datetime, timedelta

log = logging.getLogger(__name__)

MAX_COLLISIONS, WINDOW = 5, timedelta(minutes=1)
"""Lost connections do not explain this many refused answers within the window."""

LOG_INTERVAL = timedelta(hours=1)


class DuplicateBotDetector:
    """Counts first answers that Discord refused because it had one. clock: the current UTC time."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._times: deque[datetime] = deque(maxlen=MAX_COLLISIONS)
        self._logged_at: datetime | None = None

    def record(self) -> None:
        """Count a refused answer; log an error where there are too many."""
        now = self._clock()
        self._times.append(now)
        if len(self._times) < MAX_COLLISIONS or now - self._times[0] > WINDOW:
            return
        if self._logged_at is None or now - self._logged_at > LOG_INTERVAL:
            self._logged_at = now
            log.error("another bot answers these interactions: does one run with the same token?")
