"""Jobs around the database: deletions that the host asks for, damaged matches, daily backups."""

from __future__ import annotations

import asyncio
import logging

from bot.domain.person import Person
from bot.parts import Parts
from bot.services.ports import Delivered
from bot.store.backup import DailyBackups
from bot.store.forgetting import to_forget
from bot.store.versions import Unusable, file_of
from bot.ui.client import Client
from bot.ui.match.damaged import tell_players

log = logging.getLogger(__name__)


class ForgetRequests:
    """Deletes the people whom `python -m bot forget` names while the bot runs, as if they had asked."""

    def __init__(self, client: Client, parts: Parts) -> None:
        self._client = client
        self._parts = parts

    async def run_once(self) -> None:
        file, services = file_of(self._parts.settings.database_url), self._client.services
        for user_id, request in (to_forget(file) if file is not None else {}).items():
            name = await self._parts.stores.players.name_of(user_id)
            await services.privacy.delete(Person(user_id, name or str(user_id)))
            request.unlink(missing_ok=True)
            log.info("a person's data is deleted, as the host asked")


class DamageNotices:
    """Tells the players of damaged matches, once in each process."""

    def __init__(self, client: Client, parts: Parts) -> None:
        self._client = client
        self._parts = parts
        self._told: set[int] = set()

    async def run_once(self) -> None:
        for damaged in await self._parts.stores.matches.damaged():
            if damaged.match_id not in self._told:
                told = await tell_players(self._client.messages, self._parts.texts, damaged)
                if told is not Delivered.DISCORD_DOWN:
                    self._told.add(damaged.match_id)


class DailyBackup:
    """Makes the day's backup of an SQLite file, unless it exists."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    async def run_once(self) -> None:
        settings = self._parts.settings
        file = file_of(settings.database_url)
        if file is None:
            return
        try:
            made = await asyncio.to_thread(DailyBackups(file, settings.backups).make_due, self._parts.clock())
        except Unusable as problem:
            log.error("there is no backup of today: %s", problem)
        else:
            if made is not None:
                log.info("today's backup is %s", made)
