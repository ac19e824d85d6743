"""Pages of ranked rows, shared by the leaderboards of matches, puzzles and tournaments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol, TypeVar

from discord import ui

from bot.i18n import Text
from bot.presentation.award_texts import MEDALS
from bot.ui.answers import edit_pressed, respond
from bot.ui.client import Interaction
from bot.ui.context import location_text, own_text
from bot.ui.layout import Item, lines, numbered


class Ranked(Protocol):
    """A row of a leaderboard; its rank is None while the rating is provisional."""

    @property
    def rank(self) -> int | None: ...


R = TypeVar("R", bound=Ranked)
R_co = TypeVar("R_co", bound=Ranked, covariant=True)


class RankedPage(Protocol[R_co]):
    """A page of a leaderboard, counted from 1; `own` is the reader's row, even if it is on another page."""

    @property
    def rows(self) -> tuple[R_co, ...]: ...
    @property
    def own(self) -> R_co | None: ...
    @property
    def page(self) -> int: ...
    @property
    def pages(self) -> int: ...


def page_parts(
    t: Text,
    found: RankedPage[R],
    line: Callable[[R], str],
    empty: str,
    page_id: Callable[[int], str],
    *others: ui.Button[Any],
) -> Iterator[Item]:
    """The rows, the reader's own row if it is on another page, and the buttons that turn pages.

    empty: key of the text for a leaderboard without rows. page_id: custom_id of the button to a page.
    others: buttons in front of the page buttons.
    """
    # A leaderboard across servers lists only people who agreed to it.
    no_rows = t(empty if found.own is None else "leaderboard_unlisted")
    yield lines(*([*_row_lines(t, found.rows, line)] or [no_rows]))
    if found.own is not None and found.own not in found.rows:
        yield lines(t("leaderboard_own"), line(found.own))
    if any(row is not None and row.rank is None for row in (*found.rows, found.own)):
        yield lines(f"-# {t('leaderboard_provisional')}")
    if found.pages > 1:
        yield lines(f"-# {t('leaderboard_page', page=found.page, pages=found.pages)}")
        back, forward = page_id(max(1, found.page - 1)), page_id(found.page + 1)
        before: ui.Button[Any] = ui.Button(
            label=t("button_previous"), disabled=found.page == 1, custom_id=back
        )
        after: ui.Button[Any] = ui.Button(
            label=t("button_next"), disabled=found.page == found.pages, custom_id=forward
        )
        others = (*others, before, after)
    if others:
        yield ui.ActionRow(*others)


def _row_lines(t: Text, rows: Iterable[R], line: Callable[[R], str]) -> Iterator[str]:
    """The ranked rows, then a heading and the rows with provisional ratings."""
    was_ranked = True
    for row in rows:
        if row.rank is None and was_ranked:
            yield f"-# {t('leaderboard_unranked')}"
        was_ranked = row.rank is not None
        yield line(row)


def place_of(rank: int | None, medal: int | None) -> str:
    """The start of a row: a medal, the rank, or a dot for a provisional rating.

    medal: the place among the rows that can win a medal; only the first three get one.
    """
    if medal is not None and medal in MEDALS:
        return MEDALS[medal]
    return "·" if rank is None else numbered(rank)


async def turn_board(interaction: Interaction, reader_id: int, view: Callable[[Text], ui.LayoutView]) -> None:
    """Turn the page for the person who asked for the board; other people get a copy of their own."""
    if interaction.user.id == reader_id:
        await edit_pressed(interaction, view(location_text(interaction)))
    else:
        await respond(interaction, view(own_text(interaction)))
