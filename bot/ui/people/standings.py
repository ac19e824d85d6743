"""Leaderboards as messages, the buttons that turn their pages, and the menu of their seasons."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import discord
from discord import ui

from bot.domain.errors import SetupError
from bot.domain.season import LEAST_WINNERS, MARKED_PLACES, Season
from bot.i18n import Text, plain
from bot.presentation import names
from bot.services.command_costs import Cost
from bot.services.leaderboards import Leaderboard, Row
from bot.ui.client import Interaction
from bot.ui.context import check_scope, spend, turn_board
from bot.ui.layout import MOST_OPTIONS, Item, box, lines, options_of
from bot.ui.leaderboard_pages import month, page_parts, place_of
from bot.ui.people.routes import PAGE, SEASONS
from bot.ui.routing import choice
from engine.agents.levels import word_of

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
    found = await interaction.client.services.matches.standings.leaderboard(
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
        *page_parts(t, found, partial(_row_line, t, found), empty, asked.page_id),
    ]
    if found.seasons:
        options = _season_options(t, found)
        parts.append(ui.ActionRow(ui.Select(custom_id=asked.seasons_id, options=options)))
    return box(*parts)


def _heading(t: Text, found: Leaderboard) -> tuple[str, ...]:
    game = names.game_title(t, found.game)
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


def _row_line(t: Text, found: Leaderboard, row: Row) -> str:
    return t(
        "leaderboard_row",
        place=place_of(row.rank, row.medal),
        name=_name(t, found, row),
        rating=names.rating(row.rating, row.margin),
        games=t("games_count", n=row.games),
        rate=t.percent(row.win_rate),
    )


def _name(t: Text, found: Leaderboard, row: Row) -> str:
    """Of agents with how strong they are."""
    word = word_of(found.game, row.player_key) if found.agents else None
    name = plain(row.name)
    return name if word is None else t("level_named", name=name, word=names.level_word(t, word))
