"""News: announces new achievements, once, below the finished board."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import groupby

import discord

from bot.domain.achievement import ACHIEVEMENTS, Award
from bot.domain.match import Match
from bot.domain.outgoing import Outgoing, Wanted, place_of
from bot.i18n import Text, Texts, plain
from bot.presentation.award_texts import award_name
from bot.services.achievements import Achievements
from bot.services.outgoing import MessageKind
from bot.services.ports import Delivered
from bot.ui.messages import Content


class News(MessageKind):
    """One message for a match, and another one for what its review finds later."""

    name = "news"
    gives_up_at = frozenset(Delivered) - {Delivered.DISCORD_DOWN}

    def __init__(self, achievements: Achievements, texts: Texts) -> None:
        self._achievements = achievements
        self._texts = texts

    async def wanted(self, notes: Collection[Outgoing]) -> list[Wanted]:  # noqa: ARG002
        return [
            Wanted(match.id, int(_is_reviewed(awards)), place_of(match.channel), item=(match, awards))
            for match, awards in await self._achievements.untold()
        ]

    async def draw(self, wanted: Wanted) -> Content | None:
        match, text = wanted.item[0], self._text(wanted)
        return Content(text=text, reply_to=match.channel.message_id) if text else None

    def recognises(self, wanted: Wanted, message: discord.Message) -> bool:
        return message.content == self._text(wanted)

    async def done(self, wanted: Wanted) -> bool:
        await self._achievements.mark_told(wanted.item[1])
        return True

    async def give_up(self, wanted: Wanted, *, was_shown: bool) -> bool:  # noqa: ARG002
        await self._achievements.mark_told(wanted.item[1])
        return True

    def _text(self, wanted: Wanted) -> str:
        return news_line(self._texts.of(wanted.place.locale), *wanted.item)


def news_line(t: Text, match: Match, awards: Sequence[Award]) -> str:
    """Return one line for each person, with the achievements that they earned in the match."""
    names = {seat.user_id: seat.name for seat in match.seats if seat.user_id is not None}
    order = {key: place for place, key in enumerate(ACHIEVEMENTS)}
    known = [award for award in awards if award.key in order and award.user_id in names]
    known.sort(key=lambda award: (award.user_id, order[award.key]))
    news = []
    for user_id, group in groupby(known, key=lambda award: award.user_id):
        earned = [ACHIEVEMENTS[award.key] for award in group]
        what = " · ".join(f"{item.emoji} {award_name(t, item)}" for item in earned)
        news.append(t("award_news", name=plain(names[user_id]), what=what, n=len(earned)))
    return "\n".join(news)


def _is_reviewed(awards: Sequence[Award]) -> bool:
    """Return whether a review has found one of them."""
    return any(ACHIEVEMENTS[award.key].by_review for award in awards if award.key in ACHIEVEMENTS)
