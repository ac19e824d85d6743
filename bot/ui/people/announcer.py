"""Announces new achievements below the finished board."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from itertools import groupby

import discord

from bot.domain.achievement import ACHIEVEMENTS, Award
from bot.domain.match import Match, Web
from bot.i18n import Text, Texts, plain
from bot.presentation.award_texts import award_name
from bot.services.ports import Delivered
from bot.ui.discord_errors import DISCORD_ERRORS, classify

log = logging.getLogger(__name__)


class AchievementAnnouncer:
    def __init__(self, client: discord.Client, texts: Texts) -> None:
        self._client = client
        self._texts = texts

    async def announce(self, match: Match, awards: tuple[Award, ...]) -> Delivered:
        """Send one small message, unless the match has no channel or the bot itself cannot write there."""
        place = match.location
        if isinstance(place, Web):
            return Delivered.GONE
        text = news_line(self._texts.of(place.locale), match, awards)
        if not text or (place.guild_id is not None and self._client.get_guild(place.guild_id) is None):
            return Delivered.GONE
        channel = self._client.get_partial_messageable(place.channel_id, guild_id=place.guild_id)
        # The nonce makes a second sending harmless if the process dies before it has stored the first.
        nonce = _nonce(match, awards)
        try:
            if place.message_id is None:
                await channel.send(text, nonce=nonce)
            else:
                board = channel.get_partial_message(place.message_id).to_reference(fail_if_not_exists=False)
                await channel.send(text, nonce=nonce, reference=board, mention_author=False)
        except DISCORD_ERRORS as error:
            log.info("match %d: achievements not announced: %s", match.id, error)
            return classify(error)
        return Delivered.DELIVERED


def news_line(t: Text, match: Match, awards: Sequence[Award]) -> str:
    """One line for each person, with the achievements they earned in the match."""
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


def _nonce(match: Match, awards: tuple[Award, ...]) -> str:
    """The same nonce for the same news; achievements found by a later review get another one."""
    is_reviewed = any(ACHIEVEMENTS[award.key].by_review for award in awards if award.key in ACHIEVEMENTS)
    return f"a{match.id}-{len(awards)}{'r' if is_reviewed else ''}"[:25]
