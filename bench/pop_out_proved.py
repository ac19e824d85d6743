"""How many positions of random games of Pop Out on 6x7 a second's search proves, by ply.

`python -m bench.pop_out_proved [--games 20]`. A second is five million nodes. One position of each four plies
of a game is searched.
"""

from __future__ import annotations

import argparse
import random
from collections import defaultdict

from engine.core import Limit, State
from engine.games import GAMES
from engine.games.pop_out.evaluator import PopOutEvaluator

NODES = 5_000_000
PLIES = 4


def random_game(seed: int) -> list[State]:
    """Return the states of a random game that are not over."""
    rng, states = random.Random(seed), [GAMES["pop-out"].start()]
    while True:
        following = states[-1].play(rng.choice(states[-1].legal_moves()))
        if following.outcome() is not None:
            return states
        states.append(following)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.pop_out_proved", description=__doc__)
    parser.add_argument("--games", type=int, default=20, help="(default: %(default)s)")
    found, evaluator = defaultdict[int, list[bool]](list), PopOutEvaluator()
    for seed in range(parser.parse_args().games):
        states = random_game(seed)
        for state in states[seed % PLIES :: PLIES]:
            score = evaluator.evaluate(state, Limit(nodes=NODES)).score
            found[state.ply // PLIES].append(score.result is not None)
    print("| plies | positions | proved |\n|---|---|---|")
    for place, proved in sorted(found.items()):
        plies = f"{PLIES * place} to {PLIES * place + PLIES - 1}"
        print(f"| {plies} | {len(proved)} | {100 * sum(proved) / len(proved):.0f} % |")


if __name__ == "__main__":
    main()
