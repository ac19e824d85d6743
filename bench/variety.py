"""Similarity of a level's games against a person with a fixed line.

`python -m bench.variety [GAME …] [--level NAME] [--games 50] [--plies 12]`. The person wins at once if
possible, else stops the level's immediate win, and else makes the first legal move in a fixed order of
favourites, or the first of all. Three such people play each level with both colours. For matches of --games
games the bench prints the largest number of games equal after --plies plies or at an earlier end, and the
mean number of different games.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Sequence

from engine.agents import make_agent
from engine.agents.levels import Level, levels_of
from engine.core import Move, Player, State
from engine.games import GAMES

PLIES = 12
PEOPLE = 3


def reply(state: State, favourites: Sequence[Move]) -> Move:
    """Return the person's move."""
    legal = [move for move in favourites if move in state.legal_moves()] or state.legal_moves()
    for move in legal:
        outcome = state.play(move).outcome()
        if outcome is not None and outcome.winner is state.to_move:
            return move
    return next((move for move in legal if not _wins_at_once(state.play(move))), legal[0])


def _wins_at_once(state: State) -> bool:
    outcomes = (state.play(move).outcome() for move in state.legal_moves())
    return any(outcome is not None and outcome.winner is state.to_move for outcome in outcomes)


def line_against(
    level: Level, start: State, side: Player, favourites: Sequence[Move], seed: int, plies: int = PLIES
) -> tuple[Move, ...]:
    """Return the first moves of a game in which that side follows its favourites."""
    agent = make_agent(level.agent, seed)
    state = start
    moves: list[Move] = []
    while len(moves) < plies and state.outcome() is None:
        if state.to_move is side:
            moves.append(reply(state, favourites))
        else:
            moves.append(agent.choose(state, level.limit).move)
        state = state.play(moves[-1])
    return tuple(moves)


def favourites_of(person: int, start: State) -> list[Move]:
    """Return the moves in that person's order of preference, the middle of the board before its edges."""
    rng = random.Random(person)
    columns, rows = start.columns, start.rows

    def distance(move: Move) -> float:
        row, column = divmod(move, columns)
        return abs(2 * column - columns + 1) + abs(2 * row - rows + 1) + 3 * rng.random()

    return sorted(range(rows * columns + 1), key=distance)


def matches_of(
    level: Level, start: State, games: int, plies: int = PLIES, people: int = PEOPLE
) -> list[Counter[tuple[Move, ...]]]:
    """Count how often each line was played in each match."""
    found = []
    for person in range(people):
        favourites = favourites_of(person, start)
        for side in Player:
            lines = (line_against(level, start, side, favourites, seed, plies) for seed in range(games))
            found.append(Counter(lines))
    return found


def measure(game_keys: Sequence[str], games: int, plies: int, level_name: str | None = None) -> None:
    """Print a table of each game's levels, or of that level alone."""
    for key in game_keys:
        print(f"\n{GAMES[key].title}, {games} games a match:\n")
        print("| level | most that were equal | different ones, mean |\n|---|---|---|")
        for level in levels_of(key):
            if level_name not in (None, level.name):
                continue
            matches = matches_of(level, GAMES[key].start(), games, plies)
            most = max(max(match.values()) for match in matches)
            different = sum(map(len, matches)) / len(matches)
            print(f"| {level.name} | {most} | {different:.1f} |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m bench.variety", description=__doc__)
    parser.add_argument("game", nargs="*", help=f"one of {', '.join(GAMES)} (default: all)")
    parser.add_argument("--games", type=int, default=50, help="of each match (default: %(default)s)")
    parser.add_argument("--plies", type=int, default=PLIES, help="compared (default: %(default)s)")
    parser.add_argument("--level", metavar="NAME", help="only this level, e.g. Sage (default: all)")
    options = parser.parse_args()
    asked = options.game or list(GAMES)
    if options.level not in (None, *(level.name for key in asked for level in levels_of(key))):
        parser.error(f"no level {options.level!r} in {', '.join(asked)}")
    measure(asked, options.games, options.plies, options.level)
