"""Registers the commands with Discord when they have changed, and keeps those that Discord made."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
from collections.abc import Callable, Iterator
from typing import Any

import aiohttp
import discord
from discord import app_commands

from bot.store.facts import FactStore
from bot.ui.discord_errors import is_transient

log = logging.getLogger(__name__)

_SYNCED = "commands_synced"

_ENTRY_POINT = 4
"""The type of the command that starts an application's Activity. Discord makes it, and refuses to lose it."""

_KEPT = (
    "id", "type", "name", "name_localizations", "description", "description_localizations", "handler",
    "default_member_permissions", "integration_types", "contexts", "nsfw",
)  # fmt: skip
"""The fields of such a command that must be sent again."""


def waits(first_seconds: float = 5.0, most_seconds: float = 60.0) -> Iterator[float]:
    """Yield growing pauses between tries, in seconds, without end."""
    seconds = first_seconds
    while True:
        yield seconds
        seconds = min(2 * seconds, most_seconds)


class CommandSync:
    """Registers the commands of one client.

    facts: remembers the digest of those registered last. patience: yields the pauses between tries.
    """

    def __init__(
        self,
        client: discord.Client,
        tree: app_commands.CommandTree[Any],
        facts: FactStore,
        *,
        patience: Callable[[], Iterator[float]] = waits,
    ) -> None:
        self._client = client
        self._tree = tree
        self._facts = facts
        self._patience = patience
        self._again: asyncio.Task[None] | None = None

    async def at_start(self) -> None:
        """Register the commands like `sync`, but without raising Discord's errors.

        Transient errors are retried in the background; a refusal is logged.
        """
        if not await self._try():
            self._again = asyncio.create_task(self._try_again(), name="registering commands")

    async def sync(self, *, force: bool = False) -> bool:
        """Register the commands if they have changed; return whether they had. Raises discord.py's errors.

        Not at every start: a day has 200 command creations (Discord, "Application Commands", Rate Limits).
        """
        translator = self._tree.translator
        if translator is None:
            raise RuntimeError("the commands have no translator yet")
        own = [
            await command.get_translated_payload(self._tree, translator)
            for command in self._tree.get_commands()
        ]
        application = self._client.application_id
        if application is None:
            raise RuntimeError("the client has not logged in yet")
        text = f"{application} {json.dumps(own, sort_keys=True)}"
        digest = hashlib.sha256(text.encode()).hexdigest()
        # Raw payloads, since discord.py does not know entry points and would lose their handler.
        registered: list[dict[str, Any]] = list(await self._client.http.get_global_commands(application))  # type: ignore[arg-type]
        kept = [
            {key: command[key] for key in _KEPT if command.get(key) is not None}
            for command in registered
            if command.get("type") == _ENTRY_POINT
        ]
        # The demo's Discord forgets the commands between starts, and the database does not.
        is_known = await self._facts.value(_SYNCED) == digest and len(registered) > len(kept)
        if is_known and not force:
            return False
        payload: Any = [*own, *kept]
        await self._client.http.bulk_upsert_global_commands(application, payload=payload)
        await self._facts.remember(_SYNCED, digest)
        return True

    async def close(self) -> None:
        """End the retries in the background."""
        if self._again is not None:
            self._again.cancel()
            await asyncio.gather(self._again, return_exceptions=True)

    async def _try(self) -> bool:
        """Return whether no retry is needed."""
        try:
            await self.sync()
        except (discord.DiscordException, aiohttp.ClientError, OSError) as error:
            if is_transient(error):
                log.warning("the commands could not be registered yet: %s", _line(error))
                return False
            log.error("Discord refused the commands, so people have those of before: %s", _line(error))
        return True

    async def _try_again(self) -> None:
        for seconds in self._patience():
            await asyncio.sleep(seconds)
            if await self._try():
                log.info("the commands are registered")
                return


def _line(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())
