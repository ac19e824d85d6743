"""`python -m engine.kernels`: compiles every kernel into the cache and says so in one line."""

from __future__ import annotations

import sys
import time

from engine.kernels.jit import FOLDER, remove_stale_folders
from engine.kernels.warm import KERNELS, load


def main() -> None:
    started = time.perf_counter()
    load()
    remove_stale_folders()
    place = FOLDER or "this process only: no cache folder can be written, set NUMBA_CACHE_DIR"
    seconds = time.perf_counter() - started
    sys.stdout.write(f"{len(KERNELS)} kernel modules ready in {seconds:.1f} s, in {place}\n")


if __name__ == "__main__":
    main()
