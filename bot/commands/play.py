"""Starting matches: /play, /watch, /challenge and the context menu entry Challenge."""

from __future__ import annotations

from dataclasses import replace

import discord
from discord import app_commands

from bot.commands.options import (
    LEVEL,
    Command,
    Option,
    board_of,
    choices,
    chosen,
    command,
    complete_opponent,
    complete_position,
    game_meant,
    level_of,
)
from bot.domain.match import Pace
from bot.domain.panel_choices import Mode, Start
from bot.domain.terms import Fair, First, Terms
from bot.services.checked_terms import checked_game, named_opening
from bot.ui.answers import open_form
from bot.ui.client import Interaction
from bot.ui.command_queue import BY_FORM, IN_PUBLIC, IN_PUBLIC_WITH_OPTIONS
from bot.ui.context import check_channel, check_may_start, location_of, own_text, person_of
from bot.ui.inviting import check_opponent, invite, tell_casual, tell_in_turn
from bot.ui.last_choices import chosen_mode, is_newcomer, remember_start
from bot.ui.match.challenge_views import challenge_form
from bot.ui.panel.handlers import open_panel, tell_newcomer
from bot.ui.rate_question import ask_at_start
from bot.ui.translator import say

Somebody = discord.User | discord.Member


@command(
    "play",
    replace(LEVEL, complete=complete_opponent),
    Option("position", "option_position", complete=complete_position),
    extras=IN_PUBLIC_WITH_OPTIONS,
)
async def play(
    interaction: Interaction,
    game: str | None = None,
    level: str | None = None,
    first: str | None = None,
    board: str | None = None,
    rated: bool | None = None,
    clock: int | None = None,
    position: str | None = None,
    start: str | None = None,
) -> None:
    if all(option is None for option in (game, level, first, board, rated, clock, position, start)):
        await open_panel(interaction)
        return
    check_channel(interaction)
    game = game_meant(interaction, game)
    is_new, mode = rated is None and await is_newcomer(interaction), chosen_mode(interaction, rated)
    key = level_of(interaction, game, level)
    terms = _terms(game, board, first, mode, clock, start)
    trains = rated is None and named_opening(checked_game(game), terms.board, position) is not None
    match = await interaction.client.services.starting.start(
        person_of(interaction),
        terms,
        key,
        location_of(interaction),
        position=position,
        is_coached=trains or mode is Mode.COACH,
    )
    await interaction.client.display.post(interaction, match)
    # Only chosen options are remembered: one that was left out changes nothing.
    last = interaction.client.services.settings.person(interaction.user.id).start or Start(game)
    await remember_start(
        interaction,
        Start(
            game,
            key if level is not None else last.level if last.game == game else None,
            last.first if first is None else terms.first,
            mode,
            fair=last.fair if start is None else terms.fair,
            clock=last.clock if clock is None else clock,
        ),
    )
    if is_new:
        await tell_newcomer(interaction, match)
    if rated:
        await tell_casual(interaction, match)
    if terms.first is not First.RANDOM:
        await tell_in_turn(interaction, match)
    await ask_at_start(interaction)


@command(
    "watch",
    replace(LEVEL, name="first_level", text="option_first_level"),
    replace(LEVEL, name="second_level", text="option_second_level"),
    Option("speed", "option_speed", choices("pace", Pace)),
    extras=IN_PUBLIC,
)
async def watch(
    interaction: Interaction,
    game: str | None = None,
    first_level: str | None = None,
    second_level: str | None = None,
    board: str | None = None,
    speed: str | None = None,
) -> None:
    check_channel(interaction)
    check_may_start(interaction)
    game = game_meant(interaction, game)
    match = await interaction.client.services.starting.watch(
        person_of(interaction),
        game,
        level_of(interaction, game, first_level),
        level_of(interaction, game, second_level, above=1),
        location_of(interaction),
        board=board_of(game, board),
        pace=chosen(speed, Pace.NORMAL),
    )
    await interaction.client.display.post(interaction, match)


@command(
    "challenge",
    Option("opponent", "option_opponent"),
    Option("other_servers", "option_other_servers"),
    extras=IN_PUBLIC,
)
async def challenge(
    interaction: Interaction,
    game: str | None = None,
    opponent: discord.User | None = None,
    first: str | None = None,
    board: str | None = None,
    clock: int | None = None,
    rated: bool | None = None,
    start: str | None = None,
    other_servers: bool = False,
) -> None:
    game = game_meant(interaction, game)
    mode = chosen_mode(interaction, rated)
    terms = _terms(game, board, first, mode, clock, start)
    invitation = await invite(interaction, opponent, terms, is_table=other_servers)
    if other_servers:
        await interaction.client.display.tables.tell_open(interaction, invitation)
    if rated:
        await tell_casual(interaction, invitation.terms)


def _terms(
    game: str, board: str | None, first: str | None, mode: Mode | None, clock: int | None, start: str | None
) -> Terms:
    """Parse the options that /play and /challenge share; raises SetupError."""
    begins, fair = chosen(first, First.RANDOM), chosen(start, Fair.USUAL)
    return Terms(game, board_of(game, board), begins, mode is Mode.RATED, clock, fair)


@app_commands.context_menu(name=say("menu_challenge"), extras=BY_FORM)
async def challenge_person(interaction: Interaction, person: discord.User) -> None:
    check_opponent(interaction, person)
    await open_form(interaction, challenge_form(person, own_text(interaction)))


COMMANDS: tuple[Command, ...] = (play, watch, challenge, challenge_person)
