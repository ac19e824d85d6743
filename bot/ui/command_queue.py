"""Runs a few commands at a time and acknowledges the others in time, however many come together.

Discord gives up commands that are not acknowledged within three seconds. Normally a command is simply
answered. In a crowd, and where an answer takes long, it is acknowledged first (`bot.ui.answers.promise`).
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import discord

from bot.ui.answers import has_expired, promise
from bot.ui.client import Interaction
from bot.ui.discord_errors import ALREADY_ACKNOWLEDGED, DISCORD_ERRORS, UNKNOWN_INTERACTION

log = logging.getLogger(__name__)

MAX_CONCURRENT_COMMANDS = 8

MAX_CONCURRENT_PROMISES = 32
"""Each takes a connection to Discord."""

PROMISE_AFTER_SECONDS = 0.8
"""A running command is acknowledged when it has not answered by then."""

_KIND = "answered"

IN_PUBLIC: dict[Any, Any] = {_KIND: "in public"}
"""`extras` of a command with a public answer; without them answers are private."""

IN_PUBLIC_WITH_OPTIONS: dict[Any, Any] = {_KIND: "in public, with options"}
"""As IN_PUBLIC, but the answer is private where the command is used without options."""

BY_FORM: dict[Any, Any] = {_KIND: "by form"}
"""`extras` of a command that opens a form, which cannot be promised and is quick."""


class CommandQueue:
    """The queue of one process. Lives on the event loop."""

    def __init__(self) -> None:
        self._places = asyncio.Semaphore(MAX_CONCURRENT_COMMANDS)
        self._requests = asyncio.Semaphore(MAX_CONCURRENT_PROMISES)
        self._unpromised = 0
        self._all_promised = asyncio.Event()
        self._all_promised.set()
        self._late: set[asyncio.Task[bool]] = set()

    async def admit(self, interaction: Interaction) -> bool:
        """Wait for the command's turn; return False where its person has been told that it failed.

        Call it in the task that runs the command: the end of that task frees the place.
        """
        kind = {} if interaction.command is None else interaction.command.extras
        if interaction.type is not discord.InteractionType.application_command or kind == BY_FORM:
            return True
        data: Any = interaction.data or {}
        is_bare = not data.get("options")
        is_private = kind == {} or (kind == IN_PUBLIC_WITH_OPTIONS and is_bare)
        if self._places.locked() or self._unpromised:
            if not await self._promise_first(interaction, is_private):
                return False
            # Acknowledgements have a deadline, so they go before work on any command.
            while self._unpromised:
                await self._all_promised.wait()
        await self._places.acquire()
        late = asyncio.get_running_loop().call_later(
            PROMISE_AFTER_SECONDS, self._promise_late, interaction, is_private
        )
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("a command outside any task")

        def leave(_: object) -> None:
            late.cancel()
            self._places.release()

        task.add_done_callback(leave)
        return True

    async def _promise_first(self, interaction: Interaction, is_private: bool) -> bool:
        """Acknowledge a command before it waits; return whether its person still waits, too."""
        self._unpromised += 1
        self._all_promised.clear()
        try:
            async with self._requests:
                return not has_expired(interaction) and await self._promise(interaction, is_private)
        finally:
            self._unpromised -= 1
            if not self._unpromised:
                self._all_promised.set()

    def _promise_late(self, interaction: Interaction, is_private: bool) -> None:
        if not interaction.response.is_done():
            task = asyncio.create_task(self._promise(interaction, is_private))
            self._late.add(task)
            task.add_done_callback(self._late.discard)

    async def _promise(self, interaction: Interaction, is_private: bool) -> bool:
        try:
            await promise(interaction, is_private=is_private)
        except DISCORD_ERRORS as error:
            code = getattr(error, "code", None)
            if code == UNKNOWN_INTERACTION:
                log.info("%s dropped: too late to be acknowledged", interaction.id)
                return False
            if code == ALREADY_ACKNOWLEDGED:
                interaction.client.ui.duplicates.record()
            else:
                # The answer itself may still get through.
                log.info("%s could not be acknowledged: %r", interaction.id, error)
        return True
