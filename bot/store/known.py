"""Known matches: those stored or loaded last, so that a press need not load what has not changed."""

from __future__ import annotations

from collections import OrderedDict

from bot.domain.match import Match

KEPT = 2000
"""Matches; each takes a few kilobytes."""


class KnownMatches:
    """Matches as the one process that writes has stored them. Lives on the event loop.

    Whoever changes rows of matches in any other way than through MatchStore has to call `forget_all`.
    """

    def __init__(self) -> None:
        self._matches: OrderedDict[int, Match] = OrderedDict()
        self.epoch = 0

    def get(self, match_id: int) -> Match | None:
        match = self._matches.get(match_id)
        if match is not None:
            self._matches.move_to_end(match_id)
        return match

    def put(self, match: Match, epoch: int) -> None:
        """Keeps it, unless something newer is known, or all was forgotten since `epoch`, when it was read."""
        known = self._matches.get(match.id)
        if epoch != self.epoch or (known is not None and known.version > match.version):
            return
        self._matches[match.id] = match
        self._matches.move_to_end(match.id)
        if len(self._matches) > KEPT:
            self._matches.popitem(last=False)

    def forget(self, match_id: int) -> None:
        self._matches.pop(match_id, None)

    def forget_all(self) -> None:
        self.epoch += 1
        self._matches.clear()
