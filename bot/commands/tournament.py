"""Tournaments: /tournament creates, shows and lists them; people do everything else by buttons."""

from __future__ import annotations

from discord import app_commands

from bot.commands.match_options import number_of
from bot.commands.options import (
    Command,
    Option,
    board_of,
    check_known,
    choices,
    chosen,
    clock_choice,
    command,
    game_meant,
    offered,
)
from bot.domain.errors import NotFound
from bot.domain.names import clean
from bot.domain.terms import Fair
from bot.domain.tournament.model import System, Tournament, system_of_agents
from bot.presentation import names
from bot.services.checked_terms import CLOCKS
from bot.services.tournaments import DEFAULT_CLOCK, DEFAULT_SIGN_UP, MOST_ROUNDS, SIGN_UP, TournamentOptions
from bot.ui.answers import respond
from bot.ui.client import Interaction
from bot.ui.command_queue import IN_PUBLIC
from bot.ui.context import location_text, own_text
from bot.ui.tournament import handlers as actions
from bot.ui.tournament.views import list_view
from bot.ui.translator import say

LONGEST_NAME = 60

PLAYERS = PEOPLE, BOTS = "people", "bots"

# Offered only where it can work: in a server with the bot as a member.
tournaments = app_commands.Group(
    name="tournament",
    description=say("command_tournament"),
    allowed_contexts=app_commands.AppCommandContext(guild=True, dm_channel=False, private_channel=False),
    allowed_installs=app_commands.AppInstallationType(guild=True, user=False),
)


async def complete_tournament(interaction: Interaction, typed: str) -> list[app_commands.Choice[str]]:
    """Suggest the server's tournaments, active ones first."""
    t = own_text(interaction)
    found = await interaction.client.services.tournaments.of_guild(interaction.guild_id or 0)
    return offered(
        ((t("tournament_option", number=one.id, name=one.name), str(one.id)) for one in found), typed
    )


async def _tournament(interaction: Interaction, text: str | None) -> Tournament:
    """Return the named tournament, by default the channel's latest, or the server's; raises NotFound."""
    if text is not None:
        return await actions.known(interaction, number_of(text, "unknown_tournament"))
    listed = await interaction.client.services.tournaments.of_guild(interaction.guild_id or 0)
    here = [one for one in listed if one.location.channel_id == interaction.channel_id]
    for tournament in (*here, *listed):
        return tournament
    raise NotFound("tournament_none_here")


@command(
    "create",
    Option("players", "option_tournament_players", choices("players", PLAYERS)),
    Option("system", "option_tournament_system", choices("choice_tournament", System)),
    Option("name", "option_tournament_name"),
    Option("clock", "option_tournament_clock", [clock_choice(number) for number in CLOCKS]),
    Option("rounds", "option_tournament_rounds"),
    Option("twice", "option_tournament_twice"),
    Option("rated", "option_tournament_rated"),
    Option("sign_up", "option_tournament_sign_up", choices("choice_sign_up", SIGN_UP)),
    group=tournaments,
    extras=IN_PUBLIC,
)
async def create(
    interaction: Interaction,
    game: str | None = None,
    players: str = PEOPLE,
    system: str | None = None,
    name: app_commands.Range[str, 1, LONGEST_NAME] | None = None,
    board: str | None = None,
    clock: int = DEFAULT_CLOCK,
    rounds: app_commands.Range[int, 1, MOST_ROUNDS] | None = None,
    twice: bool = False,
    rated: bool = True,
    sign_up: int = DEFAULT_SIGN_UP,
    start: str | None = None,
) -> None:
    check_known(players, PLAYERS)
    check_known(sign_up, SIGN_UP)
    is_of_bots = players == BOTS
    key = game_meant(interaction, game)
    named_board = board_of(key, board)
    open_levels = interaction.client.services.levels
    levels = open_levels.of(interaction.guild_id, key, named_board) if is_of_bots else ()
    ways = chosen(system, system_of_agents(len(levels)) if is_of_bots else System.SWISS)
    t, kind = location_text(interaction), "agents" if is_of_bots else ways
    options = TournamentOptions(
        clean(name, t(f"tournament_name_{kind}", game=names.game_title(t, key))),
        key,
        ways,
        board=named_board,
        rounds=rounds or 0,
        is_twice=twice,
        fair=chosen(start, Fair.USUAL),
        rated=rated and not is_of_bots,
        clock_seconds=clock,
        sign_up_seconds=sign_up,
    )
    await actions.create(interaction, options, levels=[level.key for level in levels], at_once=is_of_bots)


@command("show", Option("tournament", "option_tournament", complete=complete_tournament), group=tournaments)
async def show(interaction: Interaction, tournament: str | None = None) -> None:
    await actions.show(interaction, await _tournament(interaction, tournament))


@command("list", group=tournaments)
async def list_all(interaction: Interaction) -> None:
    service = interaction.client.services.tournaments
    listed = await service.of_guild(interaction.guild_id or 0)
    homeless = [one.id for one in listed if service.lost_channel(one)]
    await respond(interaction, list_view(listed, own_text(interaction), homeless))


COMMANDS: tuple[Command, ...] = (tournaments,)
