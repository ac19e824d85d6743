"""Every kind of reason that Connect Four gives agrees with the solver, the rules or plain counting."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import pytest

from engine.analysis.explanation import reasons
from engine.core import Player
from engine.games import game
from engine.games.connect_four import ConnectFourState
from engine.games.connect_four.kernels import bounds
from engine.games.connect_four.kernels.board import FOUR
from engine.games.connect_four.plans import (
    deciding_threat,
    has_line,
    is_well_placed,
    plans,
    threats,
    winning_squares,
)
from engine.games.reasons import Why
from engine.kernels import lines
from tests.engine.games.connect_four.plain_connect_four import PlainSolver, random_position, seed
from tests.engine.kernels.calling import called

WINS_BY_PROOF = {Why.TWO_THREATS, Why.FORCES, Why.THREAT_DECIDES, Why.FOLLOW_UP_WINS, Why.EVEN_ROWS_WIN}
HOLDS_BY_PROOF = {Why.FOLLOW_UP_HOLDS, Why.LINES_STOPPED}


def positions(count: int, number: int) -> Iterator[tuple[ConnectFourState, int]]:
    """Yield states and moves: from random play without immediate wins, and answers on top of a stone."""
    seed(number)
    rng = random.Random(number)
    for i in range(count):
        if i % 2:
            own, mask = random_position(14 + i // 2 % 23, i % 10 / 10)
            state = ConnectFourState(own=own, mask=mask, ply=mask.bit_count())
            yield from ((state, move) for move in state.legal_moves())
        else:
            yield from answers_that_lead_to(in_pairs(rng))


def answers_that_lead_to(state: ConnectFourState) -> Iterator[tuple[ConnectFourState, int]]:
    """If the second player has a plan there."""
    if not plans(state):
        return
    for move in range(7):
        stones = state.mask >> 7 * move & 63
        top = (stones ^ stones >> 1) << 7 * move
        if top & state.opponent:
            yield ConnectFourState(own=state.opponent ^ top, mask=state.mask ^ top, ply=state.ply - 1), move


def in_pairs(rng: random.Random) -> ConnectFourState:
    """Return a state with the first player to move, no line, and an even number of stones per column."""
    while True:
        heights = [rng.choice((0, 2, 4, 4, 6)) for _ in range(7)]
        squares = [7 * column + row for column, height in enumerate(heights) for row in range(height)]
        if not 14 <= len(squares) <= 36:
            continue
        own = sum(1 << square for square in rng.sample(squares, len(squares) // 2))
        mask = sum(1 << square for square in squares)
        state = ConnectFourState(own=own, mask=mask, ply=len(squares))
        if not has_line(state, own) and not has_line(state, own ^ mask):
            return state


@pytest.mark.slow
@pytest.mark.parametrize("count", [500, pytest.param(6_000, marks=pytest.mark.slow)])
def test_reasons_that_claim_a_win_or_a_draw_agree_with_the_solver(count: int) -> None:
    solver, said = PlainSolver(), Counter[Why]()
    for state, move in positions(count, 1):
        after = state.play(move)
        found = [reason for reason in reasons(state, move) if reason.why in WINS_BY_PROOF | HOLDS_BY_PROOF]
        score = -solver.score(after.own, after.mask) if found else 0
        for reason in found:
            said[reason.why] += 1
            assert score >= (0 if reason.why in HOLDS_BY_PROOF else 1), f"{reason}\n{state}{move}"
            if reason.why in (Why.TWO_THREATS, Why.FORCES):
                moves = 2 if reason.why is Why.TWO_THREATS else reason.number
                assert (42 - state.ply + 1) // 2 - score + 1 <= moves, f"{reason}\n{state}{move}"
    assert set(said) == WINS_BY_PROOF | HOLDS_BY_PROOF, said
    assert min(said.values()) >= count // 400, said


@pytest.mark.slow
@pytest.mark.parametrize("count", [3_000, pytest.param(40_000, marks=pytest.mark.slow)])
def test_plans_are_found_exactly_if_the_compiled_bounds_prove_them(count: int) -> None:
    claim_even, odd_threat = called(bounds.claim_even_bound), called(bounds.odd_threat_bound)
    squares = called(lines.winning_squares)
    seed(7)
    spoke = Counter[bool]()
    for i in range(count):
        own, mask = random_position(16 + i % 22, i % 10 / 10)
        state = ConnectFourState(own=own, mask=mask, ply=mask.bit_count())
        assert winning_squares(state, own) == squares(own, mask, FOUR)
        whys = {reason.why for reason in plans(state)}
        if state.ply % 2:
            bound = odd_threat(own, mask, squares(own ^ mask, mask, FOUR), FOUR)
            assert whys == ({Why.THREAT_DECIDES} if bound < 0 else set())
        else:
            bound = claim_even(own, mask, FOUR)
            assert bool(whys) == (bound <= 0)
            assert bool(whys & WINS_BY_PROOF) == (bound < 0)
        spoke[bool(whys)] += 1
    assert spoke[True] > count // 30


@pytest.mark.parametrize("count", [60, pytest.param(1_500, marks=pytest.mark.slow)])
def test_answering_on_top_keeps_the_promised_result_against_any_play(count: int) -> None:
    rng, played = random.Random(3), 0
    while played < count:
        state = in_pairs(rng)
        said = {reason.why for reason in plans(state)} & {Why.FOLLOW_UP_HOLDS, Why.FOLLOW_UP_WINS}
        if not said:
            continue
        here = state
        while here.outcome() is None:
            move = rng.choice(here.legal_moves())
            here = here.play(move)
            if here.outcome() is None:
                here = here.play(move)
        outcome = here.outcome()
        assert outcome is not None
        assert outcome.winner is (Player.SECOND if Why.FOLLOW_UP_WINS in said else outcome.winner)
        assert outcome.winner is not Player.FIRST
        played += 1


@pytest.mark.parametrize("board", ["6x7x4", "5x6x4", "7x8x4", "5x7x4", "6x6x4"])
def test_filling_the_other_columns_shows_which_side_gets_a_square(board: str) -> None:
    start = game("connect-four").start(board)
    assert isinstance(start, ConnectFourState)
    height = start.rows + 1
    for row in range(1, start.rows):
        for column in range(start.columns):
            for below in range(row):
                stones = below + start.rows * (start.columns - 1)
                for ply in (0, 1):
                    # All else is filled and so is the column up to `below`; then both play into it in turn.
                    takes = (stones + row - below) % 2  # the player, 0 or 1, whose stone lands on the square
                    state = ConnectFourState(start.rows, start.columns, start.k, ply=ply)
                    mover = 1 - ply
                    assert is_well_placed(state, column * height + row) == (takes == mover)


@pytest.mark.parametrize("board", ["6x7x4", "5x6x4", "7x8x4"])
def test_marked_threats_are_winning_cells_with_the_side_that_gets_them(board: str) -> None:
    start, rng, found = game("connect-four").start(board), random.Random(5), 0
    for _ in range(60):
        state = start
        for _ in range(rng.randint(8, start.rows * start.columns - 4)):
            quiet = [move for move in state.legal_moves() if state.play(move).outcome() is None]
            state = state.play(rng.choice(quiet)) if quiet else state
        assert isinstance(state, ConnectFourState)
        told = {(threat.cell, threat.side): threat.comes_to_it for threat in threats(state)}
        cells = list(state.cells())
        bottom = {
            max(
                (cell for cell in range(column, len(cells), state.columns) if cells[cell] is None), default=-1
            )
            for column in range(state.columns)
        }
        for cell, player in enumerate(cells):
            for side in Player:
                wins = player is None and makes_line(cells, cell, side, state)
                assert ((cell, side) in told) == wins, f"{cell} {side}\n{state}"
                if wins:
                    row = state.rows - cell // state.columns
                    is_first = (state.rows * (state.columns - 1) + row) % 2 == 1
                    expected = cell in bottom or is_first == (side is Player.FIRST)
                    assert told[cell, side] == expected
                    found += 1
    assert found > 60


def makes_line(cells: list[Player | None], cell: int, side: Player, state: ConnectFourState) -> bool:
    """Whether a disc there would be part of a line, by walking from it."""
    row, column = divmod(cell, state.columns)
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        length = 1
        for sign in (1, -1):
            r, c = row + sign * down, column + sign * right
            while 0 <= r < state.rows and 0 <= c < state.columns and cells[r * state.columns + c] is side:
                length, r, c = length + 1, r + sign * down, c + sign * right
        if length >= state.k:
            return True
    return False


def test_on_a_board_of_odd_height_and_even_width_the_good_rows_are_reversed() -> None:
    usual, reversed_board = ConnectFourState(ply=1), ConnectFourState(5, 6, 4, ply=1)
    assert [row + 1 for row in range(6) if is_well_placed(usual, row)] == [1, 3, 5]
    assert [row + 1 for row in range(5) if is_well_placed(reversed_board, row)] == [2, 4]


def test_no_plan_is_named_on_a_board_of_odd_height() -> None:
    state = ConnectFourState(5, 6, 4, ply=1, own=0, mask=0)
    assert plans(state) == []
    assert deciding_threat(ConnectFourState(ply=1)) is None
