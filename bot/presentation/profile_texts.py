"""A profile in words: the text of its message, and the words and numbers of its picture."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields

from bot.domain.achievement import ACHIEVEMENTS
from bot.domain.leaderboard import PLOTTED_MATCHES
from bot.domain.names import CleanName
from bot.domain.rating import newcomer
from bot.i18n import Text, plain
from bot.presentation import names
from bot.presentation.award_texts import MEDALS, award_name, month
from bot.presentation.lettering import can_write
from bot.presentation.profile import ProfileChart, RatingPoint, Results, Words
from bot.services.leaderboards import Profile, ProfileRow

MAX_MEDALS = 6
"""The number of medals that a profile lists."""

MAX_ALT_TEXT = 1000
"""The length of the alternative text; Discord allows 1024 characters."""


def has_words(t: Text) -> bool:
    """Whether the picture's font has the letters of that language."""
    return can_write(t("chart_favourite") + t("chart_medals"))


def words_of(found: Profile, t: Text | None, reader: CleanName) -> Words:
    """The labels of the picture; empty ones without a language, if the font lacks its letters."""
    if t is None:
        return Words(*[""] * len(fields(Words)))
    accuracy, last, both = found.accuracy, _last_game(found), f"{found.name} – {reader}"
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


def chart_of(found: Profile, t: Text | None) -> ProfileChart:
    """The numbers of the picture. t: None if the font lacks the language's letters."""
    last = _last_game(found)
    places = Counter(mark.rank for mark in found.marks)
    favourite = found.played[0][0] if found.played else None
    between = found.between
    return ProfileChart(
        steps=[RatingPoint(step.game, step.points, step.at.date()) for step in found.steps],
        newcomers=_first_points(found),
        results=[
            Results(
                standing.game,
                "" if t is None else names.game_title(t, standing.game),
                names.exact_rating(standing.row.rating, standing.row.margin),
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


def described(t: Text, found: Profile, reader: CleanName) -> str:
    """The picture's alternative text: each rating's course, and the numbers that only the picture shows."""
    first = _first_points(found)
    games = []
    for standing in found.rows:
        points = [step.points for step in found.steps if step.game == standing.game]
        if standing.game in first:
            points.append(first[standing.game])
        games.append(
            t(
                "profile_described_game",
                game=names.game_title(t, standing.game),
                rating=names.exact_rating(standing.row.rating, standing.row.margin),
                low=min(points, default=standing.row.rating),
                high=max(points, default=standing.row.rating),
                n=standing.row.games,
            )
        )
    below = facts(t, found, reader, beside_picture=True)
    whole = (
        *game_lines(t, found, beside_picture=False),
        *facts(t, found, reader, beside_picture=False),
    )
    text = "\n".join(
        (
            t("profile_described", name=found.name, games="; ".join(games)),
            *(line for line in whole if line not in below),
        )
    ).replace("**", "")
    return text if len(text) <= MAX_ALT_TEXT else text[: MAX_ALT_TEXT - 1] + "…"


def medal_line(t: Text, found: Profile) -> str | None:
    """The person's first places in past seasons, the latest first."""
    shown = [
        t(
            "profile_mark",
            medal=MEDALS[mark.rank],
            game=names.game_title(t, mark.game),
            month=month(t, mark.season),
        )
        for mark in found.marks[:MAX_MEDALS]
    ]
    if len(found.marks) > MAX_MEDALS:
        shown.append(t("and_more", n=len(found.marks) - MAX_MEDALS))
    return " · ".join(shown) or None


def game_lines(t: Text, found: Profile, *, beside_picture: bool) -> list[str]:
    """Each game's rating and record. beside_picture: only the streaks that the picture does not show."""
    if not beside_picture:
        return [_record(t, standing) for standing in found.rows]
    last = _last_game(found)
    others = (standing for standing in found.rows if standing != last and standing.row.best_streak)
    return [f"**{names.game_title(t, standing.game)}** · {_streaks(t, standing)}" for standing in others]


def facts(t: Text, found: Profile, reader: CleanName, *, beside_picture: bool) -> list[str]:
    """Favourite game, best win, accuracy, score against the reader and achievements, as far as known.

    beside_picture: only the facts that the picture does not show.
    """
    lines = []
    # The picture marks the favourite, but has only the games with a rating.
    is_in_chart = bool(found.played) and found.played[0][0] in {standing.game for standing in found.rows}
    if found.played and not (beside_picture and is_in_chart):
        game, times = found.played[0]
        lines.append(t("profile_favourite", game=names.game_title(t, game), n=times))
    if (best := found.best_win) is not None:
        game = names.game_title(t, best.game)
        lines.append(t("profile_best_win", name=plain(best.opponent), rating=best.points, game=game))
    if found.accuracy is not None and not beside_picture:
        lines.append(t("profile_accuracy", percent=t.percent(found.accuracy.mean), n=found.accuracy.matches))
    # Without both names in its font, the picture's caption has neither; so the text has them.
    is_named = beside_picture and can_write(f"{found.name} – {reader}")
    if (score := found.between) is not None and score.matches and not is_named:
        people = {"name": plain(found.name), "reader": plain(reader)}
        results = {"wins": score.wins, "draws": score.draws, "losses": score.losses}
        lines.append(t("profile_between", **people, **results))
    if found.awards:
        held = {award.key for award in found.awards}
        if not beside_picture:
            lines.append(t("profile_achievements", earned=len(held), total=len(ACHIEVEMENTS)))
        special = [item for item in ACHIEVEMENTS.values() if item.key in held and item.level is None]
        if special:
            lines.append(" · ".join(f"{item.emoji} {award_name(t, item)}" for item in special))
    return lines


def _last_game(found: Profile) -> ProfileRow | None:
    """The game played last; the picture shows its streak."""
    last = found.steps[-1].game if found.steps else None
    return next((standing for standing in found.rows if standing.game == last), None)


def _first_points(found: Profile) -> dict[str, int]:
    """The first rating of each game, if the plotted steps go back to the beginning."""
    if len(found.steps) >= PLOTTED_MATCHES:
        return {}
    return {standing.game: newcomer(standing.game).points for standing in found.rows}


def _rank(t: Text, rank: int | None) -> str:
    return t("chart_unranked") if rank is None else t("chart_rank", rank=rank)


def _record(t: Text, standing: ProfileRow) -> str:
    row = standing.row
    game, rating = names.game_title(t, standing.game), names.exact_rating(row.rating, row.margin)
    results = {"wins": row.wins, "draws": row.draws, "losses": row.losses, "rate": t.percent(row.win_rate)}
    first = (
        t("profile_game_unranked", game=game, rating=rating)
        if row.rank is None
        else t("profile_game", game=game, rating=rating, rank=row.rank)
    )
    return "\n".join((first, t("profile_record", **results), _streaks(t, standing)))


def _streaks(t: Text, standing: ProfileRow) -> str:
    streak = standing.row.streak
    now = t("streak_none")
    if streak:
        now = t("streak_wins" if streak > 0 else "streak_losses", n=abs(streak))
    return t("profile_streak", best=standing.row.best_streak, now=now)
