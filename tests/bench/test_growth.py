"""The plan for growth: its arithmetic, and the simulations of the three numbers that decide."""

from __future__ import annotations

from random import Random

import pytest

from bench.growth import (
    ALLOWED_A_SECOND,
    CHANGE_SECONDS,
    COMMIT_SECONDS,
    MOST_WAIT,
    Habits,
    Load,
    requests_wait,
    searches_wait,
    threads_for,
    writes_wait,
)

LARGEST = Load(250_000, Habits())


def test_ten_million_people_cost_fewer_requests_than_discord_allows_since_presses_carry_the_answers() -> None:
    assert LARGEST.people == 10_000_000
    assert LARGEST.requests < ALLOWED_A_SECOND < LARGEST.requests_of_its_own
    assert requests_wait(LARGEST.requests, 300.0, Random(1)).p95 < 0.5
    assert requests_wait(LARGEST.requests_of_its_own, 300.0, Random(1)).p95 > 60


@pytest.mark.parametrize("busy", [0.3, 0.6, 0.9])
def test_requests_wait_as_queueing_theory_says(busy: float) -> None:
    rate = busy * ALLOWED_A_SECOND
    found = requests_wait(rate, 20_000 / rate, Random(2))
    # One server, arrivals at random, equal times: the mean wait; the median lies below, p95 above.
    mean = busy / (2 * ALLOWED_A_SECOND * (1 - busy))
    assert found.median < mean < found.p95 < 8 * mean + 0.02


@pytest.mark.slow
def test_with_the_threads_of_the_plan_searches_hardly_wait_and_with_too_few_they_wait_for_ever() -> None:
    threads = threads_for(LARGEST, MOST_WAIT, Random(3))
    assert LARGEST.searching < threads < 2 * LARGEST.searching
    assert searches_wait(LARGEST, threads, 300.0, Random(4)).p95 < 2 * MOST_WAIT
    assert searches_wait(LARGEST, int(LARGEST.searching / 2), 300.0, Random(4)).p95 > 60


def test_one_writer_of_sqlite_carries_fifty_thousand_servers_and_not_a_quarter_of_a_million() -> None:
    smaller = Load(50_000, Habits())
    carried = writes_wait(smaller.writes, CHANGE_SECONDS, COMMIT_SECONDS, 60.0, Random(5))
    assert carried.busy < 0.7
    assert carried.p95 < 0.05
    assert writes_wait(LARGEST.writes, CHANGE_SECONDS, COMMIT_SECONDS, 60.0, Random(5)).busy > 0.99


def test_other_habits_give_another_plan() -> None:
    fuller = Load(250_000, Habits(bytes_a_match=2 * LARGEST.habits.bytes_a_match))
    assert fuller.storage_a_year == pytest.approx(2 * LARGEST.storage_a_year)
    assert Load(250_000, Habits(daily=0.1)).presses == pytest.approx(2 * LARGEST.presses)
