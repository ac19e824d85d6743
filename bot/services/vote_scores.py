"""VoteScores: how good the votes in a finished match were, from its review."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from bot.domain.lru_dict import LruDict
from bot.domain.match import Match
from bot.domain.vote import OwnVotes, Vote, VoterScore
from bot.services.reviews import Reviews
from bot.store.stores import Stores
from engine.analysis.review import Mark, Review, Reviewed
from engine.core import Limit, Move

MAX_JUDGED = 40
"""Moves of a match that nobody played and that are judged, those with most votes first: each is a search."""

SECONDS_EACH = 0.6
"""The longest search for one of them."""

MAX_MATCHES_IN_MEMORY = 64

BEST_VOTERS = 3

Judged = Mapping[tuple[int, Move], Reviewed]
"""The judgements by turn and move."""


class VoteScores:
    """One per process."""

    def __init__(self, stores: Stores, reviews: Reviews) -> None:
        self._stores = stores
        self._reviews = reviews
        self._known: LruDict[int, Judged] = LruDict(MAX_MATCHES_IN_MEMORY)
        self._judging: dict[int, asyncio.Lock] = {}

    async def best(self, match: Match) -> tuple[int, Sequence[VoterScore]]:
        """Return how many people voted, and those whose votes were best; raises MatchError as a review does.

        A person that voted in less than half of the turns is left out.
        """
        votes = await self._stores.votes.of_match(match.id)
        judged = await self._judged(match, votes)
        turns = {side: {turn for turn, _ in judged if match.movers[turn] is side} for side in match.movers}
        scores: list[VoterScore] = []
        by_person: defaultdict[int, list[Vote]] = defaultdict(list)
        for vote in votes:
            by_person[vote.user_id].append(vote)
        for user_id, own in by_person.items():
            score = _score(user_id, own, judged)
            if score.total and 2 * score.total >= len(turns[own[0].side]):
                scores.append(score)
        scores.sort(key=lambda one: (-one.best / one.total, -one.best, one.user_id))
        return len(by_person), scores[:BEST_VOTERS]

    async def own(self, match: Match, user_id: int) -> OwnVotes | None:
        """Return how good the person's votes were; None without any. Raises MatchError as a review does."""
        votes = await self._stores.votes.of_match(match.id)
        own = [vote for vote in votes if vote.user_id == user_id]
        if not own:
            return None
        judged = await self._judged(match, votes)
        score = _score(user_id, own, judged)
        for vote in own:
            found = judged.get((vote.turn, vote.move))
            # A blunder that was played was no one person's, and cost the channel enough.
            if found is not None and found.mark is Mark.BLUNDER and vote.move != match.moves[vote.turn]:
                polled = Counter(other.move for other in votes if other.turn == vote.turn)
                return OwnVotes(score, vote, polled[vote.move], polled[match.moves[vote.turn]])
        return OwnVotes(score)

    async def _judged(self, match: Match, votes: Sequence[Vote]) -> Judged:
        """Return the judgements of the moves that people voted for, where there was a choice."""
        # A crowd asks at once when its match ends, and one search is enough for all.
        async with self._judging.setdefault(match.id, asyncio.Lock()):
            try:
                if (known := self._known.get(match.id)) is None:
                    known = self._known[match.id] = await self._searched(match, votes)
                return known
            finally:
                self._judging.pop(match.id, None)

    async def _searched(self, match: Match, votes: Sequence[Vote]) -> Judged:
        review = await self._reviews.whole(match)
        polled = Counter((vote.turn, vote.move) for vote in votes if vote.turn < len(match.moves))
        judged: dict[tuple[int, Move], Reviewed] = {}
        searched = 0
        for (turn, move), _ in polled.most_common():
            played = review.reviewed[turn]
            if played is None or played.is_forced:
                continue
            if move == match.moves[turn]:
                judged[turn, move] = played
            elif searched < MAX_JUDGED:
                searched += 1
                if (other := await self._judge(match, review, turn, move)) is not None:
                    judged[turn, move] = other
        return judged

    async def _judge(self, match: Match, review: Review, turn: int, move: Move) -> Reviewed | None:
        """Return a move that was not played as the review would judge it; None if it cannot."""
        before = review.states[turn]
        following = await self._reviews.evaluate(match, before.play(move), Limit(seconds=SECONDS_EACH))
        return Review.of_move(before, move, review.evaluations[turn], following)


def _score(user_id: int, votes: Sequence[Vote], judged: Judged) -> VoterScore:
    """Return how many of the person's votes were a best move, of those that are judged."""
    marks = [found.mark for vote in votes if (found := judged.get((vote.turn, vote.move))) is not None]
    return VoterScore(user_id, marks.count(Mark.BEST), len(marks))
