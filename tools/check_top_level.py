"""Check Connect Four's top level in games against all levels: check_top_level.py [--games N]

The level must never give away a proved result: a win stays a win, a draw at least a draw. Opponents and
colours alternate. Openings of up to eight random moves lead to positions outside its book. The exit code is 1
at the first move that gives something away.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter

from engine.agents.levels import Level
from engine.agents.roster import Roster
from engine.core import Player, State
from engine.games.connect_four import ConnectFourState
from engine.games.connect_four.exact_solver import ConnectFourSolver

GAME = "connect-four"
LONGEST_OPENING = 8
SAY_EVERY_SECONDS = 30.0


def check(games: int, rng: random.Random) -> None:
    roster = Roster()
    *others, top = roster.levels_of(GAME, "6x7x4")
    opponents = (*others, top)
    results: Counter[tuple[str, str]] = Counter()
    moves = 0
    said = time.monotonic()
    for number in range(games):
        opponent = opponents[number % len(opponents)]
        side = Player(number // len(opponents) % 2)
        result, valued = play(roster, top, opponent, side, rng)
        results[opponent.name, result] += 1
        moves += valued
        if time.monotonic() > said + SAY_EVERY_SECONDS:
            said = time.monotonic()
            print(f"{number + 1} of {games} games", flush=True)
    for level in opponents:
        told = ", ".join(f"{results[level.name, result]} {result}" for result in ("won", "drawn", "lost"))
        print(f"against {level.name}: {told}")
    print(f"{games} games, {moves} moves of {top.name}: none gave away a win or a draw")


def play(roster: Roster, top: Level, opponent: Level, side: Player, rng: random.Random) -> tuple[str, int]:
    """Return (how the game ended for the top level, the number of its valued moves)."""
    referee = ConnectFourSolver()
    state: State = opening(rng)
    levels = {side: top, side.other: opponent}
    agents = {player: roster.make(level.key, rng.getrandbits(32)) for player, level in levels.items()}
    valued = 0
    while (outcome := state.outcome()) is None:
        mover = state.to_move
        move = agents[mover].choose(state, levels[mover].limit).move
        following = state.play(move)
        if mover is side:
            valued += 1
            before = referee.solve(state)
            after = worth(referee, following, side)
            if before is None or sign(after) < sign(before):
                raise SystemExit(f"column {move + 1} gave away {before} for {after}:\n{state}")
        state = following
    if outcome.winner is None:
        return "drawn", valued
    return ("won" if outcome.winner is side else "lost"), valued


def opening(rng: random.Random) -> ConnectFourState:
    """Return a state after random moves, not over."""
    while True:
        state = ConnectFourState()
        for _ in range(rng.randint(0, LONGEST_OPENING)):
            state = state.play(rng.choice(state.legal_moves()))
            if state.outcome() is not None:
                break
        else:
            return state


def worth(referee: ConnectFourSolver, state: State, side: Player) -> int:
    """Return the state's value for `side`; only the sign counts."""
    outcome = state.outcome()
    if outcome is not None:
        return 0 if outcome.winner is None else (1 if outcome.winner is side else -1)
    score = referee.solve(state)
    if score is None:
        raise RuntimeError("a search without a limit was ended")
    return score if state.to_move is side else -score


def sign(score: int) -> int:
    return (score > 0) - (score < 0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, default=2000, help="default: %(default)s")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    check(options.games, random.Random(options.seed))
