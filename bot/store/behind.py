"""What messages do not show yet: boards, invitations and calls, in one question every second."""

from __future__ import annotations

from dataclasses import dataclass

from bot.domain.challenge import Challenge
from bot.store.calls import Call, CallStore
from bot.store.challenges import ChallengeStore
from bot.store.connection import Connection
from bot.store.database import Database, uncancellable
from bot.store.shown import Behind, ShownStore


@dataclass(frozen=True, slots=True)
class AllBehind:
    """Boards, the latest first; invitations; calls that have done their work, the oldest first."""

    boards: list[Behind]
    invitations: list[Challenge]
    calls: list[Call]


class BehindStore:
    """Asks the stores of each at once."""

    def __init__(
        self, database: Database, shown: ShownStore, challenges: ChallengeStore, calls: CallStore
    ) -> None:
        self._database = database
        self._shown = shown
        self._challenges = challenges
        self._calls = calls

    @uncancellable
    async def find(self, limit: int) -> AllBehind:
        """All that is behind; of boards and calls so many at most."""

        async def read(connection: Connection) -> AllBehind:
            return AllBehind(
                await self._shown.read_behind(connection, limit),
                await self._challenges.read_behind(connection),
                await self._calls.read_left_behind(connection, limit),
            )

        return await self._database.ask(read)
