"""Leaderboards as messages, the buttons that turn their pages, and the menu of their seasons."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Protocol, TypeVar

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
from bot.ui.context import check_scope, page_buttons, spend, turn_board
from bot.ui.layout import Item, box, lines, numbered
from bot.ui.people.routes import PAGE, SEASONS
from bot.ui.routing import choice
from engine.agents.levels import word_of

MEDALS = {1: "🥇", 2: "🥈", 3: "🥉"}

MOST_OPTIONS = 25
"""Discord's limit for a select."""

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
    parts: list[Item] = [lines(*_heading(t, found))]
    if found.rows:
        parts.append(lines(*row_lines(t, found.rows, partial(_row_line, t, found))))
    elif found.own is not None:  # everywhere a board has those alone who want to be named
        parts.append(lines(t("leaderboard_unlisted")))
    else:
        parts.append(lines(t("season_empty" if found.season else "leaderboard_empty")))
    if found.own is not None and found.own not in found.rows:
        parts.append(lines(t("leaderboard_own"), _row_line(t, found, found.own)))
    parts.extend(provisional_note(t, (*found.rows, found.own)))
    if found.pages > 1:
        parts.append(lines(f"-# {t('leaderboard_page', page=found.page, pages=found.pages)}"))
        parts.append(ui.ActionRow(*page_buttons(t, found.page, found.pages, asked.page_id)))
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
    options = [discord.SelectOption(label=t("season_all_time"), value=ALL_TIME, default=found.season is None)]
    options.extend(
        discord.SelectOption(
            label=month(t, season), value=season.key, emoji="🗓️", default=season == found.season
        )
        for season in found.seasons[: MOST_OPTIONS - 1]
    )
    return options


class Ranked(Protocol):
    """A row of a board; rank: None while the rating is provisional."""

    @property
    def rank(self) -> int | None: ...


R = TypeVar("R", bound=Ranked)


def row_lines(t: Text, rows: Iterable[R], line: Callable[[R], str]) -> Iterator[str]:
    """The ranked rows, and below a line of their own those that have no rank yet."""
    was_ranked = True
    for row in rows:
        if row.rank is None and was_ranked:
            yield f"-# {t('leaderboard_unranked')}"
        was_ranked = row.rank is not None
        yield line(row)


def provisional_note(t: Text, rows: Iterable[Ranked | None]) -> Iterator[Item]:
    """What a margin and a question mark mean, where there is one on the page."""
    if any(row is not None and row.rank is None for row in rows):
        yield lines(f"-# {t('leaderboard_provisional', margin=SETTLED_UNDER)}")


def place_of(rank: int | None, medal: int | None) -> str:
    """What stands before a row: a medal, a number, or a dot for a provisional rating."""
    if medal is not None:
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
