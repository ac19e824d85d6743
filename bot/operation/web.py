"""Runs the web front end alone: every level in a browser, without a token and without Discord."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from bot.config import SECOND_DEMO, Settings
from bot.parts import Parts, Services
from bot.process.interrupts import Interrupts
from bot.process.open_files import raise_open_files
from bot.process.warmup import say_in_terminal, stop_warming, warm_up
from bot.scheduler import Job, Jobs
from bot.store.lock import held
from bot.web.activity import Application
from bot.web.door import Door, most_connections
from bot.web.front import front_without_discord
from bot.web.security import Site
from bot.web.server import LOOPBACK, USUAL_PORT, WebServer, served


@asynccontextmanager
async def pages_beside_discord(
    settings: Settings,
    services: Services,
    application_id: int | None = None,
    api: str = "",
    invite: str | None = None,
) -> AsyncIterator[None]:
    """Serve the pages of matches inside the block, if the host wants that; raises Unusable for a taken port.

    application_id: of the bot at Discord. api: the address of Discord's interface. invite: to add the
    bot to a server.
    """
    if settings.web_url is None:
        yield
        return
    application = None
    if settings.client_secret and settings.token and application_id is not None:
        application = Application(application_id, settings.client_secret, settings.token, api)
        services.web.has_activity = True
    site = Site(frozenset({settings.web_url}), None if application is None else application.origin)
    door = Door(most_connections(raise_open_files()))
    server = WebServer(
        services,
        site,
        door=door,
        application=application,
        invite=invite,
        has_guests=settings.web_guests,
        guest_matches=settings.web_guest_matches,
        contact=settings.contact,
    )
    async with served(server, settings.web_listen or (LOOPBACK, USUAL_PORT)):
        yield


def say_what_is_local(settings: Settings) -> None:
    """Say in the terminal that settings of a public address change nothing here, if there are any."""
    if settings.web_url is not None or settings.web_guests:
        print(  # noqa: T201
            "DISCADE_WEB_URL and DISCADE_WEB_GUESTS change nothing here: this page is for people on this "
            "machine. The bot itself serves the public one."
        )


async def run_web(settings: Settings, interrupts: Interrupts) -> int:
    """Serve until it is interrupted; return the exit code. Raises Unusable."""
    settings = settings.for_demo()
    with held(settings.database_url, SECOND_DEMO):
        async with AsyncExitStack() as closing:
            parts = Parts(settings)
            await parts.open(closing)
            services = parts.services(front_without_discord(), closing)
            warming = asyncio.create_task(warm_up(parts.search, say_in_terminal))
            closing.push_async_callback(stop_warming, warming)
            jobs = Jobs(
                Job("clocks", services.clocks.run_once, 2.0), Job("heartbeat", services.clocks.beat, 10.0)
            )
            closing.callback(jobs.stop)
            await services.clocks.resume()
            jobs.start()
            door = Door(most_connections(raise_open_files()))
            server = WebServer(services, Site(), door=door, is_local=True)
            async with served(server, settings.web_listen) as address:
                say_what_is_local(settings)
                print("Open this address in a browser on this machine; Ctrl-C ends it.")  # noqa: T201
                print(address, flush=True)  # noqa: T201
                await interrupts.came_before(asyncio.create_task(asyncio.Event().wait()))
    return 0
