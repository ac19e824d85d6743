"""The commands as Discord makes them clickable, asked for once in a while and not by everybody at once."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import aiohttp
import discord
from discord import app_commands

log = logging.getLogger(__name__)

FRESH_SECONDS = 300.0
"""For so long Discord is not asked again; a sync may change the ids."""


class CommandLinks:
    """One for each process; lives on the event loop."""

    def __init__(self, tree: app_commands.CommandTree[Any]) -> None:
        self._tree = tree
        self._asking = asyncio.Lock()
        self._known: Mapping[str, str] = MappingProxyType({})
        self._fresh_until = float("-inf")

    async def all(self) -> Mapping[str, str]:
        """Name -> link, subcommands under both names; as far as Discord tells."""
        loop = asyncio.get_running_loop()
        async with self._asking:
            if loop.time() > self._fresh_until:
                try:
                    self._known = _links(await self._tree.fetch_commands())
                    self._fresh_until = loop.time() + FRESH_SECONDS
                except (discord.HTTPException, discord.RateLimited, aiohttp.ClientError, OSError) as error:
                    log.info("Discord does not tell its commands: %s", error)
        return self._known


def _links(commands: list[app_commands.AppCommand]) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for command in commands:
        found[command.name] = command.mention
        for option in command.options:
            if isinstance(option, app_commands.AppCommandGroup):
                found[option.qualified_name] = option.mention
    return MappingProxyType(found)
