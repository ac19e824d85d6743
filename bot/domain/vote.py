"""Votes of a channel for its next move, and their counts."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass

from engine.core import Move, Player

VOTE_SECONDS = (30, 60, 300, 3600, 28_800, 86_400)
"""How long a vote may last."""

USUAL_VOTE_SECONDS = 300


class Voters(enum.StrEnum):
    """The people of a server whose votes count; of none, its channels play no matches."""

    EVERYBODY = "everybody"
    JOINED = "joined"
    """Members that were in the server before the vote began."""

    NOBODY = "nobody"


@dataclass(frozen=True, slots=True)
class Vote:
    """One person's vote. side: for which they vote, in the whole match."""

    match_id: int
    turn: int
    user_id: int
    side: Player
    move: Move


@dataclass(frozen=True, slots=True)
class Poll:
    """The votes of one turn. counts: of each move that has one."""

    counts: Mapping[Move, int]

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    @property
    def leaders(self) -> tuple[Move, ...]:
        """The moves with the most votes, ascending; several are a tie."""
        most = max(self.counts.values(), default=0)
        return tuple(sorted(move for move, count in self.counts.items() if count == most))

    @property
    def lead(self) -> int:
        """By how many votes the first is ahead of the second; 0 in a tie."""
        first, second = (*sorted(self.counts.values(), reverse=True), 0, 0)[:2]
        return first - second


NO_VOTES = Poll({})


@dataclass(frozen=True, slots=True)
class Polls:
    """The votes on the board of such a match. last: of the channel's last move."""

    now: Poll = NO_VOTES
    last: Poll = NO_VOTES


NO_POLLS = Polls()


@dataclass(frozen=True, slots=True)
class VoterScore:
    """How good a person's votes were. best: votes for a best move. total: votes that could be judged."""

    user_id: int
    best: int
    total: int


@dataclass(frozen=True, slots=True)
class OwnVotes:
    """The same for one person, with their first blunder that the channel did not play, if there is one.

    agreed, against: how many voted for it, and for the move that was played.
    """

    score: VoterScore
    outvoted: Vote | None = None
    agreed: int = 0
    against: int = 0
