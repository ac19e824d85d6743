"""Mistakes of each level: missed wins in one, missed threats, and in Othello the cost of greed.

`python -m bench.mistakes [GAME …] [--positions 60]`. The share of moves found in positions with exactly one
immediate win; in games of k in a row also in positions with exactly one move that stops the opponent's, by
the kind of line: a pile, a row's gap or end, a diagonal's. In Othello also, over the first twenty plies of
games against itself: discs turned, relative to an average legal move; the share of available corners taken;
and the share of moves to a square diagonal to an empty corner. The positions come from seeded random games.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator, Sequence

from engine.agents import make_agent
from engine.agents.levels import Level, levels_of
from engine.core import Move, State
from engine.games import GAMES, SPECS

KINDS = ("pile", "row, gap", "row, end", "diagonal, gap", "diagonal, end")
ANY_KIND = "any"
"""The kind of win in games without lines."""
_MOST_MOVES = 20
"""Threats are sought in positions with at most so many moves."""
STRONGEST_MISSING = 8
"""Stronger levels make no such mistakes, and take longer."""
_TRIES = 300_000
"""The search for positions ends after trying so many moves without finding one."""


def winners(state: State, *, by_line: bool = True) -> dict[Move, str]:
    """Return the immediately winning moves, each with the kind of its line if that is asked for."""
    found = {}
    for move in state.legal_moves():
        outcome = state.play(move).outcome()
        if outcome is not None and outcome.winner is state.to_move:
            found[move] = _kind(state, move, outcome.line) if by_line else ANY_KIND
    return found


def _kind(state: State, move: Move, line: Sequence[int]) -> str:
    before, after = state.cells(), state.play(move).cells()
    cell = next(i for i, (one, other) in enumerate(zip(before, after, strict=True)) if one is not other)
    rows, columns = {place // state.columns for place in line}, {place % state.columns for place in line}
    where = "end" if cell in (min(line), max(line)) else "gap"
    if len(rows) > 1 and len(columns) > 1:
        return f"diagonal, {where}"
    drops = len(state.legal_moves()) <= state.columns and state.rows * state.columns > len(KINDS) * 2
    return "pile" if len(columns) == 1 and drops else f"row, {where}"


def threat(state: State) -> tuple[Move, str] | None:
    """Return the only move that stops the opponent's immediate win, if there is exactly one."""
    moves = state.legal_moves()
    after = {move: winners(state.play(move)) for move in moves}
    safe = [move for move in moves if not after[move]]
    if len(safe) != 1 or len(moves) < 3:
        return None
    kinds = {kind for move in moves for wins in [after[move]] for kind in [wins.get(safe[0], "")]} - {""}
    return (safe[0], kinds.pop()) if len(kinds) == 1 else None


def positions(game_key: str, rng: random.Random) -> Iterator[State]:
    """Yield positions of random games that are not over."""
    start = GAMES[game_key].start()
    while True:
        state = start
        while state.outcome() is None:
            yield state
            state = state.play(rng.choice(state.legal_moves()))


def tests_of(game_key: str, count: int) -> dict[tuple[str, str], list[tuple[State, Move]]]:
    """Map (to win or to stop, kind) to at most `count` positions, each with the correct move."""
    by_line = SPECS[game_key].play.line_length(GAMES[game_key].boards[0]) is not None
    kinds = [(what, kind) for what in ("win", "stop") for kind in KINDS] if by_line else [("win", ANY_KIND)]
    found: dict[tuple[str, str], list[tuple[State, Move]]] = {key: [] for key in kinds}
    tried = 0
    for state in positions(game_key, random.Random(1)):
        wins = winners(state, by_line=by_line)
        move, kind = next(iter(wins.items()), (None, ""))
        what = "win"
        if by_line and not wins and len(state.legal_moves()) <= _MOST_MOVES:
            what, (move, kind) = "stop", threat(state) or (None, "")
            tried += len(state.legal_moves()) ** 2
        tried += len(state.legal_moves())
        if move is not None and len(wins) < 2 and len(found[what, kind]) < count:
            found[what, kind].append((state, move))
            tried = 0
        if tried > _TRIES or sum(map(len, found.values())) == count * len(found):
            break
    return {key: tests for key, tests in found.items() if tests}


def share_found(level: Level, tests: Sequence[tuple[State, Move]]) -> float:
    chosen = (
        make_agent(level.agent, seed).choose(state, level.limit).move == move
        for seed, (state, move) in enumerate(tests)
    )
    return sum(chosen) / len(tests)


def print_lines(game_key: str, count: int) -> None:
    tests = tests_of(game_key, count)
    print("| level | " + " | ".join(f"{what}: {kind}" for what, kind in tests) + " |")
    print("|---" * (1 + len(tests)) + "|")
    for level in levels_of(game_key)[:STRONGEST_MISSING]:
        shares = [f"{100 * share_found(level, positions):.0f} %" for positions in tests.values()]
        print(f"| {level.name} | " + " | ".join(shares) + " |", flush=True)


def greed(level: Level, games: int) -> tuple[float, float, float]:
    """Return (discs turned by those of an average move, share of corners, share beside empty corners)."""
    turned = usual = 0.0
    offered = taken = beside = moves = 0
    for seed in range(games):
        state, agent = GAMES["othello"].start(), make_agent(level.agent, seed)
        while state.outcome() is None:
            move = agent.choose(state, level.limit).move
            gains = {legal: _turned(state, legal) for legal in state.legal_moves()}
            if state.ply < 20:
                turned += gains[move]
                usual += sum(gains.values()) / len(gains)
            corners = _corners(state)
            offered += bool(corners & set(gains))
            taken += move in corners
            beside += move in _beside(state)
            moves += 1
            state = state.play(move)
    return turned / usual, taken / max(1, offered), beside / moves


def _turned(state: State, move: Move) -> int:
    before, after = state.cells(), state.play(move).cells()
    return sum(one is not None and one is not other for one, other in zip(before, after, strict=True))


def _corners(state: State) -> set[Move]:
    last = state.rows * state.columns - 1
    return {0, state.columns - 1, last - state.columns + 1, last}


def _beside(state: State) -> set[Move]:
    """The squares diagonal to empty corners."""
    cells, width, last = state.cells(), state.columns, state.rows * state.columns - 1
    inner = {
        0: width + 1,
        width - 1: 2 * width - 2,
        last - width + 1: last - 2 * width + 2,
        last: last - width - 1,
    }
    return {square for corner, square in inner.items() if cells[corner] is None}


def print_greed(games: int) -> None:
    print("| level | discs turned early, by an average move's | corners taken | moves beside empty corners |")
    print("|---|---|---|---|")
    for level in levels_of("othello")[:STRONGEST_MISSING]:
        by, corners, beside = greed(level, games)
        print(f"| {level.name} | {by:.2f} | {100 * corners:.0f} % | {100 * beside:.1f} % |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m bench.mistakes", description=__doc__)
    parser.add_argument("game", nargs="*", help=f"one of {', '.join(GAMES)} (default: all)")
    parser.add_argument("--positions", type=int, default=60, help="of each kind (default: %(default)s)")
    options = parser.parse_args()
    for key in options.game or GAMES:
        print(f"\n{GAMES[key].title}:\n")
        print_lines(key, options.positions)
        if SPECS[key].play.counts_discs:
            print()
            print_greed(options.positions)
