"""Claims of exactness about whole boards, all endings of a kind, and positions that others have scored."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from engine.agents import make_agent
from engine.analysis.game_tree import fits_whole, whole_tree
from engine.core import Limit, State, replay
from engine.games import game
from engine.games.claims import is_refuted
from engine.games.connect_four.early_scores import early_scores
from engine.games.connect_four.evaluator import ConnectFourEvaluator
from engine.games.connect_four.rules import ConnectFourState
from engine.games.draughts.evaluator import DraughtsEvaluator
from engine.games.draughts.kernels.endings import ending_of
from engine.games.draughts.rules import DraughtsState
from engine.games.draughts.searcher import endings, words_of
from engine.games.hex.evaluator import HexEvaluator
from engine.games.hex.rules import HexState
from engine.games.tic_tac_toe.evaluator import TicTacToeEvaluator
from engine.score import Score
from tests.contracts.oracles import connect_four, draughts, hex, tic_tac_toe
from tests.contracts.test_exact import claim_of
from tests.slow_cases import mark_slow

PONS = json.loads((Path(__file__).parents[1] / "data" / "connect_four_scores.json").read_text("utf-8"))
SLOW_SETS = ("Test_L1_R2", "Test_L1_R3")
"""Their positions are early and far from the end."""


@pytest.mark.parametrize("name", mark_slow(PONS["positions"], lambda name: name in SLOW_SETS))
def test_connect_four_has_the_scores_that_pascal_pons_published(name: str) -> None:
    start, evaluator, perfect = game("connect-four").start(), ConnectFourEvaluator(), make_agent("perfect")
    for moves, stones in PONS["positions"][name].items():
        state = replay(start, [int(column) - 1 for column in moves])
        found = evaluator.evaluate(state, Limit())
        assert found.score == connect_four.score_of_stones(stones, 42 - len(moves)), moves
        assert evaluator.solve(state, Limit()).score == found.score
        assert perfect.choose(state, Limit()).info.score == stones
        assert found.best is not None
        after = state.play(found.best)
        if after.outcome() is None:
            assert (-evaluator.solve(after, Limit()).score).earlier() == found.score


TROMP = {1: 44_473, -1: 16_635, 0: 6_449}
"""John Tromp, Connect-4 opening database (UCI Machine Learning Repository, 1995), class distribution: results
for the first player of the positions after eight plies in which neither side can win at once, one of each two
mirror images."""


@pytest.mark.slow
def test_the_stored_results_of_eight_plies_are_as_many_as_john_tromp_counted() -> None:
    level: set[connect_four.Columns] = {("",) * 7}
    for _ in range(8):
        after = {connect_four.dropped(one, at) for one in level for at in range(7) if len(one[at]) < 6}
        level = {min(one, one[::-1]) for one in after if not connect_four.has_line(one, "O", 4, 6)}
    early, found = early_scores(8), Counter[int]()
    for columns in level:
        turned = tuple(column.translate(connect_four.SWAP) for column in columns)
        if not any(connect_four.wins_at_once(one, 4, 6) for one in (columns, turned)):
            own, mask = (
                sum(
                    1 << 7 * at + row
                    for at, discs in enumerate(columns)
                    for row, disc in enumerate(discs)
                    if disc in marks
                )
                for marks in ("X", "XO")
            )
            score = early.score_of(ConnectFourState(own=own, mask=mask, ply=8))
            assert score is not None, columns
            found[(score > 0) - (score < 0)] += 1
    assert found == TROMP


def every_position(start: State, rules_key: str) -> Iterator[tuple[State, tuple[str, ...]]]:
    """Yield every position that can follow and is not over, once, with the moves that lead there."""
    rules, level = game(rules_key), dict[State, tuple[str, ...]]({start: ()})
    while level:
        yield from level.items()
        following = {
            state.play(move): (*names, rules.move_name(state, move))
            for state, names in level.items()
            for move in state.legal_moves()
        }
        level = {state: names for state, names in following.items() if state.outcome() is None}


@pytest.mark.slow
def test_every_position_of_tic_tac_toe_has_its_value() -> None:
    evaluator, seen = TicTacToeEvaluator(), 0
    for state, names in every_position(game("tic-tac-toe").start(), "tic-tac-toe"):
        assert evaluator.evaluate(state, Limit()).score == tic_tac_toe.truth("3x3", names), names
        seen += 1
    assert seen == 4_520, "5,478 positions less 958 that are over"


def test_every_node_of_a_whole_tree_has_its_value() -> None:
    state = replay(game("tic-tac-toe").start(), [4, 0, 8, 2])
    assert fits_whole(state)
    nodes = [node for level in whole_tree(state) for node in level]
    for node in nodes:
        cells = "".join("." if owner is None else "XO"[owner] for owner in node.state.cells())
        result, _ = tic_tac_toe.outcome(cells)
        assert node.value == (result if node.state.ply % 2 == state.ply % 2 else -result), cells
    assert len(nodes) > 50


@pytest.mark.slow
def test_every_position_of_hex_on_3x3_has_no_false_proof() -> None:
    evaluator, proved, seen = HexEvaluator(), 0, 0
    for state, names in every_position(HexState(3), "hex"):
        truth = hex.truth("3x3", names)
        if truth is not None:
            found = evaluator.evaluate(state, Limit(nodes=100)).score
            assert not is_refuted(found, truth), names
            seen, proved = seen + 1, proved + found.is_proved
    assert proved > seen / 2


def state_of(key: draughts.Key, *, is_turned: bool = False) -> DraughtsState:
    """Return the ending; is_turned: the same for the second player."""
    cells = key[::-1].translate(draughts.TURNED) if is_turned else key
    first, second, kings = (
        sum(1 << square + square // 8 for square, piece in enumerate(cells) if piece in kind)
        for kind in ("bB", "wW", "BW")
    )
    return DraughtsState((first, second), kings, int(is_turned))


def byte_of(score: Score) -> int:
    return 0 if score.plies is None else 1 + score.plies


@pytest.mark.parametrize("pieces", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_every_ending_of_draughts_has_its_value(pieces: int) -> None:
    table = endings()
    for key in draughts.all_keys(pieces):
        truth = draughts.score_of_ending(key, pieces)
        for is_turned in (False, True):
            at = ending_of(*words_of(state_of(key, is_turned=is_turned)))
            assert table[at] == byte_of(truth), (key, is_turned)


@pytest.mark.parametrize("pieces", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_an_evaluation_of_an_ending_of_draughts_is_its_value(pieces: int) -> None:
    evaluator, rng = DraughtsEvaluator(), Random(pieces)
    for key in rng.sample(draughts.all_keys(pieces), 25):
        state, truth = state_of(key, is_turned=rng.random() < 0.5), draughts.score_of_ending(key, pieces)
        if state.outcome() is None:
            assert evaluator.evaluate(state, Limit(nodes=5_000)).score == truth, key
            for hurry in (Limit(nodes=1), Limit(nodes=2), Limit(nodes=4)):
                assert not is_refuted(evaluator.evaluate(state, hurry).score, truth), key
                assert not is_refuted(evaluator.evaluate_moves(state, hurry).score, truth), key
                claim = claim_of(make_agent("jumping:depth=4").choose(state, hurry))
                assert not is_refuted(claim, truth), key
