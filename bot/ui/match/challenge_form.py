"""The form of the menu entry “Challenge”: asks, privately, for what /challenge has options for.

It carries its opponent in its custom_id, so it may be sent at any time, by any number of people at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import discord
from discord import ui

from bot.domain.challenge import First
from bot.domain.errors import SetupError
from bot.domain.match import Fair
from bot.domain.start_choices import Mode
from bot.i18n import Text, shortened
from bot.presentation import names
from bot.services.setup_checks import CLOCKS, RATED_CLOCK, checked_game
from bot.ui.client import Interaction
from bot.ui.context import check_channel, location_of, person, person_of
from bot.ui.layout import MOST_OPTIONS, options_of, worded_options
from bot.ui.match.routes import CHALLENGE_FORM, FORM_BOARD, FORM_CLOCK, FORM_FIRST, FORM_START
from bot.ui.routing import filled_in
from bot.ui.start.remembered import mode_meant
from engine.core import Game
from engine.games import GAMES

Somebody = discord.User | discord.Member

LONGEST_TITLE = 45
"""Discord's limit for a form."""


def challenge_form(opponent: Somebody, t: Text) -> ui.Modal:
    """It is stopped at once, so that discord.py keeps no copy of it and nothing but its custom_id counts."""
    title = shortened(t("modal_challenge", name=person(opponent).name), LONGEST_TITLE)
    form = ui.Modal(title=title, custom_id=CHALLENGE_FORM(opponent.id))
    boards = [
        (
            f"{key} {board}",
            t("title_with_board", game=names.game_title(t, key), board=names.board_title(t, board)),
        )
        for key, board in offered_boards(tuple(GAMES.values()))
    ]
    firsts = list(reversed(First))
    clocks = (("0", t("clock_off")), *((str(clock), names.clock_choice(t, clock)) for clock in CLOCKS))
    for key, custom_id, options in (
        ("label_game", FORM_BOARD, options_of(boards, boards[0][0])),
        ("label_first", FORM_FIRST, worded_options("first", t, firsts, firsts[0])),
        ("label_clock", FORM_CLOCK, options_of(clocks, str(RATED_CLOCK))),
        ("label_start", FORM_START, worded_options("fair", t, Fair, Fair.USUAL)),
    ):
        menu: ui.Select[Any] = ui.Select(custom_id=custom_id, options=options)
        form.add_item(ui.Label(text=t(key), component=menu))
    form.stop()
    return form


def offered_boards(games: Sequence[Game]) -> list[tuple[str, str]]:
    """(game, board) as far as a select has room: every game's usual boards rather than all of one's."""
    places = [(location, game.key, board) for game in games for location, board in enumerate(game.boards)]
    kept = sorted(places, key=lambda entry: entry[0])[:MOST_OPTIONS]
    return [(key, board) for location, key, board in places if (location, key, board) in kept]


async def send(interaction: Interaction, opponent_id: int) -> None:
    """Sends the invitation that was filled in; raises Refusal."""
    answers = filled_in(interaction)
    game, _, board = answers.get(FORM_BOARD, "").partition(" ")
    first, clock = answers.get(FORM_FIRST, "–"), answers.get(FORM_CLOCK, "–")
    # A form that was opened before the bot was brought up to date does not ask for it.
    start = answers.get(FORM_START, Fair.USUAL)
    for value, allowed in ((first, set(First)), (clock, {"0", *map(str, CLOCKS)}), (start, set(Fair))):
        if value not in allowed:
            raise SetupError("unknown_choice", choice=value)
    _, mode = await mode_meant(interaction, None)
    await invite(
        interaction,
        await somebody(interaction, opponent_id),
        checked_game(game).key,
        first=First(first),
        board=board,
        clock_seconds=int(clock),
        rated=mode is Mode.RATED,
        fair=Fair(start),
    )


async def invite(
    interaction: Interaction,
    opponent: Somebody | None,
    game: str,
    *,
    first: First,
    board: str | None,
    clock_seconds: int | None,
    rated: bool,
    fair: Fair = Fair.USUAL,
) -> None:
    """Answers with the invitation, to anyone where there is no opponent; raises Refusal."""
    check_opponent(interaction, opponent)
    challenge = await interaction.client.services.matches.challenges.send(
        person_of(interaction),
        None if opponent is None else person(opponent),
        game,
        location_of(interaction),
        board=board,
        first=first,
        clock_seconds=clock_seconds,
        rated=rated,
        fair=fair,
    )
    await interaction.client.display.post_challenge(interaction, challenge)


def check_opponent(interaction: Interaction, opponent: Somebody | None) -> None:
    """Whether invitations are welcome here, and whether that person can see one at all; raises SetupError."""
    check_channel(interaction)
    if opponent is not None and opponent.id == interaction.user.id:
        raise SetupError("self_challenge")
    if opponent is not None and opponent.bot:
        raise SetupError("bot_challenge")
    if interaction.context.dm_channel:
        raise SetupError("nobody_here")


async def somebody(interaction: Interaction, user_id: int) -> Somebody:
    """That person as they are called here; raises SetupError for nobody."""
    guild = interaction.guild_id and interaction.client.get_guild(interaction.guild_id)
    try:
        if guild:
            return guild.get_member(user_id) or await guild.fetch_member(user_id)
        return interaction.client.get_user(user_id) or await interaction.client.fetch_user(user_id)
    except (discord.NotFound, discord.Forbidden):
        raise SetupError("unknown_person") from None
