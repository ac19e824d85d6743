"""Leaderboards as messages, with buttons for pages and a menu of seasons."""

from __future__ import annotations

from functools import partial
from typing import Any

import discord
from discord import ui

from bot.domain.prediction import Guesser
from bot.domain.season import MARKED_PLACES, MIN_WINNERS
from bot.i18n import Text, plain
from bot.presentation import names
from bot.presentation.award_texts import month
from bot.services.leaderboards import Leaderboard, Row
from bot.services.predictions import GuesserPage
from bot.ui.layout import MOST_OPTIONS, Item, box, lines, options_of
from bot.ui.leaderboard_pages import page_parts, place_of
from bot.ui.people.routes import GUESSERS, PAGE, SEASONS

ALL_TIME = "all"
"""The value of the season menu for no season."""


def leaderboard_view(found: Leaderboard, t: Text, reader_id: int) -> ui.LayoutView:
    """One page with the reader's own row, page buttons and the season menu."""
    board = (reader_id, found.game, found.guild_id, found.agents)
    empty = "season_empty" if found.season else "leaderboard_empty"
    parts: list[Item] = [
        lines(*_heading(t, found)),
        *page_parts(
            t, found, partial(_row_line, t, found), empty, lambda page: PAGE(*board, page, found.season)
        ),
    ]
    if found.seasons:
        menu = ui.Select[ui.LayoutView](custom_id=SEASONS(*board), options=_season_options(t, found))
        parts.append(ui.ActionRow(menu))
    return box(*parts)


def guessers_view(found: GuesserPage, t: Text, reader_id: int) -> ui.LayoutView:
    """One page of the people whose guesses have counted most in a month."""
    has_medals = found.pages > 1 or len(found.rows) >= MIN_WINNERS

    def line(row: Guesser) -> str:
        place = place_of(row.rank, row.rank if has_medals and row.points > 0 else None)
        points = f"{row.points:+}".replace("-", "−")
        return t("guessers_row", n=row.guesses, place=place, points=points, name=plain(row.name))

    def page_id(page: int) -> str:
        return GUESSERS(reader_id, found.guild_id, page, found.season)

    months = [
        ui.Button[Any](label=month(t, one), emoji="🗓️", custom_id=GUESSERS(reader_id, found.guild_id, 1, one))
        for one in found.others
    ]
    return box(
        lines(f"### {t('guessers_title', month=month(t, found.season))}"),
        *page_parts(t, found, line, "guessers_empty", page_id, *months),
        lines(f"-# {t('guessers_about')}"),
    )


def _heading(t: Text, found: Leaderboard) -> tuple[str, ...]:
    game = names.game_title(t, found.game)
    kind = t("leaderboard_agents" if found.agents else "leaderboard_people")
    if found.season is None:
        scope = t("scope_everywhere" if found.guild_id is None else "scope_here")
        return (f"### {t('leaderboard_title', game=game, kind=kind, scope=scope)}",)
    heading = t("season_title", game=game, kind=kind, month=month(t, found.season))
    if found.is_current:
        note = t("season_running", when=f"<t:{int(found.season.ends_at.timestamp())}:R>")
    elif found.is_crowned:
        note = t("season_over", n=MARKED_PLACES)
    else:
        note = t("season_uncrowned", n=MIN_WINNERS)
    return f"### {heading}", f"-# {note}"


def _season_options(t: Text, found: Leaderboard) -> list[discord.SelectOption]:
    """All time, then the latest seasons, up to Discord's limit."""
    labels = ((season.key, month(t, season)) for season in found.seasons[: MOST_OPTIONS - 1])
    chosen = ALL_TIME if found.season is None else found.season.key
    options = options_of([(ALL_TIME, t("season_all_time")), *labels], chosen)
    for option in options[1:]:
        option.emoji = "🗓️"
    return options


def _row_line(t: Text, found: Leaderboard, row: Row) -> str:
    name = plain(row.name)
    return t(
        "leaderboard_row",
        place=place_of(row.rank, row.medal),
        name=names.with_word(t, found.game, row.player_key, name) if found.agents else name,
        rating=names.rating(t, row.rating, row.margin),
        games=t("games_count", n=row.games),
        rate=t.percent(row.win_rate),
    )
