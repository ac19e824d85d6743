"""Leaderboards and profiles as messages, and the buttons that turn a leaderboard's pages."""

from __future__ import annotations

import re
from typing import Any, Self

from discord import ui

from bot.i18n import Text, plain
from bot.service import Leaderboard, Profile, Row
from bot.ui import wording
from bot.ui.errors import guarded
from bot.ui.ids import PREFIX
from bot.ui.layout import Item, box, lines
from bot.ui.press import AnyPress, Press, own_text, place_text

MEDALS = {1: "🥇", 2: "🥈", 3: "🥉"}


class PageButton(
    ui.DynamicItem[ui.Button[Any]],
    template=rf"{PREFIX}:l:(?P<reader>[1-9][0-9]{{0,19}}):(?P<game>[a-z-]{{1,32}}):(?P<guild>[0-9]{{1,20}})"
    r":(?P<who>people|agents):(?P<page>[1-9][0-9]{0,5})",
):
    """Another page of a leaderboard; `guild_id` None is everywhere."""

    def __init__(
        self,
        reader_id: int,
        game: str,
        guild_id: int | None,
        agents: bool,
        page: int,
        *,
        label: str = "·",
        disabled: bool = False,
    ) -> None:
        who = "agents" if agents else "people"
        custom_id = f"{PREFIX}:l:{reader_id}:{game}:{guild_id or 0}:{who}:{page}"
        super().__init__(ui.Button(label=label, disabled=disabled, custom_id=custom_id))
        self.reader_id, self.game, self.guild_id = reader_id, game, guild_id
        self.agents, self.page = agents, page

    @classmethod
    async def from_custom_id(cls, _press: AnyPress, _item: ui.Item[Any], match: re.Match[str]) -> Self:
        guild_id = int(match["guild"]) or None
        return cls(
            int(match["reader"]), match["game"], guild_id, match["who"] == "agents", int(match["page"])
        )

    async def callback(self, interaction: AnyPress) -> None:
        await guarded(interaction, self._press, None)

    async def _press(self, press: Press) -> None:
        await turn_leaderboard(press, self)


async def turn_leaderboard(press: Press, button: PageButton) -> None:
    """Turns the page for the person who asked for the board; anybody else gets a copy of their own."""
    found = await press.client.service.standings.leaderboard(
        button.game, guild_id=button.guild_id, agents=button.agents, page=button.page, user_id=press.user.id
    )
    if press.user.id == button.reader_id:
        await press.response.edit_message(view=leaderboard_view(found, place_text(press), press.user.id))
    else:
        view = leaderboard_view(found, own_text(press), press.user.id)
        await press.response.send_message(view=view, ephemeral=True)


def leaderboard_view(found: Leaderboard, t: Text, reader_id: int) -> ui.LayoutView:
    """One page, the reader's own row below it when it is not on it, and the way to the other pages."""
    scope = t("scope_everywhere" if found.guild_id is None else "scope_here")
    kind = t("leaderboard_agents" if found.agents else "leaderboard_people")
    heading = t("leaderboard_title", game=wording.game_title(t, found.game), kind=kind, scope=scope)
    parts: list[Item] = [lines(f"### {heading}")]
    if found.rows:
        parts.append(lines(*(_row_line(t, row) for row in found.rows)))
    else:
        parts.append(lines(t("leaderboard_empty")))
    if found.own is not None and found.own not in found.rows:
        parts.append(lines(t("leaderboard_own"), _row_line(t, found.own)))
    if found.pages > 1:
        parts.append(lines(f"-# {t('leaderboard_page', page=found.page, pages=found.pages)}"))
        parts.append(_page_buttons(found, t, reader_id))
    return box(*parts)


def profile_view(found: Profile, t: Text, *, is_here: bool) -> ui.LayoutView:
    """A person's standing in each game, and their last matches."""
    scope = t("scope_here" if is_here else "scope_everywhere")
    parts: list[Item] = [lines(f"### {t('profile_title', name=plain(found.name), scope=scope)}")]
    if not found.rows:
        parts.append(lines(t("profile_empty")))
    for standing in found.rows:
        row = standing.row
        parts.append(
            lines(
                t(
                    "profile_game",
                    game=wording.game_title(t, standing.game),
                    rating=row.rating,
                    rank=row.rank,
                ),
                t("profile_record", wins=row.wins, draws=row.draws, losses=row.losses, rate=_percent(row)),
                t("profile_streak", best=row.best_streak, now=_streak(t, row.streak)),
            )
        )
    if found.recent:
        recent = (
            f"- {wording.summary(t, match, found.user_id)} · {wording.result(t, match)}"
            for match in found.recent
        )
        parts.append(lines(t("profile_recent"), *recent))
    parts.append(lines(f"-# {t('profile_running', n=found.running)}"))
    return box(*parts)


def _row_line(t: Text, row: Row) -> str:
    return t(
        "leaderboard_row",
        place=MEDALS.get(row.rank, f"{row.rank}."),
        name=plain(row.name),
        rating=row.rating,
        games=t("games_count", n=row.games),
        rate=_percent(row),
    )


def _percent(row: Row) -> str:
    return f"{row.win_rate:.0%}"


def _streak(t: Text, streak: int) -> str:
    if streak > 0:
        return t("streak_wins", n=streak)
    return t("streak_losses", n=-streak) if streak < 0 else t("streak_none")


def _page_buttons(found: Leaderboard, t: Text, reader_id: int) -> ui.ActionRow[Any]:
    def button(page: int, label: str, is_dead: bool) -> PageButton:
        return PageButton(
            reader_id, found.game, found.guild_id, found.agents, page, label=label, disabled=is_dead
        )

    return ui.ActionRow(
        button(max(1, found.page - 1), t("button_previous"), found.page == 1),
        button(found.page + 1, t("button_next"), found.page == found.pages),
    )
