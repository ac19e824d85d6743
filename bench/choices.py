"""Cost of one choice of each level over whole games: milliseconds of processor time, and choices a second.

The last column: processors needed if every answer in `bench.growth`'s busiest hour (250,000 servers) used it.
"""

from __future__ import annotations

import time
from random import Random

from bench.fake_discord import percentile
from bench.growth import SERVERS, Habits, Load
from engine.agents import make_agent
from engine.agents.levels import Level, levels_of
from engine.core import State
from engine.games import game

GAMES = ("connect-four", "othello")
GAMES_EACH = 2
MOST_SECONDS = 6.0
"""Time limit for one level; a few choices of the slowest levels are enough."""


async def run() -> None:
    answers = Load(SERVERS[-1], Habits()).agents_moves
    print("| level | a choice: median, p95 ms | a second on one processor | processors for all answers |")
    print("|---|---|---|---|")
    for key in GAMES:
        for level in levels_of(key):
            taken = taken_by(key, level)
            mean = sum(taken) / len(taken)
            print(
                f"| {key}, {level.name} | {percentile(taken, 0.5):.1f}, {percentile(taken, 0.95):.1f} |"
                f" {1000 / mean:,.0f} | {answers * mean / 1000:,.1f} |"
            )


def taken_by(key: str, level: Level, seconds: float = MOST_SECONDS) -> list[float]:
    """Milliseconds of each choice in whole games against a random player."""
    rng = Random(1)
    make_agent(level.agent, 1).choose(game(key).start(game(key).boards[0]), level.limit)  # loads its kernels
    taken: list[float] = []
    until = time.process_time() + seconds
    for number in range(GAMES_EACH):
        agent, state = make_agent(level.agent, number), _start(key, rng)
        while state.outcome() is None and time.process_time() < until:
            began = time.process_time()
            move = agent.choose(state, level.limit).move
            taken.append(1000 * (time.process_time() - began))
            state = state.play(move)
            if state.outcome() is None:
                state = state.play(rng.choice(state.legal_moves()))
    return taken


def _start(key: str, rng: Random) -> State:
    state = game(key).start(game(key).boards[0])
    for _ in range(4):
        state = state.play(rng.choice(state.legal_moves()))
    return state
