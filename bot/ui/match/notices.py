"""MatchNotices: lines that tell the players of a match, once, what others did to it."""

from __future__ import annotations

import enum

import discord

from bot.domain.location import Channel
from bot.domain.match import Match
from bot.domain.outgoing import Wanted, place_of
from bot.i18n import Texts
from bot.presentation import status
from bot.services.changes import Changes
from bot.services.outgoing import NotedKind, Sender
from bot.services.settings import SettingsCache
from bot.ui.layout import mentioning
from bot.ui.messages import Content


class Notice(enum.IntEnum):
    """What happened; stored as the part of a notice's key."""

    ENDED = 0
    """A moderator has ended the match."""

    BOARD_GONE = 1
    """People have deleted its board."""


SIGNS = {Notice.ENDED: "🛑", Notice.BOARD_GONE: "🧹"}
"""Begins the line, which is recognised by it."""


class MatchNotices(NotedKind):
    """The notices of one client."""

    name = "match notice"
    sender: Sender
    """Set once, since either needs the other."""

    def __init__(self, texts: Texts, settings_cache: SettingsCache, changes: Changes) -> None:
        self._texts = texts
        self._settings_cache = settings_cache
        self._changes = changes

    async def tell(self, match: Match, notice: Notice) -> None:
        """Tell the match's people in its channel; on the web alone nobody needs to be told."""
        if isinstance(match.location, Channel) and _people(match, match.location.guild_id):
            await self.sender.want(Wanted(match.id, notice, place_of(match.location)))

    # As a kind of message

    async def draw(self, wanted: Wanted) -> Content | None:
        match, notice = await self._changes.match(wanted.subject), Notice(wanted.part)
        t = self._texts.of(wanted.place.locale)
        told = _people(match, wanted.place.guild_id)
        people = t.listed(f"<@{user_id}>" for user_id in told)
        game = status.title(t, match)
        if notice is Notice.ENDED:
            text = t("notice_ended", people=people, game=game, n=len(match.timed_moves))
        elif not match.has_lost_board:
            return None
        elif match.clock_seconds is None or match.stands_until is None or not match.clock_stands:
            text = t("notice_board_gone", people=people, game=game)
        else:
            when = f"<t:{int(match.stands_until.timestamp())}:R>"
            text = t("notice_board_gone_clock", people=people, game=game, when=when)
        called = [user_id for user_id in told if self._settings_cache.person(user_id).is_called]
        return Content(text=f"{SIGNS[notice]} {text}", mentions=mentioning(*called))

    def recognises(self, wanted: Wanted, message: discord.Message) -> bool:
        return message.content.startswith(SIGNS[Notice(wanted.part)])


def _people(match: Match, guild_id: int | None) -> list[int]:
    """Return the match's people, each once; a deleted person has a negative number.

    guild_id: of the server in which they are told; people of others are not named there.
    """
    seated = dict.fromkeys(seat.user_id for seat in match.seats if seat.guild_id in (None, guild_id))
    return [user_id for user_id in seated if user_id is not None and user_id > 0]
