"""Connect Four agrees with a twin on lists that checks every window; and some classic traps."""

from __future__ import annotations

from random import Random

import pytest

from engine.core import BoardError, EndReason, IllegalMove, NotationError, Outcome, Player
from engine.games import game
from engine.games.connect_four import ConnectFourState
from tests.slow_cases import mark_slow

RULES = game("connect-four")
SIZES = [
    "6x7x4",
    "5x6x4",
    "7x8x4",
    "6x9x5",
    "5x5x3",
    "3x12x4",
    "12x3x3",
    "4x4x4",
    "7x7x6",
    "8x8x4",
    "10x10x7",
    "12x12x8",
]


def played(moves: str, board: str = "6x7x4") -> ConnectFourState:
    state = RULES.start(board)
    for name in moves:
        state = state.play(int(name) - 1)
    assert isinstance(state, ConnectFourState)
    return state


class Twin:
    """The same game on a list of columns."""

    def __init__(self, rows: int, columns: int, k: int) -> None:
        self.rows, self.columns, self.k = rows, columns, k
        self.stacks: list[list[int]] = [[] for _ in range(columns)]
        self.player = 0

    def legal_moves(self) -> tuple[int, ...]:
        if self.lines():
            return ()
        return tuple(column for column, stack in enumerate(self.stacks) if len(stack) < self.rows)

    def play(self, column: int) -> None:
        self.stacks[column].append(self.player)
        self.player ^= 1

    def at(self, row: int, column: int) -> int | None:
        if not 0 <= column < self.columns or not 0 <= row < len(self.stacks[column]):
            return None
        return self.stacks[column][row]

    def lines(self) -> set[int]:
        """The cells, row-major from the top, of every k in a row."""
        found: set[int] = set()
        for row in range(self.rows):
            for column in range(self.columns):
                for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                    window = [(row + i * down, column + i * right) for i in range(self.k)]
                    owners = {self.at(*cell) for cell in window}
                    if len(owners) == 1 and owners != {None}:
                        found |= {(self.rows - 1 - y) * self.columns + x for y, x in window}
        return found


@pytest.mark.parametrize("count", [10, pytest.param(60, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "board", mark_slow(SIZES, lambda board: board in ("6x9x5", "7x7x6", "10x10x7", "12x12x8"))
)
def test_random_games_agree_with_the_twin(board: str, count: int) -> None:
    rng = Random(board)
    rows, columns, k = map(int, board.split("x"))
    for _ in range(count):
        state, twin = RULES.start(board), Twin(rows, columns, k)
        while True:
            assert state.legal_moves() == twin.legal_moves()
            outcome, lines = state.outcome(), twin.lines()
            if lines:
                assert outcome == Outcome(Player(twin.player ^ 1), EndReason.LINE, tuple(sorted(lines)))
            elif not twin.legal_moves():
                assert outcome == Outcome(None, EndReason.BOARD_FULL)
            else:
                assert outcome is None
            if outcome is not None:
                break
            move = rng.choice(state.legal_moves())
            state = state.play(move)
            twin.play(move)


def test_a_win_with_the_very_last_disc_is_a_win() -> None:
    rng = Random(11)
    found = 0
    for _ in range(4000):
        state = RULES.start("4x4x3")
        while state.outcome() is None:
            state = state.play(rng.choice(state.legal_moves()))
        if state.ply == 16 and (outcome := state.outcome()) is not None and outcome.winner is not None:
            assert outcome.reason is EndReason.LINE
            found += 1
    assert found > 0


def test_nothing_wraps_from_the_top_of_a_column_into_the_next() -> None:
    """Three at the top of column 1 and one at the bottom of column 2 follow one another as stones only."""
    below, above, next_column = 0b000111, 0b111000, 1 << 7
    state = ConnectFourState(6, 7, 4, own=below, mask=below | above | next_column, ply=7)

    assert state.outcome() is None
    assert state.legal_moves() == (1, 2, 3, 4, 5, 6)


def test_a_full_column_is_refused_with_the_open_columns() -> None:
    with pytest.raises(IllegalMove, match=r"Column 1 is full: choose one of 2, 3, 4, 5, 6, 7\."):
        played("111111").play(0)


def test_a_full_board_is_refused_as_over_and_not_as_a_full_column() -> None:
    rng = Random(12)
    state = RULES.start("5x6x6")
    while (outcome := state.outcome()) is None or outcome.winner is not None:
        legal = state.legal_moves()
        state = state.play(rng.choice(legal)) if legal else RULES.start("5x6x6")

    with pytest.raises(IllegalMove, match="the board is full") as caught:
        state.play(0)
    assert caught.value.reason == "over"


@pytest.mark.parametrize("text", ["four", "", "4.", "+4", "٣", "4" * 5000])
def test_an_invalid_column_is_refused_with_the_range(text: str) -> None:
    with pytest.raises(NotationError, match="from 1 to 7"):
        RULES.parse_move(RULES.start(), text)


@pytest.mark.parametrize("text", ["0", "8", "99"])
def test_a_column_off_the_board_is_refused_with_the_range(text: str) -> None:
    with pytest.raises(IllegalMove, match=f"no column {text}: the columns are 1 to 7") as caught:
        RULES.parse_move(RULES.start(), text)
    assert caught.value.reason == "no_such_column"


def test_a_state_reads_as_a_board() -> None:
    assert str(played("4453", "5x6x4")) == "\n".join(
        [
            ". . . . . .",
            ". . . . . .",
            ". . . . . .",
            ". . . O . .",
            ". . O X X .",
        ]
    )


def test_every_stone_of_a_double_win_is_marked() -> None:
    """The fourth stone in column 1 completes the column and a diagonal."""
    outcome = played("124317123556251").outcome()

    assert outcome == Outcome(Player.FIRST, EndReason.LINE, (14, 21, 22, 28, 30, 35, 38))


@pytest.mark.parametrize(
    ("board", "problem"),
    [
        ("13x7x4", "13 x 7 cannot be played: there are 3 to 12 rows, and as many columns"),
        ("6x2x3", "6 x 2 cannot be played"),
        ("999x7x4", "3 to 12 rows"),
        ("6x7x2", "k is from 3 to 8"),
        ("9x9x9", "k is from 3 to 8"),
        ("6x7x8", "8 in a row do not fit on 6 x 7"),
        ("3x3x4", "do not fit"),
        ("0x7x4", "3 to 12 rows"),
        ("six", "rows x columns x k"),
        ("6x7", "rows x columns x k"),
    ],
)
def test_an_impossible_board_is_refused_with_the_limits(board: str, problem: str) -> None:
    with pytest.raises(BoardError, match=problem):
        RULES.start(board)


def test_every_board_from_3_x_3_to_12_x_12_can_be_played_with_every_k_that_fits() -> None:
    for rows in range(3, 13):
        for columns in range(3, 13):
            for k in range(3, min(8, max(rows, columns)) + 1):
                assert len(RULES.start(f"{rows}x{columns}x{k}").legal_moves()) == columns


def test_the_drawing_of_the_bits_is_correct() -> None:
    state = RULES.start("6x7x4")
    for column in range(7):
        one = state.play(column)
        assert isinstance(one, ConnectFourState)
        assert one.mask == 1 << 7 * column
    six = played("444444")
    assert six.mask == sum(1 << bit for bit in (21, 22, 23, 24, 25, 26))
