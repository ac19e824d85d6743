"""Runs the demo: the same bot in a simulated Discord, shown in a browser."""

from __future__ import annotations

import asyncio
import logging
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from bot.app import Discade, drawings
from bot.config import SECOND_DEMO, Settings, pip_install
from bot.domain.look import CLASSIC
from bot.operation.live import DRAIN_SECONDS
from bot.operation.web import say_what_is_local
from bot.process.emoji_sync import names_for
from bot.process.interrupts import Interrupts
from bot.process.warmup import say_in_terminal, stop_warming, warm_up
from bot.store.lock import held
from bot.ui.panel.help_views import welcome_view
from bot.web.security import Site
from bot.web.server import WebServer, served

if TYPE_CHECKING:
    from bot.demo.simulated import SimulatedDiscord

LOCALE = "en-US"
"""The only locale of the simulated Discord."""


async def run_demo(settings: Settings, interrupts: Interrupts, *, is_inspected: bool = False) -> int:
    """Serve the demo until it is interrupted or ended on its page; return the exit code.

    is_inspected: show simcord's controls for testing bots.
    """
    # On import discord.py warns about missing voice libraries and about the intents of a client that simcord
    # creates. Users of the demo can do nothing about either.
    logging.getLogger("discord").setLevel(logging.ERROR)
    try:
        from bot.demo.simulated import PortTaken
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != "simcord":
            raise
        print(  # noqa: T201
            "The demo needs packages that a bot with a token does without: `make run` in a checkout installs "
            f"them, and so does {pip_install('demo')}.",
            file=sys.stderr,
        )
        return 2

    settings = settings.for_demo()
    try:
        with held(settings.database_url, SECOND_DEMO):
            await _serve(settings, interrupts, is_inspected=is_inspected)
    except PortTaken:
        print(  # noqa: T201
            f"DISCADE_DEMO_PORT={settings.demo_port} is taken by another program: choose another port, "
            "or leave the variable out.",
            file=sys.stderr,
        )
        return 1
    return 0


async def _serve(settings: Settings, interrupts: Interrupts, *, is_inspected: bool) -> None:
    """Raises PortTaken."""
    from bot.demo.simulated import SimulatedDiscord

    bot = Discade(replace(settings, emoji=False))  # nothing to upload: all of them are there before the start
    wanted = drawings() if settings.emoji else []
    names = names_for(wanted, {})
    emoji = {name: one.draw for name, one in zip(names, wanted, strict=True)}
    simulated_discord = SimulatedDiscord(bot, port=settings.demo_port, is_inspected=is_inspected, emoji=emoji)
    async with (
        simulated_discord as simulated,
        served(WebServer(bot.services, Site(), is_local=True), settings.web_listen) as page,
    ):
        written = (simulated.written_emoji[name] for name in names)
        bot.own_emoji.known.change({one.key: markup for one, markup in zip(wanted, written, strict=True)})
        await _welcome(bot, simulated)
        say_what_is_local(settings)
        print("Open one of these addresses in a browser on this machine; Ctrl-C ends the demo.")  # noqa: T201
        print(f"{simulated.url}  the bot in a simulated Discord")  # noqa: T201
        print(f"{page}  the boards alone", flush=True)  # noqa: T201
        warming = asyncio.create_task(warm_up(bot.parts.search, say_in_terminal))
        running = asyncio.create_task(simulated.run())
        try:
            if not await interrupts.came_before(running):
                return running.result()
            await stop_warming(warming)
            await bot.drain(DRAIN_SECONDS)
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
            await stop_warming(warming)


async def _welcome(bot: Discade, simulated: SimulatedDiscord) -> None:
    """Send the channel's first message: it explains the two people and has buttons to start playing."""
    t = bot.services.texts.of(LOCALE)
    own, other = (person.user.global_name or person.name for person in simulated.people)
    note = t("demo_people", own=own, other=other)
    await bot.get_partial_messageable(simulated.channel.id).send(
        view=welcome_view(t, CLASSIC.written_in(bot.emoji), note=note)
    )
