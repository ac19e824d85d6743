"""The moves of a match as a few bytes: a version, how many, when the first was being thought about, and each.

Of each move its number, the seconds that it took, and how much later than that it came, all in microseconds,
as is usual between an arrival and its storing. Numbers take seven bits a byte, the lowest first; those that
may be below zero change places with those above. So a move takes eight bytes instead of sixty.
"""

from __future__ import annotations

from collections.abc import Sequence

from bot.domain.match import TimedMove
from bot.store.shared import instant, microseconds

VERSION = 1

_LONGEST = 10
"""Bytes of one number, which is then below 2^70: longer than any time."""


PlainMove = tuple[int, int, int]
"""Of a move its number, what it took, and when it was made since 1970, both in microseconds."""


def plain(timed: TimedMove) -> PlainMove:
    return timed.move, round(timed.seconds * 1_000_000), microseconds(timed.at)


def pack(timed_moves: Sequence[TimedMove]) -> bytes:
    """The moves as bytes; seconds are kept to the microsecond.

    Raises ValueError or TypeError where something is no move, or no time.
    """
    made = bytearray((VERSION,))
    _put(made, len(timed_moves))
    last = None
    for timed in timed_moves:
        move, seconds, at = plain(timed)
        if last is None:
            last = at - seconds
            _put_signed(made, last)
        _put(made, move)
        _put_signed(made, seconds)
        _put_signed(made, at - seconds - last)
        last = at
    return bytes(made)


def unpack(packed: bytes) -> tuple[TimedMove, ...]:
    """The moves again, instants in UTC; raises ValueError for bytes that `pack` has not made."""
    try:
        return tuple(
            TimedMove(move, seconds / 1_000_000, instant(at)) for move, seconds, at in unpack_plain(packed)
        )
    except OverflowError as error:
        raise ValueError("a packed move was made at no time") from error


def unpack_plain(packed: bytes) -> list[PlainMove]:
    """The same as numbers; raises ValueError likewise, but takes any number for a time."""
    if not packed or packed[0] != VERSION:
        raise ValueError("its moves are packed in no known way")
    numbers = _numbers(packed)
    count = numbers[0] if numbers else -1
    if len(numbers) != (2 + 3 * count if count else 1):
        raise ValueError("its packed moves are not as many as they say")
    made = []
    last = _signed(numbers[1]) if count else 0
    for move, packed_seconds, later in zip(numbers[2::3], numbers[3::3], numbers[4::3], strict=True):
        seconds = _signed(packed_seconds)
        last += seconds + _signed(later)
        made.append((move, seconds, last))
    return made


def _put(made: bytearray, number: int) -> None:
    if number < 0:
        raise ValueError(f"{number} is below zero")
    while number > 0x7F:
        made.append(number & 0x7F | 0x80)
        number >>= 7
    made.append(number)


def _put_signed(made: bytearray, number: int) -> None:
    _put(made, 2 * number if number >= 0 else -2 * number - 1)


def _numbers(packed: bytes) -> list[int]:
    """All that stand behind the version, in one go, since matches are read by the ten thousand."""
    found = []
    number = shift = 0
    for byte in memoryview(packed)[1:]:
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            found.append(number)
            number = shift = 0
        elif shift < 7 * (_LONGEST - 1):
            shift += 7
        else:
            raise ValueError("a packed number has no end")
    if shift:
        raise ValueError("its packed moves end in the middle")
    return found


def _signed(number: int) -> int:
    return number >> 1 if number % 2 == 0 else -(number + 1) >> 1
