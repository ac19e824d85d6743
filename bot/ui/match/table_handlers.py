"""Handlers of open tables: people of other servers sit down, play again, send one away or report a name."""

from __future__ import annotations

from bot.domain.challenge import Challenge
from bot.domain.errors import MatchError, SetupError
from bot.domain.match import Match
from bot.domain.outgoing import Handover, Place, place_of
from bot.domain.seat import Seat
from bot.services.command_costs import Cost
from bot.ui.answers import acknowledge, reply
from bot.ui.client import Interaction
from bot.ui.context import location_of, own_text, person_of, spend
from bot.ui.match.mirror_handlers import MAX_MIRRORS
from bot.ui.match.routes import TablePress
from bot.ui.match.tables import note_of_board
from bot.ui.permissions import is_moderator


async def press_table(interaction: Interaction, table_id: int, press: TablePress) -> None:
    """Seat the person, whose board the pressed message becomes, or do what else the button says.

    Raises Refusal.
    """
    client, guild, message = interaction.client, interaction.guild, interaction.message
    if guild is None or message is None:
        raise MatchError("challenge_not_open")
    services, tables = client.services, client.display.tables
    if press is TablePress.SIT:
        place = place_of(location_of(interaction))
        _check_room(interaction, place)
        match = await tables.sit_down(interaction, table_id, place, message.id)
        await client.display.mirrors.answer(interaction, match)
        services.background.spawn(services.boards.post(match))
        return
    table = await services.challenges.find(table_id)
    if press is TablePress.REPORT:
        host = await services.lobby.host(table)
        seat = Seat(host.name or host.alias, table.challenger.user_id, guild_id=table.location.guild_id)
        await _report(interaction, seat)
        return
    if table.opponent is not None and table.opponent.user_id == interaction.user.id:
        await services.challenges.decline(table_id, person_of(interaction))
        await acknowledge(interaction)
        return
    if not is_moderator(interaction):
        raise SetupError("table_not_yours")
    await acknowledge(interaction)
    await tables.turn_away(table_id, guild.id)


async def rematch(interaction: Interaction, match_id: int) -> None:
    """Ask the other server's player for another match, or begin it where they have asked; raises Refusal."""
    client, services, person = interaction.client, interaction.client.services, person_of(interaction)
    location = location_of(interaction)
    place = place_of(location)
    note = note_of_board(interaction, place)
    server = str(interaction.guild or "")
    handover = await services.lobby.rematch(match_id, person, server, Handover(place, note))
    spend(interaction, Cost.TABLE)
    if await services.challenges.is_asked(match_id, person.user_id):
        _check_room(interaction, place)  # asking needs none: the home is there
    following = await services.starting.rematch(match_id, person, location, handover)
    if isinstance(following, Challenge):
        await client.display.post_challenge(interaction, following)
        return
    client.display.mirrors.know(note(following))
    await acknowledge(interaction)
    services.background.spawn(services.boards.post(following))


async def report_player(interaction: Interaction, match: Match) -> None:
    """Report the name of the other server's player; raises Refusal."""
    (here,) = await interaction.client.services.matches.called_in(interaction.guild_id, match)
    if not match.is_between:
        raise MatchError("no_rematch_gone")
    await _report(interaction, *(seat for seat in here.seats if seat.guild_id != interaction.guild_id))


async def _report(interaction: Interaction, *seats: Seat) -> None:
    await interaction.client.services.lobby.report(interaction.user.id, *seats)
    await reply(interaction, own_text(interaction)("report_told"))


def _check_room(interaction: Interaction, place: Place) -> None:
    """Raise SetupError where too many boards of other servers' matches stand."""
    if len(interaction.client.display.mirrors.matches_in(place.channel_id)) >= MAX_MIRRORS:
        raise SetupError("lobby_full", n=MAX_MIRRORS)
