"""The moves of a match as bytes: a version, the number of moves, the start of the first, then each move.

A move is its number, the time it took, and the time from its end until it was stored, in microseconds.
Numbers are variable-length integers of seven bits a byte, the lowest first; signed ones are zigzag-encoded. A
move takes eight bytes instead of sixty.
"""

from __future__ import annotations

from collections.abc import Sequence

from bot.domain.match import TimedMove
from bot.store.shared import instant, microseconds

VERSION = 1

_LONGEST = 10
"""Bytes of one number, which is then below 2^70: more than any time needs."""


PlainMove = tuple[int, int, int]
"""A move, the microseconds it took, and the microseconds from 1970 until it was made."""


def plain(timed: TimedMove) -> PlainMove:
    return timed.move, round(timed.seconds * 1_000_000), microseconds(timed.at)


def pack(timed_moves: Sequence[TimedMove]) -> bytes:
    """Return the moves as bytes; seconds are stored to the microsecond.

    Raises ValueError or TypeError for a value that is no move or no time.
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
    """Return the moves, with instants in UTC; raise ValueError for bytes that `pack` has not made."""
    try:
        return tuple(
            TimedMove(move, seconds / 1_000_000, instant(at)) for move, seconds, at in unpack_plain(packed)
        )
    except OverflowError as error:
        raise ValueError("a packed move was made at no time") from error


def unpack_plain(packed: bytes) -> list[PlainMove]:
    """Return the moves as numbers; raise ValueError likewise, but accept any number as a time."""
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
    """Return all numbers after the version, in one pass: an export reads ten thousand matches."""
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
