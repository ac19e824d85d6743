"""Tournaments: /tournament with its subcommands."""

from __future__ import annotations

from discord import app_commands

from bot.commands.match_options import number_of
from bot.commands.options import (
    Command,
    Option,
    board_of,
    check_game,
    check_known,
    choices,
    chosen,
    clock_choice,
    command,
    level_of,
    offered,
    open_levels,
)
from bot.domain.errors import NotFound, Refusal, SetupError
from bot.domain.match import Fair
from bot.domain.tournament.model import System, Tournament
from bot.i18n import plain, tidy
from bot.presentation import names
from bot.services.start_options import CLOCKS
from bot.services.tournaments import DEFAULT_CLOCK, DEFAULT_SIGN_UP, MOST_ROUNDS, SIGN_UP, Terms
from bot.ui.answers import respond
from bot.ui.client import Interaction
from bot.ui.command_queue import IN_PUBLIC
from bot.ui.context import location_text, own_text
from bot.ui.tournament import handlers as actions
from bot.ui.tournament.views import list_view
from bot.ui.translator import say
from engine.games import GAMES

LONGEST_NAME = 60

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


async def complete_tournament_level(interaction: Interaction, typed: str) -> list[app_commands.Choice[str]]:
    """Suggest the levels that can play in the chosen tournament, with their Elo."""
    meant = await _tournament_so_far(interaction)
    if meant is None:
        return []
    t = own_text(interaction)
    game, is_usual = meant.game, meant.board == GAMES[meant.game].boards[0]
    levels = open_levels(interaction, game, meant.board)
    return offered(
        ((names.level_offer(t, level, game, is_usual_board=is_usual), level.key) for level in levels),
        typed,
    )


async def complete_entrant(interaction: Interaction, typed: str) -> list[app_commands.Choice[str]]:
    """Suggest the entrants of the chosen tournament."""
    meant = await _tournament_so_far(interaction)
    entrants = () if meant is None else meant.entrants
    return offered(((one.seat.name, str(one.number)) for one in entrants if not one.is_out), typed)


async def _tournament_so_far(interaction: Interaction) -> Tournament | None:
    """The tournament that the command means while its options are being typed, if any."""
    try:
        return await _tournament(interaction, getattr(interaction.namespace, "tournament", None))
    except Refusal:
        return None


async def _tournament(interaction: Interaction, text: str | None, *, is_over_too: bool = False) -> Tournament:
    """Return the named tournament, by default the channel's latest; raises NotFound.

    is_over_too: without a name, also accept a finished tournament.
    """
    if text is not None:
        return await actions.known(interaction, number_of(text, "unknown_tournament"))
    found = await interaction.client.services.tournaments.of_guild(interaction.guild_id or 0)
    here = [one for one in found if one.location.channel_id == interaction.channel_id]
    for one in (*here, *(found if is_over_too else ())):
        if one.is_active or is_over_too:
            return one
    raise NotFound("tournament_none_here")


SYSTEM = Option("system", "option_tournament_system", choices("choice_tournament", System))
TWICE = Option("twice", "option_tournament_twice")
TOURNAMENT = Option("tournament", "option_tournament", complete=complete_tournament)


@command(
    "create",
    SYSTEM,
    Option("name", "option_tournament_name"),
    Option("clock", "option_tournament_clock", [clock_choice(number) for number in CLOCKS]),
    Option("rounds", "option_tournament_rounds"),
    TWICE,
    Option("rated", "option_tournament_rated"),
    Option("sign_up", "option_tournament_sign_up", choices("choice_sign_up", SIGN_UP)),
    group=tournaments,
    extras=IN_PUBLIC,
)
async def create(
    interaction: Interaction,
    game: str,
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
    ways, key = chosen(system, System.SWISS), check_game(game)
    check_known(sign_up, SIGN_UP)
    t = location_text(interaction)
    terms = Terms(
        tidy(name or "") or t(f"tournament_name_{ways}", game=names.game_title(t, key)),
        key,
        ways,
        board=board_of(key, board),
        rounds=rounds or 0,
        is_twice=twice,
        fair=chosen(start, Fair.USUAL),
        rated=rated,
        clock_seconds=clock,
        sign_up_seconds=sign_up,
    )
    await actions.create(interaction, terms)


@command("championship", SYSTEM, TWICE, group=tournaments, extras=IN_PUBLIC)
async def championship(
    interaction: Interaction,
    game: str,
    system: str = System.ROUND_ROBIN.value,
    board: str | None = None,
    twice: bool = False,
    start: str | None = None,
) -> None:
    key, t = check_game(game), location_text(interaction)
    meant = board_of(key, board)
    name = t("tournament_name_agents", game=names.game_title(t, key))
    ways, fair = chosen(system, System.SWISS), chosen(start, Fair.USUAL)
    terms = Terms(
        name, key, ways, board=meant, is_twice=twice, fair=fair, rated=False, sign_up_seconds=min(SIGN_UP)
    )
    levels = open_levels(interaction, key, meant or GAMES[key].boards[0])
    await actions.create(interaction, terms, levels=[level.key for level in levels], at_once=True)


@command("list", group=tournaments)
async def list_all(interaction: Interaction) -> None:
    found = await interaction.client.services.tournaments.of_guild(interaction.guild_id or 0)
    await respond(interaction, list_view(found, own_text(interaction)))


@command("show", TOURNAMENT, group=tournaments)
async def show(interaction: Interaction, tournament: str | None = None) -> None:
    await actions.show(interaction, await _tournament(interaction, tournament, is_over_too=True))


@command("join", TOURNAMENT, group=tournaments)
async def join(interaction: Interaction, tournament: str | None = None) -> None:
    await actions.join(interaction, await _tournament(interaction, tournament))


@command("leave", TOURNAMENT, group=tournaments)
async def leave(interaction: Interaction, tournament: str | None = None) -> None:
    await actions.leave(interaction, await _tournament(interaction, tournament))


@command(
    "add",
    Option("level", "option_tournament_level", complete=complete_tournament_level),
    TOURNAMENT,
    group=tournaments,
)
async def add(interaction: Interaction, level: str, tournament: str | None = None) -> None:
    meant = await _tournament(interaction, tournament)
    key = level_of(interaction, meant.game, level)
    after = await interaction.client.services.tournaments.add_agent(
        meant.id, key, actions.organiser_of(interaction)
    )
    name = interaction.client.services.roster.level(key).name
    line = own_text(interaction)("tournament_agent_added", level=plain(name), name=plain(after.name, 80))
    await actions.tell(interaction, meant, line)


@command(
    "remove",
    Option("entrant", "option_tournament_entrant", complete=complete_entrant),
    TOURNAMENT,
    group=tournaments,
)
async def remove(interaction: Interaction, entrant: str, tournament: str | None = None) -> None:
    meant = await _tournament(interaction, tournament)
    wanted = entrant.strip().casefold()
    found = next(
        (one for one in meant.entrants if wanted in (str(one.number), one.seat.name.casefold())), None
    )
    if found is None:
        raise SetupError("tournament_no_entrant")
    await interaction.client.services.tournaments.remove(
        meant.id, found.number, actions.organiser_of(interaction)
    )
    line = own_text(interaction)("tournament_removed", who=plain(found.seat.name), name=plain(meant.name, 80))
    await actions.tell(interaction, meant, line)


@command("start", TOURNAMENT, group=tournaments)
async def start(interaction: Interaction, tournament: str | None = None) -> None:
    meant = await _tournament(interaction, tournament)
    await interaction.client.services.tournaments.start(meant.id, actions.organiser_of(interaction))
    line = own_text(interaction)("tournament_you_started", name=plain(meant.name, 80))
    await actions.tell(interaction, meant, line)


@command("cancel", TOURNAMENT, group=tournaments)
async def cancel(interaction: Interaction, tournament: str | None = None) -> None:
    meant = await _tournament(interaction, tournament)
    await interaction.client.services.tournaments.cancel(meant.id, actions.organiser_of(interaction))
    line = own_text(interaction)("tournament_you_cancelled", name=plain(meant.name, 80))
    await actions.tell(interaction, meant, line)


COMMANDS: tuple[Command, ...] = (tournaments,)
