"""Leaderboards as messages, the buttons that turn their pages, and the menu of their seasons."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, TypeVar

import discord
from babel.dates import format_skeleton
from discord import ui

from bot.domain.errors import SetupError
from bot.domain.rating import SETTLED_UNDER
from bot.domain.season import LEAST_WINNERS, MARKED_PLACES, Season
from bot.i18n import Text, plain
from bot.services.command_costs import Cost
from bot.services.leaderboards import Leaderboard, Row
from bot.ui import formatting
from bot.ui.client import Interaction
from bot.ui.context import check_scope, spend, turn_board
from bot.ui.layout import MOST_OPTIONS, Item, box, lines, numbered, options_of
from bot.ui.people.routes import PAGE, SEASONS
from bot.ui.routing import choice
from engine.agents.levels import word_of

MEDALS = {1: "🥇", 2: "🥈", 3: "🥉"}

ALL_TIME = "all"
"""What the menu of seasons says for no season."""


async def press_page(
    interaction: Interaction,
    reader_id: int,
    game: str,
    guild_id: int | None,
    agents: bool,
    page: int,
    season: Season | None,
) -> None:
    """Another page of a leaderboard."""
    await turn_leaderboard(interaction, Asked(reader_id, game, guild_id, agents, page, season))


async def choose_season(
    interaction: Interaction, reader_id: int, game: str, guild_id: int | None, agents: bool
) -> None:
    """Another season of a leaderboard, or all time; raises SetupError."""
    value = choice(interaction)
    season = Season.parse(value)
    if season is None and value != ALL_TIME:
        raise SetupError("unknown_choice", choice=value)
    await turn_leaderboard(interaction, Asked(reader_id, game, guild_id, agents, season=season))


@dataclass(frozen=True, slots=True)
class Asked:
    """Which page of which leaderboard, and who asked for it.

    guild_id: None is everywhere. season: None is all time.
    """

    reader_id: int
    game: str
    guild_id: int | None
    agents: bool
    page: int = 1
    season: Season | None = None

    def page_id(self, page: int) -> str:
        return PAGE(self.reader_id, self.game, self.guild_id, self.agents, page, self.season)

    @property
    def seasons_id(self) -> str:
        return SEASONS(self.reader_id, self.game, self.guild_id, self.agents)


async def turn_leaderboard(interaction: Interaction, asked: Asked) -> None:
    """Turns the board for the person who asked for it; anybody else gets a copy of their own.

    Raises SetupError.
    """
    check_scope(interaction, asked.guild_id)
    spend(interaction, Cost.LEADERBOARD)
    found = await interaction.client.service.standings.leaderboard(
        asked.game,
        guild_id=asked.guild_id,
        agents=asked.agents,
        page=asked.page,
        user_id=interaction.user.id,
        season=asked.season,
    )
    await turn_board(interaction, asked.reader_id, lambda t: leaderboard_view(found, t, interaction.user.id))


def leaderboard_view(found: Leaderboard, t: Text, reader_id: int) -> ui.LayoutView:
    """One page, the reader's own row below it when it is not on it, and the way to others and to seasons."""
    asked = Asked(reader_id, found.game, found.guild_id, found.agents, found.page, found.season)
    empty = "season_empty" if found.season else "leaderboard_empty"
    parts: list[Item] = [
        lines(*_heading(t, found)),
        *board_parts(t, found, partial(_row_line, t, found), empty, asked.page_id),
    ]
    if found.seasons:
        options = _season_options(t, found)
        parts.append(ui.ActionRow(ui.Select(custom_id=asked.seasons_id, options=options)))
    return box(*parts)


def month(t: Text, season: Season) -> str:
    """The season's month and year, as that language writes them."""
    return format_skeleton("yMMMM", season.begins_at, locale=t.language)


def _heading(t: Text, found: Leaderboard) -> tuple[str, ...]:
    game = formatting.game_title(t, found.game)
    kind = t("leaderboard_agents" if found.agents else "leaderboard_people")
    if found.season is None:
        scope = t("scope_everywhere" if found.guild_id is None else "scope_here")
        return (f"### {t('leaderboard_title', game=game, kind=kind, scope=scope)}",)
    heading = t("season_title", game=game, kind=kind, month=month(t, found.season))
    ends = f"<t:{int(found.season.ends_at.timestamp())}:R>"
    if found.is_current:
        note = t("season_running", when=ends)
    elif found.is_crowned:
        note = t("season_over", n=MARKED_PLACES)
    else:
        note = t("season_uncrowned", n=LEAST_WINNERS)
    return f"### {heading}", f"-# {note}"


def _season_options(t: Text, found: Leaderboard) -> list[discord.SelectOption]:
    """All time, and as many of the latest seasons as Discord allows."""
    labels = ((season.key, month(t, season)) for season in found.seasons[: MOST_OPTIONS - 1])
    chosen = ALL_TIME if found.season is None else found.season.key
    options = options_of([(ALL_TIME, t("season_all_time")), *labels], chosen)
    for option in options[1:]:
        option.emoji = "🗓️"
    return options


class Ranked(Protocol):
    """A row of a board; rank: None while the rating is provisional."""

    @property
    def rank(self) -> int | None: ...


R = TypeVar("R", bound=Ranked)
R_co = TypeVar("R_co", bound=Ranked, covariant=True)


class BoardPage(Protocol[R_co]):
    """A page of a board, from 1; own: the reader's row, wherever it stands."""

    @property
    def rows(self) -> tuple[R_co, ...]: ...
    @property
    def own(self) -> R_co | None: ...
    @property
    def page(self) -> int: ...
    @property
    def pages(self) -> int: ...


def board_parts(
    t: Text,
    found: BoardPage[R],
    line: Callable[[R], str],
    empty: str,
    page_id: Callable[[int], str],
    *others: ui.Button[Any],
) -> Iterator[Item]:
    """The rows, the reader's own below them where it is not among them, and the way to other pages.

    empty: what a board without rows says. page_id: what the button to that page carries. others: buttons that
    stand before those of the pages.
    """
    # Everywhere a board has those alone who want to be named.
    nobody = t(empty if found.own is None else "leaderboard_unlisted")
    yield lines(*([*_row_lines(t, found.rows, line)] or [nobody]))
    if found.own is not None and found.own not in found.rows:
        yield lines(t("leaderboard_own"), line(found.own))
    if any(row is not None and row.rank is None for row in (*found.rows, found.own)):
        # What a margin and a question mark mean.
        yield lines(f"-# {t('leaderboard_provisional', margin=SETTLED_UNDER)}")
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
    """The ranked rows, and below a line of their own those that have no rank yet."""
    was_ranked = True
    for row in rows:
        if row.rank is None and was_ranked:
            yield f"-# {t('leaderboard_unranked')}"
        was_ranked = row.rank is not None
        yield line(row)


def place_of(rank: int | None, medal: int | None) -> str:
    """What stands before a row: a medal, a number, or a dot for a provisional rating.

    medal: the place among those who win one; the first three do.
    """
    if medal is not None and medal in MEDALS:
        return MEDALS[medal]
    return "·" if rank is None else numbered(rank)


def _row_line(t: Text, found: Leaderboard, row: Row) -> str:
    return t(
        "leaderboard_row",
        place=place_of(row.rank, row.medal),
        name=_name(t, found, row),
        rating=formatting.rating(row.rating, row.margin),
        games=t("games_count", n=row.games),
        rate=t.percent(row.win_rate),
    )


def _name(t: Text, found: Leaderboard, row: Row) -> str:
    """Of agents with how strong they are."""
    word = word_of(found.game, row.player_key) if found.agents else None
    name = plain(row.name)
    return name if word is None else t("level_named", name=name, word=formatting.level_word(t, word))
