"""ShownVersions: records what Discord shows, many messages in one transaction."""

from __future__ import annotations

import asyncio

from bot.domain.turn_ping import Ping
from bot.store.shown_versions import ShownBatch, ShownVersionStore

FLUSH_SECONDS = 0.9
"""Pause between two flushes."""


class ShownVersions:
    """One per process, on the event loop. Records wait in memory until `flush`, which comes every second.

    So displaying a move costs no transaction of its own. A crash loses the last second: the next process
    edits some messages that are right already, and searches for pings that it does not know.
    """

    def __init__(self, store: ShownVersionStore) -> None:
        self._store = store
        self._waiting = ShownBatch()
        self._flushing = asyncio.Lock()

    def board(self, match_id: int, version: int) -> None:
        """The match's message shows that version, or nothing ever will."""
        boards = self._waiting.boards
        boards[match_id] = max(version, boards.get(match_id, version))

    def is_waiting(self, match_id: int) -> bool:
        """Whether the match's board was displayed and that is not stored yet."""
        return match_id in self._waiting.boards

    def invitation(self, challenge_id: int, version: int) -> None:
        """The same for an invitation."""
        invitations = self._waiting.invitations
        invitations[challenge_id] = max(version, invitations.get(challenge_id, version))

    def has_shown_invitation(self, challenge_id: int, version: int) -> bool:
        """Whether that version of the invitation was displayed and that is not stored yet."""
        return self._waiting.invitations.get(challenge_id, -1) >= version

    def tournament(self, tournament_id: int, version: int, digest: str | None) -> None:
        """The same for a tournament. digest: of its message's content, which can change without a version."""
        self._waiting.tournaments[tournament_id] = (version, digest)

    async def tournament_digest(self, tournament_id: int) -> str | None:
        """Return the digest that was recorded last."""
        waiting = self._waiting.tournaments.get(tournament_id)
        return await self._store.tournament_digest(tournament_id) if waiting is None else waiting[1]

    def ping(self, match_id: int, ping: Ping) -> None:
        """The match's ping is that one."""
        self._waiting.pings[match_id] = ping

    def waiting_ping(self, match_id: int) -> Ping | None:
        """Return the match's ping if it is not stored yet."""
        return self._waiting.pings.get(match_id)

    async def flush(self) -> None:
        """Store the waiting records; if the database refuses, they wait on and the error is raised."""
        async with self._flushing:  # of two at once, the older records could be stored last
            batch, self._waiting = self._waiting, ShownBatch()
            try:
                await self._store.mark(batch)
            except BaseException:
                # Records that were added meanwhile are newer.
                self._waiting = batch.updated(self._waiting)
                raise
