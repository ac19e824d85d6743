"""Leaderboards as messages, the buttons that turn their pages, and the menu of their seasons."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import discord
from babel.dates import format_skeleton
from discord import ui

from bot.domain.errors import SetupError
from bot.domain.season import MARKED_PLACES, Season
from bot.i18n import Text, plain
from bot.services import Leaderboard, Row
from bot.ui import formatting as wording
from bot.ui.client import AnyInteraction, Interaction
from bot.ui.context import location_text, own_text
from bot.ui.errors import guarded
from bot.ui.ids import PREFIX
from bot.ui.layout import Item, box, lines

MEDALS = {1: "🥇", 2: "🥈", 3: "🥉"}

MOST_OPTIONS = 25
"""Discord's limit for a select."""

BOARD = r"(?P<reader>[1-9][0-9]{0,19}):(?P<game>[a-z-]{1,32}):(?P<guild>[0-9]{1,20}):(?P<who>people|agents)"
SEASON = r"[0-9]{4}-[0-9]{2}"


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

    @classmethod
    def of(cls, parts: re.Match[str]) -> Self:
        """As a custom_id says it."""
        return cls(
            int(parts["reader"]),
            parts["game"],
            int(parts["guild"]) or None,
            parts["who"] == "agents",
            int(parts["page"] or 1),
            Season.parse(parts["season"] or ""),
        )

    def __str__(self) -> str:
        """As a custom_id says it, without the page and the season."""
        return f"{self.reader_id}:{self.game}:{self.guild_id or 0}:{'agents' if self.agents else 'people'}"


class PageButton(
    ui.DynamicItem[ui.Button[Any]],
    template=rf"{PREFIX}:l:{BOARD}:(?P<page>[1-9][0-9]{{0,5}})(?::(?P<season>{SEASON}))?",
):
    """Another page of a leaderboard."""

    def __init__(self, asked: Asked, *, label: str = "·", disabled: bool = False) -> None:
        season = "" if asked.season is None else f":{asked.season.key}"
        custom_id = f"{PREFIX}:l:{asked}:{asked.page}{season}"
        super().__init__(ui.Button(label=label, disabled=disabled, custom_id=custom_id))
        self.asked = asked

    @classmethod
    async def from_custom_id(cls, _press: AnyInteraction, _item: ui.Item[Any], match: re.Match[str]) -> Self:
        return cls(Asked.of(match))

    async def callback(self, interaction: AnyInteraction) -> None:
        await guarded(interaction, self._press, None)

    async def _press(self, interaction: Interaction) -> None:
        await turn_leaderboard(interaction, self.asked)


class SeasonSelect(ui.DynamicItem[ui.Select[Any]], template=rf"{PREFIX}:z:{BOARD}(?P<page>)(?P<season>)"):
    """Another season of a leaderboard, or all time."""

    ALL_TIME = "all"

    def __init__(self, asked: Asked, options: Sequence[discord.SelectOption]) -> None:
        super().__init__(ui.Select(custom_id=f"{PREFIX}:z:{asked}", options=list(options)))
        self.asked = asked

    @classmethod
    async def from_custom_id(cls, _press: AnyInteraction, _item: ui.Item[Any], match: re.Match[str]) -> Self:
        return cls(Asked.of(match), [discord.SelectOption(label="·")])

    async def callback(self, interaction: AnyInteraction) -> None:
        await guarded(interaction, self._press, None)

    async def _press(self, interaction: Interaction) -> None:
        value = self.item.values[0] if self.item.values else self.ALL_TIME
        await turn_leaderboard(interaction, replace(self.asked, season=Season.parse(value)))


async def turn_leaderboard(interaction: Interaction, asked: Asked) -> None:
    """Turns the board for the person who asked for it; anybody else gets a copy of their own."""
    if asked.guild_id not in (None, interaction.guild_id):
        raise SetupError("leaderboard_elsewhere")
    found = await interaction.client.service.standings.leaderboard(
        asked.game,
        guild_id=asked.guild_id,
        agents=asked.agents,
        page=asked.page,
        user_id=interaction.user.id,
        season=asked.season,
    )
    if interaction.user.id == asked.reader_id:
        await interaction.response.edit_message(
            view=leaderboard_view(found, location_text(interaction), interaction.user.id)
        )
    else:
        view = leaderboard_view(found, own_text(interaction), interaction.user.id)
        await interaction.response.send_message(view=view, ephemeral=True)


def leaderboard_view(found: Leaderboard, t: Text, reader_id: int) -> ui.LayoutView:
    """One page, the reader's own row below it when it is not on it, and the way to others and to seasons."""
    asked = Asked(reader_id, found.game, found.guild_id, found.agents, found.page, found.season)
    parts: list[Item] = [lines(*_heading(t, found))]
    if found.rows:
        parts.append(lines(*(_row_line(t, row) for row in found.rows)))
    else:
        parts.append(lines(t("season_empty" if found.season else "leaderboard_empty")))
    if found.own is not None and found.own not in found.rows:
        parts.append(lines(t("leaderboard_own"), _row_line(t, found.own)))
    if found.pages > 1:
        parts.append(lines(f"-# {t('leaderboard_page', page=found.page, pages=found.pages)}"))
        parts.append(_page_buttons(asked, t, found.pages))
    if found.seasons:
        parts.append(ui.ActionRow(SeasonSelect(asked, _season_options(t, found))))
    return box(*parts)


def month(t: Text, season: Season) -> str:
    """The season's month and year, as that language writes them."""
    return format_skeleton("yMMMM", season.begins_at, locale=t.language)


def _heading(t: Text, found: Leaderboard) -> tuple[str, ...]:
    game = wording.game_title(t, found.game)
    kind = t("leaderboard_agents" if found.agents else "leaderboard_people")
    if found.season is None:
        scope = t("scope_everywhere" if found.guild_id is None else "scope_here")
        return (f"### {t('leaderboard_title', game=game, kind=kind, scope=scope)}",)
    heading = t("season_title", game=game, kind=kind, month=month(t, found.season))
    ends = f"<t:{int(found.season.ends_at.timestamp())}:R>"
    note = t("season_running", when=ends) if found.is_current else t("season_over", n=MARKED_PLACES)
    return f"### {heading}", f"-# {note}"


def _season_options(t: Text, found: Leaderboard) -> list[discord.SelectOption]:
    """All time, and as many of the latest seasons as Discord allows."""
    options = [
        discord.SelectOption(
            label=t("season_all_time"), value=SeasonSelect.ALL_TIME, default=found.season is None
        )
    ]
    options.extend(
        discord.SelectOption(
            label=month(t, season), value=season.key, emoji="🗓️", default=season == found.season
        )
        for season in found.seasons[: MOST_OPTIONS - 1]
    )
    return options


def _row_line(t: Text, row: Row) -> str:
    return t(
        "leaderboard_row",
        place=MEDALS.get(row.rank, f"{row.rank}."),
        name=plain(row.name),
        rating=row.rating,
        games=t("games_count", n=row.games),
        rate=t.percent(row.win_rate),
    )


def _page_buttons(asked: Asked, t: Text, pages: int) -> ui.ActionRow[Any]:
    page = asked.page
    back, forward = replace(asked, page=max(1, page - 1)), replace(asked, page=page + 1)
    return ui.ActionRow(
        PageButton(back, label=t("button_previous"), disabled=page == 1),
        PageButton(forward, label=t("button_next"), disabled=page == pages),
    )
