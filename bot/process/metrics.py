"""Metrics for Prometheus: response times, agents, queues, the database and errors.

Needs the package prometheus-client (the extra `metrics`), and is imported only if metrics are wanted.
"""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import aiohttp
import discord
import sqlalchemy as sa
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from bot.search.pool import SearchPool
from bot.store.moves import IS_MOVE

_CALLBACK = re.compile(r"/interactions/(\d+)/[^/]+/callback$")
_EDIT = re.compile(r"/messages/(\d+|@original)$")
_SHORT = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
_ANSWER = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0)
_THINKING = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)


class Metrics:
    """The metrics of one process. trace: observes each request to Discord; pass it to the client."""

    content_type = "text/plain; version=0.0.4; charset=utf-8"

    def __init__(self) -> None:
        here = self._registry = CollectorRegistry()
        self._acknowledged = Histogram(
            "discade_acknowledge_seconds", "From a press or command to the bot's first answer",
            buckets=_ANSWER, registry=here,
        )  # fmt: skip
        self._requests = Counter(
            "discade_requests", "Requests to Discord by status", ["method", "status"], registry=here
        )
        self._editing = Gauge("discade_edits_waiting", "Edits that Discord has not answered", registry=here)
        self._thought = Histogram(
            "discade_agent_seconds",
            "How long agents thought",
            ["agent"],
            buckets=_THINKING,
            registry=here,
        )
        self._queue = Gauge("discade_search_queue", "Searches that wait for a thread", registry=here)
        self._searching = Gauge("discade_searches_running", "Searches that think", registry=here)
        self._elsewhere = Gauge(
            "discade_search_threads_elsewhere", "Searches that other machines take on at once", registry=here
        )
        self._tasks = Gauge("discade_tasks", "Tasks of the event loop", registry=here)
        self._tasks.set_function(lambda: len(asyncio.all_tasks()))
        self._remembered = Gauge(
            "discade_remembered", "Entries kept in memory, each kind bounded", ["kind"], registry=here
        )
        self._moves = Counter("discade_moves", "Moves stored", registry=here)
        self._database = Histogram(
            "discade_database_seconds", "Time of one statement", ["kind"], buckets=_SHORT, registry=here
        )
        self._logged = Counter("discade_errors", "Errors in the log", ["logger"], registry=here)
        self._handler = _Counting(self._logged)
        self.trace = aiohttp.TraceConfig()
        self.trace.on_request_start.append(self._request_begins)
        self.trace.on_request_end.append(self._request_ends)
        self.trace.on_request_exception.append(self._request_fails)

    def watch(self, search: SearchPool) -> None:
        """Start to observe this pool, the database and the log."""
        search.watch = lambda kind, seconds: self._thought.labels(kind or "other").observe(seconds)
        self._queue.set_function(lambda: search.waiting)
        self._searching.set_function(lambda: search.running)
        self._elsewhere.set_function(lambda: search.threads_elsewhere)
        sa.event.listen(sa.Engine, "before_cursor_execute", self._statement_begins)
        sa.event.listen(sa.Engine, "after_cursor_execute", self._statement_ends)
        logging.getLogger().addHandler(self._handler)

    def close(self) -> None:
        sa.event.remove(sa.Engine, "before_cursor_execute", self._statement_begins)
        sa.event.remove(sa.Engine, "after_cursor_execute", self._statement_ends)
        logging.getLogger().removeHandler(self._handler)

    def page(self, remembered: Mapping[str, int]) -> bytes:
        """Return all metrics in Prometheus' format. remembered: entries in memory by kind."""
        for kind, count in remembered.items():
            self._remembered.labels(kind).set(count)
        return generate_latest(self._registry)

    async def _request_begins(
        self,
        _session: aiohttp.ClientSession,
        context: SimpleNamespace,
        started: aiohttp.TraceRequestStartParams,
    ) -> None:
        context.is_edit = started.method == "PATCH" and _EDIT.search(started.url.path) is not None
        if context.is_edit:
            self._editing.inc()

    async def _request_ends(
        self, _session: aiohttp.ClientSession, context: SimpleNamespace, ended: aiohttp.TraceRequestEndParams
    ) -> None:
        if getattr(context, "is_edit", False):
            self._editing.dec()
        self._requests.labels(ended.method, str(ended.response.status)).inc()
        if found := _CALLBACK.search(ended.url.path):
            pressed = discord.utils.snowflake_time(int(found[1]))
            self._acknowledged.observe(max(0.0, time.time() - pressed.timestamp()))

    async def _request_fails(
        self,
        _session: aiohttp.ClientSession,
        context: SimpleNamespace,
        failed: aiohttp.TraceRequestExceptionParams,
    ) -> None:
        if getattr(context, "is_edit", False):
            self._editing.dec()
        self._requests.labels(failed.method, type(failed.exception).__name__).inc()

    def _statement_begins(self, connection: sa.Connection, *_rest: Any) -> None:
        connection.info["began"] = time.perf_counter()

    def _statement_ends(
        self,
        connection: sa.Connection,
        _cursor: Any,
        statement: str,
        parameters: Any,
        context: Any,
        many: bool,
    ) -> None:
        seconds = time.perf_counter() - connection.info.pop("began", time.perf_counter())
        kind = statement.split(None, 1)[0].lower()
        self._database.labels(kind if kind in ("select", "insert", "update", "delete") else "other").observe(
            seconds
        )
        if context is not None and context.execution_options.get(IS_MOVE):
            self._moves.inc(len(parameters) if many else 1)


class _Counting(logging.Handler):
    """Counts the errors of the log by logger."""

    def __init__(self, counter: Counter) -> None:
        super().__init__(logging.ERROR)
        self._counter = counter

    def emit(self, record: logging.LogRecord) -> None:
        self._counter.labels(record.name).inc()
