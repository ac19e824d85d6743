"""Puzzles: /puzzle with its subcommands."""

from __future__ import annotations

from discord import app_commands

from bot.commands.options import GAME_CHOICES, Command, check_game
from bot.domain.errors import SetupError
from bot.i18n import say
from bot.ui.client import Interaction
from bot.ui.context import check_open_to_everywhere
from bot.ui.desk import IN_PUBLIC
from bot.ui.puzzle.handlers import open_daily, open_own, open_puzzle
from bot.ui.puzzle.standings import show_leaderboard, show_standing
from engine.analysis.puzzles import GRADES
from engine.games import spec_of

SCOPES = ("server", "everywhere")

puzzle = app_commands.Group(name="puzzle", description=say("command_puzzle"))


@puzzle.command(name="play", description=say("command_puzzle_play"))
@app_commands.describe(game=say("option_puzzle_game"), difficulty=say("option_difficulty"))
@app_commands.choices(game=[choice for choice in GAME_CHOICES if spec_of(str(choice.value)).puzzle_depths])
@app_commands.choices(
    difficulty=[app_commands.Choice(name=say(f"puzzle_grade_{grade}"), value=grade) for grade in GRADES]
)
async def play(interaction: Interaction, game: str | None = None, difficulty: int | None = None) -> None:
    if difficulty not in (None, *GRADES):
        raise SetupError("unknown_choice", choice=str(difficulty))
    await open_puzzle(interaction, None if game is None else check_game(game), difficulty)


@puzzle.command(name="daily", description=say("command_puzzle_daily"))
async def daily(interaction: Interaction) -> None:
    await open_daily(interaction)


@puzzle.command(name="own", description=say("command_puzzle_own"))
async def own(interaction: Interaction) -> None:
    await open_own(interaction)


@puzzle.command(name="standing", description=say("command_puzzle_standing"))
async def standing(interaction: Interaction) -> None:
    await show_standing(interaction)


@puzzle.command(name="leaderboard", description=say("command_puzzle_leaderboard"), extras=IN_PUBLIC)
@app_commands.describe(scope=say("option_scope"))
@app_commands.choices(
    scope=[app_commands.Choice(name=say(f"choice_{scope}"), value=scope) for scope in SCOPES]
)
async def leaderboard(interaction: Interaction, scope: str | None = None) -> None:
    if scope is not None and scope not in SCOPES:
        raise SetupError("unknown_choice", choice=scope)
    if scope == "server" and interaction.guild_id is None:
        raise SetupError("no_server_here")
    if scope == "everywhere":
        check_open_to_everywhere(interaction)
    await show_leaderboard(interaction, None if scope == "everywhere" else interaction.guild_id)


COMMANDS: tuple[Command, ...] = (puzzle,)
