"""Profiles as messages: a picture of numbers and shapes, and the same in words."""

from __future__ import annotations

import io
from collections import Counter
from dataclasses import replace
from functools import partial
from typing import Any

import discord
from discord import ui

from bot.domain.achievement import ACHIEVEMENTS
from bot.domain.errors import SetupError
from bot.domain.rating import newcomer
from bot.i18n import Text, plain
from bot.presentation import Look
from bot.presentation.profile import ProfileChart, Results, Step, draw_profile
from bot.services import Cost, Profile, ProfileRow
from bot.store import PLOTTED
from bot.ui import formatting
from bot.ui.client import Interaction
from bot.ui.context import location_text, own_look, own_text, respond, spend
from bot.ui.layout import Item, box, lines
from bot.ui.people.standings import MEDALS, month
from bot.ui.pictures import Pictures
from bot.ui.sharing.button import What, with_sharing

PICTURE = "profile.png"
MOST_MARKS = 6
MOST_ALTERNATIVE = 1000
"""Characters of alternative text; Discord allows 1024."""


async def show_profile(
    interaction: Interaction,
    person: discord.User | discord.Member,
    *,
    guild_id: int | None,
    is_private: bool = False,
) -> None:
    """Answers with the person's profile in that server, or everywhere; raises SetupError for bots."""
    if person.bot:
        raise SetupError("bot_profile")
    spend(interaction, Cost.PROFILE)
    t = own_text(interaction) if is_private else location_text(interaction)
    view, picture = await profile_message(interaction, t, person, guild_id)
    if is_private:
        view = with_sharing(interaction, view, What.PROFILE, person.id)
    if picture is None:
        await respond(interaction, view, is_private=is_private)
    else:
        await respond(interaction, view, file=picture, is_private=is_private)


async def profile_message(
    interaction: Interaction, t: Text, person: discord.User | discord.Member, guild_id: int | None
) -> tuple[ui.LayoutView, discord.File | None]:
    """The profile of that person as this reader may see it, and its picture if it has one."""
    name = person.display_name if guild_id is not None else person.global_name or person.name
    found = await interaction.client.service.standings.profile(
        person.id, guild_id=guild_id, name=name, reader_id=interaction.user.id
    )
    if person.id != interaction.user.id:
        found = _without_elsewhere(found, interaction.guild_id or 0)
    picture = await draw(interaction.client.pictures, t, found)
    look, reader = own_look(interaction), interaction.user.display_name
    view = profile_view(found, t, look, is_here=guild_id is not None, reader=reader, picture=picture)
    return view, picture


async def draw(pictures: Pictures, t: Text, found: Profile) -> discord.File | None:
    """The picture with its alternative text; None for somebody without rated matches."""
    if not found.rows:
        return None
    chart = chart_of(found)
    png = await pictures.of(("profile", repr(chart)), partial(draw_profile, chart))
    return discord.File(io.BytesIO(png), PICTURE, description=described(t, found))


def profile_view(
    found: Profile, t: Text, look: Look, *, is_here: bool, reader: str, picture: discord.File | None
) -> ui.LayoutView:
    """Who it is, the picture, and in words: each game, what stands out, and the last matches."""
    scope = t("scope_here" if is_here else "scope_everywhere")
    heading = f"### {t('profile_title', name=plain(found.name), scope=scope)}"
    parts: list[Item] = [lines(heading, _marks(t, found))]
    if not found.rows:
        parts.append(lines(t("profile_empty")))
    if picture is not None:
        gallery: ui.MediaGallery[Any] = ui.MediaGallery(
            discord.MediaGalleryItem(picture, description=picture.description)
        )
        parts.append(gallery)
    if found.rows:
        parts.append(lines(*(_game_lines(t, standing) for standing in found.rows)))
    if facts := _facts(t, found, reader):
        parts.append(lines(*facts))
    if found.recent:
        recent = (
            f"- {formatting.summary(t, match, found.user_id)} · {formatting.result(t, match, look)}"
            for match in found.recent
        )
        parts.append(lines(t("profile_recent"), *recent))
    parts.append(lines(f"-# {t('profile_running', n=found.running)}"))
    return box(*parts)


def chart_of(found: Profile) -> ProfileChart:
    """What the picture shows; the streak is that of the game played last."""
    last = found.steps[-1].game if found.steps else None
    places = Counter(mark.rank for mark in found.marks)
    favourite = found.played[0][0] if found.played else None
    between = found.between
    return ProfileChart(
        steps=[Step(step.game, step.points, step.at.date()) for step in found.steps],
        newcomers=_newcomers(found),
        results=[
            Results(
                standing.game,
                standing.row.rating,
                standing.row.wins,
                standing.row.draws,
                standing.row.losses,
                standing.game == favourite,
            )
            for standing in found.rows
        ],
        accuracy=None if found.accuracy is None else found.accuracy.mean,
        streak=next((standing.row.streak for standing in found.rows if standing.game == last), 0),
        best_streak=max((standing.row.best_streak for standing in found.rows), default=0),
        medals=(places[1], places[2], places[3]),
        earned=len(found.awards),
        earnable=len(ACHIEVEMENTS),
        between=(between.wins, between.draws, between.losses) if between and between.matches else None,
    )


def _newcomers(found: Profile) -> dict[str, int]:
    """Where the line of each game begins, if the steps go back so far."""
    if len(found.steps) >= PLOTTED:
        return {}
    return {standing.game: newcomer(standing.game).points for standing in found.rows}


def described(t: Text, found: Profile) -> str:
    """The picture for those who do not see it: how each rating went."""
    games = []
    beginnings = _newcomers(found)
    for standing in found.rows:
        points = [step.points for step in found.steps if step.game == standing.game]
        if standing.game in beginnings:
            points.append(beginnings[standing.game])
        games.append(
            t(
                "profile_described_game",
                game=formatting.game_title(t, standing.game),
                rating=formatting.rating(standing.row.rating, standing.row.margin),
                low=min(points, default=standing.row.rating),
                high=max(points, default=standing.row.rating),
                n=standing.row.games,
            )
        )
    text = t("profile_described", name=found.name, games="; ".join(games))
    return text if len(text) <= MOST_ALTERNATIVE else text[: MOST_ALTERNATIVE - 1] + "…"


def _without_elsewhere(found: Profile, here: int) -> Profile:
    """What somebody played elsewhere, and against whom, is not everybody's business here."""
    best = found.best_win
    if best is not None and not best.is_agent and best.guild_id != here:
        best = None
    recent = tuple(match for match in found.recent if match.location.guild_id == here)
    return replace(found, recent=recent, best_win=best)


def _marks(t: Text, found: Profile) -> str | None:
    """The first places in seasons that are over, the latest first."""
    shown = [
        t(
            "profile_mark",
            medal=MEDALS[mark.rank],
            game=formatting.game_title(t, mark.game),
            month=month(t, mark.season),
        )
        for mark in found.marks[:MOST_MARKS]
    ]
    if len(found.marks) > MOST_MARKS:
        shown.append(t("profile_more_marks", n=len(found.marks) - MOST_MARKS))
    return " · ".join(shown) or None


def _game_lines(t: Text, standing: ProfileRow) -> str:
    row = standing.row
    game, rating = formatting.game_title(t, standing.game), formatting.rating(row.rating, row.margin)
    return "\n".join(
        (
            t("profile_game_unranked", game=game, rating=rating)
            if row.rank is None
            else t("profile_game", game=game, rating=rating, rank=row.rank),
            t(
                "profile_record",
                wins=row.wins,
                draws=row.draws,
                losses=row.losses,
                rate=t.percent(row.win_rate),
            ),
            t("profile_streak", best=row.best_streak, now=_streak(t, row.streak)),
        )
    )


def _facts(t: Text, found: Profile, reader: str) -> list[str]:
    """What stands out, one line each; what there is nothing to say of is left out."""
    facts = []
    if found.played:
        game, times = found.played[0]
        facts.append(t("profile_favourite", game=formatting.game_title(t, game), n=times))
    if (best := found.best_win) is not None:
        facts.append(
            t(
                "profile_best_win",
                name=plain(best.opponent),
                rating=best.points,
                game=formatting.game_title(t, best.game),
            )
        )
    if found.accuracy is not None:
        facts.append(t("profile_accuracy", percent=t.percent(found.accuracy.mean), n=found.accuracy.matches))
    if (score := found.between) is not None and score.matches:
        facts.append(
            t(
                "profile_between",
                name=plain(found.name),
                reader=plain(reader),
                wins=score.wins,
                draws=score.draws,
                losses=score.losses,
            )
        )
    if found.awards:
        held = {award.key for award in found.awards}
        special = [item.emoji for item in ACHIEVEMENTS.values() if item.key in held and item.level is None]
        count = t("profile_achievements", earned=len(held), total=len(ACHIEVEMENTS))
        facts.append(" ".join((count, *special)))
    return facts


def _streak(t: Text, streak: int) -> str:
    if streak > 0:
        return t("streak_wins", n=streak)
    return t("streak_losses", n=-streak) if streak < 0 else t("streak_none")
