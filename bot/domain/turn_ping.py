"""Turn pings as values: the ask of a match, and the message that told the person."""

from __future__ import annotations

from dataclasses import dataclass

from bot.domain.match import Match

DRAW, UNDO, CLOCK = 1, 2, 3

UNKNOWN_ASK = -2
"""Stored for a match that may have pings without being known to have one, so that they are looked for."""


def ask_of(match: Match) -> int | None:
    """Return the match's ask: 4 × turn, plus DRAW, UNDO or CLOCK, or 0 for a move; None for no ask.

    The same as `bot.store.match_rows.ASK` in SQL. In a match with an agent a person is only warned of the
    clock.
    """
    if match.is_over:
        return None
    # An offer stands while its side moves on; the clock of the other side runs all the same.
    if match.warned_turn == match.turn:
        return 4 * match.turn + CLOCK
    if match.draw_offer is not None:
        return 4 * match.turn + DRAW
    if match.undo_request is not None:
        return 4 * match.turn + UNDO
    return None if match.has_agent or match.is_voted else 4 * match.turn


@dataclass(frozen=True, slots=True)
class Ping:
    """A match's ping: its ask and its message. None, None: there is none.

    channel_id: of the message; None for the channel of the board.
    """

    ask: int | None = None
    message_id: int | None = None
    channel_id: int | None = None


def goes_on(match: Match, known: Ping) -> bool:
    """Return whether the ping asks for the same of the same person after a move, whose side moves again.

    It asked that side to move, or the other one to answer an offer. A warning of the clock is for one turn.
    """
    ask = ask_of(match)
    is_same = ask is not None and ask % 4 != CLOCK and known.ask == ask - 4
    return is_same and match.movers[-1:] == (match.to_move,)


@dataclass(frozen=True, slots=True)
class StalePing:
    """A match whose ping asks for something else than the match does.

    version: of the match. has_board: False while its message is not sent, or its id was lost. ask: of the
    stored ping.
    """

    match_id: int
    channel_id: int
    version: int
    has_board: bool
    ask: int | None
