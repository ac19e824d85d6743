"""What comes in from Discord, in the order in which it deserves to be looked at.

A thousand people may press one board at once, and one of them is to move. Whoever cannot be, by what is
remembered of the match, waits until nobody else is left, before anything is made of the press; and nothing is
made of it once Discord has told that person that nobody answered.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from bot.domain.errors import Refusal
from bot.services.changes import Changes
from bot.ui.context import GIVE_UP_SECONDS
from bot.ui.match.routes import MOVE_BUTTON

log = logging.getLogger(__name__)

_PING, _COMPONENT = 1, 3
"""The types of interactions of Discord itself, and of presses (Discord, "Interaction Type")."""

CROWD = 16
"""So many hopeless presses at once are a crowd."""

FORMING_SECONDS = 0.05
"""For so long nobody is refused, since the first may be the first of a crowd."""

HEAD_START_SECONDS, LONGEST_HEAD_START_SECONDS = 0.2, 1.0
"""In a crowd nobody is refused until so long after the last of it came, while who may have moved is answered;
but nobody waits longer than that for it."""

_PAUSE_SECONDS = 0.02

Raw = Mapping[str, Any]
"""An interaction in Discord's own words."""


def survived(event: str, parse: Callable[[Any], None]) -> Callable[[Any], None]:
    """The parser of that event of the gateway, which drops what cannot be read.

    discord.py ends the whole connection with the error, and would again after every start: by one channel of
    a kind, or without a field, that it does not know.
    """

    def read(data: Any) -> None:
        try:
            parse(data)
        except Exception as error:  # noqa: BLE001 - the border to discord.py
            log.error("Discord told something that cannot be read, %s: %r", event, error)

    return read


class Arrivals:
    """One for each process; lives on the event loop.

    handle: makes something of an interaction. refusals: held while a refusal is being sent.
    """

    def __init__(self, handle: Callable[[Any], None], changes: Changes, refusals: asyncio.Semaphore) -> None:
        self._handle = handle
        self._changes = changes
        self._refusals = refusals
        self._hopeless: deque[tuple[float, Raw]] = deque()
        self._last_at = 0.0
        self._refusing: asyncio.Task[None] | None = None

    def take(self, raw: Raw) -> None:
        """Handles it now, or later if nothing but a refusal can come of it.

        Raises ValueError where it says of nobody or nothing, of which discord.py would still make objects.
        """
        if raw["type"] != _PING and not (raw.get("data") and (raw.get("member") or raw).get("user")):
            raise ValueError(f"an interaction that lacks something: {', '.join(sorted(raw))}")
        if not self._is_hopeless(raw):
            self._handle(raw)
            return
        self._last_at = asyncio.get_running_loop().time()
        self._hopeless.append((self._last_at, raw))
        if self._refusing is None:
            self._refusing = asyncio.create_task(self._refuse(), name="refusing presses")

    def _is_hopeless(self, raw: Raw) -> bool:
        if raw["type"] != _COMPONENT:
            return False
        values = MOVE_BUTTON.read(str(raw["data"].get("custom_id", "")))
        if values is None:
            return False
        match_id, turn, _move = values
        user = raw["member"]["user"] if "member" in raw else raw["user"]
        try:
            self._changes.admit(match_id, int(user["id"]), turn)
        except Refusal:
            return True
        return False

    def _is_growing(self, now: float) -> bool:
        """Whether who may move may still be among those who come."""
        first_at, _ = self._hopeless[0]
        is_new = now - self._last_at < HEAD_START_SECONDS and now - first_at < LONGEST_HEAD_START_SECONDS
        return len(self._hopeless) > CROWD and is_new

    async def _refuse(self) -> None:
        loop, dropped = asyncio.get_running_loop(), 0
        try:
            await asyncio.sleep(FORMING_SECONDS)
            while self._hopeless:
                while self._is_growing(loop.time()):
                    await asyncio.sleep(_PAUSE_SECONDS)
                came_at, raw = self._hopeless.popleft()
                if loop.time() - came_at > GIVE_UP_SECONDS:
                    dropped += 1
                    continue
                self._handle(raw)
                # It takes its place among the refusals first; the next one is looked at when another is free.
                await asyncio.sleep(0)
                async with self._refusals:
                    pass
        finally:
            self._refusing = None
            if dropped:
                log.info("%d presses that only a refusal waited for came too late for one", dropped)
