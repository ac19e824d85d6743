"""The perfect agent: its solver, its random choices, and its fallback without time."""

from __future__ import annotations

import random
import threading
import time

import pytest

from engine.agents import make_agent
from engine.core import EngineError, Limit, Player, State, replay
from engine.games import GAMES
from engine.games.connect_four import ConnectFourState
from engine.games.connect_four.early_scores import key_of
from engine.games.connect_four.exact_solver import ConnectFourSolver
from tests.working import measured, told_to_stop

START = ConnectFourState()
BEYOND_THE_FILES = replay(START, [6, 6, 6, 4, 4, 6, 2, 4, 1, 0, 0, 1])
"""Beyond the plies whose scores are stored; it takes 3.5 million nodes, about a third of a second."""
TRIES = 5
"""A busy machine may delay a thread longer than this once, but hardly this often in a row."""


def test_it_knows_the_only_winning_first_move() -> None:
    """Allis, A Knowledge-based Approach of Connect-Four, 1988."""
    for seed in range(5):
        choice = make_agent("perfect:spread=6", seed).choose(START, Limit())
        assert (choice.move, choice.info.score, choice.info.proven) == (3, 1.0, True)
        assert choice.info.nodes == 0


@pytest.mark.slow
def test_it_chooses_at_random_among_equal_moves_and_keeps_the_score() -> None:
    solver, rng, varied = ConnectFourSolver(), random.Random(3), 0
    for number in range(30):
        state = START
        while state.ply < 4 + number % 9:
            following = state.play(rng.choice(state.legal_moves()))
            state = following if following.outcome() is None else START
        values = solver.analyze(state)
        assert values is not None
        best = max(values.values())
        made = {make_agent("perfect", seed).choose(state, Limit()).move for seed in range(6)}
        assert all(values[move] == best for move in made), f"\n{state}"
        loose = {make_agent("perfect:spread=6", seed).choose(state, Limit()).move for seed in range(6)}
        assert all((values[move] > 0) - (values[move] < 0) == (best > 0) - (best < 0) for move in loose)
        assert all(values[move] >= best - 6 for move in loose)
        varied += len(loose) > 1
    assert varied > 5


def test_equal_seeds_make_equal_choices() -> None:
    state = replay(START, [3, 3, 2])
    one, other = ([make_agent("perfect:spread=6", seed).choose(state, Limit()).move for seed in range(8)]
                  for _ in range(2))  # fmt: skip
    assert one == other


@pytest.mark.slow
def test_an_agent_with_slips_sometimes_errs_but_never_misses_a_win_in_one() -> None:
    solver, rng, given = ConnectFourSolver(), random.Random(5), 0
    for seed in range(60):
        state = START
        while state.ply < 14:
            following = state.play(rng.choice(state.legal_moves()))
            state = following if following.outcome() is None else START
        values = solver.analyze(state)
        assert values is not None
        move = make_agent("perfect:slips=100", seed).choose(state, Limit()).move
        best = max(values.values())
        given += values[move] < best
        if best == (43 - state.ply) >> 1:
            assert values[move] == best
    assert 5 < given < 50


def test_early_slips_happen_at_first_and_rarely_at_the_end_of_the_opening() -> None:
    late = replay(START, [3, 3, 3, 3, 3, 2, 2, 2, 1, 1, 5, 5])
    early, later = (
        sum(
            not make_agent("perfect:early=100", seed).choose(state, Limit()).info.proven for seed in range(40)
        )
        for state in (START, late)
    )
    assert early == 40
    assert later < 8


def test_keys_are_unique_up_to_mirror_images() -> None:
    rng, seen = random.Random(4), dict[tuple[int, bool], object]()
    for _ in range(300):
        moves: list[int] = []
        while len(moves) < 12 and replay(START, moves).legal_moves():
            moves.append(rng.choice(replay(START, moves).legal_moves()))
        state, image = replay(START, moves), replay(START, [6 - move for move in moves])
        assert isinstance(state, ConnectFourState)
        assert isinstance(image, ConnectFourState)
        key, is_mirrored = key_of(state.own, state.mask)
        assert key_of(image.own, image.mask)[0] == key
        assert seen.setdefault((key, is_mirrored), state.cells()) == state.cells()


def test_the_first_player_never_loses_its_won_game() -> None:
    for seed, opponent in enumerate(("one-step", "alphabeta:depth=6", "mcts:simulations=2000")):
        other = make_agent(opponent, seed)
        perfect = make_agent("perfect")
        state: State = START
        while state.outcome() is None:
            if state.to_move is Player.FIRST:
                choice = perfect.choose(state, Limit())
                assert choice.info.proven
                assert choice.info.score is not None
                assert choice.info.score > 0
            else:
                choice = other.choose(state, Limit())
            state = state.play(choice.move)
        outcome = state.outcome()
        assert outcome is not None
        assert outcome.winner is Player.FIRST


@pytest.mark.parametrize("limit", [Limit(seconds=0.1), Limit(nodes=50_000), Limit(nodes=1), Limit(depth=4)])
def test_without_time_for_an_exact_answer_it_is_alpha_beta(limit: Limit) -> None:
    make_agent("perfect").choose(BEYOND_THE_FILES, Limit(nodes=50))  # loads what it needs
    with measured() as work:
        choice = make_agent("perfect").choose(BEYOND_THE_FILES, limit)
    assert choice.move in BEYOND_THE_FILES.legal_moves()
    assert not choice.info.proven
    assert choice.info.nodes <= (limit.nodes or 10**9)
    if limit.seconds is not None:
        assert work.seconds < 1.0


def test_the_solver_leaves_enough_time_for_the_fallback() -> None:
    hurry = Limit(seconds=0.1)
    assert any(make_agent("perfect").choose(BEYOND_THE_FILES, hurry).info.depth >= 4 for _ in range(TRIES))


def test_solving_stops_when_told_from_another_thread() -> None:
    for _ in range(TRIES):
        with told_to_stop(0.05) as telling:
            choice = make_agent("perfect").choose(BEYOND_THE_FILES, Limit(stop=telling.stop))
        assert choice.move in BEYOND_THE_FILES.legal_moves()
        assert telling.late_seconds < 1.0
        if telling.was_told:
            assert not choice.info.proven
            return
    pytest.fail("it was never told while it solved")


@pytest.mark.slow
def test_a_solving_thread_lets_other_threads_run() -> None:
    def ticks_meanwhile() -> int:
        thread = threading.Thread(target=make_agent("perfect").choose, args=(BEYOND_THE_FILES, Limit()))
        ticks = 0
        thread.start()
        while thread.is_alive():
            time.sleep(0.005)
            ticks += 1
        return ticks

    assert any(ticks_meanwhile() >= 10 for _ in range(TRIES))


def test_an_interrupted_solver_returns_nothing() -> None:
    solver = ConnectFourSolver()
    hurry = Limit(nodes=1000)
    assert solver.solve(BEYOND_THE_FILES, hurry) is None
    assert solver.nodes <= 1000
    assert solver.analyze(BEYOND_THE_FILES, hurry) is None
    assert solver.best(BEYOND_THE_FILES, hurry) is None


def test_an_interrupted_search_leaves_only_true_table_entries() -> None:
    solver, fresh = ConnectFourSolver(), ConnectFourSolver()
    for seed in range(30):
        rng, state = random.Random(seed), START
        while state.ply < 16:
            following = state.play(rng.choice(state.legal_moves()))
            state = following if following.outcome() is None else START
        for nodes in (100, 1000, 5000):
            solver.solve(state, Limit(nodes=nodes))
        assert solver.solve(state) == fresh.solve(state)


def test_the_solver_refuses_other_games_and_boards() -> None:
    solver = ConnectFourSolver()
    over = replay(START, [0, 1, 0, 1, 0, 1, 0])
    for method in (solver.solve, solver.analyze, solver.best):
        with pytest.raises(EngineError, match="6x7x4 only"):
            method(GAMES["connect-four"].start("5x6x4"))
        with pytest.raises(EngineError, match="6x7x4 only"):
            method(GAMES["othello"].start())
        with pytest.raises(EngineError, match="the game is over"):
            method(over)
