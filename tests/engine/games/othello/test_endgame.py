"""The exact end beside a search of everything, and the published values of the FFO positions."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from engine.core import Limit, Stop
from engine.games.othello.kernels.endgame import is_above, solve
from engine.games.othello.position import Position
from engine.games.othello.searcher import Searcher, weights_for
from engine.kernels.running import running
from tests.engine.games.othello.positions import random_twin, read_board, solved, state_of

FFO = json.loads((Path(__file__).parents[3] / "data" / "ffo.json").read_text("utf-8"))["positions"]
QUICK = (40, 41)


def searcher(limit: Limit = Limit(), bits: int = 12) -> Searcher:  # noqa: B008 (frozen)
    made = Searcher(weights_for(8), bits, bits)
    with running(limit) as run:
        made.begin(run)
    return made


def whole(one: Searcher, here: Position, alpha: int = -64, beta: int = 64) -> int:
    return solve(one.address, here.own, here.opposing, alpha, beta, here.empties, here.parity)


@pytest.mark.parametrize("size", [8, 6])
@pytest.mark.parametrize("empties", [*range(1, 8), pytest.param(8, marks=pytest.mark.slow)])
def test_the_value_agrees_with_a_full_search(size: int, empties: int) -> None:
    rng = random.Random(empties)
    one = searcher()
    for _ in range(12 if empties < 7 else 4):
        twin = random_twin(size, rng, empties)
        assert whole(one, Position.of(state_of(twin))) == solved(twin)
        solved.cache_clear()


@pytest.mark.parametrize("empties", [1, 2, 3, 4, 5, 7, pytest.param(8, marks=pytest.mark.slow)])
def test_a_null_window_returns_a_true_bound_on_the_right_side(empties: int) -> None:
    rng = random.Random(empties)
    for _ in range(6):
        twin = random_twin(8, rng, empties)
        here, value = Position.of(state_of(twin)), solved(twin)
        for alpha in (value - 2, value - 1, value, value + 1, -40, -1, 0, 40):
            one = searcher()  # an empty table: every question is answered afresh
            answer = is_above(one.address, here.own, here.opposing, alpha, here.empties, here.parity)
            assert (answer > alpha) == (value > alpha)
            assert answer <= value if answer > alpha else answer >= value
        solved.cache_clear()


def test_a_search_with_a_full_table_agrees_with_one_without() -> None:
    rng = random.Random(3)
    small = searcher(bits=2)  # in both tables everything is soon overwritten
    large = searcher(bits=16)
    for _ in range(5):
        here = Position.of(state_of(random_twin(8, rng, 12)))
        first = whole(large, here)
        assert whole(small, here) == first
        assert whole(large, here) == first
        assert whole(large, here, first - 1, first + 1) == first


@pytest.mark.parametrize("empties", [9, 14])
def test_the_table_saves_nodes_until_it_is_cleared(empties: int) -> None:
    one = searcher()
    here = Position.of(state_of(random_twin(8, random.Random(6), empties)))
    nodes = []
    for forget in (False, False, True):
        if forget:
            one.forget()
        before = one.nodes
        is_above(one.address, here.own, here.opposing, -1, here.empties, here.parity)
        nodes.append(one.nodes - before)
    assert nodes[0] == nodes[2] > nodes[1]


@pytest.mark.parametrize("row", [row for row in FFO if row["number"] in QUICK], ids=lambda row: row["number"])
def test_ffo_positions_have_their_published_values(row: dict[str, object]) -> None:
    here = Position.of(read_board(str(row["board"])))
    one = Searcher(weights_for(8), 18)
    with running(Limit()) as run:
        one.begin(run)
        *_, last = one.deepen(here, 64)
    assert last.is_proven
    assert last.value == row["value"]


def test_the_ffo_file_holds_the_ten_positions() -> None:
    assert [row["number"] for row in FFO] == list(range(40, 50))
    for row in FFO:
        assert read_board(row["board"]).outcome() is None
        assert len(row["board"]) == 66


@pytest.mark.slow
def test_a_narrow_window_finds_the_winner() -> None:
    rng = random.Random(9)
    one = searcher()
    for _ in range(20):
        twin = random_twin(8, rng, 7)
        value = solved(twin)
        assert one.sign(Position.of(state_of(twin))) == (value > 0) - (value < 0)
        solved.cache_clear()


def test_a_raised_flag_ends_the_search_and_stores_nothing_wrong() -> None:
    stop = Stop()
    stop.set()
    here = Position.of(read_board(FFO[4]["board"]))
    one = Searcher(weights_for(8), 12)
    with running(Limit(stop=stop)) as run:
        one.begin(run)
        assert list(one.deepen(here, 64)) == []
    assert one.has_stopped
    assert one.nodes == 0
