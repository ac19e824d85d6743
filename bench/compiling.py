"""Time to compile the kernels into an empty cache, and to load them from a full one."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time

WARM_RUNS = 3


async def run() -> None:
    """Print wall-clock seconds of whole processes, including the start of Python and numba."""
    with tempfile.TemporaryDirectory() as cache:
        cold, told = _seconds(cache)
        cached = min(_seconds(cache)[0] for _ in range(WARM_RUNS))
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import numba"], check=True)
    numba = time.perf_counter() - started
    print("| start | seconds |\n|---|---|")
    print(f"| cold, every kernel compiled | {cold:.1f} |")
    print(f"| cached, every kernel loaded (best of {WARM_RUNS}) | {cached:.2f} |")
    print(f"| of which `import numba` alone | {numba:.2f} |")
    print("\nOutput of the cold start (processor time depends little on other load):\n")
    for line in told.splitlines():
        print(f"- {line.rpartition(', in ')[0]}")


def _seconds(cache: str) -> tuple[float, str]:
    """Return (run time, output) of a process with its compiled code in `cache`."""
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "engine.agents"],
        env={**os.environ, "NUMBA_CACHE_DIR": cache},
        capture_output=True,
        text=True,
        check=True,
    )
    return time.perf_counter() - started, done.stdout
