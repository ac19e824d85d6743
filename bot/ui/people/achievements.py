"""Achievements as messages: who has what, how rare it is, and the line that tells of new ones."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from itertools import groupby

import discord
from discord import ui

from bot.domain.achievement import ACHIEVEMENTS, Achievement
from bot.domain.errors import SetupError
from bot.domain.match import Match
from bot.i18n import Text, Texts, plain
from bot.services.achievements import Progress
from bot.services.command_costs import Cost
from bot.store.achievements import Award
from bot.ui.award_texts import award_game, award_name
from bot.ui.client import Interaction
from bot.ui.context import own_text, respond, spend
from bot.ui.discord_errors import DISCORD_ERRORS
from bot.ui.layout import Item, box, lines
from bot.ui.share_button import What, with_sharing

log = logging.getLogger(__name__)

EARNED, MISSING = "✅", "▫️"


async def show_achievements(interaction: Interaction, person: discord.User | discord.Member) -> None:
    """Answers privately with what the person has earned; raises SetupError for bots."""
    if person.bot:
        raise SetupError("bot_achievements")
    spend(interaction, Cost.ACHIEVEMENTS)
    found = await interaction.client.services.achievements.of(person.id)
    view = achievements_view(found, own_text(interaction), person.display_name)
    if person.id == interaction.user.id:
        view = with_sharing(interaction, view, What.AWARDS, person.id)
    await respond(interaction, view)


def earned_view(found: Sequence[Progress], t: Text, name: str) -> ui.LayoutView:
    """What is earned, in a few lines that others read too."""
    earned = [progress for progress in found if progress.earned_at is not None]
    names = (f"{one.achievement.emoji} {award_name(t, one.achievement)}" for one in earned)
    return box(
        lines(f"### {t('award_title', name=plain(name), earned=len(earned), total=len(found))}"),
        *((lines(" · ".join(names)),) if earned else ()),
    )


def achievements_view(found: Sequence[Progress], t: Text, name: str) -> ui.LayoutView:
    """What is earned, what is still to be earned and how far it is, and the levels beaten so far."""
    single = [progress for progress in found if progress.achievement.level is None]
    levels = [progress for progress in found if progress.achievement.level is not None]
    earned = [progress for progress in single if progress.earned_at is not None]
    missing = [progress for progress in single if progress.earned_at is None]
    total = sum(progress.earned_at is not None for progress in found)
    parts: list[Item] = [
        lines(f"### {t('award_title', name=plain(name), earned=total, total=len(found))}"),
    ]
    if earned:
        parts.append(lines(f"**{t('award_earned')}**", *(_lines_of(t, progress) for progress in earned)))
    if missing:
        parts.append(lines(f"**{t('award_missing')}**", *(_lines_of(t, progress) for progress in missing)))
    parts.append(lines(f"**{t('award_levels')}**", " · ".join(_level(t, progress) for progress in levels)))
    parts.append(lines(f"-# {t('award_note')}"))
    return box(*parts)


def news_line(t: Text, match: Match, awards: Sequence[Award]) -> str:
    """Who has earned what in the match; a line for each person."""
    names = {seat.user_id: seat.name for seat in match.seats if seat.user_id is not None}
    order = {key: place for place, key in enumerate(ACHIEVEMENTS)}
    known = [award for award in awards if award.key in order and award.user_id in names]
    known.sort(key=lambda award: (award.user_id, order[award.key]))
    found = []
    for user_id, group in groupby(known, key=lambda award: award.user_id):
        earned = [ACHIEVEMENTS[award.key] for award in group]
        what = " · ".join(f"{item.emoji} {award_name(t, item)}" for item in earned)
        found.append(t("award_news", name=plain(names[user_id]), what=what, n=len(earned)))
    return "\n".join(found)


class Announcer:
    """Tells, below a finished board, what was earned in it."""

    def __init__(self, client: discord.Client, texts: Texts) -> None:
        self._client = client
        self._texts = texts

    async def announce(self, match: Match, awards: tuple[Award, ...]) -> None:
        """Sends one small message; not where the bot itself cannot write."""
        place = match.location
        text = news_line(self._texts.of(place.locale), match, awards)
        if not text or (place.guild_id is not None and self._client.get_guild(place.guild_id) is None):
            return
        channel = self._client.get_partial_messageable(place.channel_id, guild_id=place.guild_id)
        try:
            # The nonce makes a second sending harmless, if the process dies before it has noted the first.
            if place.message_id is None:
                await channel.send(text, nonce=_nonce(match, awards))
            else:
                board = channel.get_partial_message(place.message_id).to_reference(fail_if_not_exists=False)
                await channel.send(text, nonce=_nonce(match, awards), reference=board, mention_author=False)
        except DISCORD_ERRORS as error:
            log.info("match %d: its achievements were not announced: %s", match.id, error)


def _nonce(match: Match, awards: tuple[Award, ...]) -> str:
    """The same for the same news; what the engine finds later is other news of the same match."""
    is_reviewed = any(ACHIEVEMENTS[award.key].by_review for award in awards if award.key in ACHIEVEMENTS)
    return f"a{match.id}-{len(awards)}{'r' if is_reviewed else ''}"[:25]


def _lines_of(t: Text, progress: Progress) -> str:
    """What it is called and how it is earned; below, when it was or how far it is, and how rare."""
    achievement = progress.achievement
    rarity = _rarity(t, progress.share)
    if progress.earned_at is not None:
        mark = achievement.emoji
        below = t("award_since", when=f"<t:{int(progress.earned_at.timestamp())}:D>", rarity=rarity)
    elif achievement.goal > 1:
        mark = MISSING
        below = t("award_so_far", have=progress.have, goal=achievement.goal, rarity=rarity)
    else:
        mark, below = MISSING, rarity
    name, how = award_name(t, achievement), _how(t, achievement)
    return f"{t('award_line', mark=mark, name=name, how=how)}\n-# {below}"


def _how(t: Text, achievement: Achievement) -> str:
    return t(f"award_how_{achievement.text}", game=award_game(t, achievement), n=achievement.goal)


def _level(t: Text, progress: Progress) -> str:
    level = progress.achievement.level
    name = "" if level is None else plain(level.name)
    shown = f"{EARNED} **{name}**" if progress.earned_at else name
    return f"{shown} {_percent(t, progress.share)}" if progress.share else shown


def _rarity(t: Text, share: float) -> str:
    return t("award_share", percent=_percent(t, share)) if share else t("award_nobody")


def _percent(t: Text, share: float) -> str:
    """At least 1% where anybody has it."""
    return t.percent(max(share, 0.01))
