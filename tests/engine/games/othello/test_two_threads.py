"""Two threads with one table agree with one thread, and both end when told to."""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.core import Limit, Stop
from engine.games.othello.agent import PatternAgent
from engine.games.othello.position import Position
from engine.games.othello.searcher import EXACT, LARGEST, Iteration, Searcher, weights_for
from engine.kernels import two_threads
from engine.kernels.running import running
from tests.engine.games.othello.positions import random_twin, read_board, state_of

FFO = {
    row["number"]: row
    for row in json.loads((Path(__file__).parents[3] / "data" / "ffo.json").read_text("utf-8"))["positions"]
}


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second thread begins with the first, so that short searches have two as well."""
    monkeypatch.setattr(two_threads, "_HELPER_DELAY_SECONDS", 0)


def positions(count: int, empties: int) -> Iterator[Position]:
    rng = random.Random(31)
    for _ in range(count):
        yield Position.of(state_of(random_twin(8, rng, empties)))


def searched(here: Position, threads: int, deepest: int = LARGEST) -> tuple[Searcher, Iteration]:
    searcher = Searcher(weights_for(8), 14)
    with running(Limit()) as run:
        searcher.begin(run, threads)
        *_, last = searcher.deepen(here, deepest)
    return searcher, last


@pytest.mark.parametrize("empties", [13, 16])
def test_two_threads_prove_what_one_proves(empties: int) -> None:
    for here in positions(6, empties):
        alone, (both, found) = searched(here, 1)[1], searched(here, 2)
        assert found.is_proven
        assert found.value == alone.value
        # Whichever move it is, of several that are worth as much: the value is its own.
        child = here.after(found.square)
        with running(Limit()) as run:
            both.begin(run)
            assert both.value(child, child.count, EXACT) == -found.value


def test_table_entries_of_two_threads_are_true_for_one() -> None:
    for here in positions(3, 15):
        both, _ = searched(here, 2)
        for square in range(64):
            if here.empties >> square & 1 and here.after(square).own != here.opposing:
                child = here.after(square)
                with running(Limit()) as run:
                    both.begin(run)
                    assert both.value(child, child.count, EXACT) == _value_of(child)


def _value_of(here: Position) -> int:
    fresh = Searcher(weights_for(8), 14)
    with running(Limit()) as run:
        fresh.begin(run)
        return fresh.value(here, here.count, EXACT)


@pytest.mark.slow
def test_two_threads_solve_a_published_endgame() -> None:
    _, found = searched(Position.of(read_board(FFO[42]["board"])), 2)
    assert found.is_proven
    assert found.value == FFO[42]["value"]


def test_both_threads_end_when_told_to() -> None:
    here, stop = Position.of(read_board(FFO[49]["board"])), Stop()
    searcher = Searcher(weights_for(8), 14)
    clock = threading.Timer(0.1, stop.set)
    with running(Limit(stop=stop)) as run:
        searcher.begin(run, 2)
        clock.start()
        assert not [each for each in searcher.deepen(here, LARGEST) if each.is_proven]
    assert searcher.has_stopped
    clock.join()
    assert not [thread for thread in threading.enumerate() if thread.name.endswith("twin")]


def test_a_node_limit_is_enforced_with_one_thread() -> None:
    searcher = Searcher(weights_for(8), 14)
    with running(Limit(nodes=5000)) as run:
        searcher.begin(run, 2)
        list(searcher.deepen(Position.of(read_board(FFO[40]["board"])), LARGEST))
    assert searcher.nodes == 5000


@pytest.mark.slow
def test_an_agent_with_two_threads_respects_its_time_limit() -> None:
    state = read_board(FFO[49]["board"])
    began = time.thread_time()
    choice = PatternAgent(book=0).choose(state, Limit(seconds=0.3, threads=2))
    assert choice.move in state.legal_moves()
    assert time.thread_time() - began < 1
