"""What a person may ask of what is stored about them: to have it, and to have it gone."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime

from bot.errors import Refusal
from bot.match import Match
from bot.service.care import Care
from bot.service.service import MatchService
from bot.service.setup import Person
from bot.store import PrivacyStore, Store


class Privacy:
    """One for each process; lives on the event loop."""

    def __init__(
        self, store: Store, service: MatchService, care: Care, *, clock: Callable[[], datetime]
    ) -> None:
        self._store = store
        self._rows = PrivacyStore(store.database)
        self._service = service
        self._care = care
        self._clock = clock

    async def export(self, person: Person) -> bytes:
        """Everything stored about the person, as a JSON file: rows by table, instants in UTC."""
        found = {
            "user_id": person.user_id,
            "exported_at": self._clock().isoformat(),
            "tables": await self._rows.everything_of(person.user_id),
        }
        return json.dumps(found, ensure_ascii=False, indent=1, sort_keys=True).encode()

    async def delete(self, person: Person) -> tuple[Match, ...]:
        """Deletes what is stored about the person; returns the matches that it ended, as they were shown.

        Running matches are resigned and invitations withdrawn first, as if the person had done it.
        """
        ended = []
        for match in await self._service.running(person.user_id):
            try:
                ended.append(await self._service.resign(match.id, person))
            except Refusal:  # it ended by itself meanwhile
                continue
        for challenge in await self._store.open_challenges(challenger=person.user_id):
            try:
                await self._service.decline(challenge.id, person)
            except Refusal:
                continue
        await self._rows.erase(person.user_id)
        self._care.forget(person.user_id)
        return tuple(ended)
