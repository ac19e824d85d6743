"""What people type is folded once, and read as the move they mean or refused."""

from __future__ import annotations

import pytest

from engine.core import EngineError, NotationError
from engine.games import game, spec_of
from engine.games.notation import format_moves, parse_moves, read_move, walk, words_of
from engine.games.openings import opening_named
from engine.games.typed import compact, fold, typed
from tests.working import measured


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("۰۹ ٠٩ ०९ ０９", "09 09 09 09"),
        ("Ｆ５ 𝐟𝟓", "f5 f5"),
        ("a–b—c−d－e", "a-b-c-d-e"),
        ("6×7 ✖", "6x7 x"),
        ("a،b؛c，d…", "a,b;c,d..."),
        ("f\u00a05\u3000d\t6", "f 5 d 6"),
        ("\u202ef\u200f5\u200c\ufeff", "f5"),
        ("4️⃣", "4"),
        ("a1² é", "a1² é"),
    ],
)
def test_a_typed_text_is_folded_to_what_games_read(text: str, folded: str) -> None:
    assert fold(text) == folded


def test_each_folded_character_knows_its_place_in_the_typed_text() -> None:
    found = typed("\u200f…f۵")
    assert (found.text, tuple(found.columns)) == ("...f5", (1, 1, 1, 2, 3, 4))
    assert found.quoted(3, 5) == "'f۵'"


@pytest.mark.parametrize(
    ("key", "board", "text", "name"),
    [
        ("connect-four", None, "۴", "4"),
        ("connect-four", None, " 4. ", "4"),
        ("connect-four", None, "1. 4", "4"),
        ("connect-four", "12x12x4", "１２", "12"),
        ("othello", None, "1... F 5", "f5"),
        ("draughts", None, "۱۱ — ۱۵", "11-15"),
        ("draughts", None, "9–13", "9-13"),
        ("kalah", None, "“C”", "c"),
        ("gomoku", None, "H۱۵,", "h15"),
    ],
)
def test_one_move_is_read_as_people_type_it(key: str, board: str | None, text: str, name: str) -> None:
    rules = game(key)
    start = rules.start(board)
    assert rules.move_name(start, read_move(rules, start, text)) == name


@pytest.mark.parametrize(
    ("key", "board", "text"),
    [
        ("connect-four", "12x12x4", "1 1"),
        ("connect-four", None, "4 4"),
        ("connect-four", None, "-4"),
        ("connect-four", None, "."),
        ("gomoku", None, "h1 1"),
        ("gomoku", None, "a1²"),
        ("othello", None, "f5 d6"),
        ("draughts", None, "11 15"),
        ("kalah", None, "c f"),
    ],
)
def test_a_text_that_may_be_another_move_is_none(key: str, board: str | None, text: str) -> None:
    with pytest.raises(EngineError):
        read_move(game(key), game(key).start(board), text)


@pytest.mark.parametrize(
    ("key", "text", "moves"),
    [
        ("connect-four", "`۴۴, ۵۳`", "4453"),
        ("connect-four", "1.4 4 2.5 3", "4453"),
        ("connect-four", "1) 4\n2) 4\n3) 5.", "445"),
        ("othello", "1. F5 D6 2. C3", "f5d6c3"),
        ("othello", "1. f5 1... d6 2. c3!", "f5d6c3"),
        ("othello", "f5–d6 — c3", "f5d6c3"),
        ("tic-tac-toe", "B۲؛ a 1", "b2a1"),
        ("draughts", "1.11–15 23−19 2. 8 — 11 22-17", "11-1523-1908-1122-17"),
        ("hex", "1. a2 SWAP 2. c 3", "a2swapc3"),
        ("pop-out", "4 4 P 4", "44p4"),
        ("pop-out", "4, 4, pop 4", "44p4"),
    ],
)
def test_a_whole_game_is_read_as_people_type_it(key: str, text: str, moves: str) -> None:
    assert format_moves(game(key), None, parse_moves(game(key), None, text)) == moves


@pytest.mark.parametrize(
    ("key", "text", "column", "said"),
    [
        ("connect-four", "4.4.5.3", 0, r"'4\.'.* numbered from 1"),
        ("connect-four", "44 3. 5", 3, r"'3\.'.* numbered from 1"),
        ("othello", "1. f5 d6 3. c3", 9, r"'3\.'.* numbered from 1"),
        ("othello", "1) 1) f5", 3, "numbered from 1"),
        ("connect-four", "44--53", 2, "'--' is no column"),
        ("othello", "\u202eF۵ \u200fＤ۹", 5, "Character 6, 'Ｄ۹': 'd9' is no square"),
    ],
)
def test_a_text_is_refused_at_its_place_and_as_it_was_typed(
    key: str, text: str, column: int, said: str
) -> None:
    with pytest.raises(NotationError, match=said) as caught:
        parse_moves(game(key), None, text)
    assert caught.value.column == column


def test_every_writing_of_a_pass_is_read_where_one_must_pass() -> None:
    before, after = "c2b2e4c1b1a1a2a3b3d2d1e1", "e2"
    rules = game("othello")
    moves = parse_moves(rules, "6x6", f"{before}--{after}")
    for written in ("—", "-", "PASS", "pa", " -- ", ""):
        assert parse_moves(rules, "6x6", f"{before} {written} {after}") == moves


def test_a_record_is_played_a_word_at_a_time_up_to_the_first_wrong_one() -> None:
    spec = spec_of("othello")
    words = list(words_of(spec, "f5 d6 c3 a1"))
    moves = walk(spec, spec.rules.start(), words)
    assert [next(moves) for _ in range(3)] == [37, 43, 18]
    with pytest.raises(NotationError, match="Character 10, 'a1'"):
        next(moves)


def test_a_flood_of_spaces_is_read_in_a_time_that_grows_with_its_length() -> None:
    def work(spaces: int) -> float:
        with measured() as reading, pytest.raises(NotationError, match=f"Character {spaces + 3}, 'x'"):
            parse_moves(game("othello"), None, f"f5{' ' * spaces}x")
        return reading.seconds

    assert work(40_000) < 24 * max(work(5_000), 0.001), "8 times; the square of it would be 64 times"


def test_an_opening_is_named_as_people_type_it() -> None:
    tiger = opening_named("othello", " tiger ")
    assert tiger is not None
    assert opening_named("othello", "ＴＩＧＥＲ") == tiger
    assert opening_named("othello", f"`{tiger.text.upper()}`") == tiger


def test_a_board_is_compared_without_spaces() -> None:
    assert compact(" ۶ × ۷ × ۴ ") == "6x7x4"
