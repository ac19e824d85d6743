"""The desk: commands are acknowledged at once and worked on a few at a time, however many come together.

Discord gives up what is not acknowledged within three seconds. While there is room a command is simply
answered; in a crowd, and where an answer takes long, it is promised first, and what was promised is given
later (`bot.ui.context.respond`).
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import discord

from bot.ui.client import Interaction
from bot.ui.context import ALREADY_ACKNOWLEDGED, has_given_up, promise
from bot.ui.discord_errors import DISCORD_ERRORS

log = logging.getLogger(__name__)

AT_ONCE = 8
"""Commands that are worked on at once."""

PROMISES_AT_ONCE = 32
"""Acknowledgements that are under way at once: each takes a connection to Discord."""

PATIENCE_SECONDS = 0.8
"""After so long a command that is being worked on is acknowledged."""

_KIND = "answered"

IN_PUBLIC: dict[Any, Any] = {_KIND: "in public"}
"""`extras` of a command whose answer everybody sees; without them only the person does."""

IN_PUBLIC_WITH_OPTIONS: dict[Any, Any] = {_KIND: "in public, with options"}
"""As IN_PUBLIC; used without any option it opens something that only the person sees."""

BY_FORM: dict[Any, Any] = {_KIND: "by form"}
"""`extras` of a command that opens a form, which cannot be promised and needs nothing but memory."""

UNKNOWN_INTERACTION = 10062
"""Discord's code for an answer that came after three seconds, or to a token of another process."""


class Desk:
    """One for each process; lives on the event loop."""

    def __init__(self) -> None:
        self._places = asyncio.Semaphore(AT_ONCE)
        self._requests = asyncio.Semaphore(PROMISES_AT_ONCE)
        self._unpromised = 0
        self._all_promised = asyncio.Event()
        self._all_promised.set()
        self._late: set[asyncio.Task[bool]] = set()

    async def admit(self, interaction: Interaction) -> bool:
        """Whether the command may go on, when it is its turn; False where nobody waits for it any more.

        To be asked in the task that then runs the command: its place is free again with the task's end.
        """
        kind = {} if interaction.command is None else interaction.command.extras
        if interaction.type is not discord.InteractionType.application_command or kind == BY_FORM:
            return True
        data: Any = interaction.data or {}
        is_bare = not data.get("options")
        is_private = kind == {} or (kind == IN_PUBLIC_WITH_OPTIONS and is_bare)
        if self._places.locked() or self._unpromised:
            if not await self._promised(interaction, is_private):
                return False
            # Nobody is worked for while somebody is not acknowledged.
            while self._unpromised:
                await self._all_promised.wait()
        await self._places.acquire()
        late = asyncio.get_running_loop().call_later(
            PATIENCE_SECONDS, self._promise_late, interaction, is_private
        )
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("a command that no task runs")

        def leave(_: object) -> None:
            late.cancel()
            self._places.release()

        task.add_done_callback(leave)
        return True

    async def _promised(self, interaction: Interaction, is_private: bool) -> bool:
        """Acknowledges it; whether there is still somebody to work for."""
        self._unpromised += 1
        self._all_promised.clear()
        try:
            async with self._requests:
                return not has_given_up(interaction) and await self._try(interaction, is_private)
        finally:
            self._unpromised -= 1
            if not self._unpromised:
                self._all_promised.set()

    def _promise_late(self, interaction: Interaction, is_private: bool) -> None:
        if not interaction.response.is_done():
            task = asyncio.create_task(self._try(interaction, is_private))
            self._late.add(task)
            task.add_done_callback(self._late.discard)

    async def _try(self, interaction: Interaction, is_private: bool) -> bool:
        try:
            await promise(interaction, is_private=is_private)
        except DISCORD_ERRORS as error:
            code = getattr(error, "code", None)
            if code == UNKNOWN_INTERACTION:
                log.info("%s came too late to be answered", interaction.id)
                return False
            if code == ALREADY_ACKNOWLEDGED:
                interaction.client.ui.twins.note()
            else:
                # It may still be answered by the answer itself.
                log.info("%s could not be promised an answer: %r", interaction.id, error)
        return True
