"""SGF of three games, as different programs write it."""

from __future__ import annotations

import pytest

from engine.core import Player
from engine.games import spec_of
from engine.games.notation import format_moves
from engine.records.reading import read_games
from engine.records.record import Record, RecordError


def only(text: str, key: str | None = None) -> Record:
    (record,) = read_games(text, "x.sgf", None if key is None else spec_of(key))
    return record


def moves(record: Record) -> str:
    return format_moves(record.spec.rules, record.board, record.moves)


def test_othello_has_squares_by_name_or_as_points_of_go() -> None:
    root = "(;FF[4]GM[2]SZ[8]PB[A\\]da]PW[Ben]RE[W+2]AB[e4][d5]AW[d4][e5]PL[B]C[\\] and ; and (]"
    named = only(f"{root};B[f5];W[d6]\n;B[c3])")
    points = only(f"{root};B[fe];W[df];B[cc])")
    assert moves(named) == moves(points) == "f5d6c3"
    assert (named.about.players, named.about.result, named.about.said) == (("A]da", "Ben"), "0-1", "W+2")


@pytest.mark.parametrize("passed", ["B[PA];", "B[];", "B[pass];", ""])
def test_a_pass_is_written_in_four_ways(passed: str) -> None:
    game = "c2b2e4c1b1a1a2a3b3d2d1e1"
    nodes = "".join(f";{'BW'[i // 2 % 2]}[{game[i : i + 2]}]" for i in range(0, len(game), 2))
    record = only(f"(;GM[2]SZ[6]{nodes};{passed}W[e2])")
    assert moves(record) == f"{game}--e2"


def test_the_first_branch_is_the_game() -> None:
    text = "(;FF[4]GM[11]SZ[7];B[a2];W[d4](;B[c4];W[c3](;B[d3])(;B[e3];W[d5]))(;B[b5];W[b6]))"
    assert moves(only(text)) == "a2d4c4c3d3"


def test_several_games_stand_in_one_file() -> None:
    first, second = read_games("(;GM[11]SZ[7];B[a2])\n(;GM[11]SZ[11];B[k1];W[k2])")
    assert (first.board, second.board) == ("7x7", "11x11")


def test_after_a_swap_the_stone_is_mirrored_or_white_moves_again() -> None:
    mirrored = "(;GM[11]SZ[11];B[a2];W[swap-pieces];B[j3];W[k3];B[b8])"
    stays = "(;GM[11]SZ[11];B[a2];W[swap-pieces];W[c10];B[c11];W[h2])"
    taken_away = "(;GM[11]SZ[11]AP[Sabaki:0.52];B[a2];W[b1]AE[a2];B[j3];W[k3];B[b8])"
    little_golem = "(;FF[4]EV[hex]PB[A;da]]PW[Be\\n]SZ[11]RE[W];W[ab];B[swap];W[jc];B[kc];W[bh];B[resign])"
    for text in (mirrored, stays, taken_away, little_golem):
        assert moves(only(text)) == "a2swapj3k3b8"
    assert only(little_golem).about.players == ("A;da]", "Be\\n")


def test_gomoku_that_says_it_is_go_is_read_when_gomoku_was_chosen() -> None:
    text = "(;GM[1]FF[3]SZ[13];B[gg];W[gh];B[hg])"
    assert moves(only(text, "gomoku")) == "g7g8h7"
    with pytest.raises(RecordError, match="a game of Go, which is not played here"):
        only(text)


def test_old_files_have_long_names_of_properties() -> None:
    assert moves(only("(;GaMe[11]SiZe[7];Black[a2];White[d4])")) == "a2d4"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("(;GM[1]SZ[19];B[pd];W[dp])", "a game of Go"),
        ("(;GM[11]SZ[13];B[a2])", "Hex is played on 11x11 and 7x7 here; this is 13x13"),
        ("(;GM[11]SZ[11];B[a2];W[f6];B[f6])", "Move 3, 'f6': f6 is taken"),
        ("(;GM[11]SZ[11];B[a2];B[f6])", "Move 2, 'f6': It says red, but blue is to move"),
        ("(;GM[11]SZ[11]AB[a1][b2]AW[c3];B[d4])", "Hex begins from no position here"),
        ("(;GM[2]SZ[8]AB[d5][e4]AW[d4][e5][j1];B[f5])", "begins with stones on the board"),
        ("(;GM[2]SZ[8]AB[a1];B[f5])", "The four squares in the middle are never empty"),
        ("(;GM[11]SZ[11];B[a2];W[f6", "Character 23: the value that begins here is not closed"),
        ("(;GM[11]SZ[11];B[a2];W[f6]", "ends in the middle"),
        ("(;GM[11]SZ[11]" * 5_000, "more than 2,000 brackets"),
        ("(;GM[11]SZ[7];B[a1])(;GM[11]SZ[7];B[a9])", "Game 2: Move 1, 'a9'"),
    ],
)
def test_a_wrong_file_is_refused_with_its_place(text: str, problem: str) -> None:
    with pytest.raises(RecordError, match=problem):
        only(text)


AFTER_THREE = "(;GM[2]SZ[8]AB[c3][d4][e4][e5][f5]AW[d5][d6]{player};{first}[{square}])"


@pytest.mark.parametrize(
    ("player", "first", "square", "mover"),
    [("", "W", "f3", Player.SECOND), ("PL[W]", "W", "f3", Player.SECOND), ("PL[1]", "B", "c6", Player.FIRST)],
)
def test_stones_of_the_root_are_the_position_that_othello_begins_in(
    player: str, first: str, square: str, mover: Player
) -> None:
    record = only(AFTER_THREE.format(player=player, first=first, square=square))
    assert record.start is not None
    assert record.start.to_move is mover
    assert [record.start.cells()[at] for at in (18, 35, 0)] == [Player.FIRST, Player.SECOND, None]
    assert spec_of("othello").rules.move_name(record.start, record.moves[0]) == square
