"""Cluster: carries out searches by name on the workers of a Dask scheduler.

All that Dask does here takes place on an event loop in a thread of its own, so that no handshake, no pickling
and no lost connection ever holds up the bot's. Each worker gets as many searches at once as it has threads,
so that the queue stays here, with its fairness to servers and people. A match's searches go to the worker
that had its last one, where what its agent has learnt still is, as long as that worker is free.

A search whose worker is gone is carried out again by another. A peer of the scheduler can run code on
the workers, and workers answer with pickles: the scheduler must be one's own, hence tls://.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import threading
from collections.abc import Callable, Hashable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from bot.domain.lru_dict import LruDict
from bot.search.dask_protocol import METRIC, code
from bot.search.pool import Lost
from engine.analysis.searches import NamedSearch
from engine.core import Limit

log = logging.getLogger(__name__)

CONNECT_SECONDS = 5.0
"""For a connection to the scheduler, and for each of its answers."""

SILENT_SECONDS = 15.0
"""How long a worker may miss its heartbeat before it counts as gone."""

ATTEMPTS = 2
"""How many workers may be lost with one search; then it is carried out here."""

REMEMBERED = 4096

T = TypeVar("T")


@dataclass(eq=False)
class _Worker:
    """One that is ready. gone: set when it no longer is."""

    address: str
    threads: int
    gone: asyncio.Future[None]
    running: int = 0


class Cluster:
    """Looks for the scheduler until it is there, and again whenever it is lost."""

    def __init__(self, address: str, *, retry_seconds: float = 5.0, look_seconds: float = 0.5) -> None:
        """Address: `tls://…` or `tcp://…`; certificates are those of Dask's own settings.

        retry_seconds: between two attempts to reach it. look_seconds: between two looks at the workers.
        """
        self.on_change: Callable[[], None] | None = None
        self._address = address
        self._retry_seconds, self._look_seconds = retry_seconds, look_seconds
        self._name = secrets.token_hex(4)
        self._home: asyncio.AbstractEventLoop | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._closing = threading.Event()
        self._client: Any = None
        self._workers: dict[str, _Worker] = {}
        self._heard: dict[str, tuple[float, float]] = {}
        self._last: LruDict[Hashable, str] = LruDict(REMEMBERED)
        self._threads = 0
        self._told = ""

    @property
    def threads(self) -> int:
        """How many searches the workers that are ready take on at once."""
        return self._threads

    def start(self) -> None:
        """Begins to look for the scheduler; to be called on the pool's loop."""
        self._home = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._run, name="cluster", daemon=True)
        self._thread.start()

    async def close(self) -> None:
        """Lets the workers go."""
        self._closing.set()
        if self._thread is not None:
            await asyncio.to_thread(self._thread.join)
            self._thread = None

    async def carry_out(self, work: NamedSearch[T], limit: Limit) -> T:
        """Return the answer; raises Lost if no worker is left, and the errors of the search itself."""
        loop = self._loop
        if work.sitting is not None:
            work = replace(work, sitting=(self._name, work.sitting))
        if loop is None or loop.is_closed():
            raise Lost("no scheduler")
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(self._tried(work, limit), loop))

    # All that follows takes place in the thread.

    def _run(self) -> None:
        asyncio.run(self._main())

    async def _main(self) -> None:
        from distributed import Client

        _quieten()
        self._loop = asyncio.get_running_loop()
        while not self._closing.is_set():
            client = None
            try:
                client = await Client(
                    self._address,
                    asynchronous=True,
                    set_as_default=False,
                    timeout=CONNECT_SECONDS,
                    name="discade",
                )
                await self._serve(client)
            except Exception as error:  # noqa: BLE001 - whatever it is, the threads here do the work
                self._tell(
                    "The cluster's scheduler cannot be reached, so all searches are done here",
                    reason=f": {error}",
                )
            finally:
                self._client = None
                self._note({})
            if client is not None:
                await _closed(client)
            await self._pause(self._retry_seconds)

    async def _serve(self, client: Any) -> None:
        """Follow the list of workers until the scheduler is lost."""
        from bot.search.dask_worker import Preload

        try:
            await asyncio.wait_for(client.register_plugin(Preload()), CONNECT_SECONDS)
        except ImportError as error:
            log.warning("a worker cannot search: Discade must be installed there, too (%s)", error)
        self._client = client
        while not self._closing.is_set():
            known = await asyncio.wait_for(client.scheduler.identity(), CONNECT_SECONDS)
            self._note(known["workers"])
            await self._pause(self._look_seconds)

    async def _pause(self, seconds: float) -> None:
        until = asyncio.get_running_loop().time() + seconds
        while not self._closing.is_set() and (left := until - asyncio.get_running_loop().time()) > 0:
            await asyncio.sleep(min(left, 0.2))

    def _note(self, known: Mapping[str, Mapping[str, Any]]) -> None:
        """Note the workers that are ready and those that are gone."""
        loop = asyncio.get_running_loop()
        alive = {address: each for address, each in known.items() if self._is_heard(address, each)}
        self._heard = {address: self._heard[address] for address in known}
        for address, each in alive.items():
            if address not in self._workers and each["metrics"].get(METRIC) == code():
                self._workers[address] = _Worker(address, each["nthreads"], loop.create_future())
        for address in self._workers.keys() - alive.keys():
            gone = self._workers.pop(address)
            gone.gone.set_result(None)
            if known:
                log.warning("The cluster's worker %s is gone, with %d searches.", address, gone.running)
        threads = sum(mine.threads for mine in self._workers.values())
        if known:
            strangers = {each["metrics"].get(METRIC) for each in known.values()} - {code(), "", None}
            self._tell(
                "The cluster: %d of %d workers ready, with %d threads%s.",
                len(self._workers), len(known), threads,
                "; others run another version of Discade" if strangers else "",
            )  # fmt: skip
        if threads != self._threads:
            self._threads = threads
            self._say_so()

    def _is_heard(self, address: str, told: Mapping[str, Any]) -> bool:
        """Whether its heartbeat still comes, by the clock here."""
        now, last = asyncio.get_running_loop().time(), told["last_seen"]
        if self._heard.get(address, (None, 0.0))[0] != last:
            self._heard[address] = last, now
        return now - self._heard[address][1] <= SILENT_SECONDS

    def _say_so(self) -> None:
        if self.on_change is None or self._home is None:
            return
        # A loop that has ended needs to know nothing any more.
        with suppress(RuntimeError):
            self._home.call_soon_threadsafe(self.on_change)

    def _tell(self, message: str, *values: object, reason: str = "") -> None:
        """In the log, unless that was the last thing said there, for whatever reason."""
        text = message % values
        if text != self._told:
            self._told = text
            log.info("%s%s", text, reason)

    async def _tried(self, work: NamedSearch[T], limit: Limit) -> T:
        for _ in range(ATTEMPTS):
            worker = self._free_worker(work.sitting)
            if worker is None:
                break
            with suppress(Lost):
                return await self._on(worker, work, limit)
        raise Lost("no worker was there to the end")

    def _free_worker(self, sitting: Hashable | None) -> _Worker | None:
        """Return the worker of the match's last search if it is free, else the least busy one."""
        last = self._workers.get(self._last.get(sitting, ""))
        if last is not None and last.running < last.threads:
            return last
        return min(self._workers.values(), key=lambda worker: worker.running / worker.threads, default=None)

    async def _on(self, worker: _Worker, work: NamedSearch[T], limit: Limit) -> T:
        from bot.search.dask_worker import carry_out

        key = f"{METRIC}-{secrets.token_hex(8)}"
        worker.running += 1
        future = self._client.submit(
            carry_out, work, limit, key, key=key, workers=[worker.address], pure=False
        )
        result = asyncio.ensure_future(_result_of(future))
        try:
            await asyncio.wait((result, worker.gone), return_when=asyncio.FIRST_COMPLETED)
            if not result.done():
                raise Lost(worker.address)
            found = result.result()
        finally:
            worker.running -= 1
            result.cancel()
            # The worker is told that the search was cancelled, and stops it.
            future.release()
        if not isinstance(found, work.answers):
            raise TypeError(f"a worker answered with {type(found).__name__}")
        if work.sitting is not None:
            self._last[work.sitting] = worker.address
        return found


async def _result_of(future: Any) -> Any:
    """Return the result of the search, or raise its error; raises Lost if Dask has lost it."""
    from distributed.client import FutureCancelledError
    from distributed.comm import CommClosedError
    from distributed.scheduler import KilledWorker

    try:
        return await future
    except (FutureCancelledError, CommClosedError, KilledWorker) as error:
        raise Lost(str(error)) from None


async def _closed(client: Any) -> None:
    """Where the scheduler is gone, goodbyes lead nowhere."""
    with suppress(Exception):
        await asyncio.wait_for(client.close(), CONNECT_SECONDS)


def _quieten() -> None:
    """Keep Dask from writing to stderr; this module logs about the cluster itself."""
    for name in ("distributed", "distributed.client", "distributed.gc", "tornado", "tornado.application"):
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True
        logger.setLevel(logging.CRITICAL)
