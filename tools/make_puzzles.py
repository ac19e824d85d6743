"""Makes engine/data/puzzles.txt: python -m tools.make_puzzles [--seed N | --themes]

1,000 positions with exactly one winning move, found in played-out games by the exact solvers, so many of each
game and grade; some seven minutes on one core. It can be ended at any moment and goes on where it was. The
bytes depend on nothing but the seed: candidate n of a game is drawn from the seed, the game and n. With
--themes the puzzles stay as they are and their themes are found anew, in a minute.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from engine.analysis.evaluators import evaluator_of
from engine.analysis.puzzles import FILE, Puzzle, puzzles, themed
from engine.analysis.symmetry import Cells, canonical
from engine.core import Game, Limit, Move, State
from engine.games import GAMES
from engine.games.connect_four import ConnectFourState
from engine.games.connect_four.evaluator import ConnectFourEvaluator
from engine.games.othello import OthelloState
from engine.games.othello.evaluator import OthelloEvaluator
from engine.games.othello.position import Position
from engine.games.othello.searcher import Searcher, weights_for
from engine.games.tic_tac_toe import TicTacToeState
from engine.games.tic_tac_toe.evaluator import TicTacToeEvaluator
from engine.kernels.running import running
from engine.score import Evaluation

ROOT = Path(__file__).resolve().parents[1]

QUOTAS: Mapping[str, tuple[int, ...]] = {
    "connect-four": (165, 155, 145, 125, 100),
    "othello": (50, 50, 50, 50, 50),
    "tic-tac-toe": (41, 17, 2),
}
"""How many of each grade, from 1 on."""

LEAST_CHOICES = 3
"""Legal moves; with fewer there is little to find."""

FIRST_PLY, LAST_PLY = 10, 30
"""Of Connect Four positions."""

FEWEST_EMPTIES, MOST_EMPTIES = 5, 14
CARELESS = 0.25
"""How often a player of Othello moves at random instead of looking a ply ahead: for games that sway."""

SAVE_SECONDS = 10.0

Maker = Callable[[random.Random], Puzzle | None]


def connect_four() -> Maker:
    """Games of people who take no loss in one; the solver says which positions have one winning move."""
    evaluator, rules = ConnectFourEvaluator(), GAMES["connect-four"]

    def make(rng: random.Random) -> Puzzle | None:
        state, moves, plies = rules.start(), [], rng.randint(FIRST_PLY, LAST_PLY)
        while state.ply < plies:
            choices = (
                [] if wins(state) else [move for move in state.legal_moves() if not wins(state.play(move))]
            )
            if not choices:
                return None
            moves.append(rng.choice(choices))
            state = state.play(moves[-1])
        if not isinstance(state, ConnectFourState) or is_urgent(state):
            return None
        if len(state.legal_moves()) < LEAST_CHOICES:
            return None
        return _puzzle(rules, moves, evaluator.evaluate_moves(state, Limit()))

    return make


def othello() -> Maker:
    """Games of players who look a ply ahead, mostly; the exact search values every move of their endings."""
    searcher, evaluator, rules = Searcher(weights_for(8), 10), OthelloEvaluator(), GAMES["othello"]

    def best(state: State) -> Move:
        here = Position.of(state)
        with running(Limit()) as run:
            searcher.begin(run)
            return min(
                state.legal_moves(), key=lambda move: searcher.evaluate(here.after(here.square_of(move)))
            )

    def make(rng: random.Random) -> Puzzle | None:
        state, moves, empties = rules.start(), [], rng.randint(FEWEST_EMPTIES, MOST_EMPTIES)
        while state.cells().count(None) > empties:
            choices = state.legal_moves()
            if not choices:
                return None
            is_random = len(choices) == 1 or rng.random() < CARELESS
            moves.append(rng.choice(choices) if is_random else best(state))
            state = state.play(moves[-1])
        if not isinstance(state, OthelloState) or len(state.legal_moves()) < LEAST_CHOICES:
            return None
        winning = _winning(evaluator.evaluate_moves(state, Limit()))
        return None if len(winning) != 1 else Puzzle(rules.key, tuple(moves), winning[0], empties)

    return make


def tic_tac_toe() -> Maker:
    """Random games; everything is looked at."""
    evaluator, rules = TicTacToeEvaluator(), GAMES["tic-tac-toe"]

    def make(rng: random.Random) -> Puzzle | None:
        state, moves, plies = rules.start(), [], rng.randint(1, 6)
        while state.ply < plies and state.legal_moves():
            moves.append(rng.choice(state.legal_moves()))
            state = state.play(moves[-1])
        if not isinstance(state, TicTacToeState) or len(state.legal_moves()) < LEAST_CHOICES:
            return None
        puzzle = _puzzle(rules, moves, evaluator.evaluate_moves(state, Limit()))
        is_forced = puzzle is not None and puzzle.depth > 1 and is_urgent(state)
        return None if is_forced else puzzle

    return make


MAKERS: Mapping[str, Callable[[], Maker]] = {
    "connect-four": connect_four,
    "othello": othello,
    "tic-tac-toe": tic_tac_toe,
}


def _winning(found: Evaluation) -> list[Move]:
    return [move for move, score in found.moves.items() if score.result == 1]


def _puzzle(rules: Game, moves: Sequence[Move], found: Evaluation) -> Puzzle | None:
    """The puzzle of the state after those moves, if one move alone wins; as deep as that takes moves."""
    winning = _winning(found)
    if len(winning) != 1:
        return None
    return Puzzle(rules.key, tuple(moves), winning[0], found.moves[winning[0]].moves or 0)


def wins(state: State) -> list[Move]:
    """The moves that make a line at once."""
    found = []
    for move in state.legal_moves():
        outcome = state.play(move).outcome()
        if outcome is not None and outcome.line:
            found.append(move)
    return found


def is_urgent(state: ConnectFourState | TicTacToeState) -> bool:
    """Whether the other side would win at once: then there is nothing to choose."""
    return bool(wins(replace(state, own=state.own ^ state.mask, ply=state.ply + 1)))


class Draft:
    """What was found so far, and how many candidates of each game were looked at."""

    def __init__(self, path: Path, seed: int) -> None:
        self._path, self._seed = path, seed
        known = json.loads(path.read_text("ascii")) if path.exists() else {}
        is_ours = known.get("seed") == seed
        self.tried: Counter[str] = Counter(known["tried"] if is_ours else {})
        self.found = [Puzzle.parse(line) for line in known["found"]] if is_ours else []
        self._seen: set[tuple[str, Cells]] = {canonical(puzzle.state) for puzzle in self.found}

    def add(self, puzzle: Puzzle) -> bool:
        """Whether the position is new, also among images of those found before."""
        place = canonical(puzzle.state)
        if place in self._seen:
            return False
        self._seen.add(place)
        self.found.append(puzzle)
        return True

    def save(self) -> None:
        """Replaces the file in one step, so that it is whole whenever the script is ended."""
        known = {"seed": self._seed, "tried": self.tried, "found": [str(puzzle) for puzzle in self.found]}
        draft = self._path.with_suffix(".new")
        draft.write_text(json.dumps(known), "ascii")
        os.replace(draft, self._path)

    def remove(self) -> None:
        self._path.unlink()


def candidates(game_key: str, seed: int, draft: Draft) -> Iterator[Puzzle | None]:
    """One after another, from the first that was not looked at yet."""
    make = MAKERS[game_key]()
    while True:
        number = draft.tried[game_key]
        draft.tried[game_key] += 1
        yield make(random.Random(f"{seed} {game_key} {number}"))


def make(seed: int) -> None:
    draft = Draft(FILE.with_suffix(".draft"), seed)
    began = saved = time.monotonic()
    for game_key, quotas in QUOTAS.items():
        counts = Counter(puzzle.grade for puzzle in draft.found if puzzle.game == game_key)
        source = candidates(game_key, seed, draft)
        while sum(counts.values()) < sum(quotas):
            puzzle = next(source)
            if puzzle is not None and counts[puzzle.grade] < quotas[puzzle.grade - 1] and draft.add(puzzle):
                counts[puzzle.grade] += 1
            if time.monotonic() > saved + SAVE_SECONDS:
                saved = time.monotonic()
                draft.save()
                print(f"{len(draft.found)} puzzles after {saved - began:.0f} s", flush=True)
    draft.save()
    order = list(QUOTAS)
    found = sorted(draft.found, key=lambda puzzle: (order.index(puzzle.game), puzzle.depth, puzzle.moves))
    write(found)
    draft.remove()
    print(f"{len(found)} puzzles in {FILE.relative_to(ROOT)} after {time.monotonic() - began:.0f} s")


def write(found: Sequence[Puzzle]) -> None:
    """Writes the file, every puzzle with its themes."""
    evaluators = {key: evaluator_of(GAMES[key]) for key in QUOTAS}
    whole = [themed(puzzle, evaluators[puzzle.game]) for puzzle in found]
    FILE.write_text("".join(f"{puzzle}\n" for puzzle in whole), "ascii")
    for key in QUOTAS:
        counts = Counter(theme for puzzle in whole if puzzle.game == key for theme in puzzle.themes)
        print(f"{key}: {', '.join(f'{theme} {count}' for theme, count in counts.most_common())}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--themes", action="store_true", help="find only the themes anew")
    chosen = parser.parse_args()
    if chosen.themes:
        write(list(puzzles().values()))
    else:
        make(chosen.seed)
