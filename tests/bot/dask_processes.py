"""A real Dask scheduler and its workers, each a process of its own, and searches that show where they are."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from engine.analysis.searches import EvaluateState, Memory, NamedSearch
from engine.core import Limit
from engine.games import game
from tests.ports import unused_port

ROOT = Path(__file__).parents[2]
DEADLINE_SECONDS = 120.0
"""For what takes seconds on an idle machine."""


def needs_dask() -> None:
    """Skips the test where Dask is not installed."""
    pytest.importorskip("distributed", reason="pip install '.[cluster]'")


class Processes:
    """The scheduler on one port all the time, and workers; `with` ends them all."""

    def __init__(
        self, folder: Path, *, scheme: str = "tcp", environ: Mapping[str, str] | None = None
    ) -> None:
        """environ: environment variables for Dask, added to the current ones."""
        self.address = f"{scheme}://127.0.0.1:{unused_port()}"
        self.workers: list[subprocess.Popen[bytes]] = []
        self._scheduler: subprocess.Popen[bytes] | None = None
        self._folder = folder
        self._environ = {**os.environ, **(environ or {})}

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, *_: object) -> None:
        for process in (*self.workers, *([self._scheduler] if self._scheduler else [])):
            process.kill()
            process.wait()

    def start_scheduler(self) -> None:
        port = self.address.rpartition(":")[2]
        scheme = self.address.partition(":")[0]
        self._scheduler = self._start(
            "scheduler", "--host", f"{scheme}://127.0.0.1", "--port", port, "--no-dashboard"
        )

    def kill_scheduler(self) -> None:
        assert self._scheduler is not None
        self._scheduler.kill()
        self._scheduler.wait()

    def start_workers(self, count: int, threads: int = 1) -> None:
        for _ in range(count):
            self.workers.append(
                self._start(
                    "worker", self.address, "--nthreads", str(threads), "--no-nanny", "--no-dashboard",
                    "--memory-limit", "0", "--local-directory", str(self._folder),
                )
            )  # fmt: skip

    def kill_worker(self, pid: int) -> None:
        os.kill(pid, signal.SIGKILL)

    def _start(self, *arguments: str) -> subprocess.Popen[bytes]:
        log = (self._folder / f"dask-{arguments[0]}-{time.monotonic_ns()}.log").open("wb")
        with log:
            return subprocess.Popen(
                (sys.executable, "-m", "dask", *arguments),
                cwd=ROOT,
                env=self._environ,
                stdout=log,
                stderr=log,
            )


@dataclass(frozen=True, slots=True)
class Where(NamedSearch[int]):
    """Comes to the id of the process that carries it out."""

    @property
    def answers(self) -> type[int]:
        return int

    def carry_out(self, memory: Memory, limit: Limit) -> int:
        return os.getpid()


@dataclass(frozen=True, slots=True)
class Long(NamedSearch[int]):
    """A real search of minutes. notes: a folder; `began-PID` appears in it, and `ended-PID` at the end."""

    notes: str
    seconds: float = 100.0

    @property
    def answers(self) -> type[int]:
        return int

    def carry_out(self, memory: Memory, limit: Limit) -> int:
        notes = Path(self.notes)
        (notes / f"began-{os.getpid()}").touch()
        EvaluateState(None, "othello", game("othello").start()).carry_out(
            memory, Limit(seconds=self.seconds, stop=limit.stop)
        )
        (notes / f"ended-{os.getpid()}").touch()
        return os.getpid()
