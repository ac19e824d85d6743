"""The words of moves, in the protocols of programs for board games."""

from __future__ import annotations

import random
from types import ModuleType

import pytest

from engine.core import IllegalMove, NotationError, Player
from engine.games import game
from engine.games.othello.notation import read_board
from engine.plugins.protocols import gomocup, gtp, htp, nboard
from engine.records.ggf import write_board

PROTOCOLS = (gomocup, gtp, htp, nboard)


def _name(protocol: ModuleType) -> str:
    return protocol.__name__.rpartition(".")[2]


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=_name)
def test_each_legal_move_of_a_game_is_read_as_it_was_written(protocol: ModuleType) -> None:
    rng = random.Random(1)
    for board in protocol.BOARDS:
        state = game(protocol.GAME).start(board)
        while state.outcome() is None and state.ply < 60:
            moves = [move for move in state.legal_moves() if move < state.rows * state.columns or move == 64]
            for move in moves:
                assert protocol.read(state, protocol.write(state, move)) == move
            state = state.play(rng.choice(moves))


@pytest.mark.parametrize(
    ("protocol", "word"),
    [(gomocup, "5,4"), (gtp, "f5"), (htp, "f5"), (nboard, "F5")],
    ids=lambda value: value if isinstance(value, str) else _name(value),
)
def test_f5_is_the_sixth_column_and_the_fifth_row_from_the_top(protocol: ModuleType, word: str) -> None:
    state = game(protocol.GAME).start(protocol.BOARDS[0])
    move = 4 * state.columns + 5
    assert protocol.write(state, move) == word
    assert protocol.read(state, f" {word.upper()}") == move


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=_name)
@pytest.mark.parametrize("word", ["", "z99", "99,99", "swap", "resign", "5", "５,４", "a1b2", "\0"])
def test_what_is_no_move_is_refused(protocol: ModuleType, word: str) -> None:
    with pytest.raises(NotationError):
        protocol.read(game(protocol.GAME).start(protocol.BOARDS[0]), word)


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=_name)
def test_a_taken_square_is_refused(protocol: ModuleType) -> None:
    start = game(protocol.GAME).start(protocol.BOARDS[0])
    move = start.legal_moves()[0]
    word = protocol.write(start, move)
    with pytest.raises(IllegalMove):
        protocol.read(start.play(move), word)


def test_a_swap_of_hex_is_refused_though_ours_has_one() -> None:
    state = game("hex").start("11x11").play(3)
    for word in ("swap", "swap-pieces", "SWAP"):
        with pytest.raises(NotationError, match="no one meaning"):
            htp.read(state, word)


def test_nboard_answers_with_the_evaluation_and_the_time() -> None:
    start = game("othello").start("8x8")
    for word in ("F5", "F5/1.00/0.01", "f5 -1.00 0.0", "f5//3"):
        assert nboard.read(start, word) == 37


@pytest.mark.parametrize("moves", [0, 1, 6, 40])
def test_a_board_of_nboard_says_the_discs_and_the_side_to_move(moves: int) -> None:
    rng = random.Random(moves)
    state = game("othello").start("8x8")
    for _ in range(moves):
        state = state.play(rng.choice(state.legal_moves()))
    size, _, drawing = write_board(state).partition(" ")
    read = read_board(drawing)
    assert size == "8"
    assert read.cells() == state.cells()
    assert read.to_move is state.to_move


def test_colours_have_short_names_too() -> None:
    assert [gtp.player_of(word) for word in ("b", "Black", "W", "white")] == [
        Player.FIRST,
        Player.FIRST,
        Player.SECOND,
        Player.SECOND,
    ]
    with pytest.raises(NotationError):
        gtp.player_of("red")
