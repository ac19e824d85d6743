"""Memory: glibc returns freed blocks to the system, and the garbage collector skips permanent objects.

Pictures and searches take blocks of some MiB for a moment, each in its own thread. By default glibc soon
serves blocks of that size from a heap for each thread, and cannot return those below any small block.
"""

from __future__ import annotations

import ctypes
import gc
import sys
from collections.abc import Callable

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
"""Parameters of mallopt, macros in malloc.h."""

LARGE_BYTES = 1 << 19
"""Blocks of this size are mapped on their own, and returned to the system when they are freed.

It is above asyncio's buffer of 256 KiB, which would cost 25 new pages for each move.
"""

HEAPS = 2

NEW_OBJECTS = 10_000
"""Allocations without a free before the youngest generation is collected; Python's default is 700."""


def give_back_what_is_freed() -> bool:
    """Configure glibc, before there are threads; return whether that worked."""
    mallopt = _of_the_c_library("mallopt")
    if mallopt is None:
        return False
    asked = ((_MMAP_THRESHOLD, LARGE_BYTES), (_TRIM_THRESHOLD, LARGE_BYTES), (_ARENA_MAX, HEAPS))
    return bool(min(mallopt(name, value) for name, value in asked))


def give_back_now() -> None:
    """Return free memory below small blocks to the system, as after loading much."""
    malloc_trim = _of_the_c_library("malloc_trim")
    if malloc_trim is not None:
        malloc_trim(0)


def look_past_what_stays() -> None:
    """Exclude all present objects from garbage collection, and collect younger ones less often.

    Otherwise each full collection visits modules, texts and kernels: a twelfth of the cost of a move.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(NEW_OBJECTS)


def _of_the_c_library(name: str) -> Callable[..., int] | None:
    """Return a function of glibc; None where there is another C library."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        function: Callable[..., int] = getattr(ctypes.CDLL(None), name)
    except (AttributeError, OSError):
        return None
    return function
