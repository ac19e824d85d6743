"""SettingsCache: the preferences of people and servers, in memory because every answer needs them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date, timedelta
from types import MappingProxyType
from typing import TypeVar

from bot.domain.panel_choices import Mode
from bot.domain.preferences import Preferences, ServerSettings
from bot.store.preferences import PreferenceStore

T = TypeVar("T")

_NO_WISHES = Preferences()
_NO_DECISIONS = ServerSettings()


class SettingsCache:
    """Read whole at the start of the process; stored first, then remembered.

    What another process stores is read again when that announces it.
    """

    def __init__(
        self, store: PreferenceStore, people: dict[int, Preferences], servers: dict[int, ServerSettings]
    ) -> None:
        self._store = store
        self._people = people
        self._servers = servers
        self._changing = asyncio.Lock()

    @classmethod
    async def load(cls, store: PreferenceStore) -> SettingsCache:
        return cls(store, await store.all_preferences(), await store.all_settings())

    async def read_again(self, table: str, number: int) -> None:
        """One row that was announced."""
        if table == "preferences":
            _put(self._people, number, await self._store.preferences_of(number))
        else:
            _put(self._servers, number, await self._store.settings_of(number))

    async def read_all_again(self) -> None:
        """Everything, after announcements may have been missed."""
        self._people = await self._store.all_preferences()
        self._servers = await self._store.all_settings()

    def person(self, user_id: int | None) -> Preferences:
        """Return the person's preferences; the defaults for an agent or a person who chose nothing."""
        return self._people.get(user_id, _NO_WISHES) if user_id is not None else _NO_WISHES

    def server(self, guild_id: int | None) -> ServerSettings:
        """Return the server's settings; the defaults in direct messages."""
        return self._servers.get(guild_id, _NO_DECISIONS) if guild_id is not None else _NO_DECISIONS

    def servers(self) -> Mapping[int, ServerSettings]:
        """Every server that has decided something, by its id."""
        return MappingProxyType(self._servers)

    async def prefer(self, user_id: int, chosen: Preferences) -> None:
        await self._store.save_preferences(user_id, chosen)
        self._people[user_id] = chosen

    def is_to_ask(self, user_id: int) -> bool:
        """Return whether to ask the person, after a match, if the next one is to be rated.

        They are asked once, unless they chose another mode than casual.
        """
        known = self.person(user_id)
        return not known.was_asked and known.mode in (None, Mode.CASUAL)

    async def may_ask_to_rate(self, user_id: int) -> bool:
        """Return `is_to_ask`, and store that the person was asked: of two callers one gets True."""
        async with self._changing:
            if not self.is_to_ask(user_id):
                return False
            await self.prefer(user_id, replace(self.person(user_id), was_asked=True))
            return True

    def is_to_remind(self, user_id: int, today: date) -> bool:
        """Return whether the person may be reminded of their mistakes today."""
        quiet_until = self.person(user_id).quiet_until
        return quiet_until is None or quiet_until <= today

    async def may_remind(self, user_id: int, today: date) -> bool:
        """Return `is_to_remind`, and store that the person was reminded: of two callers one gets True."""
        async with self._changing:
            if not self.is_to_remind(user_id, today):
                return False
            await self.be_quiet(user_id, today + timedelta(days=1))
            return True

    async def be_quiet(self, user_id: int, until: date | None) -> None:
        """Remind the person of their mistakes from that day on; None: from now on, `date.max`: never."""
        await self.prefer(user_id, replace(self.person(user_id), quiet_until=until))

    async def rate_next(self, user_id: int) -> None:
        """Rate the person's matches from now on, unless they choose otherwise."""
        await self.prefer(user_id, self.person(user_id).with_mode(Mode.RATED))

    async def save(self, guild_id: int, chosen: ServerSettings) -> None:
        await self._store.save_settings(guild_id, chosen)
        self._servers[guild_id] = chosen

    async def change(
        self, guild_id: int, update: Callable[[ServerSettings], ServerSettings]
    ) -> ServerSettings:
        """Store updated settings of a server and return them; updates are made one after another."""
        async with self._changing:
            before = self.server(guild_id)
            after = update(before)
            if after != before:
                await self.save(guild_id, after)
        return after

    def forget(self, user_id: int) -> None:
        """The person's row is gone from the database."""
        self._people.pop(user_id, None)


def _put(known: dict[int, T], number: int, chosen: T | None) -> None:
    if chosen is None:
        known.pop(number, None)
    else:
        known[number] = chosen
