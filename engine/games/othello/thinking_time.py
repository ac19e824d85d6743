"""Time management of the Othello agent: less time for a clear move, more for a difficult one."""

from __future__ import annotations

from dataclasses import dataclass, replace

SOLVED_EMPTIES = 22
"""Up to this number of empty squares, the whole time may be used to solve the rest of the game."""

_LAST_START = 0.7
"""After this share of the time no further search starts: it would hardly finish."""
_CLEAR, _USUAL = 0.1, 0.3
"""The same for a move that stays best, and for a position without news."""
_SETTLED = 4
"""The number of successive searches that agree on a clear move."""
_STIR = 2
"""A change of this many discs from one search to the next is news."""


@dataclass(frozen=True, slots=True)
class Pace:
    """The time of one choice. most: its maximum in seconds; None: no clock.

    is_calm: less time is allowed. last_start: after this share no further search starts. square, value: the
    best move of the last search; agreed: the number of successive searches that chose it; has_news: whether
    the last two searches disagreed about the position.
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
        """share: the percentage of the seconds that a move before the endgame may take; 0: always all.

        is_varied: other moves are searched as well, so some time has to remain for them.
        """
        last_start = _USUAL if is_varied else _LAST_START
        if seconds is None or share == 0 or empties <= SOLVED_EMPTIES:
            return Pace(seconds, is_calm=False, last_start=last_start)
        return Pace(seconds * share / 100, is_calm=True, last_start=last_start)

    def after(self, square: int, value: int) -> Pace:
        """Return the pace after another search has ended, one ply deeper."""
        is_same = square == self.square
        has_news = not is_same or abs(value - self.value) >= _STIR
        agreed = self.agreed + 1 if is_same else 1
        return replace(self, square=square, value=value, agreed=agreed, has_news=has_news)

    def is_over(self, elapsed: float) -> bool:
        """Whether no further search should start after `elapsed` seconds of a processor."""
        if self.most is None:
            return False
        share = self.last_start
        if self.is_calm and not self.has_news:
            share = _CLEAR if self.agreed >= _SETTLED else _USUAL
        return elapsed > share * self.most
