"""Time as tests may measure it: a busy machine makes clocks late, but adds nothing to a thread's own work."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from engine.core import Stop

MAX_TEST_WAIT_SECONDS = 60.0
"""How long a test waits for what must come, on a machine that is busy with much else."""


@dataclass
class Work:
    """Processor seconds of the current thread between entering and leaving.

    Python collects no garbage meanwhile: how much there is depends on the tests before.
    """

    seconds: float = 0.0


@contextmanager
def measured() -> Iterator[Work]:
    gc.disable()
    try:
        work, before = Work(), time.thread_time()
        yield work
        work.seconds = time.thread_time() - before
    finally:
        gc.enable()


@dataclass
class Telling:
    """A flag that another thread raises while this one searches.

    was_told: whether it was raised before the search had ended by itself.
    late_seconds: how much longer the search worked than it had to wait for the flag, at the least.
    """

    stop: Stop = field(default_factory=Stop)
    was_told: bool = False
    late_seconds: float = 0.0


@contextmanager
def told_to_stop(after_seconds: float) -> Iterator[Telling]:
    """Raises the flag that many seconds after entering."""
    telling = Telling()
    began, waited = time.perf_counter(), float("inf")

    def tell() -> None:
        nonlocal waited
        waited = time.perf_counter() - began
        telling.stop.set()

    teller = threading.Timer(after_seconds, tell)
    with measured() as work:
        teller.start()
        yield telling
        telling.was_told = telling.stop.is_set()
    teller.cancel()
    teller.join()
    telling.late_seconds = max(0.0, work.seconds - waited)
