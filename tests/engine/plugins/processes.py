"""Whether a process that a plug-in left is still there."""

from __future__ import annotations

import os
import time
from pathlib import Path

from tests.working import MAX_TEST_WAIT_SECONDS


def is_running(process: int) -> bool:
    """Whether the process runs; False for one that has exited, even if it has not been reaped."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    try:
        stat = Path(f"/proc/{process}/stat").read_text("ascii")
        threads = os.listdir(f"/proc/{process}/task")
    except OSError:
        return not Path("/proc/self").exists()  # it has just gone, or this system shows none
    # The first thread may have ended while others still do; only then does its parent hear of it.
    return stat.rpartition(")")[2].split()[0] not in ("Z", "X") or len(threads) > 1


def has_gone(process: int) -> bool:
    """Waits until it has ended; False when that takes too long."""
    end = time.monotonic() + MAX_TEST_WAIT_SECONDS
    while is_running(process):
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True
