"""The board of storms: who solved most in three minutes, today or ever, here or everywhere."""

from __future__ import annotations

from typing import Any

from discord import ui

from bot.domain.errors import SetupError
from bot.i18n import Text, plain
from bot.services.courses import BestPage
from bot.store.courses import Best
from bot.ui import formatting
from bot.ui.client import Interaction
from bot.ui.context import check_scope, location_text, page_buttons, respond, turn_board
from bot.ui.layout import Item, box, lines
from bot.ui.people.standings import MEDALS, place_of
from bot.ui.puzzle.routes import BESTS
from engine.games import GAMES

LEAST_CROWNED = 3
"""With fewer on it a board crowns nobody."""


async def show_bests(
    interaction: Interaction, guild_id: int | None, game: str | None, *, is_today: bool
) -> None:
    """Answers with the first page, for everybody in the channel."""
    found = await interaction.client.courses.page(guild_id, game, interaction.user.id, is_today=is_today)
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
    found = await interaction.client.courses.page(guild_id, game, user_id, is_today=is_today, page=page)
    await turn_board(interaction, reader_id, lambda t: bests_view(found, t, user_id))


def bests_view(found: BestPage, t: Text, reader_id: int) -> ui.LayoutView:
    """One page, the reader's own row below it when it is not on it, the other days and other pages."""
    board = found.board
    scope = t("scope_here" if board.scope else "scope_everywhere")
    days = t("course_board_ever" if board.day is None else "course_board_today")
    title = t("course_board", scope=scope, days=days)
    game = "" if board.game is None else f"-# {formatting.game_title(t, board.game)}"
    parts: list[Item] = [lines(f"### {title}", game)]
    has_medals = found.page > 1 or len(found.rows) >= LEAST_CROWNED
    nobody = t("course_board_empty" if found.own is None else "leaderboard_unlisted")
    parts.append(lines(*([_row(t, row, has_medals) for row in found.rows] or [nobody])))
    if found.own is not None and found.own not in found.rows:
        parts.append(lines(t("leaderboard_own"), _row(t, found.own, has_medals)))
    if found.pages > 1:
        parts.append(lines(f"-# {t('leaderboard_page', page=found.page, pages=found.pages)}"))
    parts.append(ui.ActionRow(*_buttons(t, found, reader_id)))
    return box(*parts)


def _row(t: Text, row: Best, has_medals: bool) -> str:
    place = place_of(row.rank, row.rank if has_medals and row.rank in MEDALS else None)
    return t("course_board_row", place=place, name=plain(row.name), n=row.best)


def _buttons(t: Text, found: BestPage, reader_id: int) -> list[ui.Button[Any]]:
    board, page, is_today = found.board, found.page, found.board.day is not None
    guild_id = board.scope or None

    def page_id(number: int, *, today: bool = is_today) -> str:
        return BESTS(reader_id, guild_id, today, number, board.game)

    other = t("button_course_ever" if is_today else "button_course_today")
    return [
        ui.Button(label=other, custom_id=page_id(1, today=not is_today)),
        *page_buttons(t, page, found.pages, page_id),
    ]
