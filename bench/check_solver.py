"""Compare our Connect Four scores with others: python -m bench.check_solver [--database N] [--bitbully N]

--database: check N random positions of ply 12 against the database of that ply, and every stored score of
the first plies against the scores derived from it. --bitbully: check N positions of random games, from ply
--least on, against BitBully's search, which uses its own 12-ply book for earlier positions. Our solver uses
its stored scores for the first plies only. `pip install -e '.[bench]'` installs both. The exit code is 1 at
the first score that differs.
"""

from __future__ import annotations

import argparse
import random
import time

import numpy as np

from bench.references import PLY, BitBully, database
from engine.games.connect_four import ConnectFourState
from engine.games.connect_four.early_scores import LAST_PLY, NO_SCORES, UNKNOWN, EarlyScores, early_scores
from engine.games.connect_four.exact_solver import ConnectFourSolver

SAY_EVERY_SECONDS = 30.0
_BOTTOM = sum(1 << 7 * column for column in range(7))


def check_database(count: int, rng: random.Random) -> None:
    known, solver = database(), ConnectFourSolver(early=NO_SCORES)
    chosen = rng.sample(range(len(known.scores)), count)
    started = said = time.monotonic()
    for number, place in enumerate(chosen, 1):
        state = ConnectFourState(own=int(known.own[place]), mask=int(known.mask[place]), ply=PLY)
        same(state, solver.solve(state), int(known.scores[place]))
        if time.monotonic() > said + SAY_EVERY_SECONDS:
            said = time.monotonic()
            print(f"{number} of {count}", flush=True)
    print(f"{count} positions of ply {PLY}: all agree ({time.monotonic() - started:.0f} s)", flush=True)


def check_early() -> None:
    """Compare every stored score with the score derived from the database."""
    ours = early_scores()
    if ours is NO_SCORES:
        print("no scores of the first plies are stored")
        return
    known = database()
    keys = known.own + known.mask + _BOTTOM
    image = sum((keys >> 7 * column & 127) << 7 * (6 - column) for column in range(7))
    theirs = EarlyScores.of(known.scores[np.argsort(np.minimum(keys, image))].astype(np.int8), PLY)
    for ply, scores in enumerate(ours.scores):
        is_solved = scores != UNKNOWN
        if (scores[is_solved] != theirs.scores[ply][is_solved]).any():
            raise SystemExit(f"stored scores of ply {ply} differ from those derived from the database")
        print(f"ply {ply}: {is_solved.sum()} of {len(scores)} positions are stored, all agree", flush=True)


def check_bitbully(count: int, least: int, rng: random.Random) -> None:
    # Without its book it would search early positions for minutes each.
    early, late = BitBully("12-ply-dist"), BitBully()
    looking_up, searching = ConnectFourSolver(), ConnectFourSolver(early=NO_SCORES)
    by_ply = [0] * 42
    started = said = time.monotonic()
    for number in range(1, count + 1):
        moves, state = random_game(rng, rng.randint(least, 41))
        by_ply[state.ply] += 1
        ours = looking_up if state.ply <= LAST_PLY else searching
        theirs = early if state.ply <= PLY else late
        same(state, ours.solve(state), theirs.null_window(theirs.position(moves)))
        if time.monotonic() > said + SAY_EVERY_SECONDS:
            said = time.monotonic()
            print(f"{number} of {count}", flush=True)
    print(f"{count} positions of random games: all agree ({time.monotonic() - started:.0f} s)")
    print("by ply:", ", ".join(f"{ply}: {found}" for ply, found in enumerate(by_ply) if found), flush=True)


def random_game(rng: random.Random, plies: int) -> tuple[list[int], ConnectFourState]:
    """Play `plies` random moves, after which the game is not over."""
    moves: list[int] = []
    state = ConnectFourState()
    while state.ply < plies:
        move = rng.choice(state.legal_moves())
        following = state.play(move)
        if following.outcome() is None:
            moves.append(move)
            state = following
        else:
            moves, state = [], ConnectFourState()
    return moves, state


def same(state: ConnectFourState, ours: int | None, theirs: int) -> None:
    if ours != theirs:
        raise SystemExit(f"{ours} is our score, {theirs} theirs:\n{state}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--database", type=int, metavar="N", default=0)
    parser.add_argument("--bitbully", type=int, metavar="N", default=0)
    parser.add_argument("--least", type=int, metavar="PLY", default=0, help="default: %(default)s")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.database:
        check_early()
        check_database(options.database, random.Random(options.seed))
    if options.bitbully:
        check_bitbully(options.bitbully, options.least, random.Random(options.seed))
