"""TournamentBoards: displays tournaments in their messages and pings their players."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Collection
from dataclasses import replace

import discord
from discord import ui

from bot.domain.match import Match
from bot.domain.outgoing import place_of
from bot.domain.preferences import Threads
from bot.domain.tournament.model import Stage, Tournament
from bot.i18n import Texts, plain
from bot.services.changes import Changes
from bot.services.ports import Delivered, NotDelivered
from bot.services.settings import SettingsCache
from bot.services.shown_versions import ShownVersions
from bot.services.sources.tournaments import CHANNEL_GONE
from bot.ui.answers import edit_pressed
from bot.ui.client import BoardAnswers, Interaction
from bot.ui.discord_errors import UNKNOWN_CHANNEL, is_deleted, wants_new_board
from bot.ui.layout import custom_ids
from bot.ui.messages import Content, Messages
from bot.ui.permissions import missing_for_tournament
from bot.ui.threads import BoardThreads, is_above
from bot.ui.tournament.routes import ACTION
from bot.ui.tournament.views import (
    ended_view,
    picture_of,
    round_view,
    standings_view,
    started_view,
    tournament_view,
)

log = logging.getLogger(__name__)


class TournamentBoards:
    """One per client. A digest of each message is remembered, so that it is edited only when it changes."""

    def __init__(
        self,
        client: discord.Client,
        messages: Messages,
        texts: Texts,
        settings_cache: SettingsCache,
        boards: BoardAnswers,
        changes: Changes,
        marks: ShownVersions,
        threads: BoardThreads,
    ) -> None:
        self._client = client
        self._messages = messages
        self._texts = texts
        self._settings_cache = settings_cache
        self._boards = boards
        self._changes = changes
        self._marks = marks
        self._threads = threads
        self._standing: dict[int, int] = {}

    def shown_by(self, message_ids: Collection[int]) -> tuple[int, ...]:
        """Return the active tournaments that these messages display, or displayed until they were deleted."""
        return tuple(self._standing[key] for key in message_ids if key in self._standing)

    def is_gone(self, tournament_id: int) -> None:
        """Note that its message was deleted, so that `refresh` sends it again."""
        self._marks.tournament(tournament_id, -1, None)

    async def open_board(self, match: Match) -> Match:
        """Post the first board of a match; where that failed it still has no message."""
        return await self._boards.open(match)

    async def open_thread(self, tournament: Tournament) -> int | None:
        """Make the thread for its rounds and boards below its message: its id, or None for none."""
        place = tournament.location
        if place.message_id is None:
            return None
        if not await self._threads.may_open(place, Threads.TOURNAMENTS, Threads.ALWAYS):
            return None
        return await self._threads.open(place, tournament.name)

    async def post_round(self, tournament: Tournament) -> int | Delivered:
        """Post the round and ping its players: the message's id, or why there is none."""
        t = self._texts.of(tournament.location.locale)
        old = tournament.announced
        before = round_view(tournament, t, old) if old else started_view(tournament, t)
        try:
            await self._edit(tournament, before)
        except NotDelivered as refusal:  # it only says less than the new one
            log.warning("tournament %d could not be shown: %s", tournament.id, refusal)
        pinged = self._pinged(tournament)
        view = round_view(tournament, t, tournament.round, pinged)
        users = [discord.Object(user_id) for user_id in pinged]
        mentions = discord.AllowedMentions(everyone=False, roles=False, users=users)
        return await self._send(tournament, Content(view, mentions=mentions), f"{tournament.round}")

    async def post_end(self, tournament: Tournament) -> int | Delivered:
        """Post the final standings: the message's id, or why there is none."""
        sent = await self._post_end(tournament)
        if isinstance(sent, int):
            t = self._texts.of(tournament.location.locale)
            await self._threads.wind_up(tournament.location, ended_view(tournament, t))
        return sent

    async def _post_end(self, tournament: Tournament) -> int | Delivered:
        t = self._texts.of(tournament.location.locale)
        picture = await picture_of(tournament, t)
        if picture is not None and self._may_attach(tournament):
            content = Content(standings_view(tournament, t, picture, is_final=True), file=picture)
            sent = await self._send(tournament, content, "end")
            if sent is not Delivered.CHANNEL_REFUSED:
                return sent
            log.info("tournament %d: its standings go without their picture", tournament.id)
        sent = await self._send(
            tournament, Content(standings_view(tournament, t, None, is_final=True)), "end"
        )
        if isinstance(sent, int) and picture is not None:
            await self._tell(tournament, "tournament_no_picture", "tournament_cannot_attach")
        return sent

    async def refresh(self, tournament: Tournament) -> Delivered:
        """Make the tournament's message show it.

        A message that is gone, or that may not be edited for now, is replaced by a new one.
        """
        self._note(tournament)
        view = self._view(tournament)
        digest = _digest(tournament, view)
        if await self._marks.tournament_digest(tournament.id) != digest:
            if tournament.location.message_id is None:
                if not tournament.is_active:
                    return Delivered.DELIVERED
                return await self._recover(tournament, view)
            try:
                await self._edit(tournament, view)
            except NotDelivered as refusal:
                error = refusal.__cause__
                log.warning("tournament %d could not be shown: %s", tournament.id, refusal)
                if await self._leaves(tournament, refusal):
                    return Delivered.MESSAGE_REFUSED
                if tournament.is_active and wants_new_board(error):
                    return await self._send_anew(tournament, view)
                # A message that is gone is left alone: a tournament that is over ends so, and one whose
                # channel was deleted waits for another (see `missing`).
                if not isinstance(error, discord.NotFound):
                    return refusal.outcome
            if tournament.stage is Stage.CANCELLED:
                t = self._texts.of(tournament.location.locale)
                await self._threads.wind_up(tournament.location, tournament_view(tournament, t))
        self._marks.tournament(tournament.id, tournament.version, digest)
        return Delivered.DELIVERED

    def missing(self, tournament: Tournament) -> str | None:
        """Return the missing permission to write in the tournament's channel, as the key of a text.

        None if Discord has not told the bot's permissions there, as in an archived thread.
        """
        place = tournament.location
        guild = self._client.get_guild(place.guild_id or 0)
        # Discord tells the bot of every channel of a server that is up.
        if guild is not None and not (
            guild.unavailable or guild.get_channel(place.parent_id or place.channel_id)
        ):
            return CHANNEL_GONE
        allowed, is_thread = self._allowed(tournament)
        return None if allowed is None else missing_for_tournament(allowed, is_thread=is_thread)

    def _may_attach(self, tournament: Tournament) -> bool:
        """False if Discord has told that the bot may send no files there."""
        allowed, _ = self._allowed(tournament)
        return allowed is None or allowed.attach_files

    def _allowed(self, tournament: Tournament) -> tuple[discord.Permissions | None, bool]:
        """The bot's permissions in the tournament's channel (None: unknown), and whether it is a thread."""
        guild = self._client.get_guild(tournament.location.guild_id or 0)
        channel = None if guild is None else guild.get_channel_or_thread(tournament.location.channel_id)
        if guild is None or channel is None:
            return None, False
        return channel.permissions_for(guild.me), isinstance(channel, discord.Thread)

    async def tell_organiser(self, tournament: Tournament, missing: str) -> None:
        """Tell the organiser in private that this keeps the tournament from going on."""
        what = "tournament_on_hold" if missing == CHANNEL_GONE else "tournament_waits"
        await self._tell(tournament, what, missing)

    async def _tell(self, tournament: Tournament, what: str, why: str) -> None:
        """Tell the organiser in private about the tournament; `what` and `why` are keys of texts."""
        person = self._settings_cache.person(tournament.organiser_id)
        t = self._texts.of(person.language or tournament.location.locale)
        place = f"<#{tournament.location.channel_id}>"
        try:
            channel = await self._client.create_dm(discord.Object(tournament.organiser_id))
            await channel.send(f"{t(what, name=plain(tournament.name, 80))} {t(why, channel=place)}")
        except Exception as error:  # noqa: BLE001 - an organiser without direct messages sees it at Start
            log.info("tournament %d: its organiser could not be told: %r", tournament.id, error)

    async def answer(self, interaction: Interaction, tournament: Tournament) -> None:
        """Acknowledge a press on the tournament's message by editing it."""
        view = self._view(tournament)
        await edit_pressed(interaction, view)
        self._marks.tournament(tournament.id, tournament.version, _digest(tournament, view))

    def is_shown(self, tournament: Tournament) -> None:
        """Note that the tournament's message, which has just been sent, shows it."""
        self._note(tournament)
        self._marks.tournament(tournament.id, tournament.version, _digest(tournament, self._view(tournament)))

    def _note(self, tournament: Tournament) -> None:
        """Remember which message displays it while it is active."""
        if tournament.location.message_id is not None:
            self._standing.pop(tournament.location.message_id, None)
            if tournament.is_active:
                self._standing[tournament.location.message_id] = tournament.id

    async def _recover(self, tournament: Tournament, view: ui.LayoutView) -> Delivered:
        """Find the message that was sent and whose id was lost, or send a new one."""
        place = place_of(tournament.location)
        try:
            found = await self._messages.find(
                place, tournament.created_at, lambda one: _shows(one, tournament.id)
            )
        except NotDelivered as refusal:
            log.warning("tournament %d: its message could not be searched for: %s", tournament.id, refusal)
            return refusal.outcome
        if found is None:
            return await self._send_anew(tournament, view)
        await self._changes.attach_tournament(tournament.id, found)
        return Delivered.DELIVERED

    async def _send_anew(self, tournament: Tournament, view: ui.LayoutView) -> Delivered:
        sent = await self._send(tournament, Content(view), f"v{tournament.version}")
        if isinstance(sent, Delivered):
            return sent
        self.is_shown(await self._changes.attach_tournament(tournament.id, sent))
        return Delivered.DELIVERED

    def _view(self, tournament: Tournament) -> ui.LayoutView:
        t = self._texts.of(tournament.location.locale)
        if tournament.stage is Stage.CANCELLED and tournament.announced > 0:
            return round_view(tournament, t, tournament.announced)
        return tournament_view(tournament, t, self._pinged(tournament))

    def _pinged(self, tournament: Tournament) -> tuple[int, ...]:
        """The players of the last round who want pings."""
        numbers = dict.fromkeys(
            number
            for pairing in tournament.of_round(tournament.round)
            if pairing.match_id is not None
            for number in pairing.numbers
        )
        found = (tournament.entrant(number).seat.user_id for number in numbers)
        # Ids below zero are people who have deleted their data.
        return tuple(
            user_id
            for user_id in found
            if user_id is not None and user_id > 0 and self._settings_cache.person(user_id).is_called
        )

    async def _edit(self, tournament: Tournament, view: ui.LayoutView) -> None:
        """Edit the tournament's message, if it has one; raises NotDelivered."""
        location = tournament.location
        if location.message_id is None:
            return
        place = place_of(location)
        if is_above(location):
            thread = await self._threads.own(location)
            if thread is not None:
                await self._threads.say_above(thread, view)
                return
            if location.parent_id is None:
                raise NotDelivered(Delivered.MESSAGE_REFUSED, "its thread is unknown")
            place = replace(place, channel_id=location.parent_id, parent_id=None)
        await self._messages.edit(place, location.message_id, Content(view))

    async def _send(self, tournament: Tournament, content: Content, part: str) -> int | Delivered:
        """Send a message: its id, or why there is none. part: of the nonce."""
        nonce = f"t{tournament.id}-{part}"
        try:
            return await self._messages.send(place_of(tournament.location), content, nonce)
        except NotDelivered as refusal:
            log.warning("tournament %d: nothing could be posted: %s", tournament.id, refusal)
            # In the channel around a deleted thread the next attempt may succeed.
            has_left = await self._leaves(tournament, refusal)
            return Delivered.MESSAGE_REFUSED if has_left else refusal.outcome

    async def _leaves(self, tournament: Tournament, refusal: NotDelivered) -> bool:
        """Move it to the channel around its thread if that is gone; returns whether it is."""
        place = tournament.location
        if place.parent_id is None or not is_deleted(refusal.__cause__, UNKNOWN_CHANNEL):
            return False
        await self._changes.move_out(place.channel_id, place.parent_id)
        return True


def _digest(tournament: Tournament, view: ui.LayoutView) -> str:
    """Digest of the tournament's message: its content and its id."""
    components = view.to_components()  # type: ignore[no-untyped-call]
    text = json.dumps([tournament.location.message_id, components], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _shows(message: discord.Message, tournament_id: int) -> bool:
    """Whether the message is that of the tournament."""
    read = (ACTION.read(one) for one in custom_ids(message))
    return any(values is not None and values[0] == tournament_id for values in read)
