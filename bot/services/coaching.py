"""Coaching: proves that a person's turn lost something, so that their coach holds the agent's answer."""

from __future__ import annotations

import asyncio
import logging

from bot.domain.errors import Refusal
from bot.domain.match import Held, Match
from bot.domain.person import Person
from bot.domain.strengths import reach
from bot.services.allowed_help import AllowedHelp
from bot.services.reviews import Reviews
from engine.core import Limit, Move, State
from engine.score import Evaluation, score_of_move

log = logging.getLogger(__name__)

JUDGED_WITHIN_SECONDS = 3.0
"""How long an agent's answer waits for the coach; a busy machine may need longer, and then it answers."""

SEARCH_SECONDS = 0.6

HOPELESS_BELOW = -0.5
"""Expectation before a turn below which the coach is silent: the position was lost anyway."""


class TurnJudge:
    """One per process."""

    def __init__(self, reviews: Reviews, allowed_help: AllowedHelp) -> None:
        self._reviews = reviews
        self._allowed_help = allowed_help

    async def judge(self, match: Match) -> Held | None:
        """Return the loss of the person's last turn, if it is proved in time and the coach may tell it."""
        ply, seat = match.coached_ply, match.seats[match.to_move.other]
        if ply is None or seat.user_id is None:
            return None
        person = Person(seat.user_id, seat.name)
        try:
            self._reviews.check_ready(match.game)
            async with asyncio.timeout(JUDGED_WITHIN_SECONDS):
                await self._allowed_help.check_fair(person, match.game, match.board, match.states[ply:])
                return await self._held(match, ply)
        except (Refusal, TimeoutError) as reason:
            log.info("match %d: no advice: %r", match.id, reason)
        except Exception:
            # The agent must answer whatever happens to the coach.
            log.exception("match %d: no advice", match.id)
        return None

    async def _held(self, match: Match, ply: int) -> Held | None:
        before, after = match.states[ply], match.state
        following = await self._evaluated(match, after)
        now = None if following.score.result is None else -following.score.result
        if now == 1:
            return None
        here = await self._evaluated(match, before)
        was, better = here.score.result, here.best
        if was == -1 and not self._sees(match, here.score.moves):
            was = None  # a proof that goes deeper than the opponent: for this match nothing is lost yet
        elif here.score.expectation < HOPELESS_BELOW:
            return None
        if better is None or better == match.moves[ply]:
            return None
        won_in = here.score.moves if was == 1 else None
        lost_in = following.score.moves if now == -1 else None
        threat, is_stopped = None, was is not None
        if now == -1 and self._sees(match, lost_in):
            threat = following.best
            if was is None and lost_in == 1:
                safe = _safe_move(before, better)
                if safe is None:
                    return None  # whatever the person plays, the other side wins at once
                better, is_stopped = safe, True
            elif was is None:
                instead = before.play(better)
                kept = score_of_move(before, instead, (await self._evaluated(match, instead)).score)
                # A loss of unknown length may be as near as the one that was played.
                if kept.result == -1 and (kept.moves is None or self._sees(match, kept.moves)):
                    return None
        sees_win = was == 1 and self._sees(match, won_in)
        is_missed = sees_win and (won_in == 1 or now is not None)
        if threat is None and not is_missed:
            return None
        # A win that such an opponent does not see is not told with the better move either.
        return Held(ply, better, threat, was, now, won_in if sees_win else None, lost_in, is_stopped)

    async def _evaluated(self, match: Match, state: State) -> Evaluation:
        return await self._reviews.evaluate(match, state, Limit(seconds=SEARCH_SECONDS))

    def _sees(self, match: Match, moves: int | None) -> bool:
        """Return whether a win in so many moves is within the opponent's reach; None: of unknown length."""
        most = reach(match.game, match.board, match.seats[match.to_move].level or "")
        return most is None or (moves is not None and moves <= most)


def _safe_move(state: State, first: Move) -> Move | None:
    """Return a move, `first` if it is one, after which the other side has no move that wins at once."""
    for move in (first, *state.legal_moves()):
        after = state.play(move)
        if after.to_move is state.to_move or not any(_wins(after, reply) for reply in after.legal_moves()):
            return move
    return None


def _wins(state: State, move: Move) -> bool:
    outcome = state.play(move).outcome()
    return outcome is not None and outcome.winner is state.to_move
