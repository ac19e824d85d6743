"""Texts about achievements, medals and seasons."""

from __future__ import annotations

from babel.dates import format_skeleton

from bot.domain.achievement import ACHIEVEMENTS, Achievement
from bot.domain.names import clean
from bot.domain.season import Season
from bot.i18n import Text, plain
from bot.presentation import names

MEDALS = {1: "🥇", 2: "🥈", 3: "🥉"}


def month(t: Text, season: Season) -> str:
    """The season's month and year, in that language."""
    return format_skeleton("yMMMM", season.begins_at, locale=t.language)


def award_name(t: Text, achievement: Achievement) -> str:
    """The achievement's name, with its level or game filled in."""
    level = "" if achievement.level is None else plain(clean(achievement.level.name))
    return t(f"award_name_{achievement.text}", level=level, game=award_game(t, achievement))


def award_game(t: Text, achievement: Achievement) -> str:
    """The title of the achievement's game; empty if it belongs to no single game."""
    return "" if achievement.game is None else names.game_title(t, achievement.game)


def run_line(t: Text, run: int) -> str | None:
    """The achievement for solving that many puzzles in a row; None if there is none for this number."""
    for achievement in ACHIEVEMENTS.values():
        if achievement.by_run is not None and achievement.goal == run:
            return t("award_run", what=f"{achievement.emoji} {award_name(t, achievement)}", n=run)
    return None
