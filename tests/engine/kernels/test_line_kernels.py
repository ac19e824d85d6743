"""The kernels for k in a row agree with their plain-Python twins, on boards of every kind."""

from __future__ import annotations

import random

import pytest

from engine.agents.boards import board_of
from engine.core import Limit
from engine.games.connect_four import ConnectFourState
from engine.games.line_boards import LineBoard, LineSearch
from engine.games.tic_tac_toe import TicTacToeState
from engine.kernels import line_alphabeta, line_search, lines
from engine.kernels.control import INFINITY, ROOT_STONES
from engine.kernels.running import running
from engine.kernels.transposition import new_memory
from engine.kernels.uct_tree import UctTree
from tests.engine.kernels.calling import called
from tests.engine.kernels.kernel_twins import LineTwin, Uct
from tests.engine.kernels.kernel_twins import minimax as twin_minimax
from tests.slow_cases import mark_slow

moves, winning_squares = called(lines.moves), called(lines.winning_squares)
evaluate, has_line = called(lines.evaluate), called(lines.has_line)

BOARDS = [
    "6x7x4",
    "7x8x4",
    "5x5x3",
    "6x9x5",
    "5x9x6",
    "20x3x5",
    "4x12x6",
    "1x20x3",
    "15x4x4",
    "15x4x5",
    "ttt",
]
SMALL = ("7x8x4", "5x5x3", "1x20x3", "ttt")


def start(board: str) -> LineTwin:
    if board == "ttt":
        return LineTwin(3, 3, 3, False, frozenset({5}))
    rows, columns, k = map(int, board.split("x"))
    middle = {(columns - 1) // 2, columns // 2}
    centre = frozenset((rows + 1) * column + row for column in middle for row in range(rows))
    return LineTwin(rows, columns, k, True, centre)


def random_position(board: str, rng: random.Random, most: int = 60) -> LineTwin:
    """Some moves into a random game that is not over."""
    twin = start(board)
    for _ in range(rng.randrange(most)):
        following = twin.play(rng.choice(twin.moves()))
        if following.result() is not None:
            break
        twin = following
    return LineTwin(twin.rows, twin.columns, twin.k, twin.drops, twin.centre, twin.own, twin.other)


def bits(squares: frozenset[int]) -> int:
    return sum(1 << square for square in squares)


def state_of(twin: LineTwin) -> ConnectFourState | TicTacToeState:
    if twin.drops:
        mask = bits(twin.own | twin.other)
        return ConnectFourState(twin.rows, twin.columns, twin.k, bits(twin.own), mask, mask.bit_count())
    lying = {4 * (move % 3) + move // 3: move for move in range(9)}
    own = bits(frozenset(lying[square] for square in twin.own))
    mask = bits(frozenset(lying[square] for square in twin.own | twin.other))
    return TicTacToeState(own, mask, mask.bit_count())


def line_board(twin: LineTwin) -> LineBoard:
    board = board_of(state_of(twin))
    assert isinstance(board, LineBoard)
    return board


def test_the_drawing_of_the_bits_is_correct() -> None:
    text = [line.split("<")[0].split() for line in (lines.__doc__ or "").splitlines()]
    drawn = [[int(word) for word in row] for row in text if row and all(word.isdigit() for word in row)]
    assert drawn == [[7 * column + row for column in range(7)] for row in range(6, -1, -1)]


@pytest.mark.parametrize("board", mark_slow(BOARDS, lambda board: board == "6x7x4"))
def test_moves_lines_threats_and_values_agree_with_the_twin(board: str) -> None:
    rng = random.Random(board)
    for _ in range(150):
        twin = random_position(board, rng)
        shape = line_board(twin).shape
        own, other = bits(twin.own), bits(twin.other)
        assert moves(own | other, shape) == bits(frozenset(twin.moves()))
        assert winning_squares(own, own | other, shape) == bits(frozenset(twin.winning_squares(twin.own)))
        assert winning_squares(other, own | other, shape) == bits(frozenset(twin.winning_squares(twin.other)))
        assert evaluate(own, other, shape) == twin.window_value(twin.own, twin.other)
        for square in twin.moves():
            assert has_line(own | 1 << square, shape) == twin.has_line(twin.own | {square})


@pytest.mark.parametrize("board", BOARDS)
def test_minimax_and_alphabeta_return_the_twins_value(board: str) -> None:
    rng = random.Random(board)
    for _ in range(12):
        twin = random_position(board, rng)
        depth = rng.randrange(4) if twin.columns < 10 else rng.randrange(3)
        prepared = line_board(twin)
        expected, states = twin_minimax(twin, depth)
        own, mask = bits(twin.own), bits(twin.own | twin.other)
        with running(Limit()) as run:
            window = (-INFINITY, INFINITY)
            for prunes in (False, True):
                plain = prepared.plain_search(run, prunes=prunes)
                assert line_search.search(own, mask, depth, *window, 0, 1, plain.place) == expected
                assert run.nodes == states or prunes
            if depth:
                best = prepared.best_search(run, depth)
                assert line_alphabeta.search(own, mask, depth, *window, 1, best.place) == expected
                assert run.nodes <= 3 * states


@pytest.mark.parametrize("board", BOARDS)
def test_alphabeta_bounds_the_value_from_the_side_of_a_narrow_window(board: str) -> None:
    rng = random.Random(board)
    for _ in range(150):
        prepared = line_board(random_position(board, rng))
        own, mask = prepared.own, prepared.mask
        with running(Limit()) as run:
            plain = prepared.plain_search(run, prunes=False)
            value = line_search.search(own, mask, 4, -INFINITY, INFINITY, 0, 1, plain.place)
            alpha = value + rng.randrange(-12, 12)
            pruned, best = prepared.plain_search(run), prepared.best_search(run, 4)
            bounds = (
                line_search.search(own, mask, 4, alpha, alpha + 1, 0, 1, pruned.place),
                line_alphabeta.search(own, mask, 4, alpha, alpha + 1, 1, best.place),
            )
        for bound in bounds:
            assert (value <= bound <= alpha) if value <= alpha else (alpha < bound <= value)


@pytest.mark.parametrize("table_bits", [1, 6, 12])
@pytest.mark.parametrize("board", BOARDS)
def test_a_table_shared_by_windows_and_depths_never_changes_a_value(board: str, table_bits: int) -> None:
    """Repeated and deeper searches in one memory, however full, agree with minimax each time."""
    rng = random.Random(f"{board} {2**table_bits}")
    deepest = 6 if start(board).columns < 10 and start(board).drops else 5
    for _ in range(25 if deepest == 6 else 8):
        prepared = line_board(random_position(board, rng))
        own, mask = prepared.own, prepared.mask
        memory = new_memory(table_bits)
        memory[ROOT_STONES] = mask.bit_count()
        for depth in range(1, deepest + 1):
            with running(Limit()) as run:
                plain = prepared.plain_search(run)
                value = line_search.search(own, mask, depth, -INFINITY, INFINITY, 0, 1, plain.place)
                best = LineSearch(
                    line_search.search,
                    prepared.after,
                    run,
                    prepared.shape,
                    prepared.order,
                    context=memory,
                )
                for _ in range(3):
                    alpha = value + rng.randrange(-10, 10)
                    beta = alpha + rng.choice((1, 5, 10_000_000))
                    bound = line_alphabeta.search(own, mask, depth, alpha, beta, 1, best.place)
                    if bound <= alpha:
                        assert value <= bound
                    elif bound >= beta:
                        assert bound <= value
                    else:
                        assert bound == value


@pytest.mark.parametrize("board", BOARDS)
def test_the_line_of_an_exact_value_leads_to_it(board: str) -> None:
    """Played out, the expected line ends in a state worth the value of the search, or in the end itself."""
    rng = random.Random(board)
    for _ in range(40):
        twin = random_position(board, rng)
        prepared = line_board(twin)
        for depth in range(1, 8 if twin.columns < 10 and twin.drops else 5):
            with running(Limit()) as run:
                best = prepared.best_search(run, 7)
                window = (-INFINITY, INFINITY)
                value = line_alphabeta.search(prepared.own, prepared.mask, depth, *window, 1, best.place)
                pv = best.pv
            end, sign = twin, 1
            for square in pv[0, 1 : 1 + pv[0, 0]]:
                assert square in end.moves()
                end, sign = end.play(int(square)), -sign
            final = end.final_value(int(pv[0, 0]))
            assert pv[0, 0] <= depth
            assert value == sign * (end.estimate() if final is None else final)


@pytest.mark.parametrize("board", mark_slow(BOARDS, lambda board: board not in SMALL))
def test_the_monte_carlo_tree_is_the_twins_visit_for_visit(board: str) -> None:
    rng = random.Random(board)
    for simulations in (1, 10, 60, 400):
        twin = random_position(board, rng, 25)
        seed = rng.getrandbits(62)
        tree = UctTree.with_room_for(simulations, twin.columns * (1 if twin.drops else 3))
        with running(Limit(nodes=simulations)) as run:
            line_board(twin).simulate(1.0, 64, seed, run, tree)
        grown = [
            (int(tree.square[child]), int(tree.visits[child]), int(tree.gain[child]))
            for child in tree.children_of(0)
        ]
        assert grown == Uct(twin, simulations, 1.0, seed).visits()
        assert run.nodes == simulations
