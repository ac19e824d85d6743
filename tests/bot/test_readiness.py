"""Readiness: which searches wait for compiled code, how long, and what is compiled next."""

from __future__ import annotations

import pytest

from bot.search.readiness import Readiness
from engine.agents.warm import STAGES, needed
from engine.games import SPECS

SECONDS = {stage.key: stage.seconds for stage in STAGES}


class Time:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_agents_without_kernels_never_wait_and_a_ready_process_lacks_nothing() -> None:
    cold, warm = Readiness(), Readiness(is_ready=True)
    for game, spec in SPECS.items():
        assert not cold.lacks("random", game)
        assert cold.seconds_left("one-step", game) is None
        assert not warm.lacks(spec.search.evaluator_kind, game)
    assert cold.lacks("perfect", "connect-four")
    assert cold.lacks("overlooking", "connect-four")
    assert (warm.missing, warm.seconds_left_in_all) == ({}, 0)


def test_what_is_wanted_is_compiled_next_and_its_wait_leaves_out_the_others() -> None:
    time, told = Time(), list[str]()
    readiness = Readiness(clock=time)
    readiness.want("bridges", "hex")
    readiness.begin(told.append)
    readiness.seconds_left("sower", "kalah")
    readiness.seconds_left("bridges", "hex")
    assert told == ["bridges", "sower"]
    first = STAGES[0].seconds
    assert readiness.seconds_left("bridges", "hex") == pytest.approx(first + SECONDS["bridges"], abs=5)
    assert readiness.seconds_left_in_all == pytest.approx(sum(SECONDS.values()), abs=5)


def test_the_wait_shrinks_with_time_and_grows_on_a_slow_machine() -> None:
    time = Time()
    readiness = Readiness(clock=time)
    readiness.begin(lambda _: None)
    before = readiness.seconds_left_in_all
    time.now += 20
    readiness.finish(STAGES[0].key)
    slow = readiness.seconds_left_in_all
    assert slow > 1.5 * before
    time.now += 3600
    assert 0 < readiness.seconds_left_in_all <= slow, "a stage that takes longer than expected is nearly over"
    for stage in STAGES[1:]:
        readiness.finish(stage.key)
    assert (readiness.seconds_left_in_all, readiness.seconds_left("pattern", "othello")) == (0, None)


def test_every_usual_evaluator_of_a_game_waits_for_its_kernels() -> None:
    """Otherwise it would compile them itself, while the bot answers nobody."""
    assert {game: needed(spec.search.evaluator_kind, game) for game, spec in SPECS.items()} == {
        "connect-four": "perfect", "othello": "pattern", "tic-tac-toe": "tic-tac-toe", "pop-out": "pop-out",
        "gomoku": "threats", "kalah": "sower", "draughts": "jumping", "dots-and-boxes": "boxer",
        "hex": "bridges",
    }  # fmt: skip
