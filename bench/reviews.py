"""Time until a review shows its first values and every move's, and the share proved by then."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from random import Random
from statistics import mean

from bot.domain.location import Channel
from bot.domain.match import Match, TimedMove
from bot.domain.result import End, Result
from bot.domain.seat import Seat
from bot.search.pool import SearchPool
from bot.services.reviews import Reviews
from engine.agents.warm import STAGES, prepare
from engine.games import GAMES
from engine.games import game as game_of

MATCHES = 20

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Measured:
    """first, whole: seconds until a move, and until every move, has its value; proved: share of plies."""

    first: float
    whole: float
    proved: float


async def run() -> None:
    for stage in STAGES:
        prepare(stage)
    print(f"{MATCHES} matches of random moves each; seconds: mean, longest.\n")
    print("| game | first values | every move valued | proved by then |\n|---|---|---|---|")
    for key in GAMES:
        found = [await _measured(played_out(key, Random(seed), seed + 1)) for seed in range(MATCHES)]
        firsts, wholes = [each.first for each in found], [each.whole for each in found]
        proved = mean(each.proved for each in found)
        print(f"| {key} | {_row(firsts)} | {_row(wholes)} | {proved:.0%} |")


def _row(seconds: Sequence[float]) -> str:
    return f"{mean(seconds):.2f}, {max(seconds):.2f}"


async def _measured(match: Match) -> Measured:
    """Measure one review in a process without earlier reviews."""
    pool = SearchPool(2)
    first: float | None = None
    found: Measured | None = None
    began = time.perf_counter()
    try:
        async for review in Reviews(pool, later_seconds=0.0).steps(match):
            spent = time.perf_counter() - began
            first = spent if first is None else first
            if review.share == 1 and found is None:
                exact = sum(entry is not None and entry.score.is_proved for entry in review.evaluations)
                found = Measured(first, spent, exact / len(review.evaluations))
    finally:
        await pool.close()
    if found is None:
        raise RuntimeError("the review never became complete")
    return found


def played_out(key: str, rng: Random, match_id: int) -> Match:
    """Return a finished match of random moves."""
    rules = game_of(key)
    match = Match.begin(key, rules.boards[0], (Seat("Ada", 1), Seat("Ben", 2)), Channel(1, 1), NOW)
    states, timed_moves = [match.state], []
    while (outcome := states[-1].outcome()) is None:
        timed_moves.append(TimedMove(rng.choice(states[-1].legal_moves()), 0, NOW))
        states.append(states[-1].play(timed_moves[-1].move))
    result = Result(outcome.winner, End(outcome.reason.value))
    return replace(match, id=match_id, timed_moves=tuple(timed_moves), states=tuple(states), result=result)
