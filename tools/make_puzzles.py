"""Make the files of puzzles: python -m tools.make_puzzles [--seed N] [--themes] [GAME …]

Positions with exactly one winning move, found in complete games by the evaluators, with a fixed number for
each game and grade: by default for every game whose spec has puzzle_depths; some seven minutes on one core
for our first three. The script can be stopped at any time and resumed. The bytes depend only on the seed:
candidate n of a game is drawn from the seed, the game and n. With --themes the puzzles stay the same and only
their themes are computed again, in a minute.
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

from engine.agents import make_agent
from engine.analysis.evaluators import evaluator_of
from engine.analysis.puzzles import Puzzle, depth_of, file_of, select, themed
from engine.core import Game, Limit, Move, Player, State, replay
from engine.games import GAMES, SPECS, spec_of
from engine.games.connect_four import ConnectFourState
from engine.games.connect_four.evaluator import ConnectFourEvaluator
from engine.games.draughts import DraughtsState
from engine.games.draughts.evaluator import DraughtsEvaluator
from engine.games.draughts.searcher import is_ending
from engine.games.hex.evaluator import HexEvaluator
from engine.games.hex.proofs import HexProver, passed
from engine.games.hex.rules import HexState, as_hex, stones_needed
from engine.games.hex.searcher import bits_of, bridges
from engine.games.othello import OthelloState
from engine.games.othello.evaluator import OthelloEvaluator
from engine.games.othello.position import Position
from engine.games.othello.searcher import Searcher, weights_for
from engine.games.reasons import Why
from engine.games.symmetry import Key, canonical
from engine.games.tic_tac_toe import TicTacToeState
from engine.games.tic_tac_toe.evaluator import TicTacToeEvaluator
from engine.kernels.running import running
from engine.score import Evaluation, Evaluator, final_score, score_of_move

QUOTAS: Mapping[str, tuple[int, ...]] = {
    "connect-four": (165, 155, 145, 125, 100),
    "othello": (50, 50, 50, 50, 50),
    "tic-tac-toe": (41, 17, 2),
    "gomoku": (10, 10, 3, 3),
    "hex": (10, 12, 10),
}
"""Number of puzzles of each grade, from 1 on, where it is not the usual one."""

USUAL_QUOTA = 10
"""Number of puzzles of each grade of any other game."""

FRUITLESS = 2_000
"""Candidates without a new puzzle after which a game has to do with those it has."""

LAST_PLIES = 16
"""A candidate is at most as many plies before the end of its game."""

NODES_OF_MOVE = 100_000
"""States that the evaluator may visit for each move of a candidate."""

PLAYERS: Mapping[str, tuple[str, int]] = {
    "gomoku": ("threats:overlooks=20", 4_000),
    "dots-and-boxes": ("boxer:depth=1,overlooks=10", 4_000),
    "hex": ("bridges:strays=30", 3_000),
}
"""Agents that play the games of which random ones come to no likely position, and the states that the
evaluator may visit to see that exactly one move wins; every position of the second half is a candidate."""

NODES_OF_PLAYER = 200
"""States that such an agent may visit for each of its moves."""

LEAST_CHOICES = 3
"""Fewest legal moves of a puzzle; with fewer it is too easy."""

FIRST_PLY, LAST_PLY = 10, 30
"""Plies of Connect Four positions."""

FEWEST_EMPTIES, MOST_EMPTIES = 5, 14
CARELESS = 0.25
"""Share of random moves of an Othello player; the others look a ply ahead. It makes the lead change."""

LONGEST_DRAUGHTS, DEEPEST_DRAUGHTS = 110, 14
"""Plies of a game that leads to an ending, and the winner's moves in it."""

LARGEST_REGION = 6
"""Most cells of Hex that can save the side to move; the proofs of more seldom succeed."""

STONES_TO_GO = range(2, 4)
"""Stones that the other side of Hex lacks: it cannot win at once, but threatens to win."""

SAVE_SECONDS = 10.0

Maker = Callable[[random.Random], Puzzle | None]


def connect_four() -> Maker:
    """Make games of players who avoid a loss in one; the solver finds positions with one winning move."""
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
    """Make games of players who mostly look a ply ahead; exact search values every move of the endings."""
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
    """Make random games; every position is a candidate."""
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


def draughts() -> Maker:
    """Make random games; the candidates are their endings, which are solved."""
    evaluator, rules = DraughtsEvaluator(), GAMES["draughts"]

    def make(rng: random.Random) -> Puzzle | None:
        state, moves, found = rules.start(), list[Move](), list[Puzzle]()
        while (choices := state.legal_moves()) and len(moves) < LONGEST_DRAUGHTS:
            is_solved = isinstance(state, DraughtsState) and is_ending(state)
            if is_solved and len(choices) >= LEAST_CHOICES:
                scores = evaluator.evaluate_moves(state, Limit())
                is_solved = all(score.is_proved for score in scores.moves.values())
                puzzle = _puzzle(rules, moves, scores) if is_solved else None
                if puzzle is not None and puzzle.depth <= DEEPEST_DRAUGHTS:
                    found.append(puzzle)
            moves.append(rng.choice(choices))
            state = state.play(moves[-1])
        return rng.choice(found) if found else None

    return make


def hex_() -> Maker:
    """Make games of a middling level; candidates are the positions in which few cells can save the mover."""
    evaluator, spec = HexEvaluator(), spec_of("hex")

    def region_of(state: HexState) -> int:
        """Return the cells that no known threat of the other side refutes."""
        with running(Limit()) as run:
            region = state.free
            for _, threat in HexProver(run).threats(passed(state)):
                region &= threat
        return region

    def only_win(state: HexState) -> Move | None:
        """Return the only winning cell; None unless all others are proved to lose."""
        if stones_needed(state) == 1 or stones_needed(passed(state)) not in STONES_TO_GO:
            return None
        if any(bridges(state, player) is not None for player in Player):
            return None
        region, winning = region_of(state), list[Move]()
        if not 2 <= region.bit_count() <= LARGEST_REGION:
            return None
        for cell in bits_of(region):
            result = evaluator.evaluate(state.play(cell), Limit(nodes=glance)).score.result
            winning += [cell] if result == -1 else []
            if result is None or len(winning) > 1:
                return None
        return winning[0] if winning else None

    def make(rng: random.Random) -> Puzzle | None:
        agent = make_agent(player, rng.getrandbits(32))
        moves, states = complete(spec.rules.start(), lambda state: agent.choose(state, played).move)
        late = range(len(moves) // 2, len(moves))
        for ply in rng.sample(late, len(late)):
            state = as_hex(states[ply])
            best = only_win(state)
            reasons = () if best is None else spec.teach.reasons(state, best)
            if best is not None and all(reason.why is not Why.HOLDS_BRIDGE for reason in reasons):
                return Puzzle(spec.rules.key, tuple(moves[:ply]), best, stones_needed(state))
        return None

    player, glance = PLAYERS[spec.rules.key]
    played = Limit(nodes=NODES_OF_PLAYER)
    return make


def any_game(key: str) -> Maker:
    """Make games of players who mostly win at once and prevent it; the evaluator proves every move's score.

    Candidates are positions near the end, since few others are proved.
    """
    spec = spec_of(key)
    if spec.search.evaluator is None:
        raise ValueError(f"{key} has no evaluator, so no move is proved")
    evaluator = spec.search.evaluator()

    def choose(state: State, rng: random.Random) -> Move:
        won = wins(state)
        if won or rng.random() < CARELESS:
            return rng.choice(won or state.legal_moves())
        return rng.choice(
            [move for move in state.legal_moves() if not wins(state.play(move))] or state.legal_moves()
        )

    def make(rng: random.Random) -> Puzzle | None:
        agent = make_agent(player, rng.getrandbits(32)) if player else None
        moves, states = complete(
            spec.rules.start(),
            lambda state: agent.choose(state, played).move if agent else choose(state, rng),
        )
        if agent is None:
            plies = [max(0, len(moves) - rng.randint(1, LAST_PLIES))]
        else:
            late = range(len(moves) // 2, len(moves))
            plies = rng.sample(late, len(late))
        for ply in plies:
            found = _proved(evaluator, states[ply], Limit(nodes=glance))
            puzzle = None if found is None else _puzzle(spec.rules, moves[:ply], found)
            if puzzle is not None:
                return puzzle
        return None

    player, glance = PLAYERS.get(key, ("", NODES_OF_MOVE))
    played = Limit(nodes=NODES_OF_PLAYER)
    return make


def complete(state: State, choose: Callable[[State], Move]) -> tuple[list[Move], list[State]]:
    """Return the moves of a game from `state` on, and its positions with that one."""
    moves, states = list[Move](), [state]
    while states[-1].outcome() is None:
        moves.append(choose(states[-1]))
        states.append(states[-1].play(moves[-1]))
    return moves, states


def _proved(evaluator: Evaluator, state: State, glance: Limit) -> Evaluation | None:
    """Return the proved score of every move; None unless all are proved, and one wins at a glance."""
    if len(state.legal_moves()) < LEAST_CHOICES:
        return None
    moves = dict(evaluator.evaluate_moves(state, glance).moves)
    if sum(score.result == 1 for score in moves.values()) != 1:
        return None
    for move in (move for move, score in moves.items() if not score.is_proved):
        after = state.play(move)
        known = final_score(after) if after.outcome() else None
        known = known or evaluator.evaluate(after, Limit(nodes=NODES_OF_MOVE)).score
        moves[move] = score_of_move(state, after, known).earlier()
        if moves[move].result in (None, 1):
            return None
    return Evaluation.of_moves(moves, 0)


MAKERS: Mapping[str, Callable[[], Maker]] = {
    "connect-four": connect_four,
    "othello": othello,
    "tic-tac-toe": tic_tac_toe,
    "draughts": draughts,
    "hex": hex_,
}


def _winning(found: Evaluation) -> list[Move]:
    return [move for move, score in found.moves.items() if score.result == 1]


def _puzzle(rules: Game, moves: Sequence[Move], found: Evaluation) -> Puzzle | None:
    """Return the puzzle after those moves, if exactly one move wins."""
    winning = _winning(found)
    if len(winning) != 1:
        return None
    depth = depth_of(replay(rules.start(), moves), found.moves[winning[0]])
    return Puzzle(rules.key, tuple(moves), winning[0], depth) if depth else None


def wins(state: State) -> list[Move]:
    """Return the moves that win at once."""
    found = []
    for move in state.legal_moves():
        outcome = state.play(move).outcome()
        if outcome is not None and outcome.winner is state.to_move:
            found.append(move)
    return found


def is_urgent(state: ConnectFourState | TicTacToeState) -> bool:
    """Whether the other side threatens to win at once, so that the reply is forced."""
    return bool(wins(replace(state, own=state.own ^ state.mask, ply=state.ply + 1)))


class Draft:
    """The puzzles of a game that were found, and the number of candidates tried."""

    def __init__(self, path: Path, seed: int) -> None:
        self._path, self._seed = path, seed
        known = json.loads(path.read_text("ascii")) if path.exists() else {}
        is_ours = known.get("seed") == seed
        self.tried: Counter[str] = Counter(known["tried"] if is_ours else {})
        self.found = [Puzzle.parse(line) for line in known["found"]] if is_ours else []
        self._seen: set[Key] = {canonical(puzzle.state) for puzzle in self.found}

    def add(self, puzzle: Puzzle) -> bool:
        """Add the puzzle unless the position or a symmetric one is known; return whether it was added."""
        place = canonical(puzzle.state)
        if place in self._seen:
            return False
        self._seen.add(place)
        self.found.append(puzzle)
        return True

    def save(self) -> None:
        """Replace the file in one step, so that it is always whole."""
        known = {"seed": self._seed, "tried": self.tried, "found": [str(puzzle) for puzzle in self.found]}
        draft = self._path.with_suffix(".new")
        draft.write_text(json.dumps(known), "ascii")
        os.replace(draft, self._path)

    def remove(self) -> None:
        self._path.unlink(missing_ok=True)


def candidates(game_key: str, seed: int, draft: Draft) -> Iterator[Puzzle | None]:
    """Yield one candidate after another, from the first untried."""
    make = MAKERS[game_key]() if game_key in MAKERS else any_game(game_key)
    while True:
        number = draft.tried[game_key]
        draft.tried[game_key] += 1
        yield make(random.Random(f"{seed} {game_key} {number}"))


def make(seed: int, keys: Sequence[str]) -> None:
    for key in keys:
        draft = Draft(path_of(key).with_suffix(".draft"), seed)
        began = saved = time.monotonic()
        counts = Counter(puzzle.grade for puzzle in draft.found)
        quotas, fruitless = quotas_of(key), 0
        source = candidates(key, seed, draft)
        while sum(counts.values()) < sum(quotas) and fruitless < FRUITLESS:
            puzzle = next(source)
            fruitless += 1
            if puzzle is not None and counts[puzzle.grade] < quotas[puzzle.grade - 1] and draft.add(puzzle):
                counts[puzzle.grade] += 1
                fruitless = 0
            if time.monotonic() > saved + SAVE_SECONDS:
                saved = time.monotonic()
                draft.save()
                print(f"{key}: {dict(counts)} after {saved - began:.0f} s", flush=True)
        write(key, sorted(draft.found, key=lambda puzzle: (puzzle.depth, puzzle.moves)))
        draft.remove()
        print(f"{len(draft.found)} puzzles of {key} after {time.monotonic() - began:.0f} s")


def quotas_of(key: str) -> tuple[int, ...]:
    return QUOTAS.get(key, (USUAL_QUOTA,) * (len(spec_of(key).teach.puzzle_depths) + 1))


def write(key: str, found: Sequence[Puzzle]) -> None:
    """Write the game's file, every puzzle with its themes."""
    evaluator = evaluator_of(GAMES[key])
    whole = [themed(puzzle, evaluator) for puzzle in found]
    path_of(key).write_text("".join(f"{puzzle}\n" for puzzle in whole), "ascii")
    counts = Counter(theme for puzzle in whole for theme in puzzle.themes)
    print(f"{key}: {', '.join(f'{theme} {count}' for theme, count in counts.most_common())}")


def path_of(key: str) -> Path:
    """Return the path of the game's file, which is a file of the working tree."""
    return Path(str(file_of(key)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("games", nargs="*", metavar="GAME", help="by default every game with puzzles")
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--themes", action="store_true", help="compute only the themes again")
    chosen = parser.parse_args()
    keys_ = chosen.games or [key for key, spec in SPECS.items() if spec.teach.puzzle_depths]
    if chosen.themes:
        for key_ in keys_:
            write(key_, list(select(key_).values()))
    else:
        make(chosen.seed, keys_)
