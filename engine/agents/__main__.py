"""`python -m engine.agents`: compile every kernel into the cache; prints a line after each stage."""

from __future__ import annotations

import signal
import sys
import time

from engine.agents.warm import STAGES, load
from engine.kernels.jit import FOLDER, remove_stale_folders


def main() -> None:
    # Ctrl-C reaches both the bot and this child process; end quietly instead of with a traceback.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # The same if the bot has ended.
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    place = FOLDER or "this process only: no cache folder can be written, set NUMBA_CACHE_DIR"
    started = time.perf_counter()
    for stage in STAGES:
        load(stage)
        seconds, work = time.perf_counter() - started, time.process_time()
        ready = f"ready in {seconds:.1f} s, {work:.1f} s of a processor"
        sys.stdout.write(f"{', '.join(stage.agents)}: {ready}, in {place}\n")
        sys.stdout.flush()
    remove_stale_folders()


if __name__ == "__main__":
    main()
