"""Reminders: a direct message each day with the matches that wait for the person."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from bot.domain.location import Location
from bot.domain.match import Match
from bot.i18n import Text
from bot.presentation import status
from bot.services.matches import Matches
from bot.ui.layout import as_many, linked
from bot.ui.reminders import Parts

BoardOf = Callable[[Match, int], Location]
"""Returns the board of a match on which that person plays."""

LEAST_TO_MOVE = timedelta(days=1).total_seconds()
"""Seconds for a move from which on a match can wait for days."""


async def waiting_matches(matches: Matches, board_of: BoardOf, user_id: int, t: Text) -> Parts:
    """Return the matches with days for a move in which it is the person's turn."""
    waiting = [
        match for match in await matches.running(user_id) if match.awaits(user_id) and lasts_days(match)
    ]
    if not waiting:
        return None
    # In no server: with the names of accounts.
    found = await matches.called_in(None, *sorted(waiting, key=lambda one: one.ends_at))
    entries = [
        t(
            "remind_turn",
            match=linked(t, status.summary(t, match, user_id), board_of(match, user_id)),
            when=f"<t:{int(match.ends_at.timestamp())}:R>",
        )
        for match in found
    ]
    title = f"### {t('remind_turns', n=len(found))}"
    return [as_many([title, *entries], lambda n: t("and_more", n=n))], []


def lasts_days(match: Match) -> bool:
    """Return whether the match gives days for a move; one against a bot needs a clock for that."""
    clock = match.clock
    if clock is None:
        return not match.has_agent
    return clock.increment is None and clock.seconds >= LEAST_TO_MOVE
