"""Open tables: seats in the lobbies of other servers, and matches between two servers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import discord
import pytest
import pytest_asyncio
from simcord.backend.models.channel import Overwrite
from simcord.enums import OverwriteType

from bot.domain.challenge import EXPIRES_AFTER
from bot.domain.errors import MatchError, SetupError
from bot.domain.location import Channel
from bot.domain.match import Match
from bot.domain.outgoing import Fate, Handover, Outgoing, Place, Wanted, place_of
from bot.domain.person import Person
from bot.domain.preferences import ServerSettings
from bot.domain.seat import Seat
from bot.services.command_costs import Cost
from bot.store.lobby import MOST_REPORTS, ReportedName
from bot.ui.match.mirror_handlers import MAX_MIRRORS
from bot.ui.match.tables import MOST_SHOWN
from tests.bot.exports import exported
from tests.bot.sittings import terms_of
from tests.bot.table import Table, behind_more, buttons_of, line_of, text_of

GAME = "connect-four"


@dataclass
class Lobby:
    """Ada's server, Chess Club, and Zoe's, Board Nights; both take open tables."""

    table: Table
    home: Any
    club: Any
    nights: Any
    lounge: Any
    zoe: Any

    async def open(self, **options: Any) -> Any:
        """Ada opens a table; returns the public invitation and the private message."""
        chosen = {"game": "connect-four", "first": "me", "rated": True, "other_servers": True, **options}
        answer = await self.table.ada.slash(self.table.games, "challenge", **chosen)
        await self.table.reconcile()
        return answer

    def message(self, channel: Any = None) -> Any:
        """The only message with buttons in that lobby."""
        (found,) = (one for one in (channel or self.lounge).history() if buttons_of(one))
        return found

    def board(self) -> Any:
        return self.message(self.table.games)

    async def seated(self, **options: Any) -> None:
        """Zoe sits down at Ada's table."""
        await self.open(**options)
        await self.zoe.click(self.message(), label="Sit down")
        await self.table.reconcile()

    def texts(self, channel: Any) -> str:
        """Everything that the channel shows."""
        return "\n".join(f"{one.content}\n{text_of(one)}" for one in channel.history())


@pytest_asyncio.fixture(loop_scope="module")
async def lobby(table: Table) -> AsyncIterator[Lobby]:
    guild = table.env.create_guild("Board Nights")
    lounge = guild.create_text_channel("lounge")
    zoe = guild.add_member(table.env.create_user("zoe", global_name="Zoe"), nick="Queen of chess")
    club = table.guild.create_text_channel("lobby")
    settings = table.bot.services.settings
    servers = {table.guild.id: ("Chess Club", club), guild.id: ("Board Nights", lounge)}
    for guild_id, (name, channel) in servers.items():
        await settings.save(guild_id, ServerSettings(lobby_channel=channel.id, lobby_name=name))
    table.env.backend.guilds[table.guild.id].name = "Chess Club"
    cached = table.bot.get_guild(table.guild.id)
    assert cached is not None
    cached.name = "Chess Club"
    yield Lobby(table, table.guild, club, guild, lounge, zoe)
    for guild_id in servers:
        await table.bot.services.settings.save(guild_id, ServerSettings())
    await table.reconcile()


async def test_a_seat_is_taken_from_another_server_and_the_match_played_from_both(lobby: Lobby) -> None:
    table = lobby.table
    answer = await lobby.open()
    assert "looking for an opponent" in text_of(answer.response)
    (private,) = answer.followups
    assert "Your table is open" in line_of(private)
    offered = lobby.message()
    assert "Connect Four, anyone?" in text_of(offered)
    assert "A player of **Chess Club**" in text_of(offered)
    assert "Ada" not in text_of(offered)
    assert not [one for one in lobby.club.history() if buttons_of(one)], "its own lobby needs no second seat"
    pressed = await lobby.zoe.click(offered, label="Sit down")
    assert pressed.response.id == offered.id, "the message becomes the guest's board"
    await table.reconcile()
    board, mirror = lobby.board(), lobby.message()
    assert board.id == answer.response.id, "the invitation becomes the home"
    for ply, label in enumerate("1213121", 1):
        person, shown = ((table.ada, board), (lobby.zoe, mirror))[(ply + 1) % 2]
        await person.click(shown, label=label)
        await table.reconcile()
    for shown in (lobby.board(), lobby.message()):
        assert "wins" in text_of(shown)


async def test_each_server_reads_its_own_persons_name_alone(lobby: Lobby) -> None:
    table = lobby.table
    await lobby.seated()
    await table.ada.click(lobby.board(), label="1")
    await table.reconcile()
    await lobby.zoe.click(lobby.message(), label="2")
    await table.reconcile()
    home, abroad = lobby.texts(table.games), lobby.texts(lobby.lounge)
    assert "Ada" in home
    assert "Board Nights" in home
    assert "Zoe" not in home
    assert "Queen" not in home
    assert str(lobby.zoe.id) not in home, "nobody is mentioned in a server that is not theirs"
    assert "Zoe" in abroad
    assert "Chess Club" in abroad
    assert "Ada" not in abroad
    assert str(table.ada.id) not in abroad


async def finish(lobby: Lobby) -> None:
    """Ada wins in the first column."""
    for ply, label in enumerate("1212121"):
        if ply % 2:
            await lobby.zoe.click(lobby.message(), label=label)
        else:
            await lobby.table.ada.click(lobby.board(), label=label)
        await lobby.table.reconcile()


@pytest.mark.slow
async def test_two_people_who_never_meet_again_get_no_table_together(lobby: Lobby) -> None:
    await lobby.seated()
    await finish(lobby)
    answer = await lobby.zoe.click(lobby.message(), label="Never meet again")
    assert answer.ephemeral
    assert "no table together" in line_of(answer.response)
    await lobby.open()
    offered = next(one for one in lobby.lounge.history() if "Sit down" in buttons_of(one))
    refusal = await lobby.table.refused(lobby.zoe.click(offered, label="Sit down"))
    assert "Others are open to you" in refusal
    finished = next(one for one in lobby.lounge.history() if "Never meet again" in buttons_of(one))
    lifted = await lobby.zoe.click(finished, label="Never meet again")
    assert "may meet" in line_of(lifted.response)
    seated = await lobby.zoe.click(offered, label="Sit down")
    assert seated.response.id == offered.id


async def test_a_match_between_servers_counts_across_all_alone(lobby: Lobby) -> None:
    await lobby.seated()
    await finish(lobby)
    stores = lobby.table.bot.parts.stores
    for person in (lobby.table.ada, lobby.zoe):
        everywhere = await stores.ratings.ranked_in_all(0, person.id)
        assert "connect-four" in everywhere
        for guild in (lobby.home, lobby.nights):
            assert await stores.ratings.ranked_in_all(guild.id, person.id) == {}
            assert await stores.history.played(guild.id, person.id) == {}


async def test_the_settings_name_the_channel_of_open_tables(lobby: Lobby) -> None:
    manager = discord.Permissions(manage_guild=True)
    chief = lobby.nights.add_member(
        lobby.table.env.create_user("chief"), roles=[lobby.nights.create_role("Chiefs", permissions=manager)]
    )
    shown = text_of((await chief.slash(lobby.lounge, "settings")).response)
    assert f"Channel of open tables: <#{lobby.lounge.id}>" in shown


@pytest.mark.slow
async def test_no_server_is_said_to_have_earned_an_achievement(lobby: Lobby) -> None:
    await lobby.seated()
    await finish(lobby)
    await lobby.table.skip()
    assert await lobby.table.bot.parts.stores.achievements.awards(lobby.table.ada.id)
    assert "earned" not in lobby.texts(lobby.table.games)


async def test_a_person_who_agreed_is_named_in_the_other_server(lobby: Lobby) -> None:
    services, ada = lobby.table.bot.services, lobby.table.ada
    wishes = services.settings.person(ada.id)
    await services.settings.prefer(ada.id, replace(wishes, is_listed=True))
    await lobby.open()
    assert "**Ada** of **Chess Club**" in text_of(lobby.message())
    await lobby.zoe.click(lobby.message(), label="Sit down")
    await lobby.table.reconcile()
    assert "**Ada**" in text_of(lobby.message())
    assert "Zoe" not in text_of(lobby.board())
    await services.settings.prefer(ada.id, wishes)
    await lobby.zoe.click(lobby.message(), label="More…")
    await lobby.table.ada.click(lobby.board(), label="1")
    await lobby.table.reconcile()
    assert "Ada" not in text_of(lobby.message()), "what was agreed to can be taken back"


async def test_moderators_send_a_table_away_and_it_stays_away(lobby: Lobby) -> None:
    await lobby.open()
    refusal = await lobby.table.refused(lobby.zoe.click(lobby.message(), label="Not in this server"))
    assert "manage messages" in refusal
    await boss_of(lobby).click(lobby.message(), label="Not in this server")
    await lobby.table.reconcile(times=2)
    assert not [one for one in lobby.lounge.history() if buttons_of(one)]


def boss_of(lobby: Lobby) -> Any:
    """Manages messages in Board Nights."""
    crew = lobby.nights.create_role("Crew", permissions=discord.Permissions(manage_messages=True))
    return lobby.nights.add_member(lobby.table.env.create_user("boss"), roles=[crew])


async def test_a_table_that_was_sent_away_stays_away_when_the_lobby_moves(lobby: Lobby) -> None:
    table, settings = lobby.table, lobby.table.bot.services.settings
    await lobby.open()
    await boss_of(lobby).click(lobby.message(), label="Not in this server")
    hall = lobby.nights.create_text_channel("hall")
    await settings.save(lobby.nights.id, ServerSettings(lobby_channel=hall.id, lobby_name="Board Nights"))
    await table.reconcile(times=2)
    assert hall.history() == []
    await lobby.open(game="othello")
    assert "Othello" in text_of(lobby.message(hall)), "others are shown there"


@pytest.mark.slow
async def test_a_table_that_was_sent_away_stays_away_after_a_restart(lobby: Lobby) -> None:
    table = lobby.table
    await lobby.open()
    await boss_of(lobby).click(lobby.message(), label="Not in this server")
    await table.restart()
    await table.reconcile(times=2)
    assert not [one for one in lobby.lounge.history() if buttons_of(one)]
    assert [note.fate for note in await table.bot.parts.stores.outgoing.of("table")] == [Fate.GIVEN_UP]
    await lobby.open(game="othello")
    assert "Othello" in text_of(lobby.message()), "others have its place"


async def test_the_private_message_follows_the_servers_and_the_end_of_the_table(lobby: Lobby) -> None:
    table, settings = lobby.table, lobby.table.bot.services.settings
    (private,) = (await lobby.open()).followups
    assert "in 1 other server." in line_of(private)
    third = table.env.create_guild("Third")
    hall = third.create_text_channel("hall")
    await settings.save(third.id, ServerSettings(lobby_channel=hall.id, lobby_name="Third"))
    await table.reconcile()
    assert "up to 2 other servers" in line_of(private)
    await settings.save(third.id, ServerSettings())
    await lobby.zoe.click(lobby.message(), label="Sit down")
    await table.reconcile()
    assert line_of(private) == "Your table is closed."
    assert buttons_of(private) == {}


async def test_a_table_is_not_said_to_be_closed_while_the_seat_is_open(lobby: Lobby) -> None:
    table, settings = lobby.table, lobby.table.bot.services.settings
    (private,) = (await lobby.open()).followups
    await settings.change(table.guild.id, lambda now: replace(now, lobby_channel=None))
    await table.reconcile()
    assert "Your table is open" in line_of(private)
    assert "no other server shows this table now" in line_of(private)
    await settings.change(table.guild.id, lambda now: replace(now, lobby_channel=lobby.club.id))
    await table.reconcile()
    assert "in 1 other server." in line_of(private)
    await table.ben.click(lobby.board(), label="Play")
    await table.reconcile()
    assert line_of(private) == "Your table is closed."


async def test_closing_the_table_takes_it_from_every_lobby(lobby: Lobby) -> None:
    answer = await lobby.open()
    (private,) = answer.followups
    closed = await lobby.table.ada.click(private, label="Close the table")
    assert "Your table is closed" in line_of(closed.response)
    await lobby.table.reconcile()
    assert lobby.lounge.history() == []
    assert "withdrew" in lobby.texts(lobby.table.games)


async def test_a_server_that_keeps_its_results_takes_no_tables(lobby: Lobby) -> None:
    settings, table = lobby.table.bot.services.settings, lobby.table
    await settings.change(lobby.nights.id, lambda now: replace(now, is_closed=True))
    await lobby.open()
    assert lobby.lounge.history() == []
    await settings.change(table.guild.id, lambda now: replace(now, is_closed=True))
    refusal = await table.refused(
        table.ada.slash(table.games, "challenge", game="connect-four", other_servers=True)
    )
    assert "takes no open tables" in refusal


async def test_a_rating_in_place_of_a_name_is_rounded(lobby: Lobby) -> None:
    await lobby.seated()
    await finish(lobby)
    await lobby.open()
    services, stores = lobby.table.bot.services, lobby.table.bot.parts.stores
    (offered,) = await services.lobby.tables()
    host, exact = await services.lobby.host(offered), await stores.ratings.points(lobby.table.ada.id, GAME)
    assert exact is not None
    assert exact % 50, "or the test shows nothing"
    assert host.points == 50 * round(exact / 50)
    assert host.alias == f"Chess Club ≈{host.points}"


async def test_one_sits_down_at_open_tables_of_servers_that_take_part_alone(lobby: Lobby) -> None:
    table, services = lobby.table, lobby.table.bot.services
    zoe, terms = Person(lobby.zoe.id, "Zoe"), terms_of(GAME)
    home = Channel(table.games.id, table.guild.id)

    async def refused(*, is_table: bool) -> None:
        ada = table.person(table.ada)
        asked = await services.challenges.send(ada, None, terms, home, is_table=is_table)
        handover = handover_of(lobby, lobby.nights, table.games.history()[0], zoe, asked.id)
        with pytest.raises(MatchError, match="challenge_not_open"):
            await services.lobby.sit_down(asked.id, zoe, handover)
        await services.challenges.decline(asked.id, ada)

    await table.start(rated=False)
    await refused(is_table=False)
    await services.settings.change(table.guild.id, lambda now: replace(now, lobby_channel=None))
    await refused(is_table=True)


# Rematches


async def begun_again(lobby: Lobby, board: Any, mirror: Any) -> Match:
    """Both servers have a new board each, and no name crosses; returns the match."""
    table = lobby.table
    match = await table.bot.services.matches.match(table.first_match + 1)
    assert match.rematch_of == table.first_match
    assert {seat.user_id: seat.guild_id for seat in match.seats} == {
        table.ada.id: lobby.home.id,
        lobby.zoe.id: lobby.nights.id,
    }
    first = match.player_of(lobby.zoe.id)
    assert first == 0, "the sides are swapped"
    await lobby.zoe.click(mirror, label="1")
    await table.reconcile()
    await table.ada.click(board, label="2")
    await table.reconcile()
    for channel, strangers in (
        (table.games, ("Zoe", "Queen", str(lobby.zoe.id))),
        (lobby.lounge, ("Ada", str(table.ada.id))),
    ):
        assert not [name for name in strangers if name in lobby.texts(channel)]
    return match


def newest(channel: Any, label: str) -> Any:
    """The last message there with that button."""
    return [one for one in channel.history() if label in buttons_of(one)][-1]


@pytest.mark.slow
async def test_the_home_asks_for_a_rematch_and_the_guest_accepts_it_where_they_are(lobby: Lobby) -> None:
    table = lobby.table
    await lobby.seated()
    await finish(lobby)
    asked = (await table.ada.click(lobby.board(), label="Rematch")).response
    assert "≈" in text_of(asked) or "Board Nights" in text_of(asked)
    await table.reconcile()
    offered = newest(lobby.lounge, "Accept")
    assert f"<@{lobby.zoe.id}>, **Chess Club" in text_of(offered)
    other = lobby.nights.add_member(table.env.create_user("max", global_name="Max"))
    assert "This invitation is for" in await table.refused(other.click(offered, label="Accept"))
    pressed = await lobby.zoe.click(offered, label="Accept")
    assert pressed.response.id == offered.id
    await table.reconcile()
    await begun_again(lobby, newest(table.games, "More…"), newest(lobby.lounge, "More…"))


@pytest.mark.slow
async def test_the_guest_asks_for_a_rematch_and_the_home_presses_it_too(lobby: Lobby) -> None:
    table = lobby.table
    await lobby.seated()
    await finish(lobby)
    await lobby.zoe.click(lobby.message(), label="Rematch")
    await table.reconcile()
    assert f"<@{table.ada.id}>, **Board Nights" in text_of(newest(lobby.club, "Accept"))
    assert str(table.ada.id) not in lobby.texts(lobby.lounge)
    await table.ada.click(lobby.board(), label="Rematch")
    await table.reconcile(times=2)
    assert not [one for one in lobby.club.history() if buttons_of(one)], "the invitation is answered"
    match = await begun_again(lobby, newest(table.games, "More…"), newest(lobby.lounge, "More…"))
    assert match.location.guild_id == lobby.nights.id


@pytest.mark.slow
async def test_a_rematch_needs_no_place_in_a_full_lobby_and_no_table_of_ones_own(lobby: Lobby) -> None:
    table = lobby.table
    await lobby.seated()
    await finish(lobby)
    over = lobby.board()
    for person in (table.ada, table.ben, table.eve) * 2:
        await person.slash(table.games, "challenge", game="othello", other_servers=True)
        await table.reconcile()
        await table.env.advance_time(15)
    assert sum("Sit down" in buttons_of(one) for one in lobby.lounge.history()) == MOST_SHOWN
    await table.ada.click(over, label="Rematch")
    await table.reconcile()
    assert f"<@{lobby.zoe.id}>" in text_of(newest(lobby.lounge, "Accept"))


async def test_of_two_who_ask_for_a_rematch_at_once_both_play_it(lobby: Lobby) -> None:
    table, services = lobby.table, lobby.table.bot.services
    await lobby.seated()
    await finish(lobby)
    sides = (
        (Person(table.ada.id, "Ada"), Channel(table.games.id, lobby.home.id, locale="en-US")),
        (Person(lobby.zoe.id, "Zoe"), Channel(lobby.lounge.id, lobby.nights.id, locale="en-US")),
    )

    async def ask(person: Person, here: Channel) -> object:
        place = place_of(here)

        def note(match: Match) -> Outgoing:
            return Outgoing("mirror", match.id, here.channel_id, place, None, "", Fate.SENDING, table.clock())

        handover = await services.lobby.rematch(table.first_match, person, "Server", Handover(place, note))
        return await services.starting.rematch(table.first_match, person, here, handover)

    found = await asyncio.gather(*(ask(*side) for side in sides))
    (match,) = (one for one in found if isinstance(one, Match))
    assert all(seat.guild_id is not None for seat in match.seats)
    assert not {"Ada", "Zoe"} & {str(seat.name) for seat in match.seats}


@pytest.mark.slow
async def test_a_rematch_is_declined_or_refused_where_the_two_may_not_meet(lobby: Lobby) -> None:
    table, settings = lobby.table, lobby.table.bot.services.settings
    await lobby.seated()
    await finish(lobby)
    over = lobby.board()
    asked = (await table.ada.click(over, label="Rematch")).response
    await table.reconcile()
    offered = newest(lobby.lounge, "Decline")
    await lobby.zoe.click(offered, label="Decline")
    await table.reconcile()
    assert "declined" in text_of(asked)
    assert not [one for one in lobby.lounge.history() if "Accept" in buttons_of(one)]
    assert "Zoe" not in lobby.texts(table.games)
    await table.env.advance_time(60)
    await lobby.zoe.click(lobby.message(), label="Never meet again")
    turned_away = await table.refused(table.ada.click(over, label="Rematch"))
    await lobby.zoe.click(lobby.message(), label="Never meet again")
    await settings.change(lobby.nights.id, lambda now: replace(now, lobby_channel=None))
    closed = await table.refused(table.ada.click(over, label="Rematch"))
    assert "take open tables" in closed
    assert turned_away == closed, "the other one is not told"


@pytest.mark.slow
async def test_an_invitation_to_a_rematch_does_not_tell_that_its_sender_wants_to_meet_no_more(
    lobby: Lobby,
) -> None:
    table = lobby.table
    await lobby.seated()
    await finish(lobby)
    over = lobby.message()
    await table.ada.click(lobby.board(), label="Rematch")
    await table.reconcile()
    await table.ada.click(newest(table.games, "Never meet again"), label="Never meet again")
    accept = lobby.zoe.click(newest(lobby.lounge, "Accept"), label="Accept")
    assert "take open tables" in await table.refused(accept)
    assert "take open tables" in await table.refused(lobby.zoe.click(over, label="Rematch"))


@pytest.mark.slow
async def test_a_person_is_asked_for_a_rematch_from_elsewhere_once_in_half_an_hour(lobby: Lobby) -> None:
    table = lobby.table
    await lobby.seated()
    await finish(lobby)
    over, theirs = lobby.board(), lobby.message()
    store = table.bot.parts.stores.challenges
    asked = (await table.ada.click(over, label="Rematch")).response
    await table.reconcile()
    (first,) = await store.open_of(table.ada.id)
    await table.ada.click(asked, label="Decline")
    await table.reconcile()
    assert "asked for this rematch already" in await table.refused(table.ada.click(over, label="Rematch"))
    await table.env.advance_time(60)
    await lobby.zoe.click(theirs, label="Rematch")
    await table.reconcile()
    await table.ada.click(newest(lobby.club, "Decline"), label="Decline")
    await table.reconcile()
    assert "asked for this rematch already" in await table.refused(lobby.zoe.click(theirs, label="Rematch"))
    assert "asked for this rematch already" in await table.refused(table.ada.click(over, label="Rematch"))
    assert not [one for one in lobby.lounge.history() if "Accept" in buttons_of(one)]
    later = replace(first, id=0, created_at=first.expires_at, expires_at=first.expires_at + EXPIRES_AFTER)
    assert (await store.add(later)).is_open


@pytest.mark.slow
async def test_only_the_one_who_accepts_a_rematch_needs_room_for_a_board(lobby: Lobby) -> None:
    table, sender = lobby.table, lobby.table.display.mirrors.sender
    await lobby.seated()
    await finish(lobby)
    over, theirs, asked = lobby.board(), lobby.message(), []
    for channel in (table.games, lobby.lounge):
        place = Place(channel.id, channel.guild.id, "en-US")
        asked += [Wanted(table.first_match + 1000 + n, channel.id, place) for n in range(MAX_MIRRORS)]
    for wanted in asked:
        await sender.want(wanted, Fate.ASKED)
    await table.ada.click(over, label="Rematch")
    await table.reconcile()
    assert "Accept" in buttons_of(newest(lobby.lounge, "Accept"))
    assert "10 matches" in await table.refused(lobby.zoe.click(theirs, label="Rematch"))
    for wanted in asked:
        await sender.leave(wanted.key)
    await lobby.zoe.click(theirs, label="Rematch")
    await table.reconcile()
    assert (await table.bot.services.matches.match(table.first_match + 1)).rematch_of == table.first_match


async def test_an_onlooker_who_asks_for_a_rematch_spends_nothing(lobby: Lobby) -> None:
    table, budget = lobby.table, lobby.table.bot.ui.budget
    await lobby.seated()
    await finish(lobby)
    other = lobby.nights.add_member(table.env.create_user("max", global_name="Max"))
    refusal = await table.refused(other.click(lobby.message(), label="Rematch"))
    budget.spend(other.id, lobby.nights.id, Cost.EXPORT)
    budget.spend(other.id, lobby.nights.id, Cost.TABLE)
    assert await table.refused(other.click(lobby.message(), label="Rematch")) == refusal


async def test_a_board_of_a_rematch_that_was_sent_already_is_not_sent_again(lobby: Lobby) -> None:
    """The sender may read the board's note between its transaction and the press that began the match."""
    table, services = lobby.table, lobby.table.bot.services
    mirrors, zoe = table.display.mirrors, Person(lobby.zoe.id, "Zoe")
    await lobby.seated()
    await finish(lobby)
    over = lobby.message()
    await table.ada.click(lobby.board(), label="Rematch")
    on_theirs = handover_of(lobby, lobby.nights, over, zoe, table.first_match)
    place = on_theirs.place

    def note(match: Match) -> Outgoing:
        return replace(on_theirs.note(match), message_id=None, fate=Fate.SENDING)

    handover = await services.lobby.rematch(table.first_match, zoe, "Board Nights", Handover(place, note))
    here = Channel(place.channel_id, place.guild_id, locale="en-US")
    match = await services.starting.rematch(table.first_match, zoe, here, handover)
    assert isinstance(match, Match)
    mirrors.sender.doubt()
    await table.reconcile()
    sent = mirrors.here(match.id, place.channel_id)
    assert sent is not None
    mirrors.know(note(match))
    assert mirrors.here(match.id, place.channel_id) == sent


@pytest.mark.slow
async def test_the_file_of_a_persons_data_names_no_stranger_who_asked_for_a_rematch(lobby: Lobby) -> None:
    table = lobby.table
    await lobby.seated()
    await finish(lobby)
    await table.ada.click(lobby.board(), label="Rematch")
    ada, zoe = table.ada.id, lobby.zoe.id
    stores = table.bot.parts.stores
    (asked, _) = (row for row in exported(stores, ada)["challenges"] if row["is_table"])
    assert asked["challenger_user"] == ada
    for person, stranger in ((ada, zoe), (zoe, ada)):
        assert str(stranger) not in json.dumps(exported(stores, person))


# Reports


async def reports_of(lobby: Lobby, person: Any) -> list[ReportedName]:
    found = await lobby.table.bot.parts.stores.lobby.reports(lobby.table.clock())
    return [one for one in found if one.user_id == person.id]


@pytest.mark.slow
async def test_a_name_is_reported_from_the_other_server_once_and_the_host_reads_it(
    lobby: Lobby, caplog: pytest.LogCaptureFixture
) -> None:
    table, stores = lobby.table, lobby.table.bot.parts.stores
    await lobby.seated()
    told = await behind_more(lobby.zoe, lobby.message(), "Report the name")
    assert "Whoever runs this bot sees the name" in line_of(told.response)
    await finish(lobby)
    other = lobby.nights.add_member(table.env.create_user("max", global_name="Max"))
    for person in (lobby.zoe, other):
        await person.click(lobby.message(), label="Report the name")
    (found,) = await reports_of(lobby, table.ada)
    assert (found.guild_id, found.reports) == (lobby.home.id, 2)
    assert (found.server, "Chess Club" in found.name) == ("Chess Club", True)
    lines = [one.getMessage() for one in caplog.records if "was reported" in one.getMessage()]
    assert len(lines) == 2, "a repeated report is none"
    assert not [line for line in lines if str(table.ada.id) in line or "Ada" in line]
    assert "name_reports" not in exported(stores, table.ada.id), "reports of others are theirs"
    ((mine),) = exported(stores, lobby.zoe.id)["name_reports"]
    assert (mine["user_id"], mine["other_user_id"], mine["guild_id"]) == (lobby.zoe.id, None, None)
    assert str(lobby.home.id) not in json.dumps(mine), "nor the server of a stranger"
    await table.bot.services.privacy.delete(Person(lobby.zoe.id, "Zoe"))
    (left,) = await reports_of(lobby, table.ada)
    assert left.reports == 1


async def test_a_table_is_reported_and_one_person_reports_few_names_a_day(lobby: Lobby) -> None:
    table, services = lobby.table, lobby.table.bot.services
    wishes = services.settings.person(table.ada.id)
    await services.settings.prefer(table.ada.id, replace(wishes, is_listed=True))
    await lobby.open()
    await lobby.zoe.click(lobby.message(), label="Report the name")
    (found,) = await reports_of(lobby, table.ada)
    assert found.name == "Ada"
    await services.settings.prefer(table.ada.id, wishes)
    for number in range(1, MOST_REPORTS):
        await services.lobby.report(lobby.zoe.id, Seat("Name", number, guild_id=1))
    refusal = await table.refused(lobby.zoe.click(lobby.message(), label="Report the name"))
    assert "Tomorrow" in refusal
    tomorrow = table.clock() + timedelta(days=1, minutes=1)
    assert await table.bot.parts.stores.lobby.report(lobby.zoe.id, Seat("Name", 9, guild_id=1), tomorrow)


@pytest.mark.slow
async def test_the_running_bot_deletes_reports_after_ninety_days(own_table: Table) -> None:
    reported_at = own_table.clock()
    await own_table.bot.services.lobby.report(own_table.ben.id, Seat("Name", 9, guild_id=1))
    own_table.clock.ahead += timedelta(days=90, minutes=1)
    await own_table.restart()
    await own_table.reconcile()
    assert await own_table.bot.parts.stores.lobby.reports(reported_at) == []


async def test_a_rematch_is_asked_for_from_ones_own_server_by_people_who_are_let_in(lobby: Lobby) -> None:
    await lobby.seated()
    await finish(lobby)
    table, zoe = lobby.table, Person(lobby.zoe.id, "Zoe")
    services, store, mirror = table.bot.services, table.bot.parts.stores.lobby, lobby.message()

    async def ask(guild: Any) -> Handover:
        handover = handover_of(lobby, guild, mirror, zoe, table.first_match)
        return await services.lobby.rematch(table.first_match, zoe, "Board Nights", handover)

    assert len((await ask(lobby.nights)).names) == 2
    with pytest.raises(MatchError, match="no_rematch_between"):
        await ask(lobby.home)
    await store.shut_out(zoe.user_id, is_out=True)
    with pytest.raises(SetupError, match="table_shut_out"):
        await ask(lobby.nights)
    await store.shut_out(zoe.user_id, is_out=False)


# Bad days


def handover_of(lobby: Lobby, guild: Any, message: Any, person: Person, table_id: int) -> Handover:
    """As a press on the message in that server makes it."""
    place = Place(message.channel.id, guild.id, "en-US")
    now = lobby.table.bot.services.clock()

    def note(match: Match) -> Outgoing:
        seats = 1 << match.player_of(person.user_id)
        return Outgoing("mirror", match.id, place.channel_id, place, message.id, "", Fate.SHOWN, now, seats)

    return Handover(place, note, ("table", (table_id, guild.id)))


@pytest.mark.slow
async def test_of_two_who_sit_down_at_once_from_two_servers_one_does(lobby: Lobby) -> None:
    table, services = lobby.table, lobby.table.bot.services
    third = table.env.create_guild("Third")
    hall = third.create_text_channel("hall")
    max_ = third.add_member(table.env.create_user("max", global_name="Max"))
    await services.settings.save(third.id, ServerSettings(lobby_channel=hall.id, lobby_name="Third"))
    await lobby.open()
    (offered, *_) = await services.lobby.tables()
    both = [
        (
            Person(person.id, name),
            handover_of(lobby, guild, lobby.message(channel), Person(person.id, name), offered.id),
        )
        for person, name, guild, channel in (
            (max_, "Max", third, hall),
            (lobby.zoe, "Zoe", lobby.nights, lobby.lounge),
        )
    ]
    results = await asyncio.gather(
        *(services.lobby.sit_down(offered.id, person, handover) for person, handover in both),
        return_exceptions=True,
    )
    assert sorted(type(result).__name__ for result in results) == ["Match", "MatchError"]
    table.bot._take_over()  # the notes were changed behind the senders' backs
    await table.env.advance_time(20)  # the home is sent by whoever seats the guest, or later
    await table.reconcile()
    left = [one for one in (*hall.history(), *lobby.lounge.history()) if buttons_of(one)]
    assert ["More…" in buttons_of(one) for one in left] == [True], "the other message is gone"
    assert "More…" in buttons_of(lobby.board())
    await services.settings.save(third.id, ServerSettings())


def delete(lobby: Lobby, message: Any) -> None:
    lobby.table.env.backend.delete_message(message.channel.id, message.id)


async def left(lobby: Lobby, guild: Any, press: Awaitable[Any]) -> None:
    """The bot is removed from that server, a person presses elsewhere, and the bot looks three times."""
    lobby.table.bot._connection.parsers["GUILD_DELETE"]({"id": str(guild.id)})
    await press
    await lobby.table.reconcile(times=3)


async def test_the_guests_board_is_deleted_and_comes_back(lobby: Lobby) -> None:
    table = lobby.table
    await lobby.seated()
    delete(lobby, lobby.message())
    await table.reconcile()
    await table.ada.click(lobby.board(), label="1")
    await table.reconcile()
    (ping,) = (one.content for one in lobby.lounge.history() if one.content)
    assert lobby.zoe.mention in ping, "the ping comes where the board was"
    assert lobby.zoe.mention not in lobby.texts(table.games)
    back = await lobby.zoe.slash(lobby.lounge, "match board")
    assert "in a moment" in line_of(back.response)
    await table.reconcile()
    await lobby.zoe.click(lobby.message(), label="2")
    await table.reconcile()
    assert "Zoe" in text_of(lobby.message())


async def test_the_home_is_deleted_and_the_guests_board_goes_on(lobby: Lobby) -> None:
    table = lobby.table
    await lobby.seated()
    delete(lobby, lobby.board())
    await table.reconcile()
    again = await table.ada.slash(table.games, "match board")
    await table.reconcile()
    await table.ada.slash(table.games, "move", to="1")
    await table.reconcile()
    await lobby.zoe.click(lobby.message(), label="2")
    await table.reconcile()
    assert again.acknowledged
    for channel in (table.games, lobby.lounge):
        assert "Zoe" not in lobby.texts(channel) or channel is lobby.lounge
        assert "Ada" not in lobby.texts(channel) or channel is table.games


async def test_a_guests_server_is_left_and_the_match_ends_at_home(lobby: Lobby) -> None:
    table = lobby.table
    await lobby.seated()
    await left(lobby, lobby.nights, table.ada.click(lobby.board(), label="1"))
    assert lobby.zoe.mention not in lobby.texts(table.games)
    sure = await behind_more(table.ada, lobby.board(), "Resign")
    await table.ada.click(sure.response, label="Yes, resign")
    await table.reconcile()
    assert "resigned" in text_of(lobby.board())


async def test_the_home_server_is_left_and_the_guest_plays_on(lobby: Lobby) -> None:
    table = lobby.table
    await lobby.seated()
    await table.ada.click(lobby.board(), label="1")
    await table.reconcile()
    await left(lobby, lobby.home, lobby.zoe.click(lobby.message(), label="2"))
    assert "More…" in buttons_of(lobby.message())
    sure = await behind_more(lobby.zoe, lobby.message(), "Resign")
    await lobby.zoe.click(sure.response, label="Yes, resign")
    await table.reconcile()
    assert "resigned" in text_of(lobby.message())


async def test_a_lobby_that_may_not_be_written_in_stops_nothing(lobby: Lobby) -> None:
    table = lobby.table
    await lobby.seated()
    hidden = discord.Permissions(view_channel=True).value
    everyone = Overwrite(lobby.nights.id, OverwriteType.ROLE, deny=hidden)
    table.env.backend.set_overwrite(lobby.lounge.id, everyone)
    await table.ada.click(lobby.board(), label="1")
    await table.reconcile(times=2)
    open_again = Overwrite(lobby.nights.id, OverwriteType.ROLE)
    table.env.backend.set_overwrite(lobby.lounge.id, open_again)
    await table.reconcile(times=2)
    await lobby.zoe.click(lobby.message(), label="2")
    await table.reconcile()
    assert "Board Nights" in text_of(lobby.board())


@pytest.mark.slow
async def test_a_kill_leaves_an_open_table_or_a_match_with_both_boards(lobby: Lobby) -> None:
    """The transaction that seats the guest makes the lobby's message their board."""
    table = lobby.table
    await lobby.open()
    offered = lobby.message()
    await table.restart()
    await table.reconcile()
    assert lobby.message().id == offered.id, "it is the same message after a start"
    (stored, *_) = await table.bot.services.lobby.tables()
    zoe = Person(lobby.zoe.id, "Zoe")
    # As if killed right after the transaction, before anything was shown.
    handover = handover_of(lobby, lobby.nights, offered, zoe, stored.id)
    await table.bot.services.lobby.sit_down(stored.id, zoe, handover)
    await table.restart()
    await table.reconcile(times=3)
    assert lobby.message().id == offered.id
    await table.ada.click(lobby.board(), label="1")
    await table.reconcile()
    await lobby.zoe.click(lobby.message(), label="2")


@pytest.mark.slow
async def test_deleting_ones_data_closes_the_table_and_the_list(lobby: Lobby) -> None:
    table = lobby.table
    await lobby.seated()
    await finish(lobby)
    await lobby.zoe.click(lobby.message(), label="Never meet again")
    ada, zoe = table.ada.id, lobby.zoe.id
    stores = table.bot.parts.stores
    exported_zoe = exported(stores, zoe)
    assert exported_zoe["never_meet"] == [{"user_id": zoe, "other_user_id": None}]
    assert "never_meet" not in exported(stores, ada), "another's list is theirs"
    assert str(ada) not in json.dumps(exported_zoe), "a file names no stranger"
    await lobby.open()
    await table.bot.services.privacy.delete(Person(ada, "Ada"))
    await table.reconcile(times=2)
    assert not [one for one in lobby.lounge.history() if "Sit down" in buttons_of(one)]
    assert exported(stores, zoe).get("never_meet") is None


# Settings and limits


async def test_whoever_manages_a_server_chooses_the_channel(lobby: Lobby) -> None:
    table, settings = lobby.table, lobby.table.bot.services.settings
    role = table.guild.create_role("Chiefs", permissions=discord.Permissions(manage_guild=True))
    boss = table.guild.add_member(table.env.create_user("boss"), roles=[role])
    await settings.save(table.guild.id, ServerSettings())
    refusal = await table.refused(table.ada.slash(table.games, "challenge", other_servers=True))
    assert "`/settings`" in refusal
    panel = await table.settings(boss, "play")
    await boss.select(panel, [lobby.club], custom_id="d1:g:lobby")
    chosen = settings.server(table.guild.id)
    assert (chosen.lobby, chosen.lobby_name) == (lobby.club.id, "Chess Club")
    await boss.select(panel, [], custom_id="d1:g:lobby")
    assert settings.server(table.guild.id).lobby is None
    await settings.save(table.guild.id, ServerSettings(is_closed=True))
    refusal = await table.refused(boss.select(panel, [lobby.club], custom_id="d1:g:lobby"))
    assert "keeps its results" in refusal


async def test_a_person_has_two_tables_and_a_table_is_for_anyone(lobby: Lobby) -> None:
    table = lobby.table
    for game in ("connect-four", "othello"):
        await lobby.open(game=game)
    offered = [one for one in lobby.lounge.history() if "Sit down" in buttons_of(one)]
    assert len(offered) == 2
    third = table.ada.slash(table.games, "challenge", game="gomoku", other_servers=True)
    assert "2 tables open" in await table.refused(third)
    named = table.eve.slash(table.games, "challenge", opponent=table.ben, other_servers=True)
    assert "open to anyone" in await table.refused(named)
