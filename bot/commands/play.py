"""Starting: /play, /watch, /challenge and the menu entry “Challenge” on a person."""

from __future__ import annotations

from typing import Any

import discord
from discord import app_commands, ui

from bot.commands.options import (
    CLOCK_CHOICES,
    FIRST_CHOICES,
    GAME_CHOICES,
    Command,
    board_of,
    check_game,
    clock_of,
    complete_board,
    complete_level,
    first_of,
    level_of,
)
from bot.domain.challenge import First
from bot.domain.errors import SetupError
from bot.i18n import Text, say, shortened
from bot.services import CLOCKS
from bot.ui import formatting as wording
from bot.ui.client import Interaction
from bot.ui.context import check_channel, location_of, own_text, person, person_of
from bot.ui.errors import guarded
from bot.ui.match import handlers as actions
from engine.games import GAMES

Somebody = discord.User | discord.Member


@app_commands.command(name="play", description=say("command_play"))
@app_commands.describe(
    game=say("option_game"),
    level=say("option_level"),
    first=say("option_first"),
    board=say("option_board"),
    rated=say("option_rated"),
    clock=say("option_clock"),
    position=say("option_position"),
)
@app_commands.choices(game=GAME_CHOICES, first=FIRST_CHOICES)
@app_commands.choices(clock=CLOCK_CHOICES)
@app_commands.autocomplete(level=complete_level, board=complete_board)
async def play(
    interaction: Interaction,
    game: str,
    level: str | None = None,
    first: str | None = None,
    board: str | None = None,
    rated: bool = True,
    clock: int | None = None,
    position: str | None = None,
) -> None:
    check_channel(interaction)
    match = await interaction.client.service.start(
        person_of(interaction),
        game,
        level_of(interaction, game, level),
        first_of(first),
        location_of(interaction),
        board=board_of(game, board),
        rated=rated,
        clock_seconds=clock_of(clock),
        position=position,
    )
    await actions.post(interaction, match)


@app_commands.command(name="watch", description=say("command_watch"))
@app_commands.describe(
    game=say("option_game"),
    first_level=say("option_first_level"),
    second_level=say("option_second_level"),
    board=say("option_board"),
)
@app_commands.choices(game=GAME_CHOICES)
@app_commands.autocomplete(first_level=complete_level, second_level=complete_level, board=complete_board)
async def watch(
    interaction: Interaction,
    game: str,
    first_level: str | None = None,
    second_level: str | None = None,
    board: str | None = None,
) -> None:
    check_channel(interaction)
    match = await interaction.client.service.watch(
        person_of(interaction),
        game,
        level_of(interaction, game, first_level),
        level_of(interaction, game, second_level, above=1),
        location_of(interaction),
        board=board_of(game, board),
    )
    await actions.post(interaction, match)


@app_commands.command(name="challenge", description=say("command_challenge"))
@app_commands.describe(
    game=say("option_game"),
    opponent=say("option_opponent"),
    first=say("option_first"),
    board=say("option_board"),
    clock=say("option_clock"),
    rated=say("option_rated"),
)
@app_commands.choices(game=GAME_CHOICES, first=FIRST_CHOICES)
@app_commands.choices(clock=CLOCK_CHOICES)
@app_commands.autocomplete(board=complete_board)
async def challenge(
    interaction: Interaction,
    game: str,
    opponent: discord.User | None = None,
    first: str | None = None,
    board: str | None = None,
    clock: int | None = None,
    rated: bool = True,
) -> None:
    await _invite(
        interaction,
        opponent,
        check_game(game),
        first=first_of(first),
        board=board_of(game, board),
        clock_seconds=clock_of(clock),
        rated=rated,
    )


@app_commands.context_menu(name=say("menu_challenge"))
async def challenge_person(interaction: Interaction, person: discord.User) -> None:
    _check_opponent(interaction, person)
    await interaction.response.send_modal(ChallengeModal(person, own_text(interaction)))


class ChallengeModal(ui.Modal):
    """Asks, privately, for what /challenge has options for."""

    def __init__(self, opponent: Somebody, t: Text) -> None:
        super().__init__(
            title=shortened(t("modal_challenge", name=opponent.display_name), 45), custom_id="d1:challenge"
        )
        self._opponent = opponent
        self._board: ui.Select[Any] = _select(
            (f"{game.key} {board}", f"{wording.game_title(t, game.key)} {wording.board_title(t, board)}")
            for game in GAMES.values()
            for board in game.boards
        )
        self._first: ui.Select[Any] = _select((first.value, t(f"first_{first}")) for first in reversed(First))
        self._clock: ui.Select[Any] = _select(
            (("0", t("clock_off")), *((str(seconds), wording.clock_name(t, seconds)) for seconds in CLOCKS))
        )
        for key, select in (
            ("label_game", self._board),
            ("label_first", self._first),
            ("label_clock", self._clock),
        ):
            self.add_item(ui.Label(text=t(key), component=select))

    async def on_submit(self, interaction: Interaction) -> None:  # type: ignore[override]
        await guarded(interaction, self._invite, None)

    async def _invite(self, interaction: Interaction) -> None:
        game, _, board = self._board.values[0].partition(" ")
        await _invite(
            interaction,
            self._opponent,
            check_game(game),
            first=first_of(self._first.values[0]),
            board=board,
            clock_seconds=clock_of(int(self._clock.values[0])),
            rated=True,
        )


def _select(options: Any) -> ui.Select[Any]:
    """A select with its first option chosen beforehand."""
    return ui.Select(
        options=[
            discord.SelectOption(label=shortened(label, 100), value=value, default=index == 0)
            for index, (value, label) in enumerate(options)
        ]
    )


async def _invite(
    interaction: Interaction,
    opponent: Somebody | None,
    game: str,
    *,
    first: First,
    board: str | None,
    clock_seconds: int | None,
    rated: bool,
) -> None:
    _check_opponent(interaction, opponent)
    challenge = await interaction.client.service.challenges.send(
        person_of(interaction),
        None if opponent is None else person(opponent),
        game,
        location_of(interaction),
        board=board,
        first=first,
        clock_seconds=clock_seconds,
        rated=rated,
    )
    await interaction.client.display.post_challenge(interaction, challenge)


def _check_opponent(interaction: Interaction, opponent: Somebody | None) -> None:
    """Whether invitations are welcome here, and whether that person can see one at all."""
    check_channel(interaction)
    if opponent is not None and opponent.id == interaction.user.id:
        raise SetupError("self_challenge")
    if opponent is not None and opponent.bot:
        raise SetupError("bot_challenge")
    if interaction.context.dm_channel:
        raise SetupError("nobody_here")


COMMANDS: tuple[Command, ...] = (play, watch, challenge, challenge_person)
