"""Tables: open seats in the lobbies of other servers, where the message of one becomes its guest's board."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

import discord

from bot.domain.lru_dict import LruDict
from bot.domain.match import Match
from bot.domain.outgoing import Fate, Handover, Key, Outgoing, Place, Wanted
from bot.domain.preferences import ServerSettings
from bot.services.lobby import Lobby
from bot.services.outgoing import MessageKind, Sender
from bot.services.ports import Delivered
from bot.services.rate_window import RateWindow
from bot.ui.client import Interaction
from bot.ui.context import person_of
from bot.ui.layout import custom_ids
from bot.ui.match.mirrors import Mirrors
from bot.ui.match.routes import TABLE
from bot.ui.match.table_views import table_view
from bot.ui.messages import Content
from bot.ui.server_notices import ServerTexts

MOST_SHOWN = 5
"""Tables in a lobby at once; then the newest of the others has the next place."""

MOST_POSTED, POSTED_SECONDS = 10, 600.0
"""Tables that are posted in a lobby in that time."""

MOST_REMEMBERED = 2000


class Tables(MessageKind):
    """The tables in the lobbies of one client's servers, which are the part of a key.

    One is wanted while its invitation is open. Where it is deleted by others, or by its
    button, it stays away. servers: by their id.
    """

    name = "table"
    is_standing = True
    gives_up_at = (Delivered.CHANNEL_REFUSED,)
    sender: Sender
    """Set once, since either needs the other."""

    def __init__(
        self,
        client: discord.Client,
        texts: ServerTexts,
        lobby: Lobby,
        mirrors: Mirrors,
        servers: Callable[[], Mapping[int, ServerSettings]],
    ) -> None:
        self._client = client
        self._texts = texts
        self._lobby = lobby
        self._mirrors = mirrors
        self._servers = servers
        self._unwanted: LruDict[Key, bool] = LruDict(MOST_REMEMBERED)
        self._posted: LruDict[Key, bool] = LruDict(MOST_REMEMBERED)
        self._rates: LruDict[int, RateWindow] = LruDict(MOST_REMEMBERED)

    # As a kind of message

    async def wanted(self, notes: Collection[Outgoing]) -> list[Wanted]:
        lobbies = {
            guild_id: Place(chosen.lobby, guild_id, chosen.language or "")
            for guild_id, chosen in self._servers().items()
            if chosen.lobby is not None
        }
        if not lobbies:
            return []
        tables, noted, wanted = await self._lobby.tables(), {note.key for note in notes}, []
        for guild_id, place in lobbies.items():
            offered = {
                (table.id, guild_id): table
                for table in tables
                if table.location.guild_id != guild_id and (table.id, guild_id) not in self._unwanted
            }
            standing = [key for key in offered if key in noted]
            room = min(MOST_SHOWN - len(standing), self._rate(guild_id).left)
            new = [key for key in offered if key not in noted][: max(0, room)]
            wanted += [Wanted(*key, place, place.locale, offered[key]) for key in (*standing, *new)]
        return wanted

    async def draw(self, wanted: Wanted) -> Content:
        if wanted.key not in self._posted:
            self._posted[wanted.key] = True
            self._rate(wanted.part).spend(1)
        host = await self._lobby.host(wanted.item)
        return Content(table_view(wanted.item, host, self._texts.of(self._client.get_guild(wanted.part))))

    def recognises(self, wanted: Wanted, message: discord.Message) -> bool:
        return TABLE(wanted.subject, True) in custom_ids(message)

    async def give_up(self, wanted: Wanted, *, was_shown: bool) -> bool:
        """Leave it away where people have deleted it."""
        self._unwanted[wanted.key] = True
        return was_shown

    def _rate(self, guild_id: int) -> RateWindow:
        rate = self._rates.get(guild_id)
        if rate is None:
            rate = self._rates[guild_id] = RateWindow(MOST_POSTED, POSTED_SECONDS)
        return rate

    # Presses

    async def turn_away(self, table_id: int, guild_id: int) -> None:
        """Delete the table in that server, and show it there no more; raises NotDelivered."""
        key = (table_id, guild_id)
        self._unwanted[key] = True
        await self.sender.take_away(key)

    async def sit_down(self, interaction: Interaction, table_id: int, place: Place, message_id: int) -> Match:
        """Seat the person at the pressed table, whose message becomes their board; raises Refusal."""
        key, person = (table_id, place.guild_id or 0), person_of(interaction)
        now = interaction.client.services.clock()

        def note(match: Match) -> Outgoing:
            seats = 1 << match.player_of(person.user_id)
            return Outgoing(
                Mirrors.name, match.id, place.channel_id, place, message_id, "", Fate.SHOWN, now, seats
            )

        handover = Handover(place, message_id, self.name, key, note)
        # Its sender may be about to note that it was sent.
        async with self.sender.lock(key):
            match = await self._lobby.sit_down(table_id, person, handover)
            self.sender.hand_over(key, self._mirrors.sender, note(match))
        return match
