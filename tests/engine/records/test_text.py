"""Lists of moves as people write and paste them."""

from __future__ import annotations

import time

import pytest

from engine.games import spec_of
from engine.games.notation import format_moves
from engine.records.reading import read_games
from engine.records.record import AmbiguousRecord, Record, RecordError, RecordLimits

OTHELLO = "f5d6c3d3c4f4"
CASTLE = "1. 11-15 23-19 2. 8-11 22-17 3. 9-13 17-14"


def only(data: bytes | str, key: str | None = None, board: str | None = None) -> Record:
    (record,) = read_games(data, None, None if key is None else spec_of(key), board)
    return record


def moves(record: Record) -> str:
    return format_moves(record.spec.rules, record.board, record.moves)


@pytest.mark.parametrize(
    "text",
    [
        "f5d6c3d3c4f4",
        "F5 D6 C3 D3 C4 F4",
        "1. F5 d6 2. c3 d3 3. c4 f4",
        "1) f5, d6, 2) c3, d3, 3) c4, f4.",
        "1. f5 {a comment with a1} d6 2. c3! (2. c5 f6) d3? 3. c4 $1 f4 *",
        "# my first game\nBlack: Ada\n\nf5 d6\r\nc3 d3\r\nc4 f4\r\n",
        '[Black "Ada"]\n[White "Ben"]\n\nf5 d6 ; the rest of the line a1\nc3 d3 c4 f4 1-0',
        "\ufeffｆ５ｄ６ｃ３ｄ３ｃ４ｆ４",
        b"\xff\xfe" + "f5d6 c3d3 c4f4".encode("utf-16-le"),
        b"{\xe9} f5d6c3d3c4f4",
    ],
)
def test_one_game_is_read_however_it_is_written(text: bytes | str) -> None:
    assert moves(only(text, "othello")) == OTHELLO


def test_the_game_is_known_by_its_moves_if_only_one_game_is_likely() -> None:
    assert only(OTHELLO).spec.key == "othello"
    assert only(CASTLE).spec.key == "draughts"


def test_a_text_that_several_games_could_have_is_not_guessed() -> None:
    with pytest.raises(AmbiguousRecord, match="Tic-tac-toe, Gomoku or Hex: say which") as caught:
        read_games("b2a1")
    assert caught.value.games == ("tic-tac-toe", "gomoku", "hex")
    assert only("b2a1", "hex").board == "11x11"


@pytest.mark.parametrize(
    ("text", "key", "board", "expected"),
    [
        ("3,1,6,6,5,0,4", "connect-four", None, "4277615"),
        ("3166504", "connect-four", None, "4277615"),
        ("74537162", "connect-four", None, "74537162"),
        ("3342", "connect-four", None, "3342"),
        ("d d e c", "connect-four", None, "4453"),
        ("DDEC", "connect-four", None, "4453"),
        ("6 4 10 2 9", "connect-four", "10x10x5", "64a29"),
        ("0 4 10", "connect-four", "12x12x5", "15b"),
        ("64a29", "connect-four", "10x10x5", "64a29"),
        ("12", "connect-four", "12x12x5", "12"),
    ],
)
def test_columns_may_be_counted_from_0_from_1_or_be_letters(
    text: str, key: str, board: str | None, expected: str
) -> None:
    assert moves(only(text, key, board)) == expected


def test_the_board_that_a_text_names_goes_before_the_chosen_one() -> None:
    (record,) = read_games('[Board "10x10x4"] 1 2 10', None, spec_of("connect-four"), "6x7x4")
    assert (record.board, record.moves) == ("10x10x4", (0, 1, 9))


def test_columns_0_and_7_in_one_list_are_not_guessed() -> None:
    with pytest.raises(RecordError, match="0 and 7: are columns numbered from 0 or from 1"):
        read_games("0447", None, spec_of("connect-four"))


def test_a_file_of_several_games_has_names_and_results() -> None:
    text = """
[Event "first"]
[Black "Ada"]
[White "Ben"]
[Date "2026.11.28"]
1.11-15 23-19 2.8-11 22-17 0-1
[Event "second"]
[Black "Cem"]
[White "D \\"X\\" E"]
1.11-15 23-19 1/2-1/2
1. 9-14 22-18 *
"""
    first, second, third = read_games(text, None, spec_of("draughts"))
    assert (first.about.players, first.about.result, first.about.date) == (
        ("Ada", "Ben"),
        "0-1",
        "2026.11.28",
    )
    assert (second.about.players, second.about.said) == (("Cem", 'D "X" E'), "1/2-1/2")
    assert (third.about.players, third.about.result, third.about.said) == (("", ""), "", "*")
    assert [len(record.moves) for record in (first, second, third)] == [4, 2, 2]


def test_passes_may_be_left_out() -> None:
    text = "e6f4e3f6g5d6e7f5c5"
    record = only(text)
    assert record.states[-1].outcome() is not None
    written = (
        "e6f6c4e7f7c3e8f8g5e3f5c5g7d6g8h7g6f4d2g4d8h5g3e1c7h4b4b8f3h6b3c6d3c2"
        "b7a5a4d7e2h2b6a6b1d1b5a2f2a8g2f1b2a1a7g1"
    )
    for passed in ("--", " PA ", " pass ", ""):
        assert moves(only(f"{written}{passed}a3{passed}h1")) == f"{written}--a3--h1"


@pytest.mark.parametrize(
    ("data", "key", "problem"),
    [
        ("", None, "nothing in it"),
        (" \r\n\t", None, "nothing in it"),
        ("f5d6c3d3a1", None, "Character 9, 'a1': a1 turns no disc over: choose c2"),
        ("f5 d6\nc3 d3 a1", None, "Line 2, character 7, 'a1'"),
        ("f5d6c", "othello", "Character 5, 'c'"),
        ("f5d6i9", "othello", "Character 5, 'i9'"),
        ("1. 11-15 23-19 2. 15-24", None, "'15-24': No piece of yours can move like that: choose"),
        ("44444441", "connect-four", "Column 4 is full"),
        ("12121212", "connect-four", "Character 8, '2': The game is over"),
        ("1. 11-15 {no end 23-19", None, "Character 10: the comment is not closed"),
        ("1. 11-15 (9-14 23-19", None, "Character 10: the variation is not closed"),
        ("f5d6\0c3", None, "Character 5 is .* no text"),
        (b"\x89PNG\r\n\x1a\n", None, "Character 1 is .* no text"),
        ("f5 d6 \U0001f600 c3", None, "Character 7"),
        ('[GameType "20"]\n1. 32-28 19-23 *', None, "international draughts, which is not played here"),
        ("Lorem ipsum dolor", None, "No game here has such moves"),
        ("f5d6 " * 60_000, None, "300,000 characters; 262,144 can be read"),
    ],
)
def test_a_refusal_names_the_place_and_the_reason(data: bytes | str, key: str | None, problem: str) -> None:
    with pytest.raises(RecordError, match=problem):
        read_games(data, None, None if key is None else spec_of(key))


def test_more_games_than_allowed_are_refused() -> None:
    with pytest.raises(RecordError, match="more than 3 games"):
        read_games("11-15 *\n" * 4, None, spec_of("draughts"), None, RecordLimits(games=3))


@pytest.mark.parametrize(
    "text",
    [
        "[" * 200_000,
        "(" * 200_000,
        "1. " * 80_000,
        "f5," * 80_000,
        "a1 " * 80_000,
        "{}" * 120_000,
        '[A "' * 60_000,
    ],
    ids=lambda text: text[:4],
)
def test_a_hostile_text_ends_soon(text: str) -> None:
    began = time.process_time()
    with pytest.raises(RecordError):
        read_games(text)
    assert time.process_time() - began < 10
