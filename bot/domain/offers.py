"""Offers of both sides of a match: of a draw, and requests for a take-back. Both follow the same rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.domain.errors import MatchError
from engine.core import Player

MOVES_PER_OFFER = 5
"""Own moves that a side makes between two offers of a kind."""

Turns = tuple[int | None, int | None]
"""The turn at which each side last made an offer; None where it may make one at once."""


@dataclass(frozen=True, slots=True)
class Offers:
    """Offers of one kind, of both sides.

    standing: the side whose offer waits for an answer. asked: the turn of each side's last offer.
    """

    standing: Player | None = None
    asked: Turns = (None, None)

    def turn(self, now: int) -> int:
        """Return the first turn whose board shows the standing offer; without one, the turn `now`."""
        asked_at = None if self.standing is None else self.asked[self.standing]
        # An offer of 0.3.0 has no turn; it ends with the next move (`after_move`), so it is of this one.
        return now if asked_at is None else asked_at

    def check_may_ask(self, player: Player, movers: Sequence[Player], now: int, refusal: str) -> None:
        """Raise MatchError unless the side has made MOVES_PER_OFFER moves since its last offer.

        movers: the side of each move of the match. now: the turn.
        """
        asked_at = self.asked[player]
        if asked_at is None:
            return
        made = movers[max(0, len(movers) - (now - asked_at)) :].count(player)
        if made < MOVES_PER_OFFER:
            raise MatchError(refusal, n=MOVES_PER_OFFER - made)

    def made(self, player: Player, now: int) -> Offers:
        """Return the offers after that side has made one, at the turn `now`."""
        return Offers(player, (now, self.asked[1]) if player is Player.FIRST else (self.asked[0], now))

    def ended(self) -> Offers:
        """Return the offers after an answer, or the end of the match."""
        return self if self.standing is None else replace(self, standing=None)

    def after_move(self, mover: Player) -> Offers:
        """Return the offers after a move, which declines the other side's offer.

        An offer of 0.3.0 has no turn and ends with any move, or it would come to be about that move.
        """
        is_movers = self.standing is mover and self.asked[mover] is not None
        return self if is_movers else self.ended()

    def after_swap(self) -> Offers:
        """Return the offers after a swap of the sides, which is a move of the second one."""
        standing = Player.FIRST if self.standing is Player.SECOND else None
        return Offers(standing, (self.asked[1], self.asked[0]))

    def after_take_back(self, now: int, taken_back: int, *, granted: Player | None = None) -> Offers:
        """Return the offers after some moves were taken back, with none standing.

        A side's moves since its last offer still count, except those taken back. now: the turn before.
        taken_back: the number of moves. granted: the side whose request this was; it may ask again at once.
        """
        first, second = (
            None if at is None or side is granted else now + 1 - max(0, now - at - taken_back)
            for side, at in zip(Player, self.asked, strict=True)
        )
        return Offers(None, (first, second))


NO_OFFERS = Offers()
