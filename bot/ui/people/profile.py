"""Profiles as messages: a picture of numbers and shapes, and the same in words."""

from __future__ import annotations

import io
from collections import Counter
from dataclasses import fields, replace
from functools import partial

import discord
from discord import ui

from bot.domain.achievement import ACHIEVEMENTS
from bot.domain.errors import SetupError
from bot.domain.rating import newcomer
from bot.i18n import Text, plain
from bot.presentation import Look, Theme, names, status
from bot.presentation.lettering import can_write
from bot.presentation.profile import ProfileChart, Results, Step, Words, draw_profile
from bot.services.command_costs import Cost
from bot.services.leaderboards import Profile, ProfileRow
from bot.store.history import PLOTTED
from bot.ui.award_texts import award_name
from bot.ui.client import Interaction
from bot.ui.context import location_text, own_look, own_text, respond, spend
from bot.ui.layout import Item, box, gallery, lines, linked
from bot.ui.leaderboard_pages import MEDALS, month
from bot.ui.pictures import Pictures
from bot.ui.share_button import What, with_sharing

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
    view, picture = await profile_message(interaction, t, person, guild_id, is_private=is_private)
    if is_private:
        view = with_sharing(interaction, view, What.PROFILE, person.id)
    await respond(interaction, view, file=picture, is_private=is_private)


async def profile_message(
    interaction: Interaction,
    t: Text,
    person: discord.User | discord.Member,
    guild_id: int | None,
    *,
    is_private: bool = False,
) -> tuple[ui.LayoutView, discord.File | None]:
    """The profile of that person as this reader may see it, and its picture if it has one.

    is_private: nobody else sees it.
    """
    name = person.display_name if guild_id is not None else person.global_name or person.name
    found = await interaction.client.services.matches.standings.profile(
        person.id,
        guild_id=guild_id,
        name=name,
        reader_id=interaction.user.id,
        here=interaction.guild_id,
    )
    is_alone = is_private or (interaction.guild_id is None and interaction.context.dm_channel)
    if person.id != interaction.user.id or not is_alone:
        found = _without_elsewhere(found, interaction.guild_id or 0)
    look, reader = own_look(interaction), interaction.user.display_name
    picture = await draw(interaction.client.ui.pictures, t, found, reader)
    view = profile_view(found, t, look, is_here=guild_id is not None, reader=reader, picture=picture)
    return view, picture


async def draw(pictures: Pictures, t: Text, found: Profile, reader: str) -> discord.File | None:
    """The picture with its alternative text; None for somebody without rated matches."""
    if not found.rows:
        return None
    shown = t if has_words(t) else None
    chart, words = chart_of(found, shown), words_of(found, shown, reader)
    png = await pictures.of(("profile", repr(chart), words), partial(draw_profile, chart, words))
    return discord.File(io.BytesIO(png), PICTURE, description=described(t, found, reader))


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
        parts.append(gallery(picture))
    # Who has boards in letters reads rather than looks: for them the picture's words are here, too.
    is_told = picture is not None and has_words(t) and look.theme is not Theme.LETTERS
    if games := _games(t, found, is_told=is_told):
        parts.append(lines(*games))
    if facts := _facts(t, found, reader, is_told=is_told):
        parts.append(lines(*facts))
    if found.recent:
        recent = ((match, status.summary(t, match, found.user_id)) for match in found.recent)
        said = (
            f"- {linked(t, summary, match.location)} · {status.result(t, match, look)}"
            for match, summary in recent
        )
        parts.append(lines(t("profile_recent"), *said))
    if found.running:
        parts.append(lines(f"-# {t('profile_running', n=found.running)}"))
    return box(*parts)


def has_words(t: Text) -> bool:
    """Whether the picture can show the words of that language."""
    return can_write(t("chart_favourite") + t("chart_medals"))


def words_of(found: Profile, t: Text | None, reader: str) -> Words:
    """What stands beside the numbers; nothing, in a language that the picture cannot show."""
    if t is None:
        return Words(*[""] * len(fields(Words)))
    accuracy, last, both = found.accuracy, _last(found), f"{found.name} – {reader}"
    streak = 0 if last is None else last.row.streak
    return Words(
        ratings=t("chart_ratings"),
        won=t("chart_won"),
        drawn=t("chart_drawn"),
        lost=t("chart_lost"),
        favourite=t("chart_favourite"),
        accuracy=t("chart_accuracy", n=0 if accuracy is None else accuracy.matches),
        streak=t("chart_streak", game="" if last is None else names.game_title(t, last.game)),
        now=t("chart_now_won" if streak > 0 else "chart_now_lost" if streak < 0 else "chart_now"),
        best=t("chart_best"),
        medals=t("chart_medals"),
        achievements=t("chart_achievements"),
        between=both if can_write(both) else t("chart_between"),
    )


def _last(found: Profile) -> ProfileRow | None:
    """The game played last, whose streak the picture shows."""
    last = found.steps[-1].game if found.steps else None
    return next((standing for standing in found.rows if standing.game == last), None)


def chart_of(found: Profile, t: Text | None) -> ProfileChart:
    """What the picture shows; t: None for a language that it cannot show."""
    last = _last(found)
    places = Counter(mark.rank for mark in found.marks)
    favourite = found.played[0][0] if found.played else None
    between = found.between
    return ProfileChart(
        steps=[Step(step.game, step.points, step.at.date()) for step in found.steps],
        newcomers=_newcomers(found),
        results=[
            Results(
                standing.game,
                "" if t is None else names.game_title(t, standing.game),
                names.rating(standing.row.rating, standing.row.margin),
                "" if t is None else _rank(t, standing.row.rank),
                standing.row.wins,
                standing.row.draws,
                standing.row.losses,
                standing.game == favourite,
            )
            for standing in found.rows
        ],
        accuracy=None if found.accuracy is None else found.accuracy.mean,
        streak=0 if last is None else last.row.streak,
        best_streak=0 if last is None else last.row.best_streak,
        medals=(places[1], places[2], places[3]),
        earned=len(found.awards),
        earnable=len(ACHIEVEMENTS),
        between=(between.wins, between.draws, between.losses) if between and between.matches else None,
    )


def _rank(t: Text, rank: int | None) -> str:
    return t("chart_unranked") if rank is None else t("chart_rank", rank=rank)


def _newcomers(found: Profile) -> dict[str, int]:
    """Where the line of each game begins, if the steps go back so far."""
    if len(found.steps) >= PLOTTED:
        return {}
    return {standing.game: newcomer(standing.game).points for standing in found.rows}


def described(t: Text, found: Profile, reader: str) -> str:
    """The picture for those who do not see it: how each rating went, and every number that it shows."""
    games = []
    beginnings = _newcomers(found)
    for standing in found.rows:
        points = [step.points for step in found.steps if step.game == standing.game]
        if standing.game in beginnings:
            points.append(beginnings[standing.game])
        games.append(
            t(
                "profile_described_game",
                game=names.game_title(t, standing.game),
                rating=names.rating(standing.row.rating, standing.row.margin),
                low=min(points, default=standing.row.rating),
                high=max(points, default=standing.row.rating),
                n=standing.row.games,
            )
        )
    numbers = [
        line
        for line in (*_games(t, found, is_told=False), *_facts(t, found, reader, is_told=False))
        if line not in _facts(t, found, reader, is_told=True)
    ]
    described = t("profile_described", name=found.name, games="; ".join(games))
    text = "\n".join((described, *numbers)).replace("**", "")
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
            game=names.game_title(t, mark.game),
            month=month(t, mark.season),
        )
        for mark in found.marks[:MOST_MARKS]
    ]
    if len(found.marks) > MOST_MARKS:
        shown.append(t("and_more", n=len(found.marks) - MOST_MARKS))
    return " · ".join(shown) or None


def _game_lines(t: Text, standing: ProfileRow) -> str:
    row = standing.row
    game, rating = names.game_title(t, standing.game), names.rating(row.rating, row.margin)
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


def _games(t: Text, found: Profile, *, is_told: bool) -> list[str]:
    """Each game in words; is_told: what the picture does not say, streaks of other games than the last."""
    if not is_told:
        return [_game_lines(t, standing) for standing in found.rows]
    others = (standing for standing in found.rows if standing != _last(found) and standing.row.best_streak)
    return [
        f"**{names.game_title(t, standing.game)}** · "
        + t("profile_streak", best=standing.row.best_streak, now=_streak(t, standing.row.streak))
        for standing in others
    ]


def _facts(t: Text, found: Profile, reader: str, *, is_told: bool) -> list[str]:
    """What stands out, one line each; what there is nothing to say of is left out.

    is_told: the picture has said what it can.
    """
    facts = []
    is_starred = bool(found.played) and found.played[0][0] in {standing.game for standing in found.rows}
    if found.played and not (is_told and is_starred):
        game, times = found.played[0]
        facts.append(t("profile_favourite", game=names.game_title(t, game), n=times))
    if (best := found.best_win) is not None:
        facts.append(
            t(
                "profile_best_win",
                name=plain(best.opponent),
                rating=best.points,
                game=names.game_title(t, best.game),
            )
        )
    if found.accuracy is not None and not is_told:
        facts.append(t("profile_accuracy", percent=t.percent(found.accuracy.mean), n=found.accuracy.matches))
    is_named = is_told and can_write(f"{found.name} – {reader}")
    if (score := found.between) is not None and score.matches and not is_named:
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
        special = [item for item in ACHIEVEMENTS.values() if item.key in held and item.level is None]
        awards = " · ".join(f"{item.emoji} {award_name(t, item)}" for item in special)
        if not is_told:
            facts.append(t("profile_achievements", earned=len(held), total=len(ACHIEVEMENTS)))
        if awards:
            facts.append(awards)
    return facts


def _streak(t: Text, streak: int) -> str:
    if streak > 0:
        return t("streak_wins", n=streak)
    return t("streak_losses", n=-streak) if streak < 0 else t("streak_none")
