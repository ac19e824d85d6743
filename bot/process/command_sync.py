"""Registers the commands with Discord when they have changed, and keeps those that Discord made."""

from __future__ import annotations

import hashlib
import json
import logging
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


class CommandSync:
    """Registers the commands of one client.

    facts: remembers the digest of those registered last.
    """

    def __init__(
        self,
        client: discord.Client,
        tree: app_commands.CommandTree[Any],
        facts: FactStore,
    ) -> None:
        self._client = client
        self._tree = tree
        self._facts = facts
        self._is_done = False

    async def run_once(self) -> None:
        """Register the commands like `sync`, until that has succeeded or Discord has refused them.

        Discord's errors are logged. After a transient one the next call tries again.
        """
        if self._is_done:
            return
        try:
            await self.sync()
        except (discord.DiscordException, aiohttp.ClientError, OSError) as error:
            if is_transient(error):
                log.warning("the commands could not be registered yet: %s", _line(error))
                return
            log.error("Discord refused the commands, so people have those of before: %s", _line(error))
        self._is_done = True

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


def _line(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())
