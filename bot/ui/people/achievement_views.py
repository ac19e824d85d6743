"""Achievements as messages: earned, missing and rare ones."""

from __future__ import annotations

from collections.abc import Sequence

from discord import ui

from bot.domain.names import CleanName, clean
from bot.i18n import Text, plain
from bot.presentation.award_texts import award_game, award_name
from bot.services.achievements import Progress
from bot.ui.layout import Item, box, lines

EARNED, MISSING = "✅", "▫️"


def earned_view(found: Sequence[Progress], t: Text, name: CleanName) -> ui.LayoutView:
    """A person's earned achievements in a few lines, for sharing."""
    earned = [progress for progress in found if progress.earned_at is not None]
    names = (f"{one.achievement.emoji} {award_name(t, one.achievement)}" for one in earned)
    return box(
        lines(_title(t, found, name)),
        *((lines(" · ".join(names)),) if earned else ()),
    )


def achievements_view(found: Sequence[Progress], t: Text, name: CleanName) -> ui.LayoutView:
    """A person's earned achievements, their progress towards the others, and the levels they beat."""
    single = [progress for progress in found if progress.achievement.level is None]
    levels = [progress for progress in found if progress.achievement.level is not None]
    earned = [progress for progress in single if progress.earned_at is not None]
    missing = [progress for progress in single if progress.earned_at is None]
    parts: list[Item] = [lines(_title(t, found, name))]
    if earned:
        parts.append(lines(f"**{t('award_earned')}**", *(_award_lines(t, progress) for progress in earned)))
    if missing:
        parts.append(lines(f"**{t('award_missing')}**", *(_award_lines(t, progress) for progress in missing)))
    parts.append(lines(f"**{t('award_levels')}**", " · ".join(_level(t, progress) for progress in levels)))
    parts.append(lines(f"-# {t('award_note')}"))
    return box(*parts)


def _title(t: Text, found: Sequence[Progress], name: CleanName) -> str:
    earned = sum(progress.earned_at is not None for progress in found)
    return f"### {t('award_title', name=plain(name), earned=earned, total=len(found))}"


def _award_lines(t: Text, progress: Progress) -> str:
    """The achievement with how to earn it; below, its date or the progress so far, and its rarity."""
    achievement = progress.achievement
    mark, below = MISSING, []
    if progress.earned_at is not None:
        mark = achievement.emoji
        below.append(f"<t:{int(progress.earned_at.timestamp())}:D>")
    elif achievement.goal > 1:
        below.append(t("award_so_far", have=progress.have, goal=achievement.goal))
    if progress.share:
        below.append(t("award_share", percent=_percent(t, progress.share)))
    name = award_name(t, achievement)
    how = t(f"award_how_{achievement.text}", game=award_game(t, achievement), n=achievement.goal)
    line = t("award_line", mark=mark, name=name, how=how)
    return f"{line}\n-# {' · '.join(below)}" if below else line


def _level(t: Text, progress: Progress) -> str:
    level = progress.achievement.level
    name = "" if level is None else plain(clean(level.name))
    shown = f"{EARNED} **{name}**" if progress.earned_at else name
    return f"{shown} {_percent(t, progress.share)}" if progress.share else shown


def _percent(t: Text, share: float) -> str:
    """The share in percent; at least 1%, since it is not zero."""
    return t.percent(max(share, 0.01))
