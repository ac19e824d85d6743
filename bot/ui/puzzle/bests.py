"""The board of storms: who solved most in three minutes, today or ever, here or everywhere."""

from __future__ import annotations

from functools import partial
from typing import Any

from discord import ui

from bot.domain.errors import SetupError
from bot.i18n import Text, plain
from bot.presentation import names
from bot.services.courses import BestPage
from bot.store.courses import Best
from bot.ui.answers import respond
from bot.ui.client import Interaction
from bot.ui.context import check_scope, location_text
from bot.ui.layout import box, lines
from bot.ui.leaderboard_pages import page_parts, place_of, turn_board
from bot.ui.puzzle.routes import BESTS
from engine.games import GAMES

LEAST_CROWNED = 3
"""With fewer on it a board crowns nobody."""


async def show_bests(
    interaction: Interaction, guild_id: int | None, game: str | None, *, is_today: bool
) -> None:
    """Answers with the first page, for everybody in the channel."""
    found = await interaction.client.services.courses.page(
        guild_id, game, interaction.user.id, is_today=is_today
    )
    view = bests_view(found, location_text(interaction), interaction.user.id)
    await respond(interaction, view, is_private=False)


async def turn_page(
    interaction: Interaction,
    reader_id: int,
    guild_id: int | None,
    is_today: bool,
    page: int,
    game: str | None,
) -> None:
    """Turns the board for the person who asked for it; anybody else gets a copy of their own.

    Raises SetupError.
    """
    check_scope(interaction, guild_id)
    if game not in (None, *GAMES):
        raise SetupError("unknown_choice", choice=str(game))
    user_id = interaction.user.id
    found = await interaction.client.services.courses.page(
        guild_id, game, user_id, is_today=is_today, page=page
    )
    await turn_board(interaction, reader_id, lambda t: bests_view(found, t, user_id))


def bests_view(found: BestPage, t: Text, reader_id: int) -> ui.LayoutView:
    """One page, the reader's own row below it when it is not on it, the other days and other pages."""
    board = found.board
    scope = t("scope_here" if board.scope else "scope_everywhere")
    days = t("course_board_ever" if board.day is None else "course_board_today")
    title = t("course_board", scope=scope, days=days)
    game = "" if board.game is None else f"-# {names.game_title(t, board.game)}"
    has_medals = found.page > 1 or len(found.rows) >= LEAST_CROWNED
    is_today = board.day is not None

    def page_id(number: int, *, today: bool = is_today) -> str:
        return BESTS(reader_id, board.scope or None, today, number, board.game)

    other: ui.Button[Any] = ui.Button(
        label=t("button_course_ever" if is_today else "button_course_today"),
        custom_id=page_id(1, today=not is_today),
    )
    line = partial(_row, t, has_medals=has_medals)
    parts = page_parts(t, found, line, "course_board_empty", page_id, other)
    return box(lines(f"### {title}", game), *parts)


def _row(t: Text, row: Best, *, has_medals: bool) -> str:
    place = place_of(row.rank, row.rank if has_medals else None)
    return t("course_board_row", place=place, name=plain(row.name), n=row.best)
