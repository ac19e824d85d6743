"""Gomoku's agent takes fives, stops fours, proves wins by threats, and opens evenly under swap2."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import reduce
from operator import or_
from random import Random

import numpy as np
import pytest

from engine.agents import make_agent
from engine.agents.levels import Level, levels_of
from engine.core import Limit, Move, State, Stop
from engine.games import game, spec_of
from engine.games.conformance import playout
from engine.games.gomoku.evaluator import GomokuEvaluator
from engine.games.gomoku.kernels import board as kernel
from engine.games.gomoku.kernels import search
from engine.games.gomoku.rules import GomokuState
from engine.games.gomoku.searcher import (
    MAX_FOURS_NODES,
    SHAPES_OF_SQUARE,
    VALUES,
    GomokuSearcher,
    Worths,
    shape,
    shape_table,
    worths,
)
from engine.games.gomoku.sight import noticed
from engine.kernels.control import INFINITY
from engine.kernels.running import running
from engine.score import Score

RULES = game("gomoku")

CROWDED = (
    "l13 i2 k9 m12 k12 j11 l11 m10 l10 l9 k8 m11 k10 k11 m13 k13 m8 l12 j14 l8 l7 k6 k7 j7 l5 j6 m6 "
    "j9 j5 k5 l4 i9 h8 o9 n10 j12 j10 i11 h10 i10 l6 l3 i8 i13 i12 h11 g11 f13 g12 h14 g15 m5 g9 g10 "
    "k4 l14 m15 n3"
)
"""Fours can be made here in more than three million orders, of which one wins at once: n7."""


def after(moves: str, board: str = "15x15") -> GomokuState:
    state: State = RULES.start(board)
    for name in moves.split():
        state = state.play(RULES.parse_move(state, name))
    assert isinstance(state, GomokuState)
    return state


def named(state: State, move: Move | None) -> str:
    return "" if move is None else RULES.move_name(state, move)


@pytest.mark.parametrize(
    ("window", "made"),
    [
        ("oooooxxxx", kernel.FIVE),
        ("x.oooo.xx", kernel.OPEN_FOUR),
        ("xxoooo.xx", kernel.FOUR),
        ("o.oooxxxx", kernel.FOUR),
        ("xo.ooo.ox", kernel.OPEN_FOUR),
        ("xx.ooo..x", kernel.OPEN_THREE),
        ("xxxooo..x", kernel.THREE),
        ("x..oo...x", kernel.OPEN_TWO),
        ("xxxxoxxxx", kernel.NOTHING),
    ],
)
def test_the_shape_of_a_line_counts_one_more_disc(window: str, made: int) -> None:
    assert shape(window) == made


def test_the_table_knows_a_shape_of_either_side_from_its_code() -> None:
    rng = Random(4)
    for _ in range(200):
        digits = [rng.randrange(4) for _ in range(8)]
        code = sum(digit << 2 * place for place, digit in enumerate(digits))
        for side, half in ((1, 0), (2, 32)):
            marks = ["." if digit == 0 else "o" if digit == side else "x" for digit in digits]
            made = shape("".join([*marks[:4], "o", *marks[4:]]))
            assert int(shape_table()[code]) >> half & 0xFFFF == VALUES[made]


def test_any_four_shapes_have_a_sum_and_a_worth_of_their_own() -> None:
    sums = {sum(VALUES[each] for each in shapes) for shapes in SHAPES_OF_SQUARE}
    assert len(sums) == len(SHAPES_OF_SQUARE) == 210
    assert max(sums) < kernel.SUMS
    assert set(worths().own) == set(worths().other) == set(SHAPES_OF_SQUARE)
    assert Worths.parse(worths().write()) == worths()


@pytest.mark.parametrize("board", ["9x9", "15x15"])
def test_an_estimate_is_the_sum_of_the_worths_of_all_empty_squares(board: str) -> None:
    size, compared = int(board.split("x")[0]), 0
    with running(Limit()) as run:
        for state, _ in playout(spec_of("gomoku"), board, Random(8))[::7]:
            assert isinstance(state, GomokuState)
            searcher = GomokuSearcher(state, run)
            marks = state.cells()
            kinds = [
                [shapes_on(marks, size, square, player) for square in range(size**2) if marks[square] is None]
                for player in (0, 1)
            ]
            for player in (0, 1):
                assert searcher.squares(player) == kinds[player]
                if any(max(shapes) >= kernel.FOUR for shapes in kinds[player]) or any(
                    max(shapes) == kernel.FIVE for shapes in kinds[1 - player]
                ):
                    continue  # a search looks further than the estimate
                compared += 1
                assert searched(searcher, player) == worths().move + sum(
                    worths().own[own] + worths().other[other]
                    for own, other in zip(kinds[player], kinds[1 - player], strict=True)
                )
    assert compared > 5


def searched(searcher: GomokuSearcher, player: int) -> int:
    """The value of a search without depth, the player to move."""
    value: int = search.search(searcher._place, player + 1, 0, -INFINITY, INFINITY, 1, 8)
    return value


def shapes_on(marks: Sequence[int | None], size: int, square: int, player: int) -> tuple[int, ...]:
    """The shapes that the player's disc makes on the square, in order."""
    row, column = divmod(square, size)
    made = []
    for down, right in ((0, 1), (1, -1), (1, 0), (1, 1)):
        window = ""
        for step in range(-4, 5):
            r, c = row + step * down, column + step * right
            held = marks[r * size + c] if 0 <= r < size and 0 <= c < size else 1 - player
            window += "o" if step == 0 or held == player else "." if held is None else "x"
        made.append(shape(window))
    return tuple(sorted(made))


def test_the_board_does_not_depend_on_the_order_of_moves() -> None:
    rng = Random(6)
    with running(Limit()) as run:
        for state, move in playout(spec_of("gomoku"), "9x9", rng)[::5]:
            assert isinstance(state, GomokuState)
            there_and_back, fresh = GomokuSearcher(state, run), GomokuSearcher(state, run)
            there_and_back._put(move, 1)
            there_and_back._put(move, 0)
            assert np.array_equal(_board_of(there_and_back), _board_of(fresh))


def _board_of(searcher: GomokuSearcher) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """What describes the position in a searcher's memory, without addresses."""
    memory = searcher._memory
    return np.concatenate([memory[kernel.KEY : kernel.KEY + 1], memory[kernel.ESTIMATES : kernel.LINE]])


@pytest.mark.parametrize("size", [9, 13, 15])
def test_a_five_is_found_in_every_place(size: int) -> None:
    """Every four of every line on the board with its gap anywhere, against the rules."""
    rng = Random(size)
    with running(Limit()) as run:
        for _ in range(150):
            down, right = rng.choice(((0, 1), (1, 0), (1, 1), (1, -1)))
            row = rng.randrange(size - 4 * down)
            column = rng.randrange(size - 4 * right) if right >= 0 else rng.randrange(4, size)
            line = [(row + step * down) * size + column + step * right for step in range(5)]
            gap = rng.choice(line)
            discs = sum(1 << cell for cell in line if cell != gap)
            state = GomokuState(size, (discs, 0), ply=8)
            found = GomokuSearcher(state, run).fours()
            assert found is not None
            assert found.plies == 1
            outcome = state.play(found.line[0]).outcome()
            assert outcome is not None


@pytest.mark.parametrize("level", levels_of("gomoku")[2:], ids=lambda level: level.key)
def test_five_is_made_and_fours_are_stopped(level: Level) -> None:
    if "overlooks" in level.agent:
        return
    five = after("h8 h9 i8 i9 j8 j9 k8 a1")
    assert choice(level, five) in ("g8", "l8")
    stop = after("h8 a9 i8 o1 j8 a1 k8 g8 l1")
    assert choice(level, stop.play(0 + 15 * 13)) == "l8"
    threat = after("h8 a9 i8 o1 j8 a1 k8 g8 a5 b14")
    assert choice(level, threat) == "l8"


def choice(level: Level, state: GomokuState) -> str:
    return named(state, make_agent(level.agent, 1).choose(state, level.limit).move)


def test_continuous_fours_are_searched_to_their_end_and_proved() -> None:
    # Two rows of three, each shut in on one side, cross at h8: four and four at once.
    state = after("e8 d8 f8 a1 g8 a3 h5 h4 h6 c1 h7 e1")
    found = make_agent("threats:depth=1").choose(state, Limit())
    assert named(state, found.move) == "h8"
    assert found.info.proven
    evaluated = GomokuEvaluator().evaluate(state, Limit(seconds=5))
    assert evaluated.score == Score.won(3)
    assert named(state, evaluated.best) == "h8"


def test_a_four_that_also_blocks_one_end_is_no_win_where_the_other_side_makes_five_first() -> None:
    # White's open four c5 to f5 wins at b5 or g5. Black's g5 stops one end and makes an open four itself.
    state = after("g6 c5 g7 d5 g8 e5 a1 f5", "9x9")
    with running(Limit()) as run:
        assert GomokuSearcher(state, run).fours() is None
    assert GomokuEvaluator().evaluate(state, Limit(seconds=5)).score == Score.lost()
    one_end = after("g6 c5 g7 d5 g8 e5 b5 f5", "9x9")
    with running(Limit()) as run:
        found = GomokuSearcher(one_end, run).fours()
    assert found is not None, "with the other end stopped it wins"
    assert named(one_end, found.line[0]) == "g5"


FIVES = tuple(
    sum(1 << (row + step * down) * 9 + column + step * right for step in range(5))
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))
    for row in range(9 - 4 * down)
    for column in range(4 if right < 0 else 0, 9 - 4 * max(right, 0))
)
"""Every five in a row of a 9 x 9 board."""


def bits(board: int) -> Iterator[int]:
    while board:
        yield board & -board
        board &= board - 1


def five_squares(own: int, other: int) -> int:
    """The empty squares that complete a five."""
    gaps = [five & ~own for five in FIVES if not five & other]
    return reduce(or_, (gap for gap in gaps if gap.bit_count() == 1), 0)


def wins_by_fours(own: int, other: int, plies: int = 14) -> bool:
    """Whether the side to move wins by fours alone; every answer on the board is tried."""
    if five_squares(own, other):
        return True
    free = (1 << 81) - 1 & ~(own | other)
    return plies > 0 and any(
        five_squares(own | move, other)
        and not five_squares(other, own | move)
        and all(wins_by_fours(own | move, other | answer, plies - 2) for answer in bits(free & ~move))
        for move in bits(free)
    )


@pytest.mark.parametrize("fewest_threats", [0, 2])
def test_wins_by_fours_are_those_that_hold_against_every_answer(fewest_threats: int) -> None:
    """fewest_threats: squares on which the other side makes five, unless it is stopped."""
    rng, tried, won = Random(7), 0, 0
    with running(Limit()) as run:
        while tried < 150:
            discs = [0, 0]
            for side in (0, 1, 0, 1, 0, 1, 0, 1):
                line = rng.sample(list(bits(rng.choice(FIVES))), rng.choice((3, 3, 4)))
                discs[side] |= sum(line) & ~discs[1 - side]
            own, other = discs
            if any(five & side == five for five in FIVES for side in discs):
                continue
            if fewest_threats and (five_squares(own, other) or five_squares(other, own).bit_count() < 2):
                continue
            tried += 1
            state = GomokuState(9, (own, other), ply=20)
            found = GomokuSearcher(state, run).fours()
            assert (found is not None) == wins_by_fours(own, other), f"\n{state}"
            won += found is not None
    assert won == 0 if fewest_threats else 50 < won < 150


MEMORISED = "h8 i9 i7 j7 h7 h5 i6 j5 i5 g5 f5"
"""Black's moves in a line against which one version of the strongest level always lost."""


def test_wins_and_losses_by_threes_are_proved() -> None:
    won = after("h8 i9 i7 j7 h7 h5 i6 j5")
    evaluated = GomokuEvaluator().evaluate(won, Limit(seconds=20))
    assert evaluated.score == Score.won()
    lost = won.play(evaluated.line[0])
    assert GomokuEvaluator().evaluate(lost, Limit(seconds=20)).score == Score.lost()
    moves = GomokuEvaluator().evaluate_moves(lost, Limit(seconds=20)).moves
    assert set(moves.values()) == {Score.lost()}


def line_against(level: Level, seed: int) -> tuple[str, bool]:
    """The game against Black's memorised moves until one cannot be made, and whether Black won it."""
    state, agent = after(""), make_agent(level.agent, seed)
    line = []
    for name in MEMORISED.split():
        move = RULES.parse_move(RULES.start(), name)
        if state.outcome() is not None or move not in state.legal_moves():
            break
        state = state.play(move)
        if state.outcome() is None:
            state = state.play(agent.choose(state, Limit(nodes=10_000)).move)
        line.append(named(state, state.last))
    outcome = state.outcome()
    return " ".join(line), outcome is not None and outcome.winner == 0


@pytest.mark.parametrize("level", levels_of("gomoku")[-4:], ids=lambda level: level.key)
def test_a_memorised_line_meets_other_answers_and_does_not_win_again(level: Level) -> None:
    games = [line_against(level, seed) for seed in range(8)]
    assert Counter(line for line, _ in games).most_common(1)[0][1] <= 2
    assert sum(is_lost for _, is_lost in games) <= 1


@pytest.mark.parametrize("level", levels_of("gomoku"), ids=lambda level: level.key)
def test_a_level_that_is_stopped_at_once_still_moves(level: Level) -> None:
    state, stop = after("h8 i9 g7"), Stop()
    stop.set()
    for limit in (Limit(stop=stop), Limit(nodes=1), Limit(nodes=100)):
        assert make_agent(level.agent).choose(state, limit).move in state.legal_moves()


WEAK = [level for level in levels_of("gomoku") if "overlooks" in level.agent]


@pytest.mark.parametrize("level", WEAK, ids=lambda level: level.key)
def test_weak_levels_put_their_discs_near_others(level: Level) -> None:
    for seed in range(4):
        agents = [make_agent(level.agent, 2 * seed + side) for side in (0, 1)]
        state = after("h8")
        while state.outcome() is None:
            move = agents[state.to_move].choose(state, level.limit).move
            near = (
                abs(move // 15 - disc // 15) <= 2 >= abs(move % 15 - disc % 15) for disc in discs_of(state)
            )
            assert any(near)
            state = state.play(move)


def discs_of(state: GomokuState) -> list[int]:
    return [square for square, owner in enumerate(state.cells()) if owner is not None]


THREES = {
    "row": "g8 a1 h8 a3 i8",
    "diagonal": "g7 a1 h8 a3 i9",
    "broken row": "g8 a1 h8 a3 j8",
}
"""Black's three discs in a line; White is to stop them."""
STOPS = {"row": "f8 j8 e8 k8", "diagonal": "f6 j10 e5 k11", "broken row": "i8 f8 k8"}


def test_people_overlook_a_diagonal_or_a_gap_more_often_than_a_plain_row() -> None:
    seen = {}
    for name, moves in THREES.items():
        state = after(moves)
        stops = {RULES.parse_move(state, square) for square in STOPS[name].split()}
        chosen = [noticed(state, 0.5, Random(seed)) for seed in range(300)]
        seen[name] = sum(max(values, key=values.__getitem__) in stops for values in chosen)
    assert seen["row"] > 1.4 * seen["diagonal"] > 0
    assert seen["row"] > 1.2 * seen["broken row"] > 0


def test_positions_reached_by_other_orders_of_fours_are_searched_once() -> None:
    with running(Limit()) as run:
        found = GomokuSearcher(after(CROWDED), run).fours()
        assert found is not None
        assert RULES.move_name(after(CROWDED), found.line[0]) == "n7"
    with running(Limit()) as run:
        assert GomokuSearcher(after(f"{CROWDED} a1 n7"), run).fours() is None
        assert run.nodes < MAX_FOURS_NODES // 4
        assert not run.has_stopped


def test_the_search_for_fours_is_bounded() -> None:
    with running(Limit(nodes=1000)) as run:
        assert GomokuSearcher(after(f"{CROWDED} a1 n7"), run).fours() is None
        assert run.nodes_left == 500
        assert not run.has_stopped


def test_an_even_position_is_estimated_without_a_proof() -> None:
    found = GomokuEvaluator().evaluate(after("h8 h9"), Limit(depth=8))
    assert not found.score.is_proved
    assert -0.7 < found.score.expectation < 0.7


@pytest.mark.slow
def test_the_strongest_level_has_states_left_to_refute_its_own_move() -> None:
    state, level = after("a12 l15 l2 n4 k4 l6 k7 n6 j6"), levels_of("gomoku")[-1]
    move = make_agent(level.agent, 1).choose(state, level.limit).move
    with running(Limit()) as run:
        assert not GomokuSearcher(state, run).allows_threats(move, 2_000_000)
        assert not run.has_stopped


def test_under_swap2_the_better_side_is_taken_and_openings_are_even() -> None:
    agent = make_agent("threats:depth=2", 3)
    state = after("", "15x15-swap2")
    for _ in range(3):
        state = state.play(agent.choose(state, Limit()).move)
    assert abs(GomokuEvaluator().evaluate(state, Limit(depth=8)).score.expectation) < 0.5
    # Two discs in the open against one in a corner: the side that chooses takes them.
    lopsided = after("h8 a1 i9", "15x15-swap2")
    assert named(lopsided, agent.choose(lopsided, Limit()).move) == "swap"


@pytest.mark.parametrize(
    ("words", "is_swap"),
    [
        ("h8 a1 i9 two a3 h9", True),  # black has three discs in the middle, white none, and white is to move
        ("a1 h8 o15 two i9 o1", False),  # white, to move, has two in the middle, black three in the corners
    ],
)
def test_after_two_the_choice_is_between_white_to_move_and_black(words: str, is_swap: bool) -> None:
    state = after(words, "15x15-swap2")
    move = make_agent("threats:depth=2", 3).choose(state, Limit()).move
    assert move == state.swap if is_swap else move < state.swap
    found = GomokuEvaluator().evaluate(state, Limit(depth=8))
    assert (found.best == state.swap, found.score.expectation > 0) == (is_swap, True)


def test_an_agent_plays_every_phase_to_the_end_of_the_match() -> None:
    agents = [make_agent("threats:depth=1,overlooks=20", seed) for seed in (1, 2)]
    for board in RULES.boards:
        state: State = RULES.start(board)
        while state.outcome() is None:
            state = state.play(agents[state.to_move].choose(state, Limit()).move)
        assert state.ply > 8
