"""ShownVersions: notes which version each message shows, many in one transaction."""

from __future__ import annotations

from bot.store.shown_versions import ShownVersionStore


class ShownVersions:
    """One for each process; lives on the event loop. Marks wait in memory until `flush`.

    A move costs no transaction more for being shown: all that was shown within a second is noted at
    once. What a crash loses of it costs an edit that changes nothing.
    """

    def __init__(self, store: ShownVersionStore) -> None:
        self._store = store
        self._boards: dict[int, int] = {}
        self._invitations: dict[int, int] = {}
        self._tournaments: dict[int, tuple[int, str | None]] = {}

    def board(self, match_id: int, version: int) -> None:
        """The match's message shows that version, or nothing ever will."""
        self._boards[match_id] = max(version, self._boards.get(match_id, version))

    def is_waiting(self, match_id: int) -> bool:
        """Whether something was shown of the match that is not noted yet."""
        return match_id in self._boards

    def invitation(self, challenge_id: int, version: int) -> None:
        """The same of an invitation."""
        self._invitations[challenge_id] = max(version, self._invitations.get(challenge_id, version))

    def tournament(self, tournament_id: int, version: int, digest: str | None) -> None:
        """The same of a tournament. digest: of what its message says, since that is more than its version."""
        self._tournaments[tournament_id] = (version, digest)

    async def tournament_digest(self, tournament_id: int) -> str | None:
        """The digest that was noted last."""
        waiting = self._tournaments.get(tournament_id)
        return await self._store.tournament_digest(tournament_id) if waiting is None else waiting[1]

    async def flush(self) -> None:
        """Notes everything that waits; what the database refuses waits on, and the error is raised."""
        boards, self._boards = self._boards, {}
        invitations, self._invitations = self._invitations, {}
        tournaments, self._tournaments = self._tournaments, {}
        if not (boards or invitations or tournaments):
            return
        try:
            await self._store.mark(boards, invitations, tournaments)
        except BaseException:
            # What was shown meanwhile is newer.
            self._boards = boards | self._boards
            self._invitations = invitations | self._invitations
            self._tournaments = tournaments | self._tournaments
            raise
