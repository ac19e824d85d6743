"""Privacy: exports and deletes the data stored about a person."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime

from bot.domain.champion import ChampionRole
from bot.domain.errors import Refusal, Unavailable
from bot.domain.guest import GUEST_LIFETIME
from bot.domain.person import Person
from bot.services.match_services import MatchServices
from bot.services.settings import SettingsCache
from bot.services.tournaments import Tournaments
from bot.store.export import export_of
from bot.store.forgetting import note_forgotten
from bot.store.stores import Stores
from bot.store.versions import Unusable, file_of

log = logging.getLogger(__name__)

_WAIT_SECONDS, _MAX_WAITS = 0.5, 10
"""Between looks at a match whose clock has run out, and how many: longer than presses are on their way."""


class Privacy:
    """One for each process; lives on the event loop."""

    def __init__(
        self,
        stores: Stores,
        services: MatchServices,
        tournaments: Tournaments,
        settings_cache: SettingsCache,
        *,
        clock: Callable[[], datetime],
        take_roles: Callable[[int], Awaitable[Sequence[ChampionRole]]] | None = None,
    ) -> None:
        self._stores = stores
        self._services = services
        self._tournaments = tournaments
        self._settings_cache = settings_cache
        self._clock = clock
        self._take_roles = take_roles
        self._exporting = asyncio.Lock()

    async def export(self, person: Person) -> bytes:
        """Return everything stored about the person, as JSON in a ZIP archive; one is made at a time.

        Raises Unavailable.
        """
        async with self._exporting:
            url = self._stores.database.url
            if url is None:
                raise Unavailable("database_unavailable")
            return await asyncio.to_thread(export_of, url, person.user_id, self._clock())

    async def delete(self, person: Person) -> None:
        """Delete the person's data.

        Tournaments are left, running matches resigned and invitations withdrawn or declined first, as if
        the person had done it. After a crash in the middle, asking again does the rest. Raises Unavailable.
        """
        await self._leave_tournaments(person)
        await self._resign_all(person)
        await self._decline_all(person)
        kept = () if self._take_roles is None else await self._take_roles(person.user_id)
        file = file_of(self._stores.database.url or "sqlite://")
        if file is not None:
            try:
                await asyncio.to_thread(note_forgotten, file, person.user_id, self._clock())
            except Unusable as problem:
                log.error("a restored backup would bring a deleted person back: %s", problem)
        await self._stores.privacy.erase(person.user_id, kept_roles=kept)
        self._settings_cache.forget(person.user_id)
        self._services.imports.forget(person)

    async def forget_invitations(self) -> None:
        """Delete invitations half an hour after they were answered or have expired."""
        forgotten = await self._stores.privacy.forget_invitations(self._clock())
        if forgotten:
            log.info("%d old invitations were deleted", forgotten)

    async def forget_guests(self) -> None:
        """Delete what is a day old of people who played on the web without Discord."""
        before = self._clock() - GUEST_LIFETIME
        for match_id, user_id in await self._stores.privacy.guests_running(before):
            await self._resign(match_id, Person(user_id, str(user_id)))
        forgotten = await self._stores.privacy.forget_guests(before)
        if forgotten:
            log.info("%d matches and puzzles of guests were deleted", forgotten)

    async def _leave_tournaments(self, person: Person) -> None:
        for tournament in await self._stores.tournaments.active():
            entrant = tournament.entrant_of(person.user_id)
            if entrant is None or entrant.is_out:
                continue
            try:
                await self._tournaments.leave(tournament.id, person)
            except Refusal:  # it ended by itself meanwhile
                continue

    async def _resign_all(self, person: Person) -> None:
        for match in await self._stores.matches.running(person.user_id):
            await self._resign(match.id, person)

    async def _resign(self, match_id: int, person: Person) -> None:
        """Resign the match, or wait until the clock has ended it: deleted people are in no running match."""
        for _ in range(_MAX_WAITS):
            try:
                await self._services.playing.resign(match_id, person)
            except Refusal as refusal:
                if refusal.key != "time_is_nearly_up":  # it ended by itself meanwhile
                    return
                await asyncio.sleep(_WAIT_SECONDS)
            else:
                return
        raise Unavailable("busy")

    async def _decline_all(self, person: Person) -> None:
        for challenge in await self._stores.challenges.open_of(person.user_id):
            try:
                await self._services.challenges.decline(challenge.id, person)
            except Refusal:  # it was answered meanwhile
                continue
