"""Tournaments: /tournament with its subcommands."""

from __future__ import annotations

from discord import app_commands

from bot.commands.match_options import number_of
from bot.commands.options import (
    GAME_CHOICES,
    START_CHOICES,
    C,
    Command,
    board_of,
    check_game,
    check_known,
    choices,
    chosen,
    clock_choice,
    complete_board,
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

SYSTEM_CHOICES, SIGN_UP_CHOICES = choices("choice_tournament", System), choices("choice_sign_up", SIGN_UP)
TOURNAMENT_CLOCKS = [clock_choice(number) for number in CLOCKS]

# Offered only where it can work: in a server with the bot as a member.
tournament = app_commands.Group(
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
    for tournament in (*here, *(found if is_over_too else ())):
        if tournament.is_active or is_over_too:
            return tournament
    raise NotFound("tournament_none_here")


def _named(command: C) -> C:
    """Decorate a command so that its parameter `named` names a tournament."""
    command = app_commands.describe(named=say("option_tournament"))(command)
    command = app_commands.rename(named="tournament")(command)
    return app_commands.autocomplete(named=complete_tournament)(command)


@tournament.command(name="create", description=say("command_tournament_create"), extras=IN_PUBLIC)
@app_commands.describe(
    game=say("option_game"),
    system=say("option_tournament_system"),
    name=say("option_tournament_name"),
    board=say("option_board"),
    clock=say("option_tournament_clock"),
    rounds=say("option_tournament_rounds"),
    twice=say("option_tournament_twice"),
    rated=say("option_tournament_rated"),
    sign_up=say("option_tournament_sign_up"),
    start=say("option_start"),
)
@app_commands.choices(game=GAME_CHOICES, system=SYSTEM_CHOICES, start=START_CHOICES)
@app_commands.choices(clock=TOURNAMENT_CLOCKS, sign_up=SIGN_UP_CHOICES)
@app_commands.autocomplete(board=complete_board)
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


@tournament.command(name="championship", description=say("command_tournament_championship"), extras=IN_PUBLIC)
@app_commands.describe(
    game=say("option_game"),
    system=say("option_tournament_system"),
    board=say("option_board"),
    twice=say("option_tournament_twice"),
    start=say("option_start"),
)
@app_commands.choices(game=GAME_CHOICES, system=SYSTEM_CHOICES, start=START_CHOICES)
@app_commands.autocomplete(board=complete_board)
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


@tournament.command(name="list", description=say("command_tournament_list"))
async def list_all(interaction: Interaction) -> None:
    found = await interaction.client.services.tournaments.of_guild(interaction.guild_id or 0)
    await respond(interaction, list_view(found, own_text(interaction)))


@tournament.command(name="show", description=say("command_tournament_show"))
@_named
async def show(interaction: Interaction, named: str | None = None) -> None:
    await actions.show(interaction, await _tournament(interaction, named, is_over_too=True))


@tournament.command(name="join", description=say("command_tournament_join"))
@_named
async def join(interaction: Interaction, named: str | None = None) -> None:
    await actions.join(interaction, await _tournament(interaction, named))


@tournament.command(name="leave", description=say("command_tournament_leave"))
@_named
async def leave(interaction: Interaction, named: str | None = None) -> None:
    await actions.leave(interaction, await _tournament(interaction, named))


@tournament.command(name="add", description=say("command_tournament_add"))
@app_commands.describe(level=say("option_tournament_level"))
@app_commands.autocomplete(level=complete_tournament_level)
@_named
async def add(interaction: Interaction, level: str, named: str | None = None) -> None:
    meant = await _tournament(interaction, named)
    key = level_of(interaction, meant.game, level)
    after = await interaction.client.services.tournaments.add_agent(
        meant.id, key, actions.organiser_of(interaction)
    )
    name = interaction.client.services.roster.level(key).name
    line = own_text(interaction)("tournament_agent_added", level=plain(name), name=plain(after.name, 80))
    await actions.tell(interaction, meant, line)


@tournament.command(name="remove", description=say("command_tournament_remove"))
@app_commands.describe(entrant=say("option_tournament_entrant"))
@app_commands.autocomplete(entrant=complete_entrant)
@_named
async def remove(interaction: Interaction, entrant: str, named: str | None = None) -> None:
    meant = await _tournament(interaction, named)
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


@tournament.command(name="start", description=say("command_tournament_start"))
@_named
async def start(interaction: Interaction, named: str | None = None) -> None:
    meant = await _tournament(interaction, named)
    await interaction.client.services.tournaments.start(meant.id, actions.organiser_of(interaction))
    line = own_text(interaction)("tournament_you_started", name=plain(meant.name, 80))
    await actions.tell(interaction, meant, line)


@tournament.command(name="cancel", description=say("command_tournament_cancel"))
@_named
async def cancel(interaction: Interaction, named: str | None = None) -> None:
    meant = await _tournament(interaction, named)
    await interaction.client.services.tournaments.cancel(meant.id, actions.organiser_of(interaction))
    line = own_text(interaction)("tournament_you_cancelled", name=plain(meant.name, 80))
    await actions.tell(interaction, meant, line)


COMMANDS: tuple[Command, ...] = (tournament,)
