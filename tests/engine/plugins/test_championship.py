"""The championship's board and moves, and players in the styles that are published, over whole games."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from engine.core import Limit, Player, State
from engine.games import game
from engine.plugins.championship import Board, Move, board_of, discs_in, engine_move
from engine.plugins.discovery import Plugin, discover

PLAYERS = Path(__file__).parents[2] / "data" / "championship" / "models" / "players"
NAMES = sorted(file.stem.removesuffix("_player") for file in PLAYERS.glob("*_player.py"))
OTHELLO = game("othello").start()


@pytest.fixture(scope="module")
def players() -> Iterator[dict[str, Plugin]]:
    found = discover(PLAYERS, entry_points=False)
    yield {plugin.level.key.removeprefix("plugin:"): plugin for plugin in found}
    for plugin in found:
        plugin.close()


@pytest.mark.slow
def test_every_file_but_the_persons_own_is_a_player(players: dict[str, Plugin]) -> None:
    assert len(players) >= 10
    assert sorted(players) == [name for name in NAMES if name != "human"]
    assert {plugin.level.games for plugin in players.values()} == {("othello",)}
    assert {plugin.level.boards for plugin in players.values()} == {("8x8",)}


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in NAMES if name != "human"])
def test_a_player_in_a_published_style_forfeits_no_move_of_four_games(
    players: dict[str, Plugin], caplog: pytest.LogCaptureFixture, name: str
) -> None:
    rng = Random(name)
    with caplog.at_level(logging.WARNING):
        for number in range(4):
            agent, side = players[name].make(number), Player(number % 2)
            state: State = OTHELLO
            while state.outcome() is None:
                mine = state.to_move is side
                move = agent.choose(state, Limit()).move if mine else rng.choice(state.legal_moves())
                state = state.play(move)
            agent.close()
    assert not caplog.records


def test_playing_on_a_board_changes_and_returns_it() -> None:
    board = Board()
    assert board.play(Move(3, 4), Board.BLACK) is board
    assert board.score() == [1, 4], "white first, then black"
    replies = board.get_clone().play(Move(3, 3), board._opponent(Board.BLACK)).valid_moves(Board.BLACK)
    assert [str(move) for move in replies] == ["3 2", "4 3", "5 6", "6 5"]
    assert board.get_square_color(3, 3) == Board.EMPTY, "a clone is a board of its own"


def test_the_board_has_the_methods_that_published_agents_call() -> None:
    board = Board(None)
    assert board._opponent(Board.BLACK) == Board.WHITE
    assert board._opponent(Board.WHITE) == Board.BLACK
    assert (board._squares()[0], board._squares()[-1], len(board._squares())) == (11, 88, 64)
    assert board._find_bracket(Move(3, 4), Board.BLACK, Board.DOWN) == [5, 4]
    assert board._find_bracket(Move(3, 4), Board.BLACK, Board.UP) is None
    board._reverse(Move(3, 4), Board.BLACK)
    assert board.get_square_color(4, 4) == Board.BLACK
    assert board.play(Move(1, 1), "x").get_square_color(1, 1) == Board.EMPTY


def test_moves_are_equal_by_their_square_and_may_be_put_into_sets() -> None:
    move = Move(3, 4)
    assert move == Move(3, 4) != Move(4, 3)
    assert move != (3, 4)
    assert move != None  # noqa: E711 (as published agents write it)
    assert len({move, Move(3, 4), Move(4, 3)}) == 2
    assert str(move) == "3 4"
    move.x += 1
    assert move == Move(4, 4)


def test_the_bordered_board_looks_as_drawn() -> None:
    assert str(board_of(OTHELLO)).splitlines()[3:7] == [
        "3 . . . . . . . .",
        "4 . . . ● ○ . . .",
        "5 . . . ○ ● . . .",
        "6 . . . . . . . .",
    ]
    board = Board()
    assert board.get_square_color(0, 5) == board.get_square_color(9, 9) == "?"
    assert board.get_square_color(4, 5) == "○"


def test_the_bordered_board_follows_the_same_rules() -> None:
    state: State = OTHELLO
    while state.outcome() is None:
        board = board_of(state)
        color = Board.BLACK if state.to_move is Player.FIRST else Board.WHITE
        moves = [(move.x - 1) * 8 + move.y - 1 for move in board.valid_moves(color)]
        assert tuple(moves or [64]) == state.legal_moves()
        move = state.legal_moves()[state.ply * 7 % len(state.legal_moves())]
        state = state.play(move)
        if move < 64:
            clone = board.get_clone()
            clone.play(Move(move // 8 + 1, move % 8 + 1), color)
            assert clone.board == board_of(state).board
            assert clone.board != board.board, "a clone is a board of its own"
    cells = state.cells()
    assert board_of(state).score() == [cells.count(Player.SECOND), cells.count(Player.FIRST)]


class Square:
    def __init__(self, row: int, column: int) -> None:
        self.row = row
        self.column = column


@pytest.mark.parametrize(
    ("answer", "move"),
    [
        (Move(1, 1), 0),
        (Move(8, 7), 62),
        (Square(2, 3), 10),
        ((3, 4), 19),
        ([3, 4], 19),
        ((0, 4), None),
        ((9, 1), None),
        ("d3", None),
        (None, None),
        (19, None),
        ((True, True), None),
        ((1.0, 2), None),
        ((10**100_000, 2), None),
    ],
)
def test_answers_of_a_championship_class_are_accepted_in_many_forms(answer: object, move: int | None) -> None:
    assert engine_move(answer) == move


@pytest.mark.parametrize(
    ("code", "discs"),
    [
        ("self.color == board.BLACK", ("○", "●")),
        ("if color == '@': pass", ("@", "o")),
        ("if color == 'o': pass", ("@", "o")),
        ("colors = ['@', 'X']", ("@", "X")),
        ("colors = '○', '●', '@'", ("○", "●")),
        ("no python: (", ("○", "●")),
    ],
)
def test_discs_have_the_signs_of_the_players_code(code: str, discs: tuple[str, str]) -> None:
    assert discs_in(code) == discs
