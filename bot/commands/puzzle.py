"""Puzzles: /puzzle with its subcommands."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace

from discord import app_commands

from bot.commands.options import (
    GAME_CHOICES,
    Command,
    Option,
    check_game,
    check_known,
    choices,
    chosen,
    command,
    offered,
)
from bot.domain.course import CourseKind
from bot.domain.errors import SetupError
from bot.i18n import Text
from bot.ui.client import Interaction
from bot.ui.context import own_text
from bot.ui.puzzle.course_handlers import open_course
from bot.ui.puzzle.handlers import open_daily, open_puzzle, show_standing
from bot.ui.puzzle.mistakes import open_mistakes
from bot.ui.translator import say
from engine.analysis.puzzles import GRADES, has_course, puzzles, select
from engine.games import GAMES, spec_of
from engine.games.puzzle_themes import PuzzleTheme
from engine.games.typed import fold

PUZZLE_GAME = Option(
    "game",
    "option_puzzle_game",
    [choice for choice in GAME_CHOICES if spec_of(str(choice.value)).teach.puzzle_depths],
)
COURSE_GAME = replace(
    PUZZLE_GAME, choices=[choice for choice in GAME_CHOICES if has_course(str(choice.value))]
)


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
    wanted = fold(text)
    for theme in PuzzleTheme:
        if wanted in (theme.value, fold(t(f"theme_{theme}"))):
            return theme
    raise SetupError("unknown_choice", choice=text)


puzzle = app_commands.Group(name="puzzle", description=say("command_puzzle"))


@command(
    "play",
    PUZZLE_GAME,
    Option("difficulty", "option_difficulty", choices("puzzle_grade", GRADES)),
    Option("theme", "option_theme", complete=complete_theme),
    group=puzzle,
)
async def play(
    interaction: Interaction,
    game: str | None = None,
    difficulty: int | None = None,
    theme: str | None = None,
) -> None:
    check_known(difficulty, GRADES)
    wanted = None if theme is None else theme_of(own_text(interaction), theme)
    await open_puzzle(interaction, None if game is None else check_game(game), difficulty, wanted)


@command("daily", group=puzzle)
async def daily(interaction: Interaction) -> None:
    await open_daily(interaction)


@command("mistakes", group=puzzle)
async def mistakes(interaction: Interaction) -> None:
    await open_mistakes(interaction)


@command(
    "storm", COURSE_GAME, Option("kind", "option_course", choices("choice_course", CourseKind)), group=puzzle
)
async def storm(interaction: Interaction, game: str | None = None, kind: str | None = None) -> None:
    await open_course(interaction, chosen(kind, CourseKind.STORM), game_of_course(game))


@command("standing", group=puzzle)
async def standing(interaction: Interaction) -> None:
    await show_standing(interaction)


COMMANDS: tuple[Command, ...] = (puzzle,)
