"""Clickable links of the commands, fetched from Discord and cached."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from discord import app_commands

from bot.ui.discord_errors import DISCORD_ERRORS

log = logging.getLogger(__name__)

CACHE_SECONDS = 300.0
"""Registering commands may change their ids, so links are fetched again after this."""


class CommandLinks:
    """The links of one client. Lives on the event loop."""

    def __init__(self, tree: app_commands.CommandTree[Any]) -> None:
        self._tree = tree
        self._asking = asyncio.Lock()
        self._known: Mapping[str, str] = MappingProxyType({})
        self._fresh_until = float("-inf")

    async def all(self) -> Mapping[str, str]:
        """Return the links by name, subcommands by both names; the last known ones where Discord fails."""
        loop = asyncio.get_running_loop()
        async with self._asking:
            if loop.time() > self._fresh_until:
                try:
                    self._known = _links(await self._tree.fetch_commands())
                    self._fresh_until = loop.time() + CACHE_SECONDS
                except DISCORD_ERRORS as error:
                    log.info("links of commands not fetched: %s", error)
        return self._known


def _links(commands: list[app_commands.AppCommand]) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for command in commands:
        found[command.name] = command.mention
        for option in command.options:
            if isinstance(option, app_commands.AppCommandGroup):
                found[option.qualified_name] = option.mention
    return MappingProxyType(found)
