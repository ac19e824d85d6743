"""TournamentBoards: makes the messages of tournaments show how they stand, and calls those who play."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Collection

import discord
from discord import ui

from bot.domain.match import Match
from bot.domain.preferences import Threads
from bot.domain.tournament.model import Stage, Tournament
from bot.i18n import Texts, plain
from bot.services.changes import Changes
from bot.services.ports import Delivered
from bot.services.settings import SettingsCache
from bot.services.shown_versions import ShownVersions
from bot.ui.client import Boards, Interaction
from bot.ui.discord_errors import (
    DISCORD_ERRORS,
    UNKNOWN_CHANNEL,
    classify,
    find_own,
    is_deleted,
    wants_new_board,
)
from bot.ui.layout import custom_ids
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
    """One a client. What each message shows is remembered, so that it is edited only when it changes."""

    def __init__(
        self,
        client: discord.Client,
        texts: Texts,
        settings_cache: SettingsCache,
        boards: Boards,
        changes: Changes,
        marks: ShownVersions,
        threads: BoardThreads,
    ) -> None:
        self._client = client
        self._texts = texts
        self._settings_cache = settings_cache
        self._boards = boards
        self._changes = changes
        self._marks = marks
        self._threads = threads
        self._standing: dict[int, int] = {}

    def shown_by(self, message_ids: Collection[int]) -> tuple[int, ...]:
        """The tournaments that go on and whose messages these are, or were until they were deleted."""
        return tuple(self._standing[key] for key in message_ids if key in self._standing)

    def is_gone(self, tournament_id: int) -> None:
        """Notes that its message was deleted, so that the next step sends it again."""
        self._marks.tournament(tournament_id, -1, None)

    async def open_board(self, match: Match) -> Match:
        """Posts the first board of a match; it has no message still where that failed."""
        return await self._boards.open(match)

    async def show_board(self, match: Match) -> None:
        await self._boards.show(match)

    async def open_thread(self, tournament: Tournament) -> int | None:
        """The thread for its rounds and boards, made below its message; None where they stay outside."""
        place = tournament.location
        if place.message_id is None:
            return None
        if not await self._threads.may_open(place, Threads.TOURNAMENTS, Threads.ALWAYS):
            return None
        return await self._threads.open(place, tournament.name)

    async def post_round(self, tournament: Tournament) -> int | None:
        """Posts the round and calls its players; the message's id, or None where that failed."""
        t = self._texts.of(tournament.location.locale)
        old = tournament.announced
        await self._edit(tournament, round_view(tournament, t, old) if old else started_view(tournament, t))
        called = self._called(tournament)
        view = round_view(tournament, t, tournament.round, called)
        users = [discord.Object(user_id) for user_id in called]
        mentions = discord.AllowedMentions(everyone=False, roles=False, users=users)
        return await self._send(tournament, view, f"t{tournament.id}-{tournament.round}", mentions)

    async def post_end(self, tournament: Tournament) -> int | None:
        """Posts the final standings; the message's id, or None where that failed."""
        sent = await self._post_end(tournament)
        if sent is not None:
            t = self._texts.of(tournament.location.locale)
            await self._threads.wind_up(tournament.location, ended_view(tournament, t))
        return sent

    async def _post_end(self, tournament: Tournament) -> int | None:
        t = self._texts.of(tournament.location.locale)
        nonce, none = f"t{tournament.id}-end", discord.AllowedMentions.none()
        picture = await picture_of(tournament, t)
        if picture is not None and self._may_attach(tournament):
            view = standings_view(tournament, t, picture, is_final=True)
            try:
                return await self._post(tournament, view, nonce, none, picture)
            except discord.Forbidden as error:
                log.info("tournament %d: its standings go without their picture: %r", tournament.id, error)
            except Exception as error:  # noqa: BLE001 - whatever it is, the tournament goes on
                log.warning("tournament %d: nothing could be posted: %r", tournament.id, error)
                return None
        sent = await self._send(tournament, standings_view(tournament, t, None, is_final=True), nonce, none)
        if sent is not None and picture is not None:
            await self._tell(tournament, "tournament_no_picture", "tournament_cannot_attach")
        return sent

    async def refresh(self, tournament: Tournament) -> bool:
        """Makes the tournament's message show it, if it does not; False where that failed.

        A message that is gone, or that Discord lets nobody edit for now, gives way to a new one.
        """
        self._note(tournament)
        view = self._view(tournament)
        digest = _digest(tournament, view)
        if await self._marks.tournament_digest(tournament.id) == digest:
            self._marks.tournament(tournament.id, tournament.version, digest)
            return True
        if tournament.location.message_id is None:
            return not tournament.is_active or await self._recover(tournament, view)
        error = await self._edit(tournament, view)
        if error is not None:
            if await self._leaves(tournament, error):
                return False
            if tournament.is_active and wants_new_board(error):
                return await self._send_anew(tournament, view)
            if classify(error) is not Delivered.GONE:
                return False
        if tournament.stage is Stage.CANCELLED:
            t = self._texts.of(tournament.location.locale)
            await self._threads.wind_up(tournament.location, tournament_view(tournament, t))
        self._marks.tournament(tournament.id, tournament.version, digest)
        return True

    def missing(self, tournament: Tournament) -> str | None:
        """What keeps the bot from writing in the tournament's channel itself, as the key of a text.

        None, too, where Discord has not told what the bot may there, as in a thread that is archived.
        """
        allowed, is_thread = self._allowed(tournament)
        return None if allowed is None else missing_for_tournament(allowed, is_thread=is_thread)

    def _may_attach(self, tournament: Tournament) -> bool:
        """False where Discord has told that the bot may send no files there."""
        allowed, _ = self._allowed(tournament)
        return allowed is None or allowed.attach_files

    def _allowed(self, tournament: Tournament) -> tuple[discord.Permissions | None, bool]:
        """What the bot may in the tournament's channel (None: unknown), and whether it is a thread."""
        guild = self._client.get_guild(tournament.location.guild_id or 0)
        channel = None if guild is None else guild.get_channel_or_thread(tournament.location.channel_id)
        if guild is None or channel is None:
            return None, False
        return channel.permissions_for(guild.me), isinstance(channel, discord.Thread)

    async def tell_organiser(self, tournament: Tournament, missing: str) -> None:
        """Tells the organiser in private that this keeps the tournament from starting."""
        await self._tell(tournament, "tournament_waits", missing)

    async def _tell(self, tournament: Tournament, what: str, why: str) -> None:
        """Tells the organiser in private what has become of the tournament, and why; keys of texts."""
        person = self._settings_cache.person(tournament.organiser_id)
        t = self._texts.of(person.language or tournament.location.locale)
        place = f"<#{tournament.location.channel_id}>"
        try:
            channel = await self._client.create_dm(discord.Object(tournament.organiser_id))
            await channel.send(f"{t(what, name=plain(tournament.name, 80))} {t(why, channel=place)}")
        except Exception as error:  # noqa: BLE001 - who takes no messages sees it when they press Start
            log.info("tournament %d: its organiser could not be told: %r", tournament.id, error)

    async def answer(self, interaction: Interaction, tournament: Tournament) -> None:
        """Acknowledges a press on the tournament's message by editing it."""
        view = self._view(tournament)
        await interaction.response.edit_message(view=view)
        self._marks.tournament(tournament.id, tournament.version, _digest(tournament, view))

    def is_shown(self, tournament: Tournament) -> None:
        """Notes that the tournament's message, which has just been sent, shows it."""
        self._note(tournament)
        self._marks.tournament(tournament.id, tournament.version, _digest(tournament, self._view(tournament)))

    def _note(self, tournament: Tournament) -> None:
        """Which message shows it, while it goes on."""
        if tournament.location.message_id is not None:
            self._standing.pop(tournament.location.message_id, None)
            if tournament.is_active:
                self._standing[tournament.location.message_id] = tournament.id

    async def _recover(self, tournament: Tournament, view: ui.LayoutView) -> bool:
        """Finds the message that was sent and whose id was lost, or sends a new one."""
        location = tournament.location
        try:
            found = await find_own(
                self._client,
                location.channel_id,
                tournament.created_at,
                lambda one: _shows(one, tournament.id),
            )
        except discord.Forbidden:
            found = []
        except DISCORD_ERRORS as error:
            log.warning("tournament %d: its message could not be looked for: %s", tournament.id, error)
            return False
        if not found:
            return await self._send_anew(tournament, view)
        await self._changes.attach_tournament(tournament.id, found[0].id)
        return True

    async def _send_anew(self, tournament: Tournament, view: ui.LayoutView) -> bool:
        nonce = f"t{tournament.id}-v{tournament.version}"
        sent = await self._send(tournament, view, nonce, discord.AllowedMentions.none())
        if sent is None:
            return False
        self.is_shown(await self._changes.attach_tournament(tournament.id, sent))
        return True

    def _view(self, tournament: Tournament) -> ui.LayoutView:
        t = self._texts.of(tournament.location.locale)
        if tournament.stage is Stage.CANCELLED and tournament.announced > 0:
            return round_view(tournament, t, tournament.announced)
        return tournament_view(tournament, t, self._called(tournament))

    def _called(self, tournament: Tournament) -> tuple[int, ...]:
        """Those who play in the last round and wish to be called."""
        numbers = dict.fromkeys(
            number
            for pairing in tournament.of_round(tournament.round)
            if pairing.match_id is not None
            for number in pairing.numbers
        )
        found = (tournament.entrant(number).seat.user_id for number in numbers)
        # Ids below zero are those of people who have deleted their data.
        return tuple(
            user_id
            for user_id in found
            if user_id is not None and user_id > 0 and self._settings_cache.person(user_id).is_called
        )

    async def _edit(self, tournament: Tournament, view: ui.LayoutView) -> Exception | None:
        """What kept the tournament's message from being edited, if anything did."""
        location = tournament.location
        if location.message_id is None:
            return None
        channel_id = location.channel_id
        if is_above(location):
            thread = await self._threads.own(location)
            if thread is not None:
                return await self._threads.say_above(thread, view)
            if location.parent_id is None:
                return LookupError("its thread")
            channel_id = location.parent_id
        channel = self._client.get_partial_messageable(channel_id, guild_id=location.guild_id)
        try:
            await channel.get_partial_message(location.message_id).edit(view=view)
        except Exception as error:  # noqa: BLE001 - whatever it is, the tournament goes on
            log.warning("tournament %d could not be shown: %r", tournament.id, error)
            return error
        return None

    async def _send(
        self,
        tournament: Tournament,
        view: ui.LayoutView,
        nonce: str,
        mentions: discord.AllowedMentions,
    ) -> int | None:
        """The new message's id; None where Discord or the network keeps it from being sent."""
        try:
            return await self._post(tournament, view, nonce, mentions)
        except Exception as error:  # noqa: BLE001 - whatever it is, the tournament goes on
            log.warning("tournament %d: nothing could be posted: %r", tournament.id, error)
            await self._leaves(tournament, error)
            return None

    async def _leaves(self, tournament: Tournament, error: Exception) -> bool:
        """Whether its thread is gone; then it goes on in the channel around it."""
        place = tournament.location
        if place.parent_id is None or not is_deleted(error, UNKNOWN_CHANNEL):
            return False
        await self._changes.move_out(place.channel_id, place.parent_id)
        return True

    async def _post(
        self,
        tournament: Tournament,
        view: ui.LayoutView,
        nonce: str,
        mentions: discord.AllowedMentions,
        picture: discord.File | None = None,
    ) -> int:
        """The new message's id. The nonce makes a second sending harmless, if the first was not noted."""
        location = tournament.location
        channel = self._client.get_partial_messageable(location.channel_id, guild_id=location.guild_id)
        files = () if picture is None else (picture,)
        sent = await channel.send(view=view, nonce=nonce[:25], allowed_mentions=mentions, files=files)
        return sent.id


def _digest(tournament: Tournament, view: ui.LayoutView) -> str:
    """Of what the tournament's message says, and which message that is."""
    components = view.to_components()  # type: ignore[no-untyped-call]
    text = json.dumps([tournament.location.message_id, components], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _shows(message: discord.Message, tournament_id: int) -> bool:
    """Whether the message is that of the tournament."""
    read = (ACTION.read(one) for one in custom_ids(message))
    return any(values is not None and values[0] == tournament_id for values in read)
