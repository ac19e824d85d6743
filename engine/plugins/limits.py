"""What a plug-in's worker process may use: limits that the system keeps, where it has them.

They keep a mistake from taking the machine with it. Each process that a plug-in starts has the same limits of
its own, so together they may use more.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

HARD_SECONDS = 10.0
LOAD_SECONDS = 10.0
"""How long a move may take, and how long loading a plug-in, until its worker is killed."""

MEMORY_BYTES = 1 << 30
FILE_BYTES = 16 << 20
MORE_PROCESSES = 64
OPEN_FILES = 256
NICENESS = 10

_FIRST_KILLED = "800"  # of 1,000: when memory is short, the system ends these before the bot


def limit_this_process(memory_bytes: int = MEMORY_BYTES) -> None:
    """Limits this process, and those that it starts, for good; what the system cannot limit stays free."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(_FIRST_KILLED, "ascii")
    try:
        import resource
    except ImportError:  # Windows
        return
    # Linux counts what a process may write to as its data. Elsewhere only addresses are counted.
    memory = resource.RLIMIT_DATA if sys.platform == "linux" else resource.RLIMIT_AS
    limits = {
        memory: memory_bytes,
        resource.RLIMIT_FSIZE: FILE_BYTES,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: OPEN_FILES,
    }
    if sys.platform == "linux":
        limits[resource.RLIMIT_NPROC] = _threads_of_this_user() + MORE_PROCESSES
    for kind, wanted in limits.items():
        hard = resource.getrlimit(kind)[1]
        most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        with suppress(OSError, ValueError):  # macOS refuses some of them
            resource.setrlimit(kind, (most, most))


def _threads_of_this_user() -> int:
    """How many there are now: the system counts all threads of the user, not those of one program."""
    user, count = os.getuid(), 0
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has just ended
            if process.stat().st_uid == user:
                count += len(os.listdir(process / "task"))
    return count
