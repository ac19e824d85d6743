"""Games from elsewhere that a person brings to review: each becomes a finished match without strangers."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from bot.domain.location import Web
from bot.domain.match import Match
from bot.domain.names import CleanName
from bot.domain.result import End, Result
from bot.domain.seat import Seat
from engine.core import Move, NotationError, Player
from engine.games import spec_of
from engine.records.record import DRAWN, FIRST_WON, SECOND_WON

IMPORTED_IDS = range(10**15, 2 * 10**15)
"""The numbers of imported games as matches, which no stored match has. A page's are exact up to 2**53."""

KEPT_FOR = timedelta(days=30)
MOST_KEPT = 50
"""How long a person's imported games are kept, and how many of them."""

STRANGER = 0
"""The id in seats of people who are not known here; Discord gives it to no account."""

_WINNERS = {FIRST_WON: Player.FIRST, SECOND_WON: Player.SECOND}


def is_imported(match_id: int) -> bool:
    return IMPORTED_IDS.start <= match_id < IMPORTED_IDS.stop


@dataclass(frozen=True, slots=True)
class ImportedGame:
    """A game, without the names in its file. side: the person's, None if they did not play it.

    first_name, second_name: the person's own, and words such as "First player". result: as in a record, for
    a game that ended before its board says how. created_at: when the person brought it last. start: the
    position that it begins from, as `PlaySpec.write_board` writes it; "" for the board's usual one.
    """

    id: int
    user_id: int
    game: str
    board: str
    moves: tuple[Move, ...]
    side: Player | None
    first_name: CleanName
    second_name: CleanName
    result: str
    created_at: datetime
    start: str = ""

    @staticmethod
    def new_id() -> int:
        """Return a number that no game had before: reviews in memory are found by it."""
        return IMPORTED_IDS.start + secrets.randbelow(len(IMPORTED_IDS))

    def match(self) -> Match:
        """Return the game as a match, begun by the person.

        Raises IllegalMove if rules have changed, and NotationError if its start cannot be read any more.
        """
        names = zip((self.first_name, self.second_name), Player, strict=True)
        first, second = (Seat(name, self.user_id if side is self.side else STRANGER) for name, side in names)
        read = spec_of(self.game).play.read_board
        if self.start and read is None:
            raise NotationError(f"{self.game} begins from no position any more.")
        match = Match.begin(
            self.game, self.board, (first, second), Web(), self.created_at,
            rated=False, opening=self.moves, begun_by=self.user_id,
            start=read(self.start) if read and self.start else None,
        )  # fmt: skip
        return replace(match, id=self.id, opening=0, turn=len(self.moves), result=self._result(match))

    def _result(self, match: Match) -> Result:
        outcome = match.state.outcome()
        if outcome is not None:
            return Result(outcome.winner, End(outcome.reason.value))
        if self.result == DRAWN:
            return Result(None, End.OTHER)
        winner = _WINNERS.get(self.result)
        # A file says who won and not why: most games that end so are given up.
        return Result(winner, End.STOPPED if winner is None else End.RESIGNATION)
