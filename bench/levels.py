"""Every level of every game in one table: strength, variety, time and errors.

`python -m bench.levels [GAME …] [--games 20] [--seconds 20]`. Elo: as measured by `tools.rate_levels`. Most
alike: of so many games against one person, with each colour, equal at ply 12 (`bench.variety`); fewer games
if they would take longer than --seconds. Answer: processor time at p95 in games against a random player
(`bench.choices`). Wins and threats: the share found of moves that alone win at once, and in games of lines of
moves that alone stop such a win (`bench.mistakes`); left out where random play finds nearly all of them.
"""

from __future__ import annotations

import argparse

from bench.choices import taken_by
from bench.fake_discord import percentile
from bench.mistakes import share_found, tests_of
from bench.variety import PLIES, matches_of
from engine.agents.levels import LEVELS, levels_of
from engine.arena.elo_table import rating_of
from engine.core import Move, State
from engine.games import GAMES

POSITIONS, LEAST_A_KIND = 30, 6
"""Of moves that win, and of moves that stop a win."""
LEAST_GAMES = 4
FOUND_BY_LUCK = 0.8
"""Where random play finds as many, the share says nothing about a level."""


def rows_of(game_key: str, games: int, seconds: float) -> None:
    """Print a row for each level of the game."""
    tests: dict[str, list[tuple[State, Move]]] = {"win": [], "stop": []}
    by_kind = tests_of(game_key, POSITIONS)
    for (what, _kind), positions in by_kind.items():
        tests[what] += positions[: max(LEAST_A_KIND, POSITIONS // len(by_kind))]
    by_chance = next(level for level in LEVELS if level.agent == "random")
    tests = {
        what: [] if each and share_found(by_chance, each) >= FOUND_BY_LUCK else each
        for what, each in tests.items()
    }
    for level in levels_of(game_key):
        rating = rating_of(game_key, level.key)
        taken = taken_by(game_key, level, seconds)
        a_game = PLIES * sum(taken) / len(taken) / 1000
        played = games if a_game * games <= seconds else max(LEAST_GAMES, int(seconds / a_game))
        matches = matches_of(level, GAMES[game_key].start(), played, people=1)
        most = max(max(match.values()) for match in matches)
        found = [f"{100 * share_found(level, each):.0f} %" if each else "" for each in tests.values()]
        print(
            f"| {GAMES[game_key].title} | {level.name} | {'' if rating is None else rating.elo} |"
            f" {most} of {played} | {percentile(taken, 0.95):.1f} ms | {' | '.join(found)} |",
            flush=True,
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m bench.levels", description=__doc__)
    parser.add_argument("game", nargs="*", help=f"one of {', '.join(GAMES)} (default: all)")
    parser.add_argument("--games", type=int, default=20, help="of each match (default: %(default)s)")
    parser.add_argument(
        "--seconds", type=float, default=20, help="for a level's games (default: %(default)s)"
    )
    options = parser.parse_args()
    print("| game | level | Elo | most alike | answer, p95 | wins found | threats stopped |")
    print("|---|---|---|---|---|---|---|")
    for key in options.game or GAMES:
        rows_of(key, options.games, options.seconds)
