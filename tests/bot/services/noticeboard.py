"""A Discord that records the messages of a sender, or refuses them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime
from typing import Any

from bot.domain.outgoing import Place
from bot.services.ports import Delivered, NotDelivered


class Noticeboard:
    """Messages by id, as channel and content.

    says: how it refuses everything. seconds: a request takes. is_readable: its messages can be searched.
    """

    def __init__(self) -> None:
        self.messages: dict[int, tuple[int, Any]] = {}
        self.sent = 0
        self.edits: list[int] = []
        self.nonces: dict[str, int] = {}
        self.says: Delivered | None = None
        self.seconds = 0.0
        self.is_readable = True
        self.begun = asyncio.Event()

    def check(self, place: Place) -> None:
        """Every server is there."""

    async def send(self, place: Place, content: Any, nonce: str) -> int:
        await self._request()
        if nonce in self.nonces:
            return self.nonces[nonce]
        self.sent += 1
        self.messages[900 + self.sent] = place.channel_id, content
        self.nonces[nonce] = 900 + self.sent
        return 900 + self.sent

    async def edit(self, place: Place, message_id: int, content: Any) -> None:
        await self._request()
        if message_id not in self.messages:
            raise NotDelivered(Delivered.GONE, "unknown message")
        self.edits.append(message_id)
        self.messages[message_id] = place.channel_id, content

    async def delete(self, place: Place, message_id: int) -> None:
        await self._request()
        self.messages.pop(message_id, None)

    async def find(
        self,
        place: Place,
        since: datetime,
        is_meant: Callable[[Any], bool],
    ) -> int | None:
        await self._request()
        own = [
            key
            for key, (there, text) in self.messages.items()
            if (there == place.channel_id) and is_meant(text)
        ]
        return own[-1] if own and self.is_readable else None

    async def _request(self) -> None:
        self.begun.set()
        await asyncio.sleep(self.seconds)
        if self.says is not None:
            raise NotDelivered(self.says, "as the test wants it")
