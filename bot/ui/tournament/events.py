"""Makes, begins and ends the events by which servers announce tournaments."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from datetime import datetime

import discord

from bot.domain.tournament.model import Tournament, TournamentEvent
from bot.i18n import shortened
from bot.presentation.links import link
from bot.presentation.tournament_texts import terms_of
from bot.services.ports import Delivered
from bot.ui.discord_errors import DISCORD_ERRORS, classify
from bot.ui.messages import Messages
from bot.ui.permissions import may_create_events
from bot.ui.server_notices import ServerNotices, ServerTexts

log = logging.getLogger(__name__)

LONGEST_NAME, LONGEST_TEXT = 100, 1000
"""Discord's limits for an event."""


class Events:
    """One per client. An event is external: its place is the address of the sign-up message."""

    def __init__(
        self, client: discord.Client, messages: Messages, texts: ServerTexts, owners: ServerNotices
    ) -> None:
        self._client = client
        self._messages = messages
        self._texts = texts
        self._owners = owners

    async def announce(self, tournament: Tournament, ends_at: datetime) -> int | Delivered:
        """Make the tournament's event: its id, or why there is none. Finds one whose id was lost."""
        place = tournament.location
        guild, problem = self._client.get_guild(place.guild_id or 0), self._messages.problem(place.guild_id)
        if guild is None or problem is not None:
            return problem or Delivered.GONE
        if place.message_id is None:
            return Delivered.MESSAGE_REFUSED
        if not may_create_events(guild):
            await self._owners.tell_owner_once(guild, "no_events", "owner_told_of_events")
            return Delivered.CHANNEL_REFUSED
        t = self._texts.of(guild)
        address = link(place.guild_id, place.channel_id, place.message_id)
        about = t("event_about", terms=" · ".join(terms_of(tournament, t)), address=address)
        try:
            # A process may have died between making the event and storing its id: its address is unique.
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
            return classify(error)
        return made.id

    async def begin(self, event: TournamentEvent) -> Delivered:
        """Start the event, unless Discord has started it by itself at its time."""
        return await self._change(event, _begin)

    async def prolong(self, event: TournamentEvent) -> Delivered:
        """Make the event end when it says."""

        async def prolong(found: discord.ScheduledEvent) -> None:
            if found.status is discord.EventStatus.active:
                await found.edit(end_time=event.ends_at)

        return await self._change(event, prolong)

    async def end(self, event: TournamentEvent) -> Delivered:
        """End the event, or call it off if it has not begun."""
        return await self._change(event, _end)

    async def _change(self, event: TournamentEvent, change: Callable[..., Awaitable[None]]) -> Delivered:
        """DELIVERED for an event that is gone: there is nothing to change."""
        guild, problem = self._client.get_guild(event.guild_id), self._messages.problem(event.guild_id)
        if guild is None or problem is not None:
            return problem or Delivered.GONE
        try:
            await change(await guild.fetch_scheduled_event(event.event_id, with_counts=False))
        except discord.NotFound:
            log.debug("the event of tournament %d is gone", event.tournament_id)
        except DISCORD_ERRORS as error:
            log.info("the event of tournament %d could not be changed: %r", event.tournament_id, error)
            return classify(error)
        return Delivered.DELIVERED


async def _begin(found: discord.ScheduledEvent) -> None:
    if found.status is discord.EventStatus.scheduled:
        await found.start()


async def _end(found: discord.ScheduledEvent) -> None:
    if found.status is discord.EventStatus.active:
        await found.end()
    elif found.status is discord.EventStatus.scheduled:
        await found.cancel()
