"""Handlers of open tables: a person of another server sits down, or the table is not wanted there."""

from __future__ import annotations

from bot.domain.challenge import Challenge
from bot.domain.errors import MatchError, SetupError
from bot.domain.outgoing import place_of
from bot.ui.answers import acknowledge
from bot.ui.client import Interaction
from bot.ui.context import location_of, own_text
from bot.ui.match.mirror_handlers import MAX_MIRRORS
from bot.ui.match.table_views import open_table_view
from bot.ui.permissions import is_moderator


async def press_table(interaction: Interaction, table_id: int, sits: bool) -> None:
    """Seat the person, whose board the pressed message becomes, or delete it; raises Refusal."""
    client, guild, message = interaction.client, interaction.guild, interaction.message
    if guild is None or message is None:
        raise MatchError("challenge_not_open")
    tables, mirrors = client.display.tables, client.display.mirrors
    if not sits:
        if not is_moderator(interaction):
            raise SetupError("table_not_yours")
        await acknowledge(interaction)
        await tables.turn_away(table_id, guild.id)
        return
    place = place_of(location_of(interaction))
    if len(mirrors.matches_in(place.channel_id)) >= MAX_MIRRORS:
        raise SetupError("lobby_full", n=MAX_MIRRORS)
    match = await tables.sit_down(interaction, table_id, place, message.id)
    await mirrors.answer(interaction, match)
    client.services.background.spawn(client.services.boards.post(match))


async def tell_open(interaction: Interaction, table: Challenge) -> None:
    """Tell the challenger privately where their table is shown, with a button that closes it."""
    servers = interaction.client.services.lobby.others(interaction.guild_id)
    view = open_table_view(table, servers, own_text(interaction))
    await interaction.followup.send(view=view, ephemeral=True)
