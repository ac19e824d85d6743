"""Memory: the C library keeps little of what was freed, and Python does not look through what stays.

Pictures and searches take blocks of some MiB for a moment, each in its own thread. glibc by itself soon takes
blocks of that size for usual ones, keeps them in a heap a thread, and cannot give back what lies below
anything small.
"""

from __future__ import annotations

import ctypes
import gc
import sys
from collections.abc import Callable

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
"""Names in malloc.h, which has them as macros."""

LARGE_BYTES = 1 << 19
"""From this size on a block is the system's, and goes back to it when it is freed.

asyncio takes 256 KiB for whatever it receives: were that the system's, it cost 25 new pages a move.
"""

HEAPS = 2

NEW_OBJECTS = 10_000
"""More of them than were freed until Python looks for garbage among them; by itself it waits for 700."""


def give_back_what_is_freed() -> bool:
    """To be called before there are threads; whether the C library could be asked."""
    mallopt = _of_the_c_library("mallopt")
    if mallopt is None:
        return False
    asked = ((_MMAP_THRESHOLD, LARGE_BYTES), (_TRIM_THRESHOLD, LARGE_BYTES), (_ARENA_MAX, HEAPS))
    return bool(min(mallopt(name, value) for name, value in asked))


def give_back_now() -> None:
    """Returns to the system what lies free below something small, as loading much leaves it."""
    malloc_trim = _of_the_c_library("malloc_trim")
    if malloc_trim is not None:
        malloc_trim(0)


def look_past_what_stays() -> None:
    """What is there now stays as long as the process: Python looks there no more for garbage in circles.

    Else every look at all there is goes through modules, texts and kernels, a twelfth of what a move costs.
    What comes after is looked at seldomer: hardly any of it is garbage in circles.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(NEW_OBJECTS)


def _of_the_c_library(name: str) -> Callable[..., int] | None:
    """None where there is another C library, which may have ways of its own."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        function: Callable[..., int] = getattr(ctypes.CDLL(None), name)
    except (AttributeError, OSError):
        return None
    return function
