"""Whatever the engine calls proved is true: its claims beside oracles that share no code with it.

Gomoku has a file of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count, islice
from random import Random
from typing import Any

import pytest

from engine.agents import AGENTS, make_agent
from engine.agents.levels import LEVELS, Level, levels_of
from engine.analysis.evaluators import ESTIMATE, Estimator
from engine.analysis.game_tree import search_score
from engine.analysis.review import review
from engine.core import Choice, Limit, Move, State
from engine.games import SPECS, game, spec_of
from engine.games.claims import LIMITS, Oracle, is_refuted, refuted, truths
from engine.games.hex.rules import HexState
from engine.games.kalah.rules import KalahState
from engine.score import Score
from tests.contracts.oracles import (
    connect_four,
    dots_and_boxes,
    draughts,
    hex,
    kalah,
    othello,
    pop_out,
    pop_out_far,
    tic_tac_toe,
)


@dataclass(frozen=True)
class Case:
    """A board and its oracle. plies: how many positions of a game are tried; wanted: how many in all.

    longest: if not 0, any position of a game up to this ply may be the last of them, else it is the game's.
    """

    game: str
    board: str
    oracle: Oracle
    plies: int = 8
    longest: int = 0
    wanted: int = 12

    def start(self) -> State:
        """Return the start; the rules do not offer the smallest boards."""
        size = int(self.board.partition("x")[0])
        if self.game == "hex":
            return HexState(size)
        if self.game == "kalah":
            return KalahState.of(size, int(self.board.partition("x")[2]))
        return game(self.game).start(self.board)

    def __str__(self) -> str:
        return f"{self.game}-{self.board}"


CASES = [
    Case("tic-tac-toe", "3x3", tic_tac_toe.truth),
    *(Case("connect-four", board, connect_four.truth) for board in game("connect-four").boards),
    *(Case("connect-four", board, connect_four.truth) for board in ("4x4x3", "4x4x4", "3x5x3")),
    *(Case("othello", board, othello.truth) for board in game("othello").boards),
    *(Case("kalah", board, kalah.truth) for board in (*game("kalah").boards, "6x1", "6x3", "3x3", "4x2")),
    *(Case("hex", board, hex.truth) for board in (*game("hex").boards, "3x3", "5x5")),
    Case("hex", "4x4", partial(hex.truth, most_for_winner=10), plies=2, longest=12),
    *(Case("dots-and-boxes", board, dots_and_boxes.truth) for board in game("dots-and-boxes").boards),
    Case("pop-out", "6x7", pop_out.truth, plies=4, longest=40),
    Case("draughts", "8x8", draughts.truth, plies=4, longest=100),
]
DEEP_CASES = [
    *(
        Case("connect-four", board, partial(connect_four.truth, most_empty=11))
        for board in ("6x7x4", "5x6x4")
    ),
    *(Case("othello", board, partial(othello.truth, most_empty=10)) for board in game("othello").boards),
    Case("kalah", "6x4", partial(kalah.truth, most_seeds=15)),
    Case("dots-and-boxes", "5x5", partial(dots_and_boxes.truth, most_lines=12), plies=12),
    *(Case("hex", board, partial(hex.truth, most_empty=10)) for board in ("5x5", "7x7")),
    Case("hex", "4x4", partial(hex.truth, most_for_winner=13), plies=2, longest=12, wanted=40),
    Case("pop-out", "6x7", pop_out_far.truth, plies=4, longest=30, wanted=5),
    Case("draughts", "8x8", partial(draughts.truth, plies=4), plies=4, longest=100, wanted=5),
]


@dataclass(frozen=True)
class Position:
    """A position near the end of a random game, with its true value and those of its moves."""

    state: State
    names: tuple[str, ...]
    truth: Score
    after: dict[Move, Score]


def random_game(case: Case, rng: Random) -> list[tuple[State, Move]]:
    """Return the states of a game with the moves made.

    A third of the games is random. In a third nobody ends the game who need not, and in the last nobody
    allows it either, so that wins lie deeper.
    """
    state, played, caution = case.start(), list[tuple[State, Move]](), rng.randrange(3)
    while state.outcome() is None:
        after = {move: state.play(move) for move in state.legal_moves()}
        quiet = [move for move, following in after.items() if caution and following.outcome() is None]
        safe = [move for move in quiet if caution == 2 and len(after) < 15 and not can_end(after[move])]
        played.append((state, rng.choice(safe or quiet or list(after))))
        state = after[played[-1][1]]
    return played


def can_end(state: State) -> bool:
    return any(state.play(move).outcome() is not None for move in state.legal_moves())


def positions(case: Case, wanted: int, first_seed: int = 0) -> Iterator[Position]:
    """Yield so many positions of random games whose values the oracle knows."""
    found = (position for seed in count(first_seed) for position in positions_of_game(case, seed))
    return islice(found, wanted)


def positions_of_game(case: Case, seed: int) -> Iterator[Position]:
    """Yield positions of a random game whose values the oracle knows, the last one first."""
    rules, rng = game(case.game), Random(f"{case} {seed}")
    played = random_game(case, rng)
    if case.longest:
        played = played[: rng.randint(1, min(case.longest, len(played)))]
    names = tuple(rules.move_name(state, move) for state, move in played)
    for ply in range(len(played) - 1, max(-1, len(played) - 1 - case.plies), -1):
        state = played[ply][0]
        truth, after = truths(case.oracle, rules, case.board, state, names[:ply])
        if truth is None:
            return
        yield Position(state, names[:ply], truth, after)


def check_evaluators(case: Case, found: Iterable[Position], limits: Sequence[Limit] = LIMITS) -> None:
    """Hold every claim of the evaluators about these positions against the oracle."""
    make = spec_of(case.game).search.evaluator
    assert make is not None
    own, estimator = make(), Estimator(game(case.game))
    for position in found:
        state, line = position.state, " ".join(position.names)
        for limit in (*limits, Limit()) if own.proves(state) else limits:
            wrong = list(refuted(own, state, limit, position.truth, position.after))
            assert not wrong, f"{case} {line}: {wrong}"
        for estimate in (estimator.evaluate(state, limit) for limit in (ESTIMATE, Limit(nodes=20_000))):
            assert not is_refuted(estimate.score, position.truth), f"{case} {line}: {estimate}"
        if own.proves(state):
            assert own.evaluate(state, Limit()).score.exact, f"{case} {line}"


SEARCHES = {"minimax": "minimax:depth=3", "alphabeta": "alphabeta:depth=5", "mcts": "mcts:simulations=100"}
CHOICE = Limit(nodes=5_000)


def claim_of(choice: Choice) -> Score:
    """Return what a proved choice says of its position; the score's sign is the result in every unit."""
    value = choice.info.score or 0.0
    if not choice.info.proven:
        return Score()
    return Score.drawn() if value == 0 else Score.won() if value > 0 else Score.lost()


def check_agents(case: Case, found: Iterable[Position]) -> None:
    """Hold proved choices, explained values of moves and the moves of perfect levels against the oracle."""
    perfect = [level for level in levels_of(case.game, case.board) if level.is_perfect]
    for seed, position in enumerate(found):
        state, line, after = position.state, " ".join(position.names), position.after
        for key in (key for key, spec in AGENTS.items() if case.game in spec.games):
            choice = make_agent(SEARCHES.get(key, key), seed).choose(state, CHOICE)
            claim = claim_of(choice)
            for truth in (position.truth, after.get(choice.move, claim)):
                assert not is_refuted(claim, truth), f"{case} {line}: {key} {choice}, the truth is {truth}"
            if key == "minimax" and position.truth.discs is None:
                for move, value in choice.info.move_scores:
                    said = search_score(state, value)
                    assert not is_refuted(said, after.get(move, said)), f"{case} {line}: {move} {said}"
        for level in perfect:
            move = make_agent(level.agent, seed).choose(state, level.limit).move
            assert after[move].result == position.truth.result, f"{case} {line}: {level.key} plays {move}"


def check_review(case: Case, seed: int) -> None:
    """Hold every proof of a review of a random game against the oracle."""
    moves = [move for _, move in random_game(case, Random(f"{case} {seed}"))]
    found = review(game(case.game), case.board, moves, clock=lambda: 0.0, later_seconds=0.0)
    for position in positions_of_game(case, seed):
        ply = position.state.ply
        here, move = found.evaluations[ply], found.reviewed[ply]
        assert here is not None
        assert move is not None
        assert not is_refuted(here.score, position.truth), f"{case} {position.names}: {here}"
        for said, truth in ((move.before, position.truth), (move.after, position.after.get(move.move))):
            # What a move kept is the score of the position after it, without the move itself.
            kept = said if said is move.before or said.plies is None else said.earlier()
            assert truth is None or not is_refuted(kept, truth), f"{case} {position.names}: {move}"


def ranged(score: Score) -> Score:
    return Score.between(-score, score)


@pytest.mark.parametrize(
    ("claim", "truth", "is_false"),
    [
        (Score.won(5), Score.won(5), False),
        (Score.won(5), Score.won(7), True),
        (Score.won(7), Score.won(5), True),
        (Score.lost(4), Score.lost(6), True),
        (Score.won(), Score.won(9), False),
        (Score.won(), Score.drawn(), True),
        (Score.lost(), Score.drawn(), True),
        (Score.drawn(), Score.lost(), True),
        (Score.by_discs(3), Score.by_discs(4), True),
        (Score.about(3, 9, result=1), Score.by_discs(-1), True),
        (Score.about(3, 9), Score.by_discs(-1), False),
        (Score.between(Score.won(9), Score.won(5)), Score.won(7), False),
        (Score.between(Score.won(9), Score.won(5)), Score.won(11), True),
        (Score.between(Score.won(9), Score.won(5)), Score.won(3), True),
        (ranged(Score.won(13)), Score.won(11), True),
        (ranged(Score.won(13)), Score.lost(14), False),
        (Score.won(3), ranged(Score.won(5)), True),
        (Score.won(5), ranged(Score.won(5)), False),
        (Score.likely(-1.0), Score.won(1), False),
        (Score(), Score.won(1), False),
    ],
)
def test_a_claim_is_refuted_by_a_value_outside_its_range(claim: Score, truth: Score, is_false: bool) -> None:
    assert is_refuted(claim, truth) is is_false
    assert is_refuted(-claim, -truth) is is_false


SLOW = (
    "tic-tac-toe",
    "othello",
    "pop-out",
    "draughts",
    "hex-11x11",
    "hex-7x7",
    "connect-four-9",
    "connect-four-10",
)
"""Their oracles take long, or their searches load much, or few of their games come near the end."""
REVIEWED = [
    case
    for case in CASES
    if case.board in game(case.game).boards and case.board.startswith(("3x3", "5x6", "6x", "7x7", "8x8"))
]


def some(cases: list[Case], slow: tuple[str, ...]) -> list[Any]:
    """Return the cases for `parametrize`, of which some are slow."""
    return [
        pytest.param(case, id=str(case), marks=pytest.mark.slow if str(case).startswith(slow) else ())
        for case in cases
    ]


@pytest.mark.parametrize("case", some(CASES, SLOW))
def test_whatever_an_evaluator_proves_near_the_end_is_true(case: Case) -> None:
    check_evaluators(case, positions(case, 6))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("board", "seed"),
    [("6x6", 5009), ("6x6", 5024), ("6x6", 5033), ("6x6", 5040), ("8x8", 5037), ("8x8", 5040)],
)
def test_a_search_of_othello_that_ends_between_winner_and_margin_keeps_the_winner(
    board: str, seed: int
) -> None:
    case = Case("othello", board, othello.truth)
    check_evaluators(case, positions_of_game(case, seed))


@pytest.mark.parametrize("case", some(CASES, SLOW))
def test_whatever_an_agent_proves_near_the_end_is_true(case: Case) -> None:
    check_agents(case, positions(case, 3, first_seed=100))


@pytest.mark.slow
@pytest.mark.parametrize("case", REVIEWED, ids=str)
def test_whatever_a_review_proves_near_the_end_is_true(case: Case) -> None:
    check_review(case, seed=200)


FAR = (*LIMITS, Limit(nodes=500_000), Limit(nodes=500_000, threads=2))


@pytest.mark.slow
@pytest.mark.parametrize("case", DEEP_CASES, ids=str)
def test_whatever_an_evaluator_proves_further_from_the_end_is_true(case: Case) -> None:
    check_evaluators(case, positions(case, case.wanted, first_seed=300), FAR)


def test_every_game_with_an_evaluator_has_an_oracle() -> None:
    assert {case.game for case in CASES} | {"gomoku"} == {
        key for key, spec in SPECS.items() if spec.search.evaluator
    }


def boards_of(level: Level) -> tuple[str, ...]:
    return level.boards or game(level.games[0]).boards


def test_every_perfect_level_is_held_against_an_oracle() -> None:
    perfect = {
        (key, board)
        for level in LEVELS
        if level.is_perfect
        for key in level.games
        for board in boards_of(level)
    }
    assert perfect <= {(case.game, case.board) for case in CASES}
