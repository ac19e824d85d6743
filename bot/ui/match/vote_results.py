"""VoteResults: the message at the end of a match by votes that names its best voters."""

from __future__ import annotations

import discord
from discord import ui

from bot.domain.outgoing import VOTE_RESULT, Wanted
from bot.i18n import Texts
from bot.presentation import vote_texts
from bot.services.changes import Changes
from bot.services.outgoing import NotedKind
from bot.services.vote_scores import VoteScores
from bot.ui.layout import box, custom_ids, lines
from bot.ui.match.routes import ACTION, Action
from bot.ui.match.views import how_i_voted
from bot.ui.messages import Content


class VoteResults(NotedKind):
    """The results of one client, wanted by the notes that are stored with the ends of the matches."""

    name = VOTE_RESULT

    def __init__(self, texts: Texts, changes: Changes, scores: VoteScores) -> None:
        self._texts = texts
        self._changes = changes
        self._scores = scores

    async def draw(self, wanted: Wanted) -> Content:
        match = await self._changes.match(wanted.subject)
        people, scores = await self._scores.best(match)
        t = self._texts.of(wanted.place.locale)
        view = box(lines(*vote_texts.result(t, match, people, scores)), ui.ActionRow(how_i_voted(match, t)))
        return Content(view, mentions=discord.AllowedMentions.none())

    def recognises(self, wanted: Wanted, message: discord.Message) -> bool:
        return list(custom_ids(message)) == [ACTION(wanted.subject, wanted.part, Action.MY_VOTES)]
