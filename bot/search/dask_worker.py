"""Runs in a Dask worker: loads the engine once, and carries out searches that can be cancelled.

Dask's cancel does not end a task that runs, but a worker hears of it, and so does its plug-in here, which
raises the flag that every search polls. That is so whether the bot no longer wants the answer or is gone.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import Any, TypeVar

from distributed import WorkerPlugin

from bot.search.dask_protocol import METRIC, code
from engine.agents.warm import STAGES, prepare
from engine.analysis.searches import Memory, NamedSearch
from engine.core import Limit, Stop

log = logging.getLogger(__name__)

T = TypeVar("T")

_MEMORY = Memory()
_STOPS: dict[str, Stop] = {}
_READY: set[str] = set()


def carry_out(work: NamedSearch[T], limit: Limit, key: str) -> T:
    """The answer, as a task of that key: stopped when the task is no longer wanted."""
    stop = _STOPS.setdefault(key, Stop())
    try:
        return work.carry_out(_MEMORY, replace(limit, stop=stop))
    finally:
        _STOPS.pop(key, None)


class Preload(WorkerPlugin):
    """Compiles and loads the engine in the background, then says that the worker is ready."""

    name = "discade"
    idempotent = True

    def setup(self, worker: Any) -> None:
        """Returns at once; the worker goes on with its heartbeats meanwhile."""
        worker.metrics[METRIC] = lambda _worker: "".join(_READY)
        self._loading = asyncio.get_running_loop().create_task(_load())

    def teardown(self, worker: Any) -> None:
        worker.metrics.pop(METRIC, None)
        self._loading.cancel()

    def transition(self, key: object, start: str, finish: str, **_more: object) -> None:
        """Told by the worker's loop of every step of every task."""
        if not isinstance(key, str) or not key.startswith(METRIC):
            return
        if finish == "executing":
            _STOPS.setdefault(key, Stop())
        elif start == "executing" and (stop := _STOPS.get(key)) is not None:
            # Also after an answer, when it does no harm.
            stop.set()


async def _load() -> None:
    """Heartbeats may come late while the first worker of a machine compiles; nothing waits for them yet."""
    try:
        for stage in STAGES:
            await asyncio.to_thread(prepare, stage)
    except Exception:
        log.exception("this worker cannot search for Discade")
    else:
        _READY.add(code())
        log.info("ready to search for Discade %s", code())
