"""The order in which interactions are handled: presses that can only be refused wait for all others.

A thousand people may press one board at once, and one of them is to move.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from bot.domain.errors import Refusal
from bot.services.changes import Changes
from bot.ui.answers import ANSWER_DEADLINE_SECONDS
from bot.ui.routing import Route

log = logging.getLogger(__name__)

_PING, _COMPONENT = 1, 3
"""Types of interactions (Discord, "Interaction Type"): of Discord itself, and presses."""

CROWD_SIZE = 16
"""More presses than this waiting to be refused are a crowd."""

FIRST_REFUSAL_SECONDS = 0.05
"""How long the first refusal waits, since its press may be the first of a crowd."""

QUIET_SECONDS, MAX_WAIT_SECONDS = 0.2, 1.0
"""In a crowd refusals wait for a pause of the first length, but no press waits longer than the second."""

_POLL_SECONDS = 0.02

Payload = Mapping[str, Any]
"""An interaction as Discord sends it."""


class PressGate:
    """Handles interactions at once, or later when they can only be refused. Lives on the event loop.

    handle: discord.py's handler. move_route: the route of moves on a board. refusals: limits how many
    refusals are sent at once.
    """

    def __init__(
        self,
        handle: Callable[[Any], None],
        changes: Changes,
        refusals: asyncio.Semaphore,
        move_route: Route[[int, int, int]],
    ) -> None:
        self._handle = handle
        self._changes = changes
        self._refusals = refusals
        self._move_route = move_route
        self._waiting: deque[tuple[float, Payload]] = deque()
        self._latest_at = 0.0
        self._refusing: asyncio.Task[None] | None = None

    def admit(self, payload: Payload) -> None:
        """Handle the interaction, or queue it; raises ValueError where it lacks its user or its data."""
        if payload["type"] != _PING and not (
            payload.get("data") and (payload.get("member") or payload).get("user")
        ):
            # discord.py would make objects of it all the same.
            raise ValueError(f"incomplete interaction: only {', '.join(sorted(payload))}")
        values = None
        if payload["type"] == _COMPONENT:
            values = self._move_route.read(str(payload["data"].get("custom_id", "")))
        if values is None:
            self._handle(payload)
            return
        match_id, turn, _move = values
        user = payload["member"]["user"] if "member" in payload else payload["user"]
        try:
            self._changes.admit(match_id, int(user["id"]), turn)
        except Refusal:
            self._queue(payload)
        else:
            self._handle(payload)

    def _queue(self, payload: Payload) -> None:
        self._latest_at = asyncio.get_running_loop().time()
        self._waiting.append((self._latest_at, payload))
        if self._refusing is None:
            self._refusing = asyncio.create_task(self._refuse(), name="refusing presses")

    def _is_growing(self, now: float) -> bool:
        """Whether a crowd is still pressing, so that the player to move may be among those to come."""
        first_at, _ = self._waiting[0]
        is_recent = now - self._latest_at < QUIET_SECONDS and now - first_at < MAX_WAIT_SECONDS
        return len(self._waiting) > CROWD_SIZE and is_recent

    async def _refuse(self) -> None:
        loop, dropped = asyncio.get_running_loop(), 0
        try:
            await asyncio.sleep(FIRST_REFUSAL_SECONDS)
            while self._waiting:
                while self._is_growing(loop.time()):
                    await asyncio.sleep(_POLL_SECONDS)
                arrived_at, payload = self._waiting.popleft()
                if loop.time() - arrived_at > ANSWER_DEADLINE_SECONDS:
                    dropped += 1
                    continue
                self._handle(payload)
                # Let it queue for the semaphore before the next one is released.
                await asyncio.sleep(0)
                async with self._refusals:
                    pass
        finally:
            self._refusing = None
            if dropped:
                log.info("%d presses dropped: too late to be refused", dropped)
