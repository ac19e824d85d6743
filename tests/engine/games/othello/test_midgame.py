"""The evaluation and the midgame search beside slow twins."""

from __future__ import annotations

import random
from functools import cache

import numpy as np
import pytest

from engine.core import Limit, Player, replay
from engine.games import game
from engine.games.notation import parse_moves
from engine.games.othello.kernels.context import EXACT, FEATURE_BYTES, FEATURES_AT
from engine.games.othello.kernels.midgame import END_SQUARES, NO_MARGIN
from engine.games.othello.kernels.multi_probcut import margins
from engine.games.othello.kernels.patterns import UNIT, PatternWeights
from engine.games.othello.kernels.shapes import (
    CONTENTS,
    FEATURE_OFFSETS,
    INSTANCES,
    PACKED,
    PHASES,
    SHAPES,
    SWAPPED,
    WEIGHTS,
    phase_of,
)
from engine.games.othello.position import Position
from engine.games.othello.searcher import LARGEST, Searcher, schedule, weights_for
from engine.kernels.running import running
from tests.engine.games.othello.positions import random_twin, read_board, state_of
from tests.engine.kernels.kernel_twins import OthelloTwin
from tests.working import measured

Packed = np.ndarray[tuple[int, int], np.dtype[np.int16]]


@cache
def random_weights() -> PatternWeights:
    """Return small random weights: the search must be correct with any weights."""
    return PatternWeights(random_packed())


@cache
def random_packed() -> Packed:
    return np.random.default_rng(5).integers(-150, 150, (PHASES, WEIGHTS + 1)).astype(np.int16)


def slow_value(packed: Packed, twin: OthelloTwin) -> int:
    """Return the evaluation for the side to move, treated as black, in 1/UNIT disc."""
    phase = phase_of(twin.size**2 - len(twin.own | twin.other))
    total = int(packed[phase, -1])
    for (_, squares), offset in zip(INSTANCES, FEATURE_OFFSETS, strict=True):
        content = 0
        for square in squares:
            content = 3 * content + (square in twin.own) + 2 * (square in twin.other)
        total += int(packed[phase, PACKED[offset + content]])
    return total


def slow_search(packed: Packed, twin: OthelloTwin, depth: int) -> int:
    if not twin.moves():
        margin = twin.margin()
        empty = twin.size**2 - len(twin.own | twin.other)
        return margin + (empty if margin > 0 else -empty if margin < 0 else 0)
    if depth == 0:
        return min(63, max(-63, (slow_value(packed, twin) + UNIT // 2) // UNIT))
    if not twin.placements():
        return -slow_search(packed, twin.swapped(), depth)
    return max(-slow_search(packed, twin.play(move), depth - 1) for move in twin.placements())


def searching(weights: PatternWeights) -> Searcher:
    made = Searcher(weights, 12)
    with running(Limit()) as run:
        made.begin(run)
    return made


def test_the_shapes_cover_every_square_and_number_their_contents_once() -> None:
    assert {square for _, squares in INSTANCES for square in squares} == set(range(64))
    assert len(INSTANCES) == 46
    assert sum(3 ** len(squares) for squares in SHAPES) == CONTENTS
    assert set(PACKED) == set(range(WEIGHTS))
    assert np.array_equal(SWAPPED[SWAPPED], np.arange(CONTENTS)), (
        "exchanging the colours twice changes nothing"
    )


@pytest.mark.slow
def test_the_evaluation_is_the_sum_of_the_weights_of_all_patterns() -> None:
    rng = random.Random(1)
    one = searching(random_weights())
    for _ in range(60):
        twin = random_twin(8, rng, rng.randrange(1, 60))
        expected = slow_value(random_packed(), twin)
        for player in Player:
            assert one.evaluate(Position.of(state_of(twin, player))) * UNIT == expected


def test_the_evaluation_is_the_same_from_all_eight_sides() -> None:
    rng = random.Random(2)
    one = searching(weights_for(8))
    for _ in range(20):
        twin = random_twin(8, rng, rng.randrange(5, 50))
        turned = OthelloTwin(
            8,
            frozenset(8 * (s % 8) + 7 - s // 8 for s in twin.own),
            frozenset(8 * (s % 8) + 7 - s // 8 for s in twin.other),
        )
        mirrored = OthelloTwin(8, frozenset(s ^ 7 for s in twin.own), frozenset(s ^ 7 for s in twin.other))
        values = {one.evaluate(Position.of(state_of(each))) for each in (twin, turned, mirrored)}
        assert len(values) == 1


def test_incrementally_updated_features_match_the_position() -> None:
    """A search of one ply leaves the features of the last searched move in the row below."""
    rng = random.Random(3)
    one, fresh = searching(random_weights()), searching(random_weights())

    def row(searcher: Searcher, count: int) -> list[int]:
        start = FEATURES_AT + FEATURE_BYTES // 8 * count
        features: list[int] = searcher._block[start : start + 12].view(np.int16)[:46].tolist()
        return features

    for _ in range(40):
        twin = random_twin(8, rng, rng.randrange(20, 60))
        for player in Player:
            here = Position.of(state_of(twin, player))
            one.value(here, 1, EXACT)
            after = here.after(max(twin.placements()))  # moves are searched from a1 on
            fresh.evaluate(after)
            assert row(one, after.count) == row(fresh, after.count)


@pytest.mark.slow
@pytest.mark.parametrize("size", [8, 6])
def test_a_full_width_search_agrees_with_minimax(size: int) -> None:
    rng = random.Random(size)
    one = searching(random_weights())
    for depth in (0, 1, 2, 3):
        for _ in range(8 if depth == 3 else 20):
            twin = random_twin(size, rng, rng.randrange(END_SQUARES + 4, size * size - 4))
            expected = slow_search(random_packed(), twin, depth)
            here = Position.of(state_of(twin))
            assert one.value(here, depth, EXACT) == expected
            assert one.value(here, depth, EXACT, expected - 1, expected) >= expected
            assert one.value(here, depth, EXACT, expected, expected + 1) <= expected


def test_deepening_ends_with_the_value_of_the_deepest_search() -> None:
    rng = random.Random(8)
    one, other = searching(weights_for(8)), searching(weights_for(8))
    for _ in range(5):
        here = Position.of(state_of(random_twin(8, rng, 30)))
        *_, last = one.deepen(here, 5)
        assert last.value == other.value(here, 5, EXACT)
        assert last.depth == 5
        assert not last.is_proven


def test_a_selective_search_to_the_end_is_close_to_the_exact_one() -> None:
    rng = random.Random(6)
    one = searching(weights_for(8))
    errors = []
    for _ in range(12):
        here = Position.of(state_of(random_twin(8, rng, 15)))
        one.forget()
        careless = one.value(here, here.count, 0)
        errors.append(abs(careless - one.value(here, here.count, EXACT)))
    assert np.mean(errors) < 4


def test_the_schedule_deepens_and_ends_with_the_exact_search() -> None:
    for count in range(1, 61):
        steps = schedule(count, LARGEST)
        assert steps[-1] == (count, EXACT)
        assert [depth for depth, _ in steps] == sorted(depth for depth, _ in steps)
    assert schedule(50, 4) == [(1, EXACT), (2, EXACT), (3, EXACT), (4, EXACT)]


def test_margins_grow_with_confidence_and_exact_never_cuts() -> None:
    table = margins()
    assert (np.diff(table[:EXACT].astype(int), axis=0) >= 0).all()
    assert (table[EXACT] == NO_MARGIN).all()
    assert table[0, 30, 8] > 0


def test_the_weights_are_small_and_load_fast() -> None:
    from engine.games.othello.searcher import WEIGHT_FILES

    for path in WEIGHT_FILES.values():
        assert path.stat().st_size <= 4 * 2**20
    with measured() as work:
        weights_for.__wrapped__(8)
    assert work.seconds < 1.0, "0.05 s on a usual machine"


def test_an_extra_corner_is_worth_several_discs() -> None:
    one = searching(weights_for(8))
    quiet = "------------------XOOO----OXXO----OOXX-----XOX------------------ X"
    corner = "X-------" + quiet[8:]
    assert one.evaluate(Position.of(read_board(corner))) > one.evaluate(Position.of(read_board(quiet))) + 3


def test_the_start_is_nearly_even() -> None:
    for size in (8, 6):
        made = searching(weights_for(size))
        assert abs(made.evaluate(Position.of(game("othello").start(f"{size}x{size}")))) < 8


NAMED = [
    ("8x8", "", 4.5703125),
    ("8x8", "f5d6c3", 3.140625),
    ("8x8", "f5f6e6f4", 4.015625),
    ("8x8", "c4c3d3c5b2", 14.0859375),
    ("6x6", "", 5.984375),
]


@pytest.mark.parametrize(("board", "moves", "discs"), NAMED)
def test_named_positions_keep_their_evaluation(board: str, moves: str, discs: float) -> None:
    """Update these numbers for new weights, once those have won their match."""
    rules = game("othello")
    state = replay(rules.start(board), parse_moves(rules, board, moves))
    assert searching(weights_for(state.rows)).evaluate(Position.of(state)) == discs
