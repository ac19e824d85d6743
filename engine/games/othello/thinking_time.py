"""How long a player of Othello thinks about a move: less when it is clear, more when it matters."""

from __future__ import annotations

from dataclasses import dataclass, replace

SOLVED_EMPTIES = 22
"""From so many empty squares on, the whole time may be taken to play the rest exactly."""

_LAST_START = 0.7
"""After this share of the time no further search is begun: it would hardly come to anything."""
_CLEAR, _USUAL = 0.1, 0.3
"""Shares after which no further search is begun while the same move is best, and when nothing stirs."""
_SETTLED = 4
"""Searches, one a ply deeper than the other, that agree on a move."""
_STIR = 2
"""So many discs from one search to the next are news."""


@dataclass(frozen=True, slots=True)
class Pace:
    """One choice's time. most: seconds at most; None: there is no clock.

    is_calm: it may be shorter. last_start: after this share no further search is begun. square, value: what
    the last search found best; agreed: how many in turn did; has_news: whether the last one thought otherwise
    of the position than the one before.
    """

    most: float | None
    is_calm: bool
    last_start: float = _LAST_START
    square: int = -1
    value: int = 0
    agreed: int = 0
    has_news: bool = True

    @staticmethod
    def of(seconds: float | None, share: int, empties: int, *, is_varied: bool = False) -> Pace:
        """share: how much of the seconds, in hundredths, a move before the end may take; 0: all, always.

        is_varied: other moves will be looked at as well, so that some time has to be left for them.
        """
        last_start = _USUAL if is_varied else _LAST_START
        if seconds is None or share == 0 or empties <= SOLVED_EMPTIES:
            return Pace(seconds, is_calm=False, last_start=last_start)
        return Pace(seconds * share / 100, is_calm=True, last_start=last_start)

    def after(self, square: int, value: int) -> Pace:
        """Once another search has ended, one ply deeper."""
        is_same = square == self.square
        has_news = not is_same or abs(value - self.value) >= _STIR
        agreed = self.agreed + 1 if is_same else 1
        return replace(self, square=square, value=value, agreed=agreed, has_news=has_news)

    def is_over(self, elapsed: float) -> bool:
        """Whether no further search should begin after so many seconds."""
        if self.most is None:
            return False
        share = self.last_start
        if self.is_calm and not self.has_news:
            share = _CLEAR if self.agreed >= _SETTLED else _USUAL
        return elapsed > share * self.most
