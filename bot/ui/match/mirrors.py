"""Mirrors: a match in further channels, each with its own language and look, where players can play, too."""

from __future__ import annotations

import logging
from collections.abc import Collection
from dataclasses import replace

import discord
from discord import ui

from bot.domain.errors import MatchError
from bot.domain.location import Channel, Location
from bot.domain.match import Match
from bot.domain.outgoing import BOTH_SEATS, Fate, Key, Outgoing, Place, Wanted
from bot.services.background import Background, Coalescer, held_soon
from bot.services.changes import Changes
from bot.services.outgoing import MessageKind, Sender
from bot.services.ports import Delivered
from bot.services.reconciler import MAX_CONCURRENT_DISPLAYS, Delivery
from bot.services.settings import SettingsCache
from bot.ui.answers import acknowledge, edit_pressed
from bot.ui.client import Interaction
from bot.ui.discord_errors import DISCORD_ERRORS
from bot.ui.match.board_state import LOCK_WAIT_SECONDS
from bot.ui.match.board_views import BoardViews, CalledIn
from bot.ui.match.delivery import is_board
from bot.ui.match.pings import asked_player
from bot.ui.messages import Content
from bot.ui.move_choices import Picked
from engine.core import Player

log = logging.getLogger(__name__)


class Mirrors(MessageKind):
    """The mirrors of one client. A match has one for each further channel, which is the part of its key.

    A mirror is wanted as long as it has a note. Its message is deleted with the note where the board itself
    moves to that channel, and keeps the last position once the match is over.
    """

    name = "mirror"
    is_standing = True
    sender: Sender
    """Set once, since either needs the other."""

    def __init__(
        self,
        views: BoardViews,
        changes: Changes,
        called_in: CalledIn,
        settings: SettingsCache,
        background: Background,
    ) -> None:
        self._views = views
        self._changes = changes
        self._settings = settings
        self._changed = Coalescer[int, Match](background, self._follow, MAX_CONCURRENT_DISPLAYS)
        self._called_in = called_in
        self._drawn: dict[Key, Match] = {}
        self._boards: set[int | None] = set()

    def follow(self, match: Match) -> None:
        """Bring the match's mirrors up to date in the background, sooner than their sender would.

        Not with its end, after which a mirror is forgotten: the press that ends it still speaks of one.
        """
        if match.id in self.sender.by_subject and not match.is_over:
            self._changed.offer(match.id, match)

    async def _follow(self, match: Match) -> None:
        for note in self.standing(match.id):
            if note.message_id is not None:
                await self.bring(note, match)

    # As a kind of message

    async def wanted(self, notes: Collection[Outgoing]) -> list[Wanted]:
        standing = [note for note in notes if note.fate is not Fate.ASKED]
        homes = await self._changes.homes({note.subject for note in standing}) if standing else {}
        self._boards = {message_id for _, _, message_id in homes.values()}
        return [
            Wanted(note.subject, note.part, note.place, str(homes[note.subject][0]))
            for note in standing
            if homes.get(note.subject, (0, note.part, None))[1] != note.part
        ]

    async def draw(self, wanted: Wanted) -> Content:
        match = await self._changes.latest(wanted.subject)
        if match.version < int(wanted.shows):  # it is played in another process
            match = await self._changes.match(wanted.subject)
        self._drawn[wanted.key] = match
        return Content(await self._view(match, wanted.place))

    def recognises(self, wanted: Wanted, message: discord.Message) -> bool:
        # The board itself may have moved to the channel of a mirror that was lost.
        return message.id not in self._boards and is_board(message, wanted.subject)

    async def done(self, wanted: Wanted) -> bool:
        return self._drawn.pop(wanted.key).is_over

    async def give_up(self, wanted: Wanted, *, was_shown: bool) -> bool:
        """Close it: who manages messages there has deleted it, or the channel is gone."""
        log.info("match %d: its mirror in channel %d is closed (%s)", wanted.subject, wanted.part, was_shown)
        return True

    # Opening one

    async def open(self, match: Match, place: Place, seats: int) -> bool:
        """Open a mirror, once all players who have to agree have asked for it; return whether they have.

        seats: of those who ask for it now; BOTH_SEATS where no agreement is needed.
        """
        seats |= sum(1 << player for player in Player if match.seats[player].is_agent)
        wanted = Wanted(match.id, place.channel_id, place)
        agreed = [note.seats for note in self.sender.of_subject(match.id) if note.key == wanted.key]
        seats |= agreed[0] if agreed else 0
        fate = Fate.SENDING if seats == BOTH_SEATS else Fate.ASKED
        if not agreed:
            await self.sender.want(wanted, fate, seats=seats if fate is Fate.ASKED else 0)
        elif fate is Fate.SENDING:
            await self.sender.change(wanted.key, fate=fate, seats=0)
        return fate is Fate.SENDING

    def know(self, note: Outgoing) -> None:
        """Take the note of a mirror that was stored with its match.

        Not if the sender has read it meanwhile: it may have been sent, and would be sent twice.
        """
        if note.key not in self.sender.by_subject.get(note.subject, ()):
            self.sender.remember(note)

    async def close(self, match_id: int, channel_id: int) -> None:
        """Delete the match's mirror in that channel."""
        await self.sender.take_away((match_id, channel_id))

    async def replace_homes(self, channel_id: int) -> None:
        """Make a mirror the board of each running match whose channel, or the one around it, is gone."""
        for match_id in await self._changes.running_below(channel_id):
            await self.replace_home(match_id)

    async def replace_home(self, match_id: int) -> bool:
        """Make a mirror the board of the match, whose own is gone; return False without one."""
        mirrors = [note for note in self.standing(match_id) if note.message_id is not None]
        for note in mirrors[:1]:
            # First: the message of a mirror is deleted once the board is in its channel.
            await self.sender.leave(note.key)
            await self._changes.attach(match_id, note.place.channel(note.message_id))
        return bool(mirrors)

    async def send_again(self, match_id: int, channel_id: int | None) -> bool:
        """Send the match's mirror in that channel again, below other messages; return False without one."""
        keys = [note.key for note in self.standing(match_id) if note.part == channel_id]
        for key in keys:
            await self.sender.remove(key, Fate.SENDING)
        return bool(keys)

    def at(self, message_id: int) -> Outgoing | None:
        """Return the mirror that is that message."""
        return self.sender.of_message(message_id)

    def standing(self, match_id: int) -> list[Outgoing]:
        """Return the match's mirrors."""
        return [note for note in self.sender.of_subject(match_id) if note.fate is not Fate.ASKED]

    def matches_in(self, channel_id: int | None) -> list[int]:
        """Return the matches that have a mirror in that channel."""
        return [note.subject for note in self.sender.notes() if note.part == channel_id]

    # Presses and pings

    async def answer(self, interaction: Interaction, match: Match) -> None:
        """Acknowledge a press on a mirror by editing it, unless it shows something newer already."""
        note = self.pressed(interaction, match)
        if note is None:
            return
        async with held_soon(self.sender.lock(note.key), LOCK_WAIT_SECONDS) as is_held:
            note = self.pressed(interaction, match)
            if not is_held or note is None or match.version < int(note.shows or 0):
                await acknowledge(interaction)
                return
            try:
                await edit_pressed(interaction, await self._view(match, note.place, note.message_id))
            except DISCORD_ERRORS as error:
                log.info("match %d: a press on a mirror is answered later: %r", match.id, error)
            else:
                if not match.is_over:  # an ended match is shown by the sender, which then leaves it alone
                    self.sender.is_shown(note.key, str(match.version))

    async def bring(self, note: Outgoing, match: Match) -> Delivered:
        """Bring a mirror up to date at once."""
        wanted = Wanted(note.subject, note.part, note.place, str(match.version))
        return await self.sender.deliver(Delivery(note.key, wanted, note.part))

    async def offer_next(self, interaction: Interaction, match: Match, picked: Picked) -> None:
        """Answer a choice before a move with the next ones, on the pressed mirror; raises MatchError."""
        note = self.pressed(interaction, match)
        if note is None:
            return
        async with held_soon(self.sender.lock(note.key), LOCK_WAIT_SECONDS) as is_held:
            if not is_held:
                raise MatchError("busy")
            # The mirror may have been brought up to date while the press waited.
            turn, match = match.turn, await self._changes.latest(match.id)
            match.check_to_move(interaction.user.id, turn=turn)
            await edit_pressed(
                interaction, await self._view(match, note.place, note.message_id, picked=picked)
            )

    def here(self, match_id: int, channel_id: int | None) -> Outgoing | None:
        """Return the match's mirror in that channel, if it stands."""
        notes = self.standing(match_id)
        return next((one for one in notes if one.part == channel_id and one.message_id is not None), None)

    async def sit(self, match: Match, user_id: int, channel_id: int | None) -> None:
        """Note where the person plays the match from, so that their pings go there."""
        own = sum(1 << player for player in match.players_of(user_id))
        for note in self.standing(match.id):
            seats = note.seats | own if note.part == channel_id else note.seats & ~own
            if seats != note.seats:
                await self.sender.change(note.key, seats=seats)

    def ping_places(self, match: Match) -> list[Channel]:
        """Return the match's boards, first the one at which the person to act has pressed last."""
        own = 1 << asked_player(match)
        notes = [note for note in self.standing(match.id) if note.message_id is not None]
        here = [note.place.channel(note.message_id) for note in notes if note.seats & own]
        others = [note.place.channel(note.message_id) for note in notes if not note.seats & own]
        places = [*here, match.channel, *others]
        server = match.seats[asked_player(match)].guild_id
        if server is None:
            return places
        # Between servers: people are mentioned in their own alone, without a board in its lobby.
        own_places = [place for place in places if place.guild_id == server]
        lobby = self._settings.server(server)
        if not own_places and lobby.lobby is not None:
            own_places = [Channel(lobby.lobby, server, locale=lobby.language or match.location.locale or "")]
        return own_places

    def board_of(self, match: Match, user_id: int) -> Location:
        """Return where the player has pressed last, which may be the only board that they can see."""
        own = sum(1 << player for player in match.players_of(user_id))
        notes = (note for note in self.standing(match.id) if note.seats & own and note.message_id is not None)
        return next((note.place.channel(note.message_id) for note in notes), match.location)

    def pressed(self, interaction: Interaction, match: Match) -> Outgoing | None:
        """Return the pressed mirror of the match, also one whose id was lost and is not found yet."""
        message = interaction.message
        if message is None or message.flags.ephemeral or message.id == match.location.message_id:
            return None
        unfound = (
            note
            for note in self.standing(match.id)
            if note.message_id is None and note.part == interaction.channel_id
        )
        return self.sender.of_message(message.id) or next(unfound, None)

    async def _view(
        self, match: Match, place: Place, message_id: int | None = None, *, picked: Picked | None = None
    ) -> ui.LayoutView:
        if place.guild_id != match.location.guild_id and not match.is_between:
            # Nicknames stay in their server.
            (match,) = await self._called_in(place.guild_id, (match,))
        there = replace(match, location=place.channel(message_id))
        return await self._views.board(
            there, picked=picked, note=None if match.is_over else "board_is_mirror"
        )
