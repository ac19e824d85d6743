"""BoardViews: the views of matches and invitations, for the channel and the people that see them."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence

import discord
from discord import ui

from bot.domain.challenge import Challenge
from bot.domain.errors import Unavailable
from bot.domain.location import Channel, Location
from bot.domain.look import Look
from bot.domain.lru_dict import LruDict
from bot.domain.match import Match
from bot.domain.preferences import shared
from bot.domain.rating import Stakes
from bot.domain.vote import NO_POLLS
from bot.i18n import Texts
from bot.presentation import status
from bot.presentation.picture import is_picture
from bot.search.readiness import Readiness
from bot.services.agent_search import seconds_until_ready
from bot.services.changes import Changes
from bot.services.settings import SettingsCache
from bot.ui.board import without_files
from bot.ui.match.invitation_views import invitation_view
from bot.ui.match.views import board_view, moved_view, thread_view
from bot.ui.move_choices import Picked
from engine.agents.roster import Roster

log = logging.getLogger(__name__)

MAX_STAKES_IN_MEMORY = 2000

CalledIn = Callable[[int | None, Sequence[Match]], Awaitable[Sequence[Match]]]
"""Returns matches with the names of their players in that server."""


class BoardViews:
    """One per client. emoji: the uploaded ones."""

    def __init__(
        self,
        client: discord.Client,
        texts: Texts,
        settings_cache: SettingsCache,
        roster: Roster,
        changes: Changes,
        readiness: Readiness,
        emoji: Mapping[Hashable, str],
        called_in: CalledIn,
    ) -> None:
        self._client = client
        self._texts = texts
        self._settings_cache = settings_cache
        self._roster = roster
        self._changes = changes
        self._readiness = readiness
        self._emoji = emoji
        self._called_in = called_in
        self._stakes: LruDict[int, Stakes] = LruDict(MAX_STAKES_IN_MEMORY)

    async def board(
        self, match: Match, *, picked: Picked | None = None, note: str | None = None
    ) -> ui.LayoutView:
        """Return the board. picked: on the way to a move. note: the key of a text below it."""
        if match.seats[0].guild_id is not None:  # between servers; any other board calls nothing
            (match,) = await self._called_in(match.location.guild_id, (match,))
        look = self.look(match)
        if is_picture(match.game, match.state, look) and not self._may_attach(match):
            look = without_files(match.game, match.state, look)
        t = self._texts.of(match.location.locale)
        said = None if note is None else t(note)
        stakes = await self._stakes_of(match) if match.rated and not match.is_over else None
        is_ready = not self._readiness.missing
        ready_in = None if is_ready else seconds_until_ready(match, self._readiness, self._roster)
        polls = await self._changes.polls(match) if match.is_voted else NO_POLLS
        return board_view(
            match, t, self._roster, look,
            picked=picked, note=said, stakes=stakes, ready_in=ready_in, polls=polls,
        )  # fmt: skip

    def line_above(self, match: Match, place: Channel) -> ui.LayoutView:
        """Return the message in the channel from which the match's thread is opened."""
        return thread_view(match, self._texts.of(place.locale), self.look(match))

    def thread_name(self, match: Match, place: Channel) -> str:
        return status.thread_name(self._texts.of(place.locale), match)

    def moved(self, match: Match, old: Location) -> ui.LayoutView:
        """Return the view in place of a board that the match has left."""
        return moved_view(match, self._texts.of(old.locale))

    def invitation(self, challenge: Challenge) -> ui.LayoutView:
        return invitation_view(challenge, self._texts.of(challenge.location.locale))

    async def _stakes_of(self, match: Match) -> Stakes | None:
        """Return what the result can change: read once, since both ratings are those before the match."""
        found = self._stakes.get(match.id)
        if found is None:
            try:
                found = self._stakes[match.id] = await self._changes.stakes(match)
            except Unavailable as error:
                log.info("match %d is displayed without its stakes: %s", match.id, error)
        return found

    def look(self, match: Match) -> Look:
        """Return the look that all its players can see."""
        people = (match.begun_by,) if match.is_watched else (seat.user_id for seat in match.seats)
        look = shared(self._settings_cache.person(user_id) for user_id in people)
        return look.written_in(self._emoji)

    def _may_attach(self, match: Match) -> bool:
        """Whether pictures may be sent to the match's channel; if that is unknown, they are tried."""
        guild = self._client.get_guild(match.location.guild_id or 0)
        if guild is None:
            return True
        channel = guild.get_channel_or_thread(match.channel.channel_id)
        return channel is None or channel.permissions_for(guild.me).attach_files
