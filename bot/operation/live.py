"""Runs the bot on Discord, from its login to its orderly end."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import aiohttp
import discord

from bot.app import Discade
from bot.config import Settings
from bot.domain.backoff import growing_pauses
from bot.operation.health import figures_if_possible, served
from bot.operation.web import pages_beside_discord
from bot.process.interrupts import Interrupts
from bot.process.warmup import stop_warming, warm_up
from bot.store.database import Database
from bot.store.database_errors import Locked, usable
from bot.store.lock import held
from bot.ui.discord_errors import is_transient
from bot.ui.discord_internals import use_brief_answers

if TYPE_CHECKING:
    from bot.process.metrics import Metrics

EXIT_OK = 0
EXIT_UNREACHABLE = 1
EXIT_SETTINGS = 2

PERMISSIONS = discord.Permissions(
    view_channel=True,
    send_messages=True,
    send_messages_in_threads=True,
    attach_files=True,
    read_message_history=True,
)
"""The permissions that the bot needs in a channel (docs/hosting.md)."""

DRAIN_SECONDS = 8.0
"""Time for agents' last moves after the first signal. Container engines kill a process after ten seconds."""

PRESS_SECONDS = 1.0
"""Time for the answers to the last presses after that."""

LOCKED_FOR_SECONDS = 60.0
"""How long a start waits for another program that locks the database."""

_LOCKED_PAUSE_SECONDS = 2.0

_INVALID_TOKEN, _INTENTS = 4004, 4014
"""Close codes (Discord, "Gateway close event codes") after which a retry is useless."""

_REFUSED = (
    "DISCORD_TOKEN was refused by Discord: copy it again from the page “Bot” of your application, "
    "or reset it there."
)

_UNREACHABLE = "Discord cannot be reached from here. Is the network up?"

log = logging.getLogger(__name__)

# Discade uses no voice, so missing libraries for it need no warning at every start.
discord.VoiceClient.warn_nacl = False
discord.VoiceClient.warn_dave = False


async def go_online(
    settings: Settings,
    token: str,
    interrupts: Interrupts,
    *,
    only_sync: bool = False,
    pauses: Callable[[], Iterator[float]] = growing_pauses,
) -> int:
    """Run until interrupted; return the exit code. only_sync: register the commands and return.

    pauses: yields those between tries while Discord fails. Raises Unusable for the database.
    """
    with held(settings.database_url):
        until = time.monotonic() + LOCKED_FOR_SECONDS
        metrics = figures_if_possible() if settings.health_port is not None else None
        for seconds in pauses():
            try:
                with usable(settings.database_url):
                    return await _once_online(settings, token, interrupts, metrics, only_sync=only_sync)
            except Locked as error:
                if time.monotonic() > until:
                    raise
                log.warning("%s It is tried again.", error)
                await asyncio.sleep(_LOCKED_PAUSE_SECONDS)
            except discord.LoginFailure:
                return _fail(_REFUSED, EXIT_SETTINGS)
            except discord.ConnectionClosed as closed:
                return _closed(closed.code)
            except discord.PrivilegedIntentsRequired:
                return _closed(_INTENTS)
            except (discord.HTTPException, discord.RateLimited) as error:
                # `sync` is typed by somebody who sees the error and can repeat it.
                if only_sync or not is_transient(error):
                    return _fail(f"Discord refused: {error}", EXIT_UNREACHABLE)
                log.warning("Discord has troubles of its own (%s); trying again in %.0f s", error, seconds)
                await asyncio.sleep(seconds)
    raise AssertionError("tries never run out")


async def _once_online(
    settings: Settings, token: str, interrupts: Interrupts, metrics: Metrics | None, *, only_sync: bool
) -> int:
    # A bot without a usable database does not log in.
    await (await Database.open(settings.database_url)).close()
    use_brief_answers()
    async with (
        Discade(settings, trace=None if metrics is None else metrics.trace) as bot,
        served(bot, settings.health_port, metrics, settings.health_host),
    ):
        try:
            await bot.login(token)
        except (aiohttp.ClientConnectionError, OSError):
            return _fail(_UNREACHABLE, EXIT_UNREACHABLE)
        if only_sync:
            return await _sync(bot)
        async with pages_beside_discord(
            settings, bot.services, bot.application_id, discord.http.Route.BASE, _invitation(bot)
        ):
            return await _serve(bot, interrupts)


async def _sync(bot: Discade) -> int:
    await bot.commands_at_discord.sync(force=True)
    print("The commands are registered with Discord.")  # noqa: T201
    return EXIT_OK


async def _serve(bot: Discade, interrupts: Interrupts) -> int:
    """Run until a signal, then end in an order that loses nothing.

    Returns the exit code; raises ConnectionClosed where Discord refuses the connection for good, and InUse
    where another process took this one's servers while it was cut off from the database.
    """
    _print_invitation(bot)
    warming = asyncio.create_task(warm_up(bot.parts.search))
    connected = asyncio.create_task(_connected(bot))
    try:
        if not await interrupts.came_before(connected):
            connected.result()
            return EXIT_OK
        log.info("ending: agents finish what they are thinking about; a second signal quits at once")
        await stop_warming(warming)
        await bot.drain(DRAIN_SECONDS)
        # No more events arrive from here on; presses that have arrived are answered before the end.
        connected.cancel()
        await asyncio.wait((connected,))
        await bot.finish_presses(PRESS_SECONDS)
        return EXIT_OK
    finally:
        connected.cancel()
        await asyncio.gather(connected, return_exceptions=True)
        await stop_warming(warming)


async def _connected(bot: Discade) -> None:
    """Stay connected to Discord until it ends the connection, or until another process has the lease."""
    connecting = asyncio.create_task(bot.connect())
    try:
        await asyncio.wait((connecting, bot.leases.taken), return_when=asyncio.FIRST_COMPLETED)
        if not connecting.done():
            raise bot.leases.taken.result()
        connecting.result()
    finally:
        connecting.cancel()
        await asyncio.gather(connecting, return_exceptions=True)


def _invitation(bot: Discade) -> str | None:
    """Return the link that adds the bot to a server."""
    if bot.application_id is None:
        return None
    return discord.utils.oauth_url(
        bot.application_id, permissions=PERMISSIONS, scopes=("bot", "applications.commands")
    )


def _print_invitation(bot: Discade) -> None:
    """Print the link that adds the bot to a server, the first need of a new host."""
    link = _invitation(bot)
    if link is not None:
        # A full disk that takes no output must not keep the bot from running.
        with contextlib.suppress(OSError):
            print(f"Invite the bot to a server: {link}", flush=True)  # noqa: T201


def _closed(code: int | None) -> int:
    """Print why Discord has closed the connection for good; return the exit code."""
    if code == _INVALID_TOKEN:
        return _fail(_REFUSED, EXIT_SETTINGS)
    if code == _INTENTS:
        return _fail(
            "Discord refuses the intents that the bot asks for: look at the page “Bot” of your application.",
            EXIT_SETTINGS,
        )
    return _fail(f"Discord has closed the connection for good (code {code}).", EXIT_UNREACHABLE)


def _fail(message: str, code: int) -> int:
    print(message, file=sys.stderr)  # noqa: T201
    return code
