"""Make engine/data/openings_*.txt: python -m tools.make_openings connect-four|othello [--count N] [--seed N]

Openings from which both sides can hold the balance, without symmetric duplicates. Each line has the moves,
then the figures that show the balance; see `engine.games.openings`.

Connect Four takes a minute. The script solves every position after 4 to 6 moves and keeps draws in which the
side to move has more wrong moves than right ones, and so has the other side after each right move. Othello
takes a second or two per candidate. A candidate has eight to ten random moves and is kept if its last two
searches, to 20 and 21 plies, both see neither side more than a disc ahead. The script can be stopped at any
time and resumed. The bytes depend only on the seed.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import time
from pathlib import Path

from engine.core import Limit, Move, State, replay
from engine.games import game
from engine.games.connect_four import ConnectFourState
from engine.games.connect_four.exact_solver import ConnectFourSolver
from engine.games.notation import format_moves, parse_moves
from engine.games.othello.position import Position
from engine.games.othello.searcher import Searcher, weights_for
from engine.games.symmetry import canonical
from engine.kernels.running import running
from tools.make_puzzles import is_urgent

DATA = Path(__file__).resolve().parents[1] / "engine" / "data"
FILES = {key: DATA / f"openings_{key.replace('-', '_')}.txt" for key in ("connect-four", "othello")}

FEWEST, MOST = 4, 6
"""Fewest and most moves of a Connect Four opening."""

LENGTHS, DEPTH = (8, 9, 10), 21
"""Of Othello openings: the possible numbers of moves, and the depth of the last search."""

MOST_AHEAD = ((8, 3), (12, 2), (20, 1))
"""From each depth on, the largest lead in discs; beyond it the search stops."""

SAVE_SECONDS = 10.0


def connect_four(count: int, seed: int) -> list[str]:
    """Return the lines, sorted by length and moves; a random sample if there are more than `count`."""
    rules, solver = game("connect-four"), ConnectFourSolver()
    found: dict[object, str] = {}
    layer: dict[State, tuple[Move, ...]] = {rules.start(): ()}
    for ply in range(1, MOST + 1):
        layer = {
            state.play(move): (*moves, move) for state, moves in layer.items() for move in state.legal_moves()
        }
        for state, moves in layer.items() if ply >= FEWEST else ():
            figures = held(solver, state)
            if figures is not None:
                text = format_moves(rules, None, moves)
                found.setdefault(canonical(state), f"{text} 0 exact {figures}")
    lines = sorted(found.values())
    chosen = lines if len(lines) <= count else random.Random(seed).sample(lines, count)
    return sorted(chosen, key=lambda line: (len(line.split()[0]), line))


def held(solver: ConnectFourSolver, state: State) -> str | None:
    """Return `2/7 3/7`: the share of drawing moves for the side to move, and at most for the other side.

    None if the position is no draw, has an immediate win, or at least half of a side's moves keep the draw.
    """
    right = _right_moves(solver, state)
    if right is None or _is_urgent(state):
        return None
    most = (0, 1)
    for move in right:
        after = state.play(move)
        replies = _right_moves(solver, after)
        if replies is None or _is_urgent(after):
            return None
        share = len(replies), len(after.legal_moves())
        most = max(most, share, key=lambda pair: pair[0] / pair[1])
    return f"{len(right)}/{len(state.legal_moves())} {most[0]}/{most[1]}"


def _right_moves(solver: ConnectFourSolver, state: State) -> list[Move] | None:
    """Return the drawing moves; None if there is no draw, or if at least half of the moves keep it."""
    if solver.solve(state) != 0:
        return None
    scores = solver.analyze(state) or {}
    right = [move for move, score in scores.items() if score == 0]
    return right if 2 * len(right) < len(scores) else None


def _is_urgent(state: State) -> bool:
    """Whether the other side threatens to win at once, so that the reply is forced."""
    return isinstance(state, ConnectFourState) and is_urgent(state)


def othello(count: int, seed: int) -> list[str]:
    """Return `count` lines, sorted by length and moves."""
    path = FILES["othello"].with_suffix(".draft")
    known = json.loads(path.read_text("ascii")) if path.exists() else {}
    is_ours = known.get("seed") == seed
    tried, lines = (known["tried"], known["found"]) if is_ours else (0, [])
    rules = game("othello")
    seen = {canonical(_played(line.split()[0])) for line in lines}
    searcher, began, saved = Searcher(weights_for(8), 19), time.monotonic(), time.monotonic()
    while len(lines) < count:
        rng = random.Random(f"{seed} {tried}")
        tried += 1
        moves, state = _random_opening(rng)
        if (
            state is not None
            and canonical(state) not in seen
            and (value := _judged(searcher, state)) is not None
        ):
            seen.add(canonical(state))
            lines.append(f"{format_moves(rules, None, moves)} {value:+d} depth-{DEPTH}")
        if time.monotonic() > saved + SAVE_SECONDS or len(lines) == count:
            saved = time.monotonic()
            draft = path.with_suffix(".new")
            draft.write_text(json.dumps({"seed": seed, "tried": tried, "found": lines}), "ascii")
            os.replace(draft, path)
            print(f"{len(lines)} of {tried} after {saved - began:.0f} s", flush=True)
    return sorted(lines, key=lambda line: (len(line.split()[0]), line))


def _random_opening(rng: random.Random) -> tuple[list[Move], State | None]:
    state: State = game("othello").start()
    moves: list[Move] = []
    for _ in range(rng.choice(LENGTHS)):
        legal = state.legal_moves()
        if len(legal) < 2:
            return moves, None
        moves.append(rng.choice(legal) if moves else state.legal_moves()[0])
        state = state.play(moves[-1])
    return moves, state if len(state.legal_moves()) > 1 else None


def _judged(searcher: Searcher, state: State) -> int | None:
    """Return the value to DEPTH for the side to move; None if one side is ahead."""
    position = Position.of(state)
    searcher.forget()
    with running(Limit()) as run:
        searcher.begin(run)
        for found in searcher.deepen(position, DEPTH):
            if any(found.depth >= depth and abs(found.value) > most for depth, most in MOST_AHEAD):
                return None
            last = found
    return last.value if last.depth == DEPTH else None  # a search of a single legal move stops early


def _played(text: str) -> State:
    rules = game("othello")
    return replay(rules.start(), parse_moves(rules, None, text))


MAKERS = {"connect-four": connect_four, "othello": othello}


def make(key: str, count: int, seed: int) -> None:
    lines = MAKERS[key](count, seed)
    FILES[key].write_text("".join(f"{line}\n" for line in lines), "ascii")
    print(f"{len(lines)} openings in {FILES[key].name}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("game", choices=MAKERS)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=2026)
    options = parser.parse_args()
    make(options.game, options.count, options.seed)
