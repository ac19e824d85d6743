"""Levels inside other programs: whole sessions of each protocol, as the programs send them."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Callable

import pytest

from engine.cli.speakers import GomocupSpeaker, GtpSpeaker, HtpSpeaker, NBoardSpeaker, Table
from engine.core import Choice, History, SearchInfo, replay
from engine.games import game
from tests.engine.cli.commands import engine

NBOARD_START = "8 ---------------------------O*------*O--------------------------- *"


def session(protocol: str, level: str, *lines: str) -> str:
    """All that the engine answers to the lines."""
    done = engine("serve", "--protocol", protocol, "--level", level, "--seed", "1", typed="\n".join(lines))
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def chooser(rng: random.Random) -> Callable[[History, float | None], Choice]:
    """A player that draws lots, so that a whole game takes milliseconds."""

    def choose(history: History, _seconds: float | None) -> Choice:
        move = rng.choice(replay(history.start, history.moves).legal_moves())
        return Choice(move, SearchInfo(pv=(move,)))

    return choose


def timed(told: list[float | None]) -> Callable[[History, float | None], Choice]:
    """A player that notes its seconds, and takes the first legal move."""

    def choose(history: History, seconds: float | None) -> Choice:
        told.append(seconds)
        return Choice(replay(history.start, history.moves).legal_moves()[0], SearchInfo())

    return choose


def test_a_manager_of_gomoku_gets_a_move_for_each_turn_and_for_each_board() -> None:
    answers = session(
        "gomocup",
        "kaede",
        *("ABOUT", "START 15", "INFO timeout_turn 500", "INFO evaluate 3,3", "TURN 7,7", "RESTART"),
        *("BOARD", "3,3,2", "7,7,1", "4,3,2", "8,7,1", "9,7,1", "5,3,2", "10,7,1", "6,3,2", "DONE"),
        *("END", "BEGIN"),
    ).splitlines()
    assert answers[0].startswith('name="Discade", version="')
    assert answers[1] == answers[3] == "OK"
    assert all(0 <= int(number) < 15 for number in answers[2].split(","))
    # It has an open four: one of both ends wins.
    assert answers[4] in ("6,7", "11,7")
    assert len(answers) == 5  # nothing after END


def test_gomoku_is_refused_on_other_boards_and_by_other_rules_in_the_protocols_words() -> None:
    speaker = GomocupSpeaker(Table(game("gomoku"), timed([])))
    assert speaker.answer("START 20") == "ERROR '20' is no size of the board here: 15 or 13 or 9\r\n"
    assert speaker.answer("START 9") == "OK\r\n"
    assert speaker.answer("TURN 9,0").startswith("ERROR 9,0 is outside the board of 9 x 9")
    assert speaker.answer("INFO rule 1") == ""
    assert speaker.answer("BEGIN") == "ERROR rule 0 alone is played here: five or more in a row win\r\n"
    assert speaker.answer("SWAP2BOARD") == "UNKNOWN command\r\n"
    assert speaker.answer("INFO rule 0") == speaker.answer("") == ""
    assert speaker.answer("BEGIN") == "0,0\r\n"
    assert speaker.answer("TURN 0,0").startswith("ERROR")
    assert speaker.answer("TAKEBACK 0,0") == "OK\r\n"
    assert speaker.answer("TAKEBACK 0,0") == "ERROR there is no move to take back\r\n"


@pytest.mark.parametrize(
    "stones", [["7,7,1"], ["7,7,2", "8,8,2"], ["7,7,3"], ["7,7"], ["7,7,1", "7,7,2"], ["x"], ["7,7,1,2"]]
)
def test_a_board_that_cannot_be_is_an_error_and_the_session_goes_on(stones: list[str]) -> None:
    speaker = GomocupSpeaker(Table(game("gomoku"), timed([])))
    assert [speaker.answer(line) for line in ("BOARD", *stones)] == [""] * (len(stones) + 1)
    assert speaker.answer("DONE").startswith("ERROR ")
    assert speaker.answer("RESTART") == "OK\r\n"
    assert speaker.answer("BEGIN") == "0,0\r\n"


def test_a_manager_s_time_is_kept_with_something_to_spare() -> None:
    told: list[float | None] = []
    gomoku = GomocupSpeaker(Table(game("gomoku"), timed(told)))
    gomoku.answer("BEGIN")
    for milliseconds in (5000, 0):
        gomoku.answer(f"INFO timeout_turn {milliseconds}")
        gomoku.answer("RESTART")
        gomoku.answer("BEGIN")
    assert told[0] is None
    assert 3.0 < (told[1] or 0) < 4.0
    assert 0 < (told[2] or 0) < 0.1
    told.clear()
    othello = GtpSpeaker(Table(game("othello"), timed(told)))
    for command in ("time_settings 0 5 1", "time_settings 300 0 0", "time_left black 60 20"):
        othello.answer(command)
        othello.answer("clear_board")
        othello.answer("genmove b")
    assert [round(seconds or 0, 1) for seconds in told] == [3.4, 6.9, 2.0]
    assert othello.answer("time_settings never") == "? 'never' is no whole number of seconds\n\n"


def test_nboard_sets_a_game_and_its_own_move_is_played_only_when_it_comes_back() -> None:
    answers = session(
        "nboard",
        "greta",
        "nboard 2",
        "set depth 6",
        f"set game (;GM[Othello]PC[x]PB[B[f5]PW[you]RE[?]TI[0:10]TY[8]BO[{NBOARD_START}]B[F5//0.01]W[d6];)",
        *("ping 3", "go", "move C3/1.00/0.2", "hint 2", "anything else", "quit"),
    ).splitlines()
    assert answers[:3] == ["set myname Discade", "pong 3", "status"]
    assert answers[3].startswith("=== ")
    assert any(line.startswith("search ") for line in answers)


def test_nboard_hears_of_errors_without_losing_the_game() -> None:
    speaker = NBoardSpeaker(Table(game("othello"), timed([])))
    assert speaker.answer("set game (;GM[Othello];)").startswith("status These are 0 squares")
    assert speaker.answer("set game of chess") == "status 'of chess' is no game in GGF\n"
    assert speaker.answer(f"set game (;BO[10 {'-' * 100} *];)").startswith("status These are 100 squares")
    assert speaker.answer("move a1").startswith("status ")
    assert speaker.answer("go") == "status\n=== D3\n"
    # White cannot move here and passes.
    blocked = "8 " + "*" * 62 + "O- O"
    assert speaker.answer(f"set game (;GM[Othello]BO[{blocked}];)") == ""
    assert speaker.answer("go") in ("status\n=== PA\n", "status the game is over\n")


def test_gtp_answers_with_the_numbers_of_its_commands() -> None:
    answers = session(
        "gtp",
        "greta",
        *("1 protocol_version", "name # of the engine", "", "# nothing", "2 boardsize 10", "boardsize 8"),
        *(
            "3 play black f5",
            "play black d6",
            "genmove w",
            "undo",
            "known_command genmove",
            "4 dance",
            "5 quit",
        ),
    ).split("\n\n")
    assert answers[:4] == ["=1 2", "= Discade", "?2 '10' is no size of the board here: 8", "= "]
    assert answers[4:6] == ["=3 ", "? it is the other side's turn"]
    assert answers[6] in ("= d6", "= f4", "= f6")
    assert answers[7:] == ["= ", "= true", "?4 unknown command", "=5 ", ""]


@pytest.mark.parametrize("seed", range(5))
def test_a_whole_game_of_othello_needs_no_passes_from_the_controller(seed: int) -> None:
    speaker = GtpSpeaker(Table(game("othello"), chooser(random.Random(seed))))
    colours, moves = ("black", "white"), 0
    while speaker.answer("final_score").startswith("?"):
        # As a controller that knows no pass: the side whose turn it is by the count, else the other one.
        words = [speaker.answer(f"genmove {colour}") for colour in colours]
        assert any(word.startswith("= ") for word in words)
        moves += sum(word.startswith("= ") and word != "= pass\n\n" for word in words)
        colours = colours[::-1] if words[0].startswith("?") else colours
    discs = speaker.answer("showboard")
    black, white = discs.count("X"), discs.count("O")
    assert black + white == moves + 4
    winner = "0" if black == white else f"{'B' if black > white else 'W'}+"
    assert speaker.answer("final_score").startswith(f"= {winner}")


def test_hex_goes_on_after_a_swap_as_other_programs_understand_it() -> None:
    told: list[History] = []

    def choose(history: History, _seconds: float | None) -> Choice:
        told.append(history)
        return Choice(replay(history.start, history.moves).legal_moves()[0], SearchInfo())

    speaker = HtpSpeaker(Table(game("hex"), choose))
    # They leave the stone black on c2, and White moves again, to d5.
    for command in ("boardsize 7 7", "play black c2", "play white swap-pieces", "play white d5"):
        assert speaker.answer(command) == "= \n\n"
    assert speaker.answer("play white a7") == "? it is the other side's turn\n\n"
    assert speaker.answer("play black c2").startswith("? ")
    # Ours has the mirror image with the colours exchanged: the stones of both are one position.
    assert speaker.answer("genmove black") == "= a1\n\n"
    state = replay(told[0].start, told[0].moves)
    owners = {cell: owner for cell, owner in enumerate(state.cells()) if owner is not None}
    assert owners == {2 * 7 + 1: 1, 3 * 7 + 4: 0}  # b3 white, e4 black
    assert speaker.answer("undo") == speaker.answer("undo") == speaker.answer("undo") == "= \n\n"
    assert speaker.answer("play white swap-sides").startswith("? ")
    assert speaker.answer("play white c3") == "= \n\n"
    assert speaker.answer("play white swap-pieces").startswith("? ")


@pytest.mark.parametrize("seed", range(5))
def test_a_whole_game_of_hex_ends_with_the_winner_in_the_programs_colours(seed: int) -> None:
    rng = random.Random(seed)
    speaker = HtpSpeaker(Table(game("hex"), chooser(rng)))
    speaker.answer("boardsize 7")
    stones: dict[str, str] = {"d4": "black"}
    speaker.answer("play black d4")
    if seed % 2:
        speaker.answer("play white swap-pieces")
    colour = "white"
    while speaker.answer("final_score").startswith("?"):
        word = speaker.answer(f"genmove {colour}").removeprefix("= ").strip()
        if word != "swap-pieces":
            assert word not in stones
            stones[word] = colour
            colour = "black" if colour == "white" else "white"
    black_joins = joined({cell for cell, owner in stones.items() if owner == "black"})
    assert speaker.answer("final_score") == f"= {'B' if black_joins else 'W'}+\n\n"


def joined(stones: set[str]) -> bool:
    """Whether the stones join the top row and the bottom row of 7 x 7, by a plain walk over neighbours."""
    cells = {(ord(cell[0]) - 97, int(cell[1]) - 1) for cell in stones}
    reached = [(column, row) for column, row in cells if row == 0]
    seen = set(reached)
    while reached:
        column, row = reached.pop()
        for across, down in ((1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1)):
            near = (column + across, row + down)
            if near in cells and near not in seen:
                seen.add(near)
                reached.append(near)
    return any(row == 6 for _, row in seen)


def test_the_wrong_game_and_unknown_levels_are_refused_before_the_session() -> None:
    done = engine("serve", "--protocol", "gtp", "--game", "hex", "--level", "otis")
    assert done.returncode == 2
    assert "gtp is spoken here for othello, not for hex" in done.stderr
    done = engine("serve", "--protocol", "htp", "--level", "otus")
    assert done.returncode == 2
    assert "Did you mean 'otis'?" in done.stderr


@pytest.mark.slow
def test_a_ping_ends_a_search_and_rubbish_ends_nothing() -> None:
    command = ("serve", "--protocol", "nboard", "--level", "alphabeta:depth=40", "--seconds", "300")
    process = subprocess.Popen(
        [sys.executable, "-m", "engine", *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"\xff\xfe\x00\r\nnboard 2\r\n" + b"x" * 200_000 + b"\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"set myname Discade\n"
        began = time.monotonic()
        process.stdin.write(f"set game (;BO[{NBOARD_START}];)\ngo\nping 7\ngo\nquit\n".encode())
        process.stdin.flush()
        answers = process.stdout.read().decode().splitlines()
        assert time.monotonic() - began < 60
        assert "pong 7" in answers
        assert sum(answer.startswith("=== ") for answer in answers) == 2
    assert process.returncode == 0
