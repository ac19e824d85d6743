"""Hex's search follows the rules, and its bridges prove only true results."""

from __future__ import annotations

from functools import cache
from random import Random

import pytest

from engine.agents import make_agent
from engine.agents.levels import levels_of
from engine.analysis.evaluators import ESTIMATE
from engine.core import Limit, Player
from engine.games import spec_of
from engine.games.hex.evaluator import HexEvaluator
from engine.games.hex.proofs import HexProver
from engine.games.hex.rules import HexState
from engine.games.hex.searcher import bridges, simulated
from engine.games.reasons import Why
from engine.kernels.running import running
from engine.score import Score
from tests.engine.games.hex.test_rules import RULES, after

JOINED = "d4 b4 e2 b5 c6 f3"
"""Red's stones on 7 × 7 join both edges by bridges, and red is to move."""

AS_MEASURED = {
    "wim": "d2 d4 b2",
    "jorn": "i3 c9 c4",
    "lieke": "i3 c9 d5",
    "klaas": "i3 c9 d5",
    "marit": "e8 c9 b6",
    "siem": "d6 c9 d5",
    "rena": "g4 c9 c6",
    "otis": "i3 c8 c6",
}
"""Each level's moves with seed 7 in three positions; ratings are recounted from old matches against them."""

WINNING = "g1 c2 e2 f2 g2 b3 c3 d3 e3 f3 a4 b4 c4 d4 e4 f4 g4 b5 c5 d5 e5 f5 a6 b6 c6 e6 a7"
"""The first stones that win on 7 × 7, as the regression tests of Benzene, a solver of others, list them."""


@cache
def wins(state: HexState) -> bool:
    """Whether the side to move wins, by trying everything."""
    return any(state.play(move).won or not wins(state.play(move)) for move in state.legal_moves())


def positions(size: int, stones: int, seed: int, count: int) -> list[HexState]:
    rng = Random(seed)
    found: list[HexState] = []
    while len(found) < count:
        state = HexState(size)
        while state.ply < stones and state.outcome() is None:
            state = state.play(rng.choice(state.legal_moves()))
        if state.outcome() is None:
            found.append(state)
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("size", "stones"), [(3, 3), (3, 4), (4, 6), (4, 7)])
def test_bridges_prove_only_true_wins(size: int, stones: int) -> None:
    proved = 0
    for state in positions(size, stones, seed=size, count=150):
        winner = state.to_move if wins(state) else state.to_move.other
        for player in Player:
            if bridges(state, player) is not None:
                proved += 1
                assert player is winner, str(state)
    assert proved > 20


@pytest.mark.slow
@pytest.mark.parametrize(("size", "stones"), [(3, 2), (4, 5), (4, 6)])
def test_must_play_regions_prove_only_true_results(size: int, stones: int) -> None:
    further = 0
    with running(Limit()) as run:
        prover = HexProver(run)
        for state in positions(size, stones, seed=size, count=100):
            win, loss = prover.win(state, 2, state.free), prover.loss(state, 2)
            assert win is None or wins(state), str(state)
            assert loss is None or not wins(state), str(state)
            further += (win or loss) is not None and all(bridges(state, player) is None for player in Player)
    assert further > 20


def test_a_proof_bounds_the_moves_until_the_end() -> None:
    state = after(f"{JOINED} a1", "7x7")
    chain = bridges(state, Player.FIRST)
    assert chain is not None
    score = HexEvaluator().evaluate(state, Limit(nodes=200)).score
    assert (score.low, score.high) == (Score.lost(2), Score.lost(len(chain)))


def test_bridges_join_two_edges_until_one_is_attacked_twice() -> None:
    state = after(JOINED, "7x7")
    cells = bridges(state, Player.FIRST)
    assert cells is not None
    assert bridges(state, Player.SECOND) is None
    cut = state.play(next(move for move in state.legal_moves() if move not in cells)).play(cells[0])
    assert bridges(cut, Player.FIRST) is None


def test_a_search_tries_every_legal_cell_and_no_other() -> None:
    state = after("a1 b2 c3 d4", "7x7")
    with running(Limit(nodes=200)) as run:
        tried = simulated(state, run, seed=1)
    assert tuple(sorted(tried)) == state.legal_moves()
    assert sum(found.visits for found in tried.values()) == 200


def test_the_search_finds_the_winning_stone_and_stops_the_other_sides() -> None:
    almost = "d1 a2 d2 b2 d3 a4 d5 c6 d6 g6 d7"
    for moves, best in ((f"{almost} a7", "d4"), (almost, "d4")):
        state = after(moves, "7x7")
        choice = make_agent("bridges", 3).choose(state, Limit(nodes=400))
        assert RULES.move_name(state, choice.move) == best


def test_a_strong_first_stone_is_taken_over_and_a_weak_one_is_not() -> None:
    for moves, is_swap in (("f6", True), ("a1", False)):
        state = after(moves)
        assert (make_agent("bridges", 1).choose(state, Limit(nodes=3000)).move == state.swap) is is_swap


def test_on_the_small_board_exactly_the_winning_first_stones_are_taken_over() -> None:
    agent, taken = make_agent("bridges:solved=1", 1), []
    for cell in range(49):
        state = HexState(7).play(cell)
        if agent.choose(state, Limit(nodes=50)).move == state.swap:
            taken.append(RULES.move_name(HexState(7), cell))
    assert " ".join(taken) == WINNING


def test_a_joined_chain_is_finished_without_detours() -> None:
    state = after(f"{JOINED} a1 g1", "7x7")
    agents = [make_agent("bridges", seed) for seed in (1, 2)]
    stones = state.ply
    while state.outcome() is None:
        state = state.play(agents[state.to_move].choose(state, Limit(nodes=100)).move)
    outcome = state.outcome()
    assert outcome is not None
    assert outcome.winner is Player.FIRST
    assert state.ply - stones <= 10


def test_early_moves_take_few_simulations_but_not_the_decision_to_take_a_stone_over() -> None:
    agent, limit = make_agent("bridges:early=4", 1), Limit(nodes=900)
    nodes = [agent.choose(after(moves), limit).info.nodes for moves in ("a1", "a1 b2", "a1 b2 c3 d4")]
    assert nodes == [900, 600, 900]


def test_equal_seeds_make_equal_choices_and_others_open_differently() -> None:
    state = after("b4")
    first = [make_agent("bridges", seed).choose(state, Limit(nodes=300)).move for seed in (*range(8), 0)]
    assert first[0] == first[-1]
    assert len(set(first)) > 2


@pytest.mark.slow
def test_the_levels_play_as_they_did_when_they_were_measured() -> None:
    states = [after("b4"), after("f6 swap c4 e7"), after("d4 b4 e2", "7x7")]
    moves = {
        level.key: [make_agent(level.agent, 7).choose(state, level.limit).move for state in states]
        for level in levels_of("hex")
    }
    for key, named in AS_MEASURED.items():
        assert [RULES.move_name(state, move) for state, move in zip(states, moves[key], strict=True)] == (
            named.split()
        )


def test_the_evaluator_proves_chains_and_estimates_the_rest() -> None:
    evaluator, state = HexEvaluator(), after(f"{JOINED} a1", "7x7")
    assert evaluator.evaluate(state, Limit(nodes=200)).score.result == -1
    opening = evaluator.evaluate_moves(after("c2"), Limit(nodes=500))
    assert opening.score.result is None
    assert set(opening.moves) == set(after("c2").legal_moves())


def test_estimates_agree_before_and_after_the_best_move() -> None:
    """Few simulations can all be won, by chance: then both sides would seem to be far ahead."""
    for state in positions(11, 12, 3, 4):
        found = HexEvaluator().evaluate(state, ESTIMATE)
        reply = HexEvaluator().evaluate(state.play(found.line[0]), ESTIMATE)
        assert abs(found.score.expectation + reply.score.expectation) < 0.3


def test_without_time_nothing_is_known() -> None:
    state = after("f6 swap c4 e7", "11x11")
    found = HexEvaluator().evaluate_moves(state, Limit(seconds=1e-9))
    assert set(found.moves) == set(state.legal_moves())
    assert not found.score.is_proved


def test_a_stopped_search_still_gives_a_legal_move() -> None:
    limit = Limit(nodes=1)
    for moves in ("", "c2", "c2 d4"):
        state = after(moves)
        assert make_agent("bridges", 5).choose(state, limit).move in state.legal_moves()


def test_reasons_name_bridges_and_chains() -> None:
    def whys(moves: str, move: str) -> list[Why]:
        state = after(moves, "7x7")
        return [reason.why for reason in spec_of("hex").teach.reasons(state, RULES.parse_move(state, move))]

    assert whys("d4 a1", "e2") == [Why.BRIDGE]
    assert Why.HOLDS_BRIDGE in whys("d4 a1 e2 d3", "e3")
    assert Why.SURE_CHAIN in whys("d4 b4 e2 b5", "c6")
    assert whys("d4 a1", "g7") == []
