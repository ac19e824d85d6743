"""GGF, psq, PDN, WTHOR, Kaggle's episodes and HexWorld's links: read, and refused with the place."""

from __future__ import annotations

import json
import struct
import time
from contextlib import suppress
from typing import Any

import pytest

from engine.core import EndReason, Player, replay
from engine.games import game, spec_of
from engine.games.draughts.notation import read_fen, write_fen
from engine.games.notation import format_moves
from engine.records.reading import read_games
from engine.records.record import DRAWN, FIRST_WON, SECOND_WON, Record, RecordError

USUAL = "-------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *"


def only(data: bytes | str, key: str | None = None, name: str | None = None) -> Record:
    (record,) = read_games(data, name, None if key is None else spec_of(key))
    return record


def moves(record: Record) -> str:
    return format_moves(record.spec.rules, record.board, record.moves)


def ggf(moves: str, board: str = f"8 {USUAL}", kind: str = "Othello", result: str = "+4.000") -> str:
    return f"(;GM[{kind}]PC[GGS]DT[2026.11.28]PB[Ada]PW[Ben]TI[05:00]TY[8]RE[{result}]BO[{board}]{moves};)"


def test_ggf_has_evaluations_times_and_passes() -> None:
    record = only(ggf("B[f5/1.2/3]W[D6//0.01]B[c3]"))
    assert (record.spec.key, moves(record), record.start) == ("othello", "f5d6c3", None)
    assert (record.about.players, record.about.result) == (("Ada", "Ben"), FIRST_WON)
    assert only(ggf("B[f5]", result="-2.00:r")).about.result == SECOND_WON
    assert only(ggf("B[f5]", result="0.000")).about.result == DRAWN
    assert only(ggf("B[f5]", result="?")).about.result == ""


def test_ggf_may_begin_in_a_position_and_hold_several_games() -> None:
    after = ggf("W[d6]", "8 -------- -------- -------- ---O*--- ---***-- -------- -------- -------- O")
    one, two, three = read_games(f"1 {ggf('B[f5]')}\n2 {ggf('B[f5]')}{after}")
    assert (one.start, two.start) == (None, None)
    assert three.start is not None
    assert three.start.to_move is Player.SECOND
    assert len(three.moves) == 1


def psq(*lines: str, header: str = "Piskvorky 15x15, 11:11, 0") -> str:
    return "\r\n".join([header, *lines, "ADA.zip", "pbrain-b.exe", "-1", ""])


def test_psq_counts_from_one_and_from_the_top() -> None:
    record = only(psq("6,7,0", "10,10,100"))
    assert (record.spec.key, moves(record), record.about.players) == ("gomoku", "f7j10", ("ADA", "pbrain-b"))
    second_began = only(psq("6,7,0", header="Piskvorky 13x13, 0:3, 1"))
    assert (second_began.board, second_began.about.players) == ("13x13", ("pbrain-b", "ADA"))


PDN = '[Black "Ada"]\n[White "Ben"]\n[GameType "21{more}"]\n{moves}'


@pytest.mark.parametrize(
    "text",
    [
        "1. 9-14 22-18 2. 6-9 24-20 3. 11-16 20x11 4. 7x16 *",
        "1.9-14 22-18 2.6-9 24-20 3.11-16 20:11 4.7x16",
        "1. 9-14! {a (b) 9-14} 22-18 $2 2. 6-9(?) (6-9 {c} (9-14)) 24-20* 3. 11-16 3... 20x11 4. 7x16 1-0",
        "1. g3-f4 f6-e5 2. f2-g3 b6-a5 3. c3-b4 a5xc3 4. d2xb4",
        "1. b6c5 c3d4 2. c7b6 g3h4 3. f6g5 h4xf6 4. e7xg5",
    ],
)
def test_draughts_is_written_by_numbers_or_from_two_corners(text: str) -> None:
    assert moves(only(text, "draughts")) == "09-1422-1806-0924-2011-1620x1107x16"
    assert only(PDN.format(more=",B,8,8,N1,0", moves=text)).about.players == ("Ada", "Ben")


def test_in_english_draughts_the_first_number_is_blacks() -> None:
    assert only("1. 9-14 22-18 1-0", "draughts").about.result == FIRST_WON


def test_a_fen_is_a_position_or_the_start_of_a_game() -> None:
    fen = "B:W17,21,K23,25:B2,4-6,K9,10"
    position = only(f"{fen}.")
    assert position.start is not None
    assert (position.moves, write_fen(position.start)) == ((), "B:W17,21,K23,25:B2,4,5,6,K9,10")
    record = only(f'[FEN "{fen}"]\n[SetUp "1"]\n12. 2-7 23-27 *')
    assert record.start == position.start
    assert len(record.moves) == 2
    assert read_fen("W:W5:B28").to_move is Player.SECOND


@pytest.mark.parametrize(("answer", "way"), [("15-10", "10x17x26"), ("14-9", "10x19x26")])
def test_of_two_jumps_with_one_name_the_one_is_played_after_which_the_game_goes_on(
    answer: str, way: str
) -> None:
    record = only(f'[FEN "B:W14,22,15,23,32:B10,1"]\n1. 10x26 {answer} *')
    rules = record.spec.rules
    assert rules.move_name(record.states[0], record.moves[0]) == way
    assert len(record.moves) == 2


def test_a_jump_is_asked_for_if_the_game_goes_on_after_either_way() -> None:
    with pytest.raises(RecordError, match="write one of 10x17x26, 10x19x26"):
        only('[FEN "B:W14,22,15,23,32:B10,1"]\n1. 10x26 32-28 1-5 *')


SHUFFLED = (
    "10-14 24-19 9-13 22-17 13x22 25x9 5x14 30-25 6-10 28-24 2-6 32-28 11-15 21-17 14x30 23-18 30x16 18x2"
    " 10-14 2x18 16-11 24-19 12-16 19x12 11-7 27-24 7-2 18-23 2-7 23-18 7-2 18-23 2-7 23-18"
)
"""At its end two kings stand for the third time as before."""


def test_a_record_of_draughts_goes_on_after_a_third_repetition_since_a_draw_is_claimed() -> None:
    rules = game("draughts")
    record = only(SHUFFLED, "draughts")
    outcome = record.states[-1].outcome()
    assert outcome is not None
    assert (record.board, outcome.reason) == ("8x8", EndReason.REPETITION)
    longer = only(f"{SHUFFLED} 7-2", "draughts")
    assert (longer.board, len(longer.moves)) == ("8x8-claimed", len(record.moves) + 1)
    assert replay(rules.start("8x8-claimed"), longer.moves).outcome() is None
    assert "8x8-claimed" not in rules.boards


def wthor(*games: bytes, count: int | None = None, size: int = 8) -> bytes:
    header = struct.pack(
        "<4BiHHBBBB", 20, 26, 11, 28, len(games) if count is None else count, 0, 2025, size, 0, 0, 0
    )
    return header + b"".join(struct.pack("<3HBB60s", 1, 2, 3, 40, 40, one) for one in games)


def test_wthor_has_its_games_as_bytes() -> None:
    one, two = read_games(wthor(bytes((56, 64, 33)), bytes((56,)), size=0))
    assert (moves(one), moves(two), one.board) == ("f5d6c3", "f5", "8x8")
    assert (one.about.date, one.about.result, one.about.said) == ("2025", FIRST_WON, "40-24")


def test_a_file_of_wthor_without_games_is_refused() -> None:
    with pytest.raises(RecordError, match="There is no game 1 in it"):
        read_games(wthor(), "empty.wtb")


def episode(*actions: int | None, rewards: Any = (1, -1), **more: Any) -> str:
    idle: dict[str, Any] = {"action": 0, "status": "INACTIVE"}
    steps = [[idle, idle]]
    for number, action in enumerate(actions):
        turn = {"action": action, "status": "ACTIVE" if action is not None else "TIMEOUT"}
        steps.append([turn, idle] if number % 2 == 0 else [idle, turn])
    settings = {"rows": 6, "columns": 7, "inarow": 4}
    return json.dumps(
        {"name": "connectx", "configuration": settings, "steps": steps, "rewards": rewards, **more}
    )


def test_an_episode_has_the_actions_of_both_agents_in_turn() -> None:
    record = only(episode(3, 2, 6, info={"TeamNames": ["Ada", "Ben"]}))
    assert (record.spec.key, record.board, moves(record)) == ("connect-four", "6x7x4", "437")
    assert (record.about.players, record.about.result) == (("Ada", "Ben"), FIRST_WON)
    late = only(episode(3, 2, None, rewards=[None, 0]))
    assert (moves(late), late.about.result) == ("43", SECOND_WON)


def test_a_link_to_hexworld_is_a_game() -> None:
    record = only("see https://hexworld.org/board/#11r9c1,a2:sj3k3b8:rw")
    assert (record.spec.key, record.board, moves(record)) == ("hex", "11x11", "a2swapj3k3b8")
    assert record.about.result == FIRST_WON


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (ggf("B[e6]")[:-2], "Character 1: the game that begins here ends in the middle"),
        (ggf("B[D1-D7-G7]", "10 *", "Amazons"), "Amazons, which is not played here"),
        (ggf("B[f6]", "10 " + "-" * 100 + " *"), "8x8 and 6x6 here; this is 10x10"),
        (ggf("B[f5]B[d6]"), "Move 2, 'd6': It says black, but white is to move"),
        (ggf("KB[3]KW[4]B[f5]"), "komi"),
        (psq("8,8,0", "8,8,0"), "Line 3, 8,8: h8 is taken"),
        (psq("16,8,0"), "Line 2, 16,8: "),
        (psq("1,1,0", header="Piskvorky 20x20, 11:11, 0"), "15x15 and 13x13 and 9x9 here; this is 20x20"),
        (psq("1,1,0", header="Piskvorky 20x15, 11:11, 0"), "9x9 here; this is 20x15"),
        ("8,8,0\n9,8,0\n-1\n", "a psq file begins with"),
        ('[FEN "B:W33:B1"]\n1. 1-5 *', "'33' is no square"),
        ('[FEN "B:W13:B13"]\n*', "Square 13 is taken twice"),
        ('1. c3-c4 *\n[GameType "21"]', "light square|No piece"),
        ('[GameType "25"]\n1. c3-d4 *', "Russian draughts"),
        (wthor(bytes((56,)), count=3), "says 3 games, but has room for 1"),
        (wthor(bytes((56,)), count=-294_967_296), "says 4,000,000,000 games, but has room for 1"),
        (wthor(bytes((56,)), size=10), "8x8 and 6x6 here; this is 10x10"),
        (wthor(bytes((56, 99))), "Move 2, i9: "),
        ('{"name": "connectx", "steps": [', "no JSON"),
        ('{"name": "halite", "steps": [], "configuration": {}}', "Kaggle's halite"),
        ('{"name": "connectx", "configuration": {"rows": 6, "columns": 7, "inarow": 4}}', "no steps"),
        (
            '{"name":"connectx","configuration":{"rows":NaN,"columns":7,"inarow":4},"steps":[]}',
            "no whole numbers",
        ),
        (episode(3, "x"), "Step 2, 'x': "),  # type: ignore[arg-type]
        (episode(3, "\x1b]0;x\x07"), "Step 2, '.x1b.0;x.x07': "),  # type: ignore[arg-type]
        (episode(3, 9), "Step 2, 9: There is no column 10"),
        ("[" * 100_000, "more than 50 brackets"),
        ("https://hexworld.org/board/#13c1,a2", "11x11 and 7x7 here; this is 13x13"),
        ("https://hexworld.org/board/#11c1,a2:pb3", "Move 2, ':p': "),
    ],
)
def test_a_wrong_file_is_refused_with_its_place(data: bytes | str, problem: str) -> None:
    with pytest.raises(RecordError, match=problem):
        only(data)


@pytest.mark.parametrize(
    "text",
    [
        f"(;GM[Othello]{'a' * 40_000};)",
        '{"' + '\\"' * 40_000,
        "x" + "\n" * 40_000,
        "\t\n" * 40_000 + "[x",
    ],
    ids=("a long word", "quotes without an end", "empty lines", "empty lines before a bracket"),
)
def test_reading_takes_as_long_as_the_text_and_not_its_square(text: str) -> None:
    began = time.process_time()
    with suppress(RecordError):
        read_games(text)
    assert time.process_time() - began < 2


@pytest.mark.parametrize("name", ["\ud800", "\x1b[31mAda", "A\nB"])
def test_names_that_no_terminal_can_show_are_left_out(name: str) -> None:
    told = json.loads(episode(3, 3))
    assert only(json.dumps(told | {"info": {"TeamNames": [name, "Ben"]}})).about.players == ("", "")
    with pytest.raises(RecordError, match="its name is no text"):
        only(json.dumps(told | {"name": name}))
