"""Compiling all kernels outside the bot's own process, so that its event loop never waits for a compiler."""

from __future__ import annotations

import importlib
import subprocess
import sys
import time
from pathlib import Path

KERNELS = (
    "connect_four_solver",
    "line_alphabeta",
    "line_search",
    "line_uct",
    "othello_context",
    "othello_endgame",
    "othello_last",
    "othello_midgame",
    "othello_patterns",
    "othello_midgame",
    "othello_patterns",
    "othello_perft",
    "othello_search",
    "othello_uct",
    "overlooking",
    "uct",
)

_ROOT = Path(__file__).parents[2]


class WarmUpError(RuntimeError):
    """The process that compiles the kernels failed; the message is what it wrote."""


def load() -> None:
    """Loads every kernel into this process, compiling those that are not in the cache.

    About 0.3 s when all are, on top of importing numba; many seconds when none is.
    """
    for name in KERNELS:
        importlib.import_module(f"engine.kernels.{name}")


def warm_up(timeout_seconds: float = 600.0) -> float:
    """Fills the cache in a process of its own (`python -m engine.kernels`); returns the seconds it took.

    Blocks: call it from a thread. Afterwards `load` is quick in every process. Raises WarmUpError when
    the process fails or takes longer than the timeout.
    """
    started = time.perf_counter()
    command = [sys.executable, "-m", "engine.kernels"]
    try:
        done = subprocess.run(
            command, cwd=_ROOT, capture_output=True, text=True, timeout=timeout_seconds, check=False
        )
    except subprocess.TimeoutExpired:
        raise WarmUpError(f"the kernels were not compiled within {timeout_seconds:.0f} s") from None
    if done.returncode != 0:
        raise WarmUpError(f"compiling the kernels failed: {done.stderr.strip()[-2000:]}")
    return time.perf_counter() - started
