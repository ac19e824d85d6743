"""Makes, begins and ends the events by which servers announce tournaments."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from datetime import datetime

import discord

from bot.domain.tournament.model import Tournament
from bot.i18n import shortened
from bot.presentation.tournament_texts import terms_of
from bot.store.events import Announced
from bot.ui.discord_errors import DISCORD_ERRORS
from bot.ui.layout import link
from bot.ui.permissions import may_create_events
from bot.ui.server_notices import ServerNotices, ServerTexts

log = logging.getLogger(__name__)

LONGEST_NAME, LONGEST_TEXT = 100, 1000
"""Discord's limits for an event."""


class Events:
    """One a client. An event is external: it takes place at the message where people sign up."""

    def __init__(self, client: discord.Client, texts: ServerTexts, owners: ServerNotices) -> None:
        self._client = client
        self._texts = texts
        self._owners = owners

    async def announce(self, tournament: Tournament, ends_at: datetime) -> int | None:
        """The id of the tournament's event; one that was made and whose id was lost is found again."""
        place = tournament.location
        guild = self._client.get_guild(place.guild_id or 0)
        if guild is None or place.message_id is None:
            return None
        if not may_create_events(guild):
            await self._owners.tell_owner_once(guild, "no_events", "owner_told_of_events")
            return None
        t = self._texts.of(guild)
        address = link(place.guild_id, place.channel_id, place.message_id)
        about = t("event_about", terms=" · ".join(terms_of(tournament, t)), address=address)
        try:
            for event in await guild.fetch_scheduled_events(with_counts=False):
                if event.creator_id == guild.me.id and event.location == address:
                    return event.id
            made = await guild.create_scheduled_event(
                name=shortened(tournament.name, LONGEST_NAME),
                description=shortened(about, LONGEST_TEXT),
                start_time=tournament.closes_at,
                end_time=ends_at,
                entity_type=discord.EntityType.external,
                privacy_level=discord.PrivacyLevel.guild_only,
                location=address,
            )
        except DISCORD_ERRORS as error:
            log.warning("tournament %d has no event: %r", tournament.id, error)
            return None
        return made.id

    async def begin(self, event: Announced) -> bool:
        """Whether it has begun, or is gone; Discord begins events by itself when their time has come."""
        return await self._change(event, _begin)

    async def put_off_end(self, event: Announced) -> bool:
        """Whether it ends when it says, or is over or gone."""

        async def put_off(found: discord.ScheduledEvent) -> None:
            if found.status is discord.EventStatus.active:
                await found.edit(end_time=event.ends_at)

        return await self._change(event, put_off)

    async def end(self, event: Announced) -> bool:
        """Whether it is over, called off or gone."""
        return await self._change(event, _end)

    async def _change(self, event: Announced, change: Callable[..., Awaitable[None]]) -> bool:
        guild = self._client.get_guild(event.guild_id)
        if guild is None:
            return True
        try:
            await change(await guild.fetch_scheduled_event(event.event_id, with_counts=False))
        except discord.NotFound:
            log.debug("the event of tournament %d is gone", event.tournament_id)
        except DISCORD_ERRORS as error:
            log.info("the event of tournament %d stays as it is: %r", event.tournament_id, error)
            return False
        return True


async def _begin(found: discord.ScheduledEvent) -> None:
    if found.status is discord.EventStatus.scheduled:
        await found.start()


async def _end(found: discord.ScheduledEvent) -> None:
    if found.status is discord.EventStatus.active:
        await found.end()
    elif found.status is discord.EventStatus.scheduled:
        await found.cancel()
