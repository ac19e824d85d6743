"""Leaderboards of puzzle ratings and storms, and one person's standing."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from discord import ui

from bot.domain.course import Best
from bot.domain.leaderboard import RankedRecord
from bot.domain.puzzle import run_of
from bot.i18n import Text, plain
from bot.presentation import names
from bot.services.courses import BestPage, Bests
from bot.services.puzzles import PuzzleBoard, PuzzleStanding
from bot.ui.layout import box, lines
from bot.ui.leaderboard_pages import page_parts, place_of
from bot.ui.puzzle.course_views import course_title
from bot.ui.puzzle.routes import RATING_PAGE, STORM_PAGE

LEAST_FOR_MEDALS = 3
"""How many people a leaderboard of storms needs before it gives medals."""


def rating_view(found: PuzzleBoard, t: Text, reader_id: int) -> ui.LayoutView:
    """One page of the rating leaderboard."""
    scope = t("scope_everywhere" if found.guild_id is None else "scope_here")
    line = partial(_rating_row, t, has_medals=found.has_medals)
    page_id = partial(RATING_PAGE, reader_id, found.guild_id)
    parts = page_parts(t, found, line, "puzzle_leaderboard_empty", page_id)
    return box(lines(f"### {t('puzzle_leaderboard', scope=scope)}"), *parts)


def storm_view(found: BestPage, t: Text, reader_id: int) -> ui.LayoutView:
    """One page of the storms' leaderboard, with a button to switch between today and ever."""
    board, is_today = found.board, found.board.day is not None
    scope = t("scope_here" if board.scope else "scope_everywhere")
    title = t("course_board", scope=scope, days=t("course_board_today" if is_today else "course_board_ever"))
    game = "" if board.game is None else f"-# {names.game_title(t, board.game)}"

    def page_id(number: int, *, today: bool = is_today) -> str:
        return STORM_PAGE(reader_id, board.scope or None, today, number, board.game)

    switch: ui.Button[Any] = ui.Button(
        label=t("button_course_ever" if is_today else "button_course_today"),
        custom_id=page_id(1, today=not is_today),
    )
    has_medals = found.page > 1 or len(found.rows) >= LEAST_FOR_MEDALS
    line = partial(_storm_row, t, has_medals=has_medals)
    parts = page_parts(t, found, line, "course_board_empty", page_id, switch)
    return box(lines(f"### {title}", game), *parts)


def standing_view(t: Text, found: PuzzleStanding, bests: Sequence[Bests]) -> ui.LayoutView:
    """One person's rating, rank, solved puzzles and runs, and their best storms and streaks."""
    return box(
        lines(
            f"### {t('puzzle_standing')}",
            *_rating_lines(t, found),
            *(
                t(
                    "puzzle_standing_course",
                    name=course_title(t, best.kind, best.game),
                    ever=best.ever,
                    today=best.today,
                )
                for best in bests
            ),
        )
    )


def _rating_lines(t: Text, found: PuzzleStanding) -> tuple[str, ...]:
    if found.row is None:
        return (t("puzzle_standing_new"),)
    record = found.row.record
    points = names.rating(t, record.points, record.margin)
    said = [
        t("puzzle_standing_unranked", points=points)
        if found.row.rank is None
        else t("puzzle_standing_rank", points=points, rank=found.row.rank),
        t("puzzle_standing_solved", solved=record.wins, n=record.games),
        t("puzzle_standing_run", n=run_of(record), best=record.best_streak),
    ]
    if found.days:
        said.append(t("puzzle_standing_days", n=found.days))
    return tuple(said)


def _rating_row(t: Text, row: RankedRecord, *, has_medals: bool) -> str:
    record = row.record
    return t(
        "puzzle_row",
        place=place_of(row.rank, row.rank if has_medals and record.wins else None),
        name=plain(row.name),
        points=names.rating(t, record.points, record.margin),
        solved=record.wins,
        n=record.games,
    )


def _storm_row(t: Text, row: Best, *, has_medals: bool) -> str:
    place = place_of(row.rank, row.rank if has_medals else None)
    return t("course_board_row", place=place, name=plain(row.name), n=row.best)
