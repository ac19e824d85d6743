"""Profiles as messages: a picture, and the same in words."""

from __future__ import annotations

import io
from functools import partial
from typing import Any

import discord
from discord import ui

from bot.domain.names import CleanName
from bot.i18n import Text, plain
from bot.presentation import Look, Theme, status
from bot.presentation.profile import draw_profile
from bot.presentation.profile_texts import (
    chart_of,
    described,
    facts,
    game_lines,
    has_words,
    medal_line,
    words_of,
)
from bot.services.leaderboards import Profile
from bot.ui.layout import Item, box, gallery, lines, linked
from bot.ui.people.routes import AWARDS
from bot.ui.picture_cache import PictureCache

PICTURE = "profile.png"


async def profile_picture(
    pictures: PictureCache, t: Text, found: Profile, reader: CleanName
) -> discord.File | None:
    """The picture with its alternative text; None without rated matches."""
    if not found.rows:
        return None
    shown = t if has_words(t) else None
    chart, words = chart_of(found, shown), words_of(found, shown, reader)
    png = await pictures.get(("profile", repr(chart), words), partial(draw_profile, chart, words))
    return discord.File(io.BytesIO(png), PICTURE, description=described(t, found, reader))


def profile_view(
    found: Profile, t: Text, look: Look, *, is_here: bool, reader: CleanName, picture: discord.File | None
) -> ui.LayoutView:
    """Name and medals, the picture, then each game, other facts and the last matches in words."""
    scope = t("scope_here" if is_here else "scope_everywhere")
    title = f"### {t('profile_title', name=plain(found.name), scope=scope)}"
    parts: list[Item] = [lines(title, medal_line(t, found))]
    if not found.rows:
        parts.append(lines(t("profile_empty")))
    if picture is not None:
        parts.append(gallery(picture))
    # Readers with boards in letters may use a screen reader, so they get every number as text too.
    beside_picture = picture is not None and has_words(t) and look.theme is not Theme.LETTERS
    if games := game_lines(t, found, beside_picture=beside_picture):
        parts.append(lines(*games))
    if others := facts(t, found, reader, beside_picture=beside_picture):
        parts.append(lines(*others))
    if found.recent:
        recent = (
            f"- {linked(t, status.summary(t, match, found.user_id), match.location)}"
            f" · {status.result(t, match, look)}"
            for match in found.recent
        )
        parts.append(lines(t("profile_recent"), *recent))
    if found.running:
        parts.append(lines(f"-# {t('profile_running', n=found.running)}"))
    achievements = ui.Button[Any](label=t("button_achievements"), custom_id=AWARDS(found.user_id))
    parts.append(ui.ActionRow(achievements))
    return box(*parts)
