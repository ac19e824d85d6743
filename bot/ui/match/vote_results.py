"""VoteResults: the message at the end of a match by votes that names its best voters."""

from __future__ import annotations

import logging
from collections.abc import Collection

import discord
from discord import ui

from bot.domain.errors import MatchError
from bot.domain.match import Channel, Match
from bot.domain.outgoing import Outgoing, Wanted, place_of
from bot.i18n import Texts
from bot.presentation import vote_texts
from bot.services.background import Background
from bot.services.changes import Changes
from bot.services.outgoing import MessageKind, Sender
from bot.services.ports import Delivered
from bot.services.vote_scores import VoteScores
from bot.ui.layout import box, custom_ids, lines
from bot.ui.match.routes import ACTION, Action
from bot.ui.match.views import how_i_voted
from bot.ui.messages import Content

log = logging.getLogger(__name__)


class VoteResults(MessageKind):
    """The results of one client. One is wanted as long as it has a note, which goes once it is sent."""

    name = "vote result"
    gives_up_at = (Delivered.GONE, Delivered.MESSAGE_REFUSED, Delivered.CHANNEL_REFUSED)
    sender: Sender
    """Set once, since either needs the other."""

    def __init__(self, texts: Texts, changes: Changes, scores: VoteScores, background: Background) -> None:
        self._texts = texts
        self._changes = changes
        self._scores = scores
        self._background = background

    def tell(self, match: Match) -> None:
        """Name the voters of a match that has ended with a result."""
        if match.result is not None and match.result.counts:
            self._background.spawn(self._tell(match))

    async def _tell(self, match: Match) -> None:
        """Judge the votes before the message is wanted: the searches take a while."""
        if isinstance(match.location, Channel):
            await self._scores.best(match)
            await self.sender.want(Wanted(match.id, match.turn, place_of(match.location)))

    # As a kind of message

    async def wanted(self, notes: Collection[Outgoing]) -> list[Wanted]:
        return [Wanted(note.subject, note.part, note.place) for note in notes]

    async def draw(self, wanted: Wanted) -> Content | None:
        match = await self._changes.match(wanted.subject)
        try:
            people, scores = await self._scores.best(match)
        except MatchError as refusal:
            log.info("match %d: its voters are not named: %s", match.id, refusal)
            return None
        t = self._texts.of(wanted.place.locale)
        view = box(lines(*vote_texts.result(t, match, people, scores)), ui.ActionRow(how_i_voted(match, t)))
        return Content(view, mentions=discord.AllowedMentions.none())

    def recognises(self, wanted: Wanted, message: discord.Message) -> bool:
        return list(custom_ids(message)) == [ACTION(wanted.subject, wanted.part, Action.MY_VOTES)]

    async def done(self, wanted: Wanted) -> bool:  # noqa: ARG002
        return True

    async def give_up(self, wanted: Wanted, *, was_shown: bool) -> bool:  # noqa: ARG002
        return True
