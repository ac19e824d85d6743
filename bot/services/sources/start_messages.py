"""Start messages: the permanent messages to play from, in the channels that servers chose."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

from bot.domain.preferences import ServerSettings
from bot.services.ports import Delivered
from bot.services.reconciler import Delivery
from bot.services.settings import SettingsCache


class StartPoster(Protocol):
    """Where start messages are displayed."""

    async def find(self, guild_id: int, channel_id: int) -> int | Delivered | None:
        """Find a message that was sent and whose id was lost; an outcome if the search failed."""

    async def post(self, guild_id: int, channel_id: int) -> int | Delivered:
        """Send the message: its id, or why there is none."""

    async def edit(self, guild_id: int, channel_id: int, message_id: int) -> Delivered: ...
    async def delete(self, channel_id: int, message_id: int) -> None:
        """Delete the message if it still exists; raises Discord's errors that may pass."""


@dataclass(frozen=True, slots=True)
class StartMessage:
    """The message that a server wants. message_id: None before it is sent. language: as the server chose."""

    guild_id: int
    channel_id: int
    message_id: int | None
    language: str | None


class StartMessages:
    """One message per server. servers: this process's, by their id.

    Which language a message shows is known of this process's own deliveries alone: a new process shows each
    message once more, and so finds out which ones were deleted meanwhile.
    """

    name: Final = "start message of server"
    idle_seconds: Final = 1.0

    def __init__(
        self,
        settings: SettingsCache,
        poster: StartPoster,
        servers: Callable[[], Mapping[int, ServerSettings]],
    ) -> None:
        self._settings = settings
        self._poster = poster
        self._servers = servers
        self._shown: set[StartMessage] = set()
        self._removed: set[int] = set()

    async def stale(self, limit: int) -> Sequence[Delivery[StartMessage]]:
        wanted = {
            StartMessage(guild_id, chosen.panel_channel, chosen.panel_message, chosen.language)
            for guild_id, chosen in self._servers().items()
            if chosen.panel_channel is not None
        }
        self._shown &= wanted
        found = [
            Delivery(one.guild_id, one, one.channel_id, one.message_id or 0, requests=2)
            for one in wanted - self._shown
        ]
        return found[:limit]

    async def deliver(self, delivery: Delivery[StartMessage]) -> Delivered:
        wanted = delivery.item
        guild_id, channel_id = wanted.guild_id, wanted.channel_id
        if wanted.message_id is not None:
            outcome = await self._poster.edit(guild_id, channel_id, wanted.message_id)
            if outcome is Delivered.DELIVERED:
                self._shown.add(wanted)
            return outcome
        # An earlier process may have died between sending and storing.
        sent = await self._poster.find(guild_id, channel_id)
        if sent is None:
            sent = await self._poster.post(guild_id, channel_id)
        if isinstance(sent, Delivered):
            return sent
        after = await self._settings.change(
            guild_id,
            lambda now: replace(now, panel_message=sent) if now.panel_channel == channel_id else now,
        )
        if after.panel_channel == channel_id:
            self._shown.add(replace(wanted, message_id=sent))
        else:
            await self._poster.delete(channel_id, sent)
        return Delivered.DELIVERED

    async def give_up(self, delivery: Delivery[StartMessage]) -> None:
        """Forget the message, so that another one is sent; without a message, the channel is gone."""
        lost = delivery.item
        if lost.message_id is not None:
            await self._forget(lost.guild_id, lost.message_id)
            return
        await self._settings.change(
            lost.guild_id,
            lambda now: replace(now, panel_channel=None) if now.panel_channel == lost.channel_id else now,
        )

    async def move(self, guild_id: int, channel_id: int | None) -> None:
        """Choose another channel, or none."""
        before = self._settings.server(guild_id)
        message_id = before.panel_message
        if channel_id == before.panel_channel:
            return
        self._removed.add(message_id or 0)
        try:
            if before.panel_channel is not None and message_id is not None:
                # Before the choice is stored: after it, nothing would tell where the message is.
                await self._poster.delete(before.panel_channel, message_id)
            await self._settings.change(
                guild_id, lambda now: replace(now, panel_channel=channel_id, panel_message=None)
            )
        finally:
            self._removed.discard(message_id or 0)

    async def on_deleted(self, guild_id: int | None, message_ids: Collection[int]) -> None:
        """Send a message again that people have deleted."""
        message_id = self._settings.server(guild_id).panel_message
        if guild_id is None or message_id is None or message_id in self._removed:
            return
        if message_id in message_ids:
            await self._forget(guild_id, message_id)

    async def _forget(self, guild_id: int, message_id: int) -> None:
        await self._settings.change(
            guild_id, lambda now: replace(now, panel_message=None) if now.panel_message == message_id else now
        )

    def doubt(self) -> None:
        """Look at every message again, after deletions may have been missed."""
        self._shown.clear()
