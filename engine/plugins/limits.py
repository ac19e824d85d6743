"""Resource limits of a plug-in's worker process, as far as the system supports them.

They keep a mistake from taking the machine down. Each child process of a plug-in has the same limits of its
own, so together they may use more.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

HARD_SECONDS = 10.0
LOAD_SECONDS = 10.0
"""The time limits of a move and of loading a plug-in; then its worker is killed."""

MEMORY_BYTES = 1 << 30
FILE_BYTES = 16 << 20
MORE_PROCESSES = 64
OPEN_FILES = 256
NICENESS = 10

_OOM_SCORE = "800"  # of 1,000: if memory runs out, the system kills these before the bot


def limit_this_process(memory_bytes: int = MEMORY_BYTES) -> None:
    """Limit this process and its children permanently; limits that the system lacks are skipped."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(_OOM_SCORE, "ascii")
    try:
        import resource
    except ImportError:  # Windows
        return
    # Linux can limit the writable memory of a process (its data), other systems only its address space.
    memory = resource.RLIMIT_DATA if sys.platform == "linux" else resource.RLIMIT_AS
    limits = {
        memory: memory_bytes,
        resource.RLIMIT_FSIZE: FILE_BYTES,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: OPEN_FILES,
    }
    if sys.platform == "linux":
        limits[resource.RLIMIT_NPROC] = threads_of_this_user() + MORE_PROCESSES
    for kind, wanted in limits.items():
        hard = resource.getrlimit(kind)[1]
        most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        with suppress(OSError, ValueError):  # macOS refuses some of them
            resource.setrlimit(kind, (most, most))


def threads_of_this_user() -> int:
    """Return the current number: the limit applies to all threads of the user, not of one program."""
    user, count = os.getuid(), 0
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has just ended
            if process.stat().st_uid == user:
                count += len(os.listdir(process / "task"))
    return count
