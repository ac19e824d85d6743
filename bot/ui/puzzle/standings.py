"""Who is good at puzzles: the leaderboard, and one's own standing."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from discord import ui

from bot.domain.puzzle import run_of
from bot.i18n import Text, plain
from bot.presentation import names
from bot.services.courses import Bests
from bot.services.puzzles import PuzzleBoard, PuzzleStanding
from bot.store.ratings import RankedRecord
from bot.ui.answers import respond
from bot.ui.client import Interaction
from bot.ui.context import check_scope, location_text, own_text
from bot.ui.layout import box, lines
from bot.ui.leaderboard_pages import page_parts, place_of, turn_board
from bot.ui.puzzle.courses import course_title
from bot.ui.puzzle.routes import PAGE


async def show_leaderboard(interaction: Interaction, guild_id: int | None) -> None:
    """Answers with the first page, for everybody in the channel."""
    found = await interaction.client.services.puzzles.leaderboard(guild_id, 1, interaction.user.id)
    view = leaderboard_view(found, location_text(interaction), interaction.user.id)
    await respond(interaction, view, is_private=False)


async def turn_page(interaction: Interaction, reader_id: int, guild_id: int | None, page: int) -> None:
    """Turns the board for the person who asked for it; anybody else gets a copy of their own.

    Raises SetupError.
    """
    check_scope(interaction, guild_id)
    user_id = interaction.user.id
    found = await interaction.client.services.puzzles.leaderboard(guild_id, page, user_id)
    await turn_board(interaction, reader_id, lambda t: leaderboard_view(found, t, user_id))


async def show_standing(interaction: Interaction) -> None:
    """Answers privately with how the person does at puzzles."""
    t = own_text(interaction)
    found = await interaction.client.services.puzzles.standing(interaction.user.id)
    bests = await interaction.client.services.courses.bests(interaction.user.id)
    await respond(interaction, box(lines(*standing_lines(t, found, bests))))


def standing_lines(t: Text, found: PuzzleStanding, bests: Sequence[Bests] = ()) -> tuple[str, ...]:
    """Rating, rank, how many solved and missed, the runs, and the most solved in storms and streaks."""
    return f"### {t('puzzle_standing')}", *_rated_lines(t, found), *(_best_line(t, best) for best in bests)


def _best_line(t: Text, best: Bests) -> str:
    name = course_title(t, best.kind, best.game)
    return t("puzzle_standing_course", name=name, ever=best.ever, today=best.today)


def _rated_lines(t: Text, found: PuzzleStanding) -> tuple[str, ...]:
    if found.row is None:
        return (t("puzzle_standing_new"),)
    record = found.row.record
    points = names.rating(record.points, record.margin)
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


def leaderboard_view(found: PuzzleBoard, t: Text, reader_id: int) -> ui.LayoutView:
    """One page, the reader's own row below it when it is not on it, and the way to other pages."""
    scope = t("scope_everywhere" if found.guild_id is None else "scope_here")
    line = partial(_row_line, t, has_medals=found.has_medals)
    page_id = partial(PAGE, reader_id, found.guild_id)
    parts = page_parts(t, found, line, "puzzle_leaderboard_empty", page_id)
    return box(lines(f"### {t('puzzle_leaderboard', scope=scope)}"), *parts)


def _row_line(t: Text, row: RankedRecord, *, has_medals: bool) -> str:
    record = row.record
    return t(
        "puzzle_row",
        place=place_of(row.rank, row.rank if has_medals and record.wins else None),
        name=plain(row.name),
        points=names.rating(record.points, record.margin),
        solved=record.wins,
        n=record.games,
    )
