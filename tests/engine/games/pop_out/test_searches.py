"""Pop Out's compiled searches and its evaluator follow the rules and prove only true results."""

from __future__ import annotations

from random import Random

import pytest

from engine.agents import make_agent
from engine.core import EndReason, Limit, Move, Outcome, State
from engine.games import game, spec_of
from engine.games.conformance import playout
from engine.games.notation import parse_moves
from engine.games.pop_out.evaluator import PopOutEvaluator
from engine.games.pop_out.rules import PopOutState, as_pop_out
from engine.games.pop_out.search import PopOutSearch
from engine.games.pop_out.search_board import PopOutBoard
from engine.kernels.control import INFINITY
from engine.kernels.heuristic_values import DECIDED, WIN
from engine.kernels.running import running
from engine.kernels.transposition import new_memory
from engine.score import Score

RULES = game("pop-out")


def states(seed: int, games: int) -> list[tuple[State, Move]]:
    rng = Random(seed)
    return [step for _ in range(games) for step in playout(spec_of("pop-out"), "6x7", rng)]


def after(text: str) -> State:
    state: State = RULES.start()
    for move in parse_moves(RULES, None, text):
        state = state.play(move)
    return state


def test_the_searches_moves_agree_with_the_rules() -> None:
    for state, _ in states(1, 30):
        assert isinstance(state, PopOutState)
        board = PopOutBoard(state.own, state.mask)
        squares = [square for group in board.groups for square in group]
        assert sorted(map(board.move_of, squares)) == list(state.legal_moves())
        for square in squares:
            following = state.play(board.move_of(square))
            assert board.after(square) == (following.own, following.mask)


def value(state: State, depth: int) -> int:
    """Return 1, 0 or -1 for the side to move: the result forced within `depth` plies, by the rules alone."""
    outcome = state.outcome()
    if outcome is not None:
        return 0 if outcome.winner is None else 1 if outcome.winner is state.to_move else -1
    if depth == 0:
        return 0
    return max(-value(state.play(move), depth - 1) for move in state.legal_moves())


@pytest.mark.slow
def test_alpha_beta_agrees_with_the_plain_rules() -> None:
    found = set()
    for state, _ in states(2, 8)[::3]:
        choice = make_agent("alphabeta:depth=3").choose(state, Limit())
        score = choice.info.score or 0
        decided = (score > 900_000) - (score < -900_000)
        assert decided == value(state, 3)
        found.add(decided)
    assert found == {-1, 0, 1}


@pytest.mark.parametrize("agent", ["one-step", "alphabeta:depth=2", "mcts:simulations=200"])
def test_a_pop_is_played_if_only_a_pop_makes_four(agent: str) -> None:
    state = after("154223345145")
    assert RULES.move_name(state, make_agent(agent).choose(state, Limit()).move) == "p4"


def test_the_evaluator_proves_wins_with_their_length_and_nothing_at_the_start() -> None:
    found = PopOutEvaluator().evaluate(after("4433"), Limit(seconds=5))
    assert found.score == Score.won(3)
    assert found.best in {1, 4}
    lost = PopOutEvaluator().evaluate(after("44335"), Limit(seconds=5))
    assert lost.score == Score.lost(2)
    assert PopOutEvaluator().evaluate(RULES.start(), Limit(depth=8)).score == Score()


def test_nothing_is_proved_once_a_position_has_repeated() -> None:
    state = after("43p4p343" + "4433")
    assert isinstance(state, PopOutState)
    assert state.has_repeated
    assert PopOutEvaluator().evaluate(state, Limit(seconds=1)).score == Score()


def test_alpha_beta_knows_which_move_draws_by_repetition() -> None:
    """Red has two open discs, but the position before Red's move would come for the third time."""
    again = "71p7p1"
    state = after("4433" + again + "71p7")
    pop = RULES.parse_move(state, "p1")
    assert state.play(pop).outcome() == Outcome(None, EndReason.REPETITION)
    once = after("4433" + "71p7")
    assert [values_of(each)[pop] for each in (state, once)] == [0, pytest.approx(-WIN, abs=9)]


def values_of(state: State) -> dict[Move, float]:
    return dict(make_agent("minimax:depth=5").choose(state, Limit()).info.move_scores)


@pytest.mark.slow
def test_the_evaluator_scores_every_move() -> None:
    moves = PopOutEvaluator().evaluate_moves(after("443355"), Limit(seconds=3)).moves
    assert moves[1] == Score.won(1)
    assert moves[5] == Score.won(1)


def test_a_strong_player_forces_what_a_plain_search_finds() -> None:
    found = 0
    for state, _ in states(4, 8)[::5]:
        expected = value(state, 3)
        choice = make_agent("popping:depth=6,selective=1", 1).choose(state, Limit())
        if expected and not as_pop_out(state).has_repeated:
            assert choice.info.score is not None
            assert (choice.info.score > DECIDED) - (choice.info.score < -DECIDED) == expected
            assert choice.info.proven
            found += 1
    assert found > 5


def test_a_move_back_to_a_position_of_the_match_counts_as_a_draw() -> None:
    back = RULES.parse_move(after("1111p1"), "p1")
    assert as_pop_out(after("1111p1").play(back)).times == 2
    for text, is_back in (("1111p1", True), ("112111p1", False)):
        state = after(text)
        with running(Limit()) as run:
            search = PopOutSearch(state, run, new_memory(8))
            assert (search.value(back, 4, -INFINITY, INFINITY) == 0) == is_back
