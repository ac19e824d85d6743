"""`python -m engine.agents`: compile every kernel into the cache; prints a line after each stage.

A line on stdin names a stage that is wanted before the others.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections import deque

from engine.agents.warm import STAGES, load
from engine.kernels.jit import FOLDER, remove_stale_folders


def main() -> None:
    # Ctrl-C reaches both the bot and this child process; end quietly instead of with a traceback.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # The same if the bot has ended.
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    wanted = deque[str]()
    threading.Thread(target=_read, args=(wanted,), daemon=True).start()
    place = FOLDER or "this process only: no cache folder can be written, set NUMBA_CACHE_DIR"
    started = time.perf_counter()
    waiting = {stage.key: stage for stage in STAGES}
    while waiting:
        key = next((key for key in tuple(wanted) if key in waiting), next(iter(waiting)))
        load(waiting.pop(key))
        seconds, work = time.perf_counter() - started, time.process_time()
        sys.stdout.write(f"{key}: ready in {seconds:.1f} s, {work:.1f} s of a processor, in {place}\n")
        sys.stdout.flush()
    remove_stale_folders()


def _read(wanted: deque[str]) -> None:
    for line in sys.stdin:
        wanted.append(line.strip())


if __name__ == "__main__":
    main()
