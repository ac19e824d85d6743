"""MatchNotices: lines that tell the players of a match, once, what others did to it."""

from __future__ import annotations

import discord

from bot.domain.lru_dict import LruDict
from bot.domain.match import Match
from bot.domain.outgoing import MATCH_NOTICE, Key, Notice, Wanted, notice_of, people_told
from bot.i18n import Texts
from bot.presentation import status
from bot.services.changes import Changed, Changes
from bot.services.outgoing import NotedKind, Sender
from bot.services.settings import SettingsCache
from bot.ui.layout import mentioning
from bot.ui.messages import Content

SIGNS = {Notice.ENDED: "🛑", Notice.BOARD_GONE: "🧹"}
"""Begins the line."""

MAX_LINES = 100
"""How many lines are remembered until they are sent."""


class MatchNotices(NotedKind):
    """The notices of one client, wanted by the notes that are stored with what happened to the matches."""

    name = MATCH_NOTICE
    sender: Sender
    """Set once, since either needs the other."""

    def __init__(self, texts: Texts, settings_cache: SettingsCache, changes: Changes) -> None:
        self._texts = texts
        self._settings_cache = settings_cache
        self._changes = changes
        self._lines: LruDict[Key, str] = LruDict(MAX_LINES)
        changes.subscribe(Match, self._on_change)

    def _on_change(self, changed: Changed[Match]) -> None:
        """Send the line of a change soon, not only after the next start."""
        note = None if changed.before is None else notice_of(changed.before, changed.after)
        if note is not None:
            self.sender.remember(note)

    # As a kind of message

    async def draw(self, wanted: Wanted) -> Content | None:
        match, notice = await self._changes.match(wanted.subject), Notice(wanted.part)
        t = self._texts.of(wanted.place.locale)
        told = people_told(match, wanted.place.guild_id)
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
        line = self._lines[wanted.key] = f"{SIGNS[notice]} {text}"
        return Content(text=line, mentions=mentioning(*called))

    def recognises(self, wanted: Wanted, message: discord.Message) -> bool:
        # By all of it: the line of another match may have been sent in the meantime.
        return message.content == self._lines.get(wanted.key)
