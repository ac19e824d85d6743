"""The perfect agent: its book, its solver, and what it does when there is no time for either."""

from __future__ import annotations

import random
import threading
import time

import pytest

from engine.agents import make_agent
from engine.core import EngineError, Limit, Player, State, replay
from engine.games import GAMES
from engine.games.connect_four import ConnectFourState
from engine.games.connect_four.exact_solver import ConnectFourSolver
from engine.games.connect_four.opening_book import connect_four_book, key_of, stones_of
from tests.working import measured, told_to_stop

START = ConnectFourState()
OFF_THE_BOOK = replay(START, [6, 1, 0, 6, 2, 0, 2, 5, 1, 2])
"""Beyond the plies whose scores are stored; solving this takes 7 million nodes, about a third of a second."""
TRIES = 5
"""A busy machine may hold a thread up for longer than that once, but hardly so often in a row."""


def test_the_book_knows_the_value_of_the_game() -> None:
    choice = make_agent("perfect").choose(START, Limit())
    assert (choice.move, choice.info.score, choice.info.proven) == (3, 1.0, True)
    assert choice.info.nodes == 0


def test_the_book_knows_the_value_of_every_beginning() -> None:
    """Allis, A Knowledge-based Approach of Connect-Four, 1988: d wins, c and e draw, the others lose."""
    values = []
    for column in range(7):
        found = connect_four_book().find(START.play(column))
        assert found is not None
        values.append(-found[1])
    assert values == [-2, -1, 0, 1, 0, -1, -2]


def test_every_reply_to_the_books_moves_is_in_the_book() -> None:
    for side in Player:
        rng = random.Random(int(side))
        for _ in range(300):
            state = START
            while state.ply < 13 and state.outcome() is None:
                if state.to_move == side:
                    found = connect_four_book().find(state)
                    assert found is not None, f"ply {state.ply}\n{state}"
                    move = found[0]
                else:
                    move = rng.choice(state.legal_moves())
                state = state.play(move)


def test_entries_of_the_book_are_what_the_solver_says() -> None:
    book, solver, rng = connect_four_book(), ConnectFourSolver(), random.Random(2)
    late = [entry for entry in map(int, book.entries) if stones_of(entry >> 9)[1].bit_count() >= 11]
    for entry in rng.sample(late, 60):
        own, mask = stones_of(entry >> 9)
        state = ConnectFourState(own=own, mask=mask, ply=mask.bit_count())
        assert book.find(state) == solver.best(state)


def test_a_mirrored_position_gets_the_mirrored_move() -> None:
    one, other = replay(START, [3, 2]), replay(START, [3, 4])
    found, image = connect_four_book().find(one), connect_four_book().find(other)
    assert found is not None
    assert image == (6 - found[0], found[1])


def test_keys_of_the_book_tell_positions_apart() -> None:
    rng = random.Random(4)
    for _ in range(300):
        state = START
        for _ in range(rng.randrange(30)):
            if state.legal_moves():
                state = state.play(rng.choice(state.legal_moves()))
        key, is_mirrored = key_of(state.own, state.mask)
        if not is_mirrored:
            assert stones_of(key) == (state.own, state.mask)


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
    with measured() as work:
        choice = make_agent("perfect").choose(OFF_THE_BOOK, limit)
    assert choice.move in OFF_THE_BOOK.legal_moves()
    assert not choice.info.proven
    assert choice.info.nodes <= (limit.nodes or 10**9)
    if limit.seconds is not None:
        assert work.seconds < 1.0


def test_what_the_solver_leaves_of_the_time_is_enough_to_look_ahead() -> None:
    hurry = Limit(seconds=0.1)
    assert any(make_agent("perfect").choose(OFF_THE_BOOK, hurry).info.depth >= 4 for _ in range(TRIES))


def test_solving_stops_when_told_from_another_thread() -> None:
    for _ in range(TRIES):
        with told_to_stop(0.05) as telling:
            choice = make_agent("perfect").choose(OFF_THE_BOOK, Limit(stop=telling.stop))
        assert choice.move in OFF_THE_BOOK.legal_moves()
        assert telling.late_seconds < 1.0
        if telling.was_told:
            assert not choice.info.proven
            return
    pytest.fail("it was never told while it solved")


def test_a_solving_thread_lets_other_threads_run() -> None:
    def ticks_meanwhile() -> int:
        thread = threading.Thread(target=make_agent("perfect").choose, args=(OFF_THE_BOOK, Limit()))
        ticks = 0
        thread.start()
        while thread.is_alive():
            time.sleep(0.005)
            ticks += 1
        return ticks

    assert any(ticks_meanwhile() >= 10 for _ in range(TRIES))


def test_an_interrupted_solver_says_nothing_rather_than_something_wrong() -> None:
    solver = ConnectFourSolver()
    hurry = Limit(nodes=1000)
    assert solver.solve(OFF_THE_BOOK, hurry) is None
    assert solver.nodes <= 1000
    assert solver.analyze(OFF_THE_BOOK, hurry) is None
    assert solver.best(OFF_THE_BOOK, hurry) is None


def test_what_an_interrupted_search_left_in_the_table_is_right() -> None:
    solver, fresh = ConnectFourSolver(), ConnectFourSolver()
    for seed in range(30):
        rng, state = random.Random(seed), START
        while state.ply < 16:
            following = state.play(rng.choice(state.legal_moves()))
            state = following if following.outcome() is None else START
        for nodes in (100, 1000, 5000):
            solver.solve(state, Limit(nodes=nodes))
        assert solver.solve(state) == fresh.solve(state)


def test_the_solver_refuses_what_it_does_not_know() -> None:
    solver = ConnectFourSolver()
    over = replay(START, [0, 1, 0, 1, 0, 1, 0])
    for method in (solver.solve, solver.analyze, solver.best):
        with pytest.raises(EngineError, match="6x7x4 only"):
            method(GAMES["connect-four"].start("5x6x4"))
        with pytest.raises(EngineError, match="6x7x4 only"):
            method(GAMES["othello"].start())
        with pytest.raises(EngineError, match="the game is over"):
            method(over)
