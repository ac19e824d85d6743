"""Connect Four on boards other than 6 x 7: bounds are true, and never claim too much."""

from __future__ import annotations

import random
from functools import cache

import pytest

from engine.agents import make_agent
from engine.agents.alphabeta import AlphaBetaAgent
from engine.agents.mcts import MctsAgent
from engine.core import EngineError, Limit, Player, State, Stop
from engine.games import GAMES
from engine.games.connect_four import ConnectFourState
from engine.games.connect_four.any_board_solver import (
    LineSolver,
    RootBounds,
    best_moves,
    empty_cells,
    of_best,
    open_moves,
)
from engine.games.connect_four.exact_solver import ConnectFourSolver
from engine.games.connect_four.kernels import bounds as line_bounds
from engine.games.connect_four.search_board import connect_four_layout
from engine.kernels import lines
from engine.kernels.heuristic_values import WIN
from tests.engine.kernels.calling import called
from tests.slow_cases import mark_slow
from tests.working import measured

winning_squares = called(lines.winning_squares)
claim_even_bound = called(line_bounds.claim_even_bound)
odd_threat_bound = called(line_bounds.odd_threat_bound)

RULES = GAMES["connect-four"]
# Odd and even rows, odd and even columns, every k, a full word of 64 bits, and the longest boards.
BOARDS = ("5x6x4", "7x8x4", "7x7x5", "6x9x4", "6x9x5", "5x5x3", "4x9x4", "8x7x4", "7x6x6", "3x12x5", "12x3x3")


def start(board: str) -> ConnectFourState:
    state = RULES.start(board)
    assert isinstance(state, ConnectFourState)
    return state


def random_state(board: str, empty: int, rng: random.Random) -> ConnectFourState:
    """Return a state that is not over, with at most `empty` empty squares."""
    while True:
        state = start(board)
        while state.outcome() is None and state.rows * state.columns - state.ply > empty:
            state = state.play(rng.choice(state.legal_moves()))
        if state.outcome() is None:
            return state


@cache
def by_the_rules(state: ConnectFourState) -> int:
    """The score, by trying everything on the game itself."""
    outcome = state.outcome()
    if outcome is None:
        return max(-by_the_rules(state.play(move)) for move in state.legal_moves())
    squares = state.rows * state.columns
    return 0 if outcome.winner is None else -((squares + 2 - state.ply) // 2)


def by_alphabeta(state: ConnectFourState) -> int:
    """The score, by the search that knows lines and nothing else: minimax's own, as its tests show."""
    info = AlphaBetaAgent(0, 64).choose(state, Limit(nodes=100_000_000)).info
    assert info.proven
    assert info.score is not None
    if info.score == 0:
        return 0
    plies = WIN - abs(int(info.score))
    stones = (state.rows * state.columns - (state.ply + plies - 1) + 1) // 2
    return stones if info.score > 0 else -stones


@pytest.mark.parametrize("count", [2, pytest.param(15, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "board", ["4x4x3", "4x4x4", pytest.param("3x5x4", marks=pytest.mark.slow), "5x4x4", "3x7x3", "4x5x4"]
)
def test_small_boards_have_the_scores_of_a_search_by_the_rules(board: str, count: int) -> None:
    rng, solver = random.Random(board), LineSolver()
    for empty in (8, 10, 12):
        for _ in range(count):
            state = random_state(board, empty, rng)
            score = by_the_rules(state)
            assert solver.solve(state) == RootBounds(score, score), f"\n{state}"
            expected = {move: -by_the_rules(state.play(move)) for move in state.legal_moves()}
            assert solver.analyze(state) == {move: RootBounds(own, own) for move, own in expected.items()}
            chosen = best_moves(solver.choose(state))
            assert chosen
            assert all(expected[move] == score for move in chosen)


@pytest.mark.parametrize("count", [6, pytest.param(30, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "board", mark_slow(BOARDS, lambda board: board in ("7x8x4", "6x9x4", "8x7x4", "12x3x3"))
)
def test_scores_agree_with_alpha_beta(board: str, count: int) -> None:
    rng, solver = random.Random(board), LineSolver()
    for _ in range(count):
        state = random_state(board, rng.randint(2, 14), rng)
        score = by_alphabeta(state)
        assert solver.solve(state) == RootBounds(score, score), f"\n{state}"


@pytest.mark.parametrize("count", [100, pytest.param(500, marks=pytest.mark.slow)])
def test_on_the_standard_board_it_agrees_with_the_exact_solver(count: int) -> None:
    rng, general, special = random.Random(1), LineSolver(), ConnectFourSolver()
    for _ in range(count):
        state = random_state("6x7x4", rng.randint(4, 26), rng)
        scores = special.analyze(state)
        assert scores is not None
        assert general.analyze(state) == {move: RootBounds(score, score) for move, score in scores.items()}


@pytest.mark.slow
def test_known_values_of_whole_boards_are_found() -> None:
    """John Tromp, connect-4 on other sizes: 5 x 6 and 4 x 7 are draws, the second player wins 6 x 6."""
    solver = LineSolver()
    assert solver.solve(start("5x6x4")) == RootBounds(0, 0)
    assert solver.solve(start("4x7x4")) == RootBounds(0, 0)
    assert solver.solve(start("6x6x4")) == RootBounds(-1, -1)


@pytest.mark.parametrize(
    "board", mark_slow(["4x7x4", "4x9x4", "6x9x5", "6x6x5", "8x7x5"], lambda board: board != "6x6x5")
)
def test_the_strategic_bounds_hold_on_other_boards(board: str) -> None:
    rng, kept = random.Random(board), 0
    shape, _, _ = connect_four_layout(*map(int, board.split("x")))
    for _ in range(300):
        state = random_state(board, rng.randint(3, 14), rng)
        if any(state.play(move).outcome() is not None for move in state.legal_moves()):
            continue
        threats = winning_squares(state.opponent, state.mask, shape)
        if state.ply % 2 == 0:
            bound = claim_even_bound(state.own, state.mask, shape)
        else:
            bound = odd_threat_bound(state.own, state.mask, threats, shape)
        if bound != line_bounds.NO_BOUND:
            assert by_alphabeta(state) <= bound, f"\n{state}"
            kept += 1
    assert kept >= 20


@pytest.mark.parametrize("board", ["7x8x4", "6x9x5", "7x7x5", "5x6x4"])
def test_an_interrupted_search_returns_only_true_bounds(board: str) -> None:
    rng, hurried = random.Random(board), LineSolver()
    for _ in range(12):
        state = random_state(board, 22, rng)
        truth = LineSolver().solve(state)
        assert truth.is_exact
        quiet = -1
        for nodes in (1, 10, 100, 1_000, 10_000):
            found = hurried.solve(state, Limit(nodes=nodes))
            assert hurried.nodes <= nodes
            assert found.low <= truth.low <= found.high
            score, end = found.score(empty_cells(state)), truth.score(empty_cells(state))
            assert score.result in (None, end.result)
            if score.exact:
                assert score == end
                continue
            before, quiet = quiet, score.depth
            assert quiet >= before, "more nodes never prove less"
            assert end.plies is None or quiet < end.plies, "nobody is said to be safe who is not"


def test_a_raised_flag_ends_the_search() -> None:
    stop = Stop()
    stop.set()
    found = LineSolver().analyze(start("7x8x4"), Limit(stop=stop))
    assert set(found) == set(range(8))
    assert best_moves(found) == ()
    assert open_moves(found) == tuple(range(8))


def test_moves_are_compared_by_their_bounds() -> None:
    bounds = {0: RootBounds(-3, -3), 1: RootBounds(-1, 4), 2: RootBounds(0, 2)}
    assert best_moves(bounds) == ()
    assert open_moves(bounds) == (1, 2)
    assert of_best(bounds) == RootBounds(0, 4)
    assert best_moves({**bounds, 1: RootBounds(-1, 0)}) == (2,), "by how much is not known"


@pytest.mark.slow
def test_one_solver_plays_on_one_board_after_another() -> None:
    rng, solver = random.Random(3), LineSolver(table_bits=6)
    for i in range(60):
        state = random_state(BOARDS[i % len(BOARDS)], 12, rng)
        score = by_alphabeta(state)
        assert solver.solve(state) == RootBounds(score, score)


def test_it_refuses_other_games_and_larger_boards() -> None:
    over = start("4x4x3")
    for move in (0, 1, 0, 1, 0):
        over = over.play(move)
    for method in (LineSolver().solve, LineSolver().analyze, LineSolver().choose):
        with pytest.raises(EngineError, match="Connect Four only, not OthelloState"):
            method(GAMES["othello"].start())
        with pytest.raises(EngineError, match="the game is over"):
            method(over)


@pytest.mark.slow
@pytest.mark.parametrize(("board", "side"), [("5x6x4", Player.FIRST), ("5x6x4", Player.SECOND)])
def test_the_perfect_agent_never_loses_a_drawn_board(board: str, side: Player) -> None:
    perfect = make_agent("perfect")
    for seed in range(3):
        other, state = MctsAgent(seed, 500), RULES.start(board)
        while state.outcome() is None:
            if state.to_move is side:
                choice = perfect.choose(state, Limit())
                assert choice.info.proven
            else:
                choice = other.choose(state, Limit())
            state = state.play(choice.move)
        outcome = state.outcome()
        assert outcome is not None
        assert outcome.winner in (None, side)


def test_the_perfect_agent_never_makes_a_move_proved_to_be_worse() -> None:
    rng, referee = random.Random(5), LineSolver()
    for _ in range(10):
        state = random_state("7x8x4", rng.randint(20, 40), rng)
        choice = make_agent("perfect").choose(state, Limit(nodes=20_000))
        assert choice.info.nodes <= 20_000
        assert choice.move in open_moves(referee.choose(state, Limit(nodes=10_000)))


@pytest.mark.parametrize("limit", [Limit(nodes=1), Limit(nodes=2), Limit(nodes=3), Limit(depth=2)])
def test_the_smallest_limits_get_a_move_on_every_board(limit: Limit) -> None:
    for board in BOARDS:
        state = start(board)
        choice = make_agent("perfect").choose(state, limit)
        assert choice.move in state.legal_moves()
        assert choice.info.nodes <= (limit.nodes or 10_000)


def test_on_a_large_board_it_claims_no_proof() -> None:
    state: State = RULES.start("7x8x4")
    make_agent("perfect").choose(state, Limit(nodes=50))  # loads what it needs
    with measured() as work:
        choice = make_agent("perfect").choose(state, Limit(seconds=0.2))
    assert not choice.info.proven
    assert sum(visits for _, visits in choice.info.visits) > 100
    assert work.seconds < 1
