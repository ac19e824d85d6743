"""Two threads with one table agree with one thread, and both end when told to."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from engine.core import Limit, Stop, replay
from engine.games.connect_four import ConnectFourState
from engine.games.connect_four.early_scores import NO_SCORES
from engine.games.connect_four.exact_solver import ConnectFourSolver
from engine.kernels import two_threads
from tests.working import told_to_stop

START = ConnectFourState()
LONG = replay(START, [6, 6, 6, 4, 4, 6, 2, 4, 1, 0, 0, 1])
"""3.5 million nodes."""
BY_TWO = Limit(threads=2)
TRIES = 5


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second thread begins with the first, so that short searches have two as well."""
    monkeypatch.setattr(two_threads, "_HELPER_DELAY_SECONDS", 0)


def states(count: int, plies: int) -> Iterator[ConnectFourState]:
    rng = random.Random(29)
    for _ in range(count):
        state = START
        while state.ply < plies:
            following = state.play(rng.choice(state.legal_moves()))
            state = following if following.outcome() is None else START
        yield state


@pytest.mark.parametrize(("plies", "count"), [(12, 8), (13, 12), (16, 40), (21, 40)])
def test_two_threads_find_what_one_finds(plies: int, count: int) -> None:
    alone, both = ConnectFourSolver(early=NO_SCORES), ConnectFourSolver(early=NO_SCORES)
    for state in states(count, plies):
        assert both.solve(state, BY_TWO) == alone.solve(state), f"\n{state}"
        assert both.best(state, BY_TWO) == alone.best(state), f"\n{state}"
        assert both.analyze(state, BY_TWO) == alone.analyze(state), f"\n{state}"


def test_table_entries_of_two_threads_are_true_for_one() -> None:
    solver = ConnectFourSolver(early=NO_SCORES)
    for state in states(8, 13):
        solver.solve(state, BY_TWO)
        for move in state.legal_moves():
            after = state.play(move)
            if after.outcome() is None:
                assert solver.solve(after) == ConnectFourSolver(early=NO_SCORES).solve(after), f"\n{after}"


@pytest.mark.slow
def test_both_threads_end_when_told_to() -> None:
    solver = ConnectFourSolver()
    solver.solve(LONG, Limit(threads=2, nodes=1))  # loads what it needs
    for _ in range(TRIES):
        with told_to_stop(0.02) as telling:
            found = solver.solve(LONG, Limit(threads=2, stop=telling.stop))
        assert telling.late_seconds < 0.2
        if found is None:
            break
        solver = ConnectFourSolver()
    else:
        pytest.fail("it was never told while it solved")
    assert not [thread for thread in threading.enumerate() if thread.name.endswith("twin")]
    assert solver.solve(LONG, Limit(threads=2, seconds=0.005)) is None
    assert solver.solve(LONG, BY_TWO) == 0


def test_a_node_limit_is_enforced_with_one_thread() -> None:
    solver = ConnectFourSolver(early=NO_SCORES)
    assert solver.solve(LONG, Limit(nodes=1000, threads=2)) is None
    assert solver.nodes == 1000


def test_the_second_thread_answers_where_the_first_would_take_longer() -> None:
    answers = two_threads.first_of_two(_until_raised(first := Stop()), first.flag, lambda: 7, Stop().flag)
    assert answers == 7
    assert two_threads.first_of_two(lambda: 5, Stop().flag, _until_raised(second := Stop()), second.flag) == 5
    assert two_threads.first_of_two(lambda: None, Stop().flag, lambda: None, Stop().flag) is None


def _until_raised(stop: Stop) -> Callable[[], int | None]:
    def ask() -> int | None:
        while not stop.is_set():
            time.sleep(0.001)
        return None

    return ask
