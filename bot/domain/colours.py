"""Who makes the first move of a rated match: drawn for the first one of two players, then by turns."""

from __future__ import annotations

from dataclasses import replace

from bot.domain.errors import SetupError
from bot.domain.match import Match
from bot.domain.seat import Seat
from engine.agents.echo import ECHO, is_echo


def opponent_of(seat: Seat) -> int | str:
    """Return what identifies the player from match to match: a user id, or a level's key without a strength.

    Echo's strength differs from match to match, and would make a new opponent of it.
    """
    if seat.user_id is not None:
        return seat.user_id
    return ECHO if is_echo(seat.level) else str(seat.level)


def in_turn(match: Match, last: Match | None) -> Match:
    """Return the rated match before its first move, with the side first whose turn it is to begin.

    match: its seats as drawn, which stay for the first match of the two. last: the latest one of the two in
    the game whose first move was no choice either. After a match without a result that counts the same side
    begins again, or leaving it would change sides. Raises SetupError while `last` has hardly begun, since it
    could still be left.
    """
    if last is None:
        return match
    if last.is_short and not last.is_over and not last.has_lost_channel:
        raise SetupError("rated_hardly_begun", last.id, number=last.id)
    repeats = last.is_short or (last.is_over and not last.counts)
    began_last = opponent_of(last.seats[0]) == opponent_of(match.seats[0])
    return match if began_last == repeats else replace(match, seats=(match.seats[1], match.seats[0]))
