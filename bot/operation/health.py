"""The pages `/healthz` and `/metrics` for monitoring, usually served to this machine alone."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aiohttp import web

from bot.app import Discade
from bot.config import LOOPBACK, pip_install
from bot.store.versions import Unusable

if TYPE_CHECKING:
    from bot.process.metrics import Metrics

LATE_SECONDS = 3.0
"""Limit for the delay of the event loop: Discord waits no longer for an answer."""

STUCK_SECONDS = 120.0
"""Limit for one search, beyond that of every agent."""

_WRITE_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Health:
    """The results of all checks, by name."""

    checks: Mapping[str, bool]

    @property
    def is_well(self) -> bool:
        return all(self.checks.values())


async def look_at(bot: Discade) -> Health:
    """Check every part; writes to the database."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    await asyncio.sleep(0)
    is_prompt = loop.time() - began < LATE_SECONDS
    return Health(
        {
            "loop": is_prompt,
            "database": await _can_write(bot),
            # discord.py calls itself ready also while it is disconnected.
            "gateway": bot.is_ready() and not any(shard.is_closed() for shard in bot.shards.values()),
            "searches": bot.parts.search.longest_seconds < STUCK_SECONDS,
        }
    )


async def _can_write(bot: Discade) -> bool:
    if not bot.is_started:
        return False
    try:
        await asyncio.wait_for(bot.services.clocks.beat(), _WRITE_SECONDS)
    except Exception:  # noqa: BLE001 - whatever it is, the database cannot be written
        return False
    return True


@contextlib.asynccontextmanager
async def served(
    bot: Discade, port: int | None, metrics: Metrics | None, host: str = LOOPBACK
) -> AsyncIterator[None]:
    """Serve both pages inside the block, if there is a port; raises Unusable if they cannot be served."""
    if port is None:
        yield
        return

    async def healthz(_request: web.Request) -> web.Response:
        health = await look_at(bot)
        return web.json_response(
            {"ok": health.is_well, **health.checks}, status=200 if health.is_well else 503
        )

    async def figures(_request: web.Request) -> web.Response:
        if metrics is None:
            return web.Response(status=501, text=f"{pip_install('metrics')} for figures\n")
        remembered = bot.remembered() if bot.is_ready() else {}
        return web.Response(body=metrics.page(remembered), headers={"Content-Type": metrics.content_type})

    if metrics is not None:
        metrics.watch(bot.parts.search)
    application = web.Application()
    application.add_routes([web.get("/healthz", healthz), web.get("/metrics", figures)])
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, host, port).start()
        except OSError as error:
            raise Unusable(
                f"DISCADE_HEALTH_PORT={port} cannot be served on {host}: {error.strerror}."
            ) from error
        yield
    finally:
        await runner.cleanup()
        if metrics is not None:
            metrics.close()


def figures_if_possible() -> Metrics | None:
    """Return the metrics, or None if prometheus-client is not installed."""
    try:
        from bot.process.metrics import Metrics
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != "prometheus_client":
            raise
        return None
    return Metrics()
