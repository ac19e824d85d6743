"""Tables: open seats in the lobbies of other servers, where the message of one becomes its guest's board."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace

import discord

from bot.domain.challenge import Challenge
from bot.domain.lru_dict import LruDict
from bot.domain.match import Match
from bot.domain.outgoing import Fate, Handover, Key, Outgoing, Place, Wanted
from bot.domain.preferences import ServerSettings
from bot.i18n import Text
from bot.services.lobby import Lobby
from bot.services.outgoing import MessageKind, Sender
from bot.services.ports import Delivered
from bot.services.rate_window import RateWindow
from bot.ui.client import Interaction
from bot.ui.context import own_text, person_of
from bot.ui.layout import box, custom_ids, lines, mentioning
from bot.ui.match.mirrors import Mirrors
from bot.ui.match.routes import TABLE, TablePress
from bot.ui.match.table_views import open_table_view, table_view
from bot.ui.messages import Content, Messages
from bot.ui.server_notices import ServerTexts

MOST_SHOWN = 5
"""Tables for anyone in a lobby at once; then the newest of the others has the next place."""

MOST_POSTED, POSTED_SECONDS = 10, 600.0
"""Tables that are posted in a lobby in that time."""

MOST_REMEMBERED = 2000


@dataclass(frozen=True, slots=True)
class OpenTable:
    """A challenger's private message. servers: the number that it shows."""

    table: Challenge
    message_id: int
    servers: int
    t: Text


class Tables(MessageKind):
    """The tables in the lobbies of one client's servers, which are the part of a key.

    One is wanted while its invitation is open. Where it is deleted by others, or by its
    button, it stays away: its note is given up until then. servers: by their id.
    """

    name = "table"
    is_standing = True
    is_restored = False
    gives_up_at = (Delivered.CHANNEL_REFUSED,)
    sender: Sender
    """Set once, since either needs the other."""

    def __init__(
        self,
        client: discord.Client,
        messages: Messages,
        texts: ServerTexts,
        lobby: Lobby,
        mirrors: Mirrors,
        servers: Callable[[], Mapping[int, ServerSettings]],
    ) -> None:
        self._client = client
        self._messages = messages
        self._texts = texts
        self._lobby = lobby
        self._mirrors = mirrors
        self._servers = servers
        self._open: LruDict[int, OpenTable] = LruDict(MOST_REMEMBERED)
        self._posted: LruDict[Key, bool] = LruDict(MOST_REMEMBERED)
        self._rates: LruDict[int, RateWindow] = LruDict(MOST_REMEMBERED)

    # As a kind of message

    async def wanted(self, notes: Collection[Outgoing]) -> list[Wanted]:
        lobbies = {
            guild_id: Place(chosen.lobby, guild_id, chosen.language or "")
            for guild_id, chosen in self._servers().items()
            if chosen.lobby is not None
        }
        opened = [*self._open.values()]  # before the tables are read, which has each of them then
        if not lobbies and not opened:
            return []
        tables = await self._lobby.tables()
        await self._tell_challengers(opened, {table.id for table in tables})
        fates, wanted = {note.key: note.fate for note in notes}, []
        for guild_id, found in (await self._lobby.offered(tables, lobbies)).items():
            offered, place = {(table.id, guild_id): table for table in found}, lobbies[guild_id]
            # A rematch is for one person, who would not hear of it if it waited for a place.
            for_anyone = [key for key, table in offered.items() if table.opponent is None]
            shown = sum(fates.get(key, Fate.GIVEN_UP) is not Fate.GIVEN_UP for key in for_anyone)
            room = min(MOST_SHOWN - shown, self._rate(guild_id).left)
            waiting = [key for key in for_anyone if key not in fates][max(0, room) :]
            wanted += [
                Wanted(*key, place, place.locale, offered[key]) for key in offered if key not in waiting
            ]
        return wanted

    async def draw(self, wanted: Wanted) -> Content:
        if wanted.key not in self._posted:
            self._posted[wanted.key] = True
            self._rate(wanted.part).spend(1)
        table: Challenge = wanted.item
        view = table_view(
            table, await self._lobby.host(table), self._texts.of(self._client.get_guild(wanted.part))
        )
        invited = None if table.opponent is None else table.opponent.user_id
        return Content(view, mentions=None if invited is None else mentioning(invited))

    def recognises(self, wanted: Wanted, message: discord.Message) -> bool:
        return TABLE(wanted.subject, TablePress.SIT) in custom_ids(message)

    def _rate(self, guild_id: int) -> RateWindow:
        rate = self._rates.get(guild_id)
        if rate is None:
            rate = self._rates[guild_id] = RateWindow(MOST_POSTED, POSTED_SECONDS)
        return rate

    # Presses

    async def turn_away(self, table_id: int, guild_id: int) -> None:
        """Delete the table in that server, and show it there no more; raises NotDelivered."""
        await self.sender.remove((table_id, guild_id), Fate.GIVEN_UP)

    async def sit_down(self, interaction: Interaction, table_id: int, place: Place, message_id: int) -> Match:
        """Seat the person at the pressed table, whose message becomes their board; raises Refusal."""
        key, note = (table_id, place.guild_id or 0), note_of_board(interaction, place, message_id)
        # Its sender may be about to note that it was sent.
        async with self.sender.lock(key):
            match = await self._lobby.sit_down(
                table_id, person_of(interaction), Handover(place, note, (self.name, key))
            )
            self.sender.hand_over(key, self._mirrors.sender, note(match))
        return match

    # The challengers' private messages

    async def tell_open(self, interaction: Interaction, table: Challenge) -> None:
        """Tell the challenger privately where their table is shown, and go on telling it for 15 minutes."""
        t, servers = own_text(interaction), self._lobby.others(table.location.guild_id)
        sent = await interaction.followup.send(
            view=open_table_view(table, servers, t), ephemeral=True, wait=True
        )
        interaction.client.ui.presses.note(sent.id, interaction, is_follow_up=True)
        self._open[table.id] = OpenTable(table, sent.id, servers, t)

    async def _tell_challengers(self, opened: Collection[OpenTable], offered: Collection[int]) -> None:
        """Bring the private messages up to date whose table is closed, or shown in more or fewer servers.

        offered: the tables that other servers show.
        """
        hidden = {told.table.id for told in opened}.difference(offered)
        # A table is open at home yet where its server's lobby was closed, or others came first.
        left_open = await self._lobby.still_open(hidden) if hidden else ()
        for told in opened:
            table = told.table
            servers = self._lobby.others(table.location.guild_id) if table.id in offered else 0
            if table.id in hidden and table.id not in left_open:
                self._open.pop(table.id, None)
                view = box(lines(told.t("table_closed")))
            elif servers != told.servers:
                self._open[table.id] = replace(told, servers=servers)
                view = open_table_view(table, servers, told.t)
            else:
                continue
            await self._messages.edit_by_press(told.message_id, Content(view))


def note_of_board(
    interaction: Interaction, place: Place, message_id: int | None = None
) -> Callable[[Match], Outgoing]:
    """Return what makes the note of the person's board. message_id: of one that stands; else it is sent."""
    now, fate = interaction.client.services.clock(), Fate.SENDING if message_id is None else Fate.SHOWN

    def note(match: Match) -> Outgoing:
        seats = 1 << match.player_of(interaction.user.id)
        return Outgoing(Mirrors.name, match.id, place.channel_id, place, message_id, "", fate, now, seats)

    return note
