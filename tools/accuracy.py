"""`python -m tools.accuracy [GAME …]`: print the accuracy that reviews find in games whose strength is known.

The table of docs/learning.md. Random play has to stay at 40 % or below (draughts: 55 %), and the review's own
best moves at 100 %; `engine/analysis/review.py` has the two constants behind it.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from random import Random
from statistics import mean

from engine.agents import make_agent
from engine.agents.levels import Level, levels_of
from engine.analysis.evaluators import ESTIMATE, Estimator
from engine.analysis.review import review
from engine.core import Game, Limit, Move, Player, State
from engine.games import GAMES, game
from engine.score import Evaluation, Evaluator

Choose = Callable[[State], Move]


class RememberingEstimator(Estimator):
    """Answers alike whenever it is asked about a state, by the player of a game or by its review."""

    def __init__(self, rules: Game) -> None:
        super().__init__(rules)
        self._known: dict[State, Evaluation] = {}

    def evaluate(self, state: State, limit: Limit) -> Evaluation:  # noqa: ARG002 - always a quick look
        if state not in self._known:
            self._known[state] = super().evaluate(state, ESTIMATE)
        return self._known[state]


def main() -> int:
    """Print the table; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.accuracy", description=__doc__)
    parser.add_argument("game", nargs="*", help=f"one of {', '.join(GAMES)} (default: all)")
    parser.add_argument("--games", type=int, default=10, help="of each kind (default: %(default)s)")
    asked = parser.parse_args()
    print("| game | random, against random | random, against the strongest level | that level | best moves |")
    print("|---|---|---|---|---|")
    for key in asked.game or GAMES:
        print(f"| {' | '.join((game(key).title, *row(game(key), asked.games)))} |", flush=True)
    return 0


def row(rules: Game, games: int) -> tuple[str, ...]:
    """Return the mean accuracies in that many games of each kind."""
    found: dict[str, list[float | None]] = {"even": [], "weak": [], "strong": [], "best": []}
    level = levels_of(rules.key)[-1]
    for number in range(games):
        weak, other = at_random(number), at_random(number + games)
        strong = of_level(level, number)
        found["even"] += accuracies(rules, (weak, other))
        # The random side begins in every second game.
        side = Player(number % 2)
        pair = accuracies(rules, (weak, strong) if side is Player.FIRST else (strong, weak))
        found["weak"].append(pair[side])
        found["strong"].append(pair[side.other])
    found["best"] = best_accuracies(rules)
    return tuple(
        f"{mean(each for each in kind if each is not None):.0%}".replace("%", " %") for kind in found.values()
    )


def best_accuracies(rules: Game) -> list[float | None]:
    """Return both sides' accuracy in a game of the review's own best moves."""
    evaluator = RememberingEstimator(rules)

    def best(state: State) -> Move:
        return evaluator.evaluate(state, ESTIMATE).line[0]

    return accuracies(rules, (best, best), evaluator)


def of_level(level: Level, seed: int) -> Choose:
    """Return a player of that level."""
    agent = make_agent(level.agent, seed)
    return lambda state: agent.choose(state, level.limit).move


def at_random(seed: int) -> Choose:
    """Return a player that chooses any legal move."""
    rng = Random(seed)
    return lambda state: rng.choice(state.legal_moves())


def accuracies(
    rules: Game, players: tuple[Choose, Choose], evaluator: Evaluator | None = None
) -> list[float | None]:
    """Play a game and return both sides' accuracy. evaluator: instead of the review's own."""
    state: State = rules.start()
    moves: list[Move] = []
    while state.legal_moves():
        moves.append(players[state.to_move](state))
        state = state.play(moves[-1])
    found = review(rules, None, moves, time.perf_counter, evaluator, later_seconds=1.0)
    return [found.accuracy(player) for player in Player]


if __name__ == "__main__":
    raise SystemExit(main())
