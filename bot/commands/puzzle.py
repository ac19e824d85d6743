"""Puzzles: /puzzle with its subcommands."""

from __future__ import annotations

import asyncio
from collections import Counter

from discord import app_commands

from bot.commands.options import (
    GAME_CHOICES,
    SCOPES,
    Command,
    check_game,
    check_known,
    choices,
    guild_of,
    offered,
)
from bot.domain.course import CourseKind
from bot.domain.errors import SetupError
from bot.i18n import Text
from bot.ui.client import Interaction
from bot.ui.command_queue import IN_PUBLIC
from bot.ui.context import own_text
from bot.ui.puzzle.course_handlers import open_course
from bot.ui.puzzle.handlers import (
    open_daily,
    open_own,
    open_puzzle,
    show_leaderboard,
    show_standing,
    show_storms,
)
from bot.ui.translator import say
from engine.analysis.puzzles import GRADES, has_course, puzzles, select
from engine.games import GAMES, spec_of
from engine.games.puzzle_themes import PuzzleTheme

KINDS = ("rating", "storm", "storm_today")
"""The kinds of leaderboards."""

COURSE_GAMES = [choice for choice in GAME_CHOICES if has_course(str(choice.value))]


async def complete_theme(interaction: Interaction, typed: str) -> list[app_commands.Choice[str]]:
    """Suggest the themes of the chosen game and difficulty, each with its number of puzzles."""
    t, asked = own_text(interaction), interaction.namespace
    await asyncio.to_thread(puzzles)
    game, grade = getattr(asked, "game", None), getattr(asked, "difficulty", None)
    found = select(game if game in GAMES else None, grade if grade in GRADES else None).values()
    counts = Counter(theme for each in found for theme in each.themes)
    return offered(
        ((f"{t(f'theme_{theme}')} ({counts[theme]})", theme.value) for theme in PuzzleTheme if counts[theme]),
        typed,
    )


def game_of_course(game: str | None) -> str | None:
    """Check the game of a storm or a streak, None for all games; raises SetupError."""
    if game is not None and not has_course(check_game(game)):
        raise SetupError("unknown_choice", choice=game)
    return game


def theme_of(t: Text, text: str) -> PuzzleTheme:
    """Parse a theme by its key or its name in the person's language; raises SetupError."""
    wanted = text.strip().casefold()
    for theme in PuzzleTheme:
        if wanted in (theme.value, t(f"theme_{theme}").casefold()):
            return theme
    raise SetupError("unknown_choice", choice=text)


puzzle = app_commands.Group(name="puzzle", description=say("command_puzzle"))


@puzzle.command(name="play", description=say("command_puzzle_play"))
@app_commands.describe(
    game=say("option_puzzle_game"), difficulty=say("option_difficulty"), theme=say("option_theme")
)
@app_commands.choices(
    game=[choice for choice in GAME_CHOICES if spec_of(str(choice.value)).teach.puzzle_depths]
)
@app_commands.choices(difficulty=choices("puzzle_grade", GRADES))
@app_commands.autocomplete(theme=complete_theme)
async def play(
    interaction: Interaction,
    game: str | None = None,
    difficulty: int | None = None,
    theme: str | None = None,
) -> None:
    check_known(difficulty, GRADES)
    wanted = None if theme is None else theme_of(own_text(interaction), theme)
    await open_puzzle(interaction, None if game is None else check_game(game), difficulty, wanted)


@puzzle.command(name="daily", description=say("command_puzzle_daily"))
async def daily(interaction: Interaction) -> None:
    await open_daily(interaction)


@puzzle.command(name="own", description=say("command_puzzle_own"))
async def own(interaction: Interaction) -> None:
    await open_own(interaction)


@puzzle.command(name="storm", description=say("command_puzzle_storm"))
@app_commands.describe(game=say("option_puzzle_game"))
@app_commands.choices(game=COURSE_GAMES)
async def storm(interaction: Interaction, game: str | None = None) -> None:
    await open_course(interaction, CourseKind.STORM, game_of_course(game))


@puzzle.command(name="streak", description=say("command_puzzle_streak"))
@app_commands.describe(game=say("option_puzzle_game"))
@app_commands.choices(game=COURSE_GAMES)
async def streak(interaction: Interaction, game: str | None = None) -> None:
    await open_course(interaction, CourseKind.STREAK, game_of_course(game))


@puzzle.command(name="standing", description=say("command_puzzle_standing"))
async def standing(interaction: Interaction) -> None:
    await show_standing(interaction)


@puzzle.command(name="leaderboard", description=say("command_puzzle_leaderboard"), extras=IN_PUBLIC)
@app_commands.describe(
    scope=say("option_scope"), kind=say("option_puzzle_board"), game=say("option_puzzle_board_game")
)
@app_commands.choices(scope=choices("choice", SCOPES), kind=choices("puzzle_board", KINDS), game=COURSE_GAMES)
async def leaderboard(
    interaction: Interaction, scope: str | None = None, kind: str | None = None, game: str | None = None
) -> None:
    check_known(kind, KINDS)
    guild_id = guild_of(interaction, scope)
    if kind in (None, "rating"):
        await show_leaderboard(interaction, guild_id)
    else:
        await show_storms(interaction, guild_id, game_of_course(game), is_today=kind == "storm_today")


COMMANDS: tuple[Command, ...] = (puzzle,)
