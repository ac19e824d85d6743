"""Othello beside a twin that walks every ray, and the rules' corner cases."""

from __future__ import annotations

from random import Random

import pytest

from engine.core import EndReason, IllegalMove, NotationError, Outcome, Player, replay
from engine.games import game
from engine.games.notation import parse_moves
from engine.games.othello import OthelloState

RULES = game("othello")
RAYS = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if (down, right) != (0, 0)]


class Twin:
    """The same game on a list of lists."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.board: list[list[int | None]] = [[None] * size for _ in range(size)]
        middle = size // 2
        self.board[middle - 1][middle] = self.board[middle][middle - 1] = 0
        self.board[middle - 1][middle - 1] = self.board[middle][middle] = 1
        self.player = 0

    def flips(self, row: int, column: int, player: int) -> list[tuple[int, int]]:
        if self.board[row][column] is not None:
            return []
        turned = []
        for down, right in RAYS:
            ray, y, x = [], row + down, column + right
            while 0 <= y < self.size and 0 <= x < self.size and self.board[y][x] == 1 - player:
                ray.append((y, x))
                y, x = y + down, x + right
            if 0 <= y < self.size and 0 <= x < self.size and self.board[y][x] == player:
                turned += ray
        return turned

    def placements(self, player: int) -> tuple[int, ...]:
        return tuple(
            row * self.size + column
            for row in range(self.size)
            for column in range(self.size)
            if self.flips(row, column, player)
        )

    def legal_moves(self) -> tuple[int, ...]:
        mine = self.placements(self.player)
        if mine or not self.placements(1 - self.player):
            return mine
        return (self.size * self.size,)

    def play(self, move: int) -> None:
        if move < self.size * self.size:
            row, column = divmod(move, self.size)
            for y, x in self.flips(row, column, self.player):
                self.board[y][x] = self.player
            self.board[row][column] = self.player
        self.player = 1 - self.player

    def cells(self) -> list[int | None]:
        return [cell for row in self.board for cell in row]


@pytest.mark.parametrize(("board", "games"), [("8x8", 25), ("6x6", 60)])
def test_random_games_agree_with_the_twin(board: str, games: int) -> None:
    rng = Random(board)
    passes = 0
    for _ in range(games):
        state, twin = RULES.start(board), Twin(int(board[0]))
        while state.outcome() is None:
            assert state.legal_moves() == twin.legal_moves()
            assert list(state.cells()) == twin.cells()
            move = rng.choice(state.legal_moves())
            passes += move == state.rows * state.columns
            state = state.play(move)
            twin.play(move)
        assert twin.legal_moves() == ()
        black, white = (twin.cells().count(player) for player in (0, 1))
        winner = None if black == white else Player(black < white)
        assert state.outcome() == Outcome(winner, EndReason.DISC_COUNT)
        assert isinstance(state, OthelloState)
        assert state.score == (black, white)
    assert passes > 0


def test_black_begins_and_has_the_four_moves_of_the_rules() -> None:
    for board, names in (("8x8", ["d3", "c4", "f5", "e6"]), ("6x6", ["c2", "b3", "e4", "d5"])):
        start = RULES.start(board)
        assert start.to_move is Player.FIRST
        assert [RULES.move_name(start, move) for move in start.legal_moves()] == names


def test_a_pass_is_the_only_move_without_a_placement() -> None:
    state = RULES.start("6x6")
    rng = Random(4)
    while state.legal_moves() != (36,):
        state = state.play(rng.choice(state.legal_moves())) if state.legal_moves() else RULES.start("6x6")

    with pytest.raises(IllegalMove) as caught:
        state.play(next(cell for cell, owner in enumerate(state.cells()) if owner is None))
    assert caught.value.reason == "must_pass"
    passed = state.play(36)
    assert passed.cells() == state.cells()
    assert passed.to_move is state.to_move.other
    assert passed.ply == state.ply + 1


def test_passing_without_need_is_refused() -> None:
    with pytest.raises(IllegalMove) as caught:
        RULES.start().play(64)
    assert caught.value.reason == "no_pass"


def test_a_finished_game_is_over_for_taken_and_free_squares_and_the_pass() -> None:
    over = replay(RULES.start(), parse_moves(RULES, "8x8", "e6f4e3f6g5d6e7f5c5"))

    for move in (0, 28, 64):
        with pytest.raises(IllegalMove) as caught:
            over.play(move)
        assert caught.value.reason == "over"


def test_a_taken_square_is_refused_with_the_free_ones_that_turn_discs() -> None:
    with pytest.raises(IllegalMove, match="e4 is taken: choose d3, c4, f5, e6") as caught:
        RULES.start().play(28)
    assert caught.value.reason == "occupied"


@pytest.mark.parametrize("text", ["g1", "a7", "pas", "33", ""])
def test_an_invalid_square_of_the_small_board_is_refused_with_the_range(text: str) -> None:
    with pytest.raises(NotationError, match="write a1 to f6, or pass"):
        RULES.parse_move(RULES.start("6x6"), text)


def test_a_move_that_turns_no_disc_is_refused_with_the_legal_ones() -> None:
    with pytest.raises(IllegalMove, match="a1 turns no disc over: choose d3, c4, f5, e6"):
        RULES.start().play(0)


def test_the_shortest_game_ends_with_one_colour_wiped_out() -> None:
    """Nine plies, the shortest game there is; it ends with squares empty."""
    moves = parse_moves(RULES, "8x8", "e6f4e3f6g5d6e7f5c5")

    over = replay(RULES.start(), moves)

    assert over.outcome() == Outcome(Player.FIRST, EndReason.DISC_COUNT)
    assert isinstance(over, OthelloState)
    assert over.score == (13, 0)
    assert over.legal_moves() == ()


def test_the_drawing_of_the_bits_is_correct() -> None:
    start = RULES.start()
    assert isinstance(start, OthelloState)
    after = start.play(RULES.parse_move(start, "d3"))
    assert after.opponent & ~start.own & ~start.opponent == 1 << (8 * 2 + 3)
    small = RULES.start("6x6")
    assert isinstance(small, OthelloState)
    assert (small.own, small.opponent) == (start.own, start.opponent)
