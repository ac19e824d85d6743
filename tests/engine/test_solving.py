"""`python -m engine solve` and `analyze`: exact values, streamed, with errors that say where and why."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from engine.core import EngineError, UnknownName, replay
from engine.games import GAMES, game
from engine.notation import parse_moves
from engine.solving import SOLVED, BadLine, Line, analysis, solve_lines
from engine.values import label
from tests.engine.test_cli import engine

ROOT = Path(__file__).parents[2]
CONNECT_FOUR = game("connect-four")

# Pascal Pons, "Solving Connect 4", the published test sets (End-Easy).
PUBLISHED = {
    "2252576253462244111563365343671351441": -1,
    "7422341735647741166133573473242566": 1,
    "23163416124767223154467471272416755633": 0,
}
SLOW = "666477444"
"""A second's work, and beyond the plies whose scores are stored."""


@pytest.mark.parametrize("verb", ["solve", "analyze"])
def test_every_verb_explains_itself_with_examples(verb: str) -> None:
    done = engine(verb, "--help")
    assert done.returncode == 0
    assert f"examples:\n  python -m engine {verb}" in done.stdout


def test_solve_answers_every_line_in_order_and_goes_on_after_a_bad_one() -> None:
    first, second, third = PUBLISHED
    typed = f"{first}\n\n44x\n  {second}\n{'1' * 7}\n1212121\n8\n{third}"
    done = engine("solve", typed=typed)
    answers = [line.split() for line in done.stdout.splitlines()]
    assert [(moves, int(score)) for moves, score, _, _ in answers] == list(PUBLISHED.items())
    assert all(int(nodes) >= 0 and int(microseconds) >= 0 for _, _, nodes, microseconds in answers)
    reasons = done.stderr.splitlines()
    places = [reason.removeprefix("python -m engine solve: ").partition(": ")[0] for reason in reasons]
    assert places == ["line 3, column 3", "line 5, column 7", "line 6, column 7", "line 7, column 1"]
    assert "Column 1 is full" in reasons[1]
    assert "game is over" in reasons[2]
    assert "There is no column 8" in reasons[3]
    assert done.returncode == 1


def test_solve_reads_a_file_and_ends_with_0_when_every_line_was_good(tmp_path: Path) -> None:
    file = tmp_path / "positions.txt"
    file.write_text("\n".join(PUBLISHED), "utf-8")
    done = engine("solve", str(file))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("\n") == len(PUBLISHED)


def test_a_line_of_noise_is_an_error_of_that_line_alone(tmp_path: Path) -> None:
    file = tmp_path / "positions.txt"
    file.write_bytes(b"\xff\xfe\n" + next(iter(PUBLISHED)).encode())
    done = engine("solve", str(file))
    assert done.returncode == 1
    assert done.stderr.startswith("python -m engine solve: line 1, column 1: ")
    assert done.stdout.startswith(next(iter(PUBLISHED)))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("solve", "no/such/file"), "cannot read no/such/file"),
        (("solve", "--game", "othello"), "othello has no solver yet; there is one for connect-four"),
        (("solve", "--board", "9x9x9x9"), "is no board"),
        (("analyze", "--game", "othello"), "othello has no solver yet; there is one for connect-four"),
        (("analyze", "--moves", "48"), "Character 2, '8': There is no column 8"),
        (("analyze", "--moves", "1212121"), "the game is over"),
        (("analyze", "--board", "5x6x4"), "6x7x4 only"),
    ],
)
def test_what_cannot_be_done_gets_one_line_that_says_why(arguments: tuple[str, ...], said: str) -> None:
    done = engine(*arguments, typed="4\n")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert said in done.stderr


def test_each_answer_comes_before_the_next_line_is_there() -> None:
    with _solve_process() as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for moves, score in PUBLISHED.items():
            process.stdin.write(f"{moves}\n")
            process.stdin.flush()
            assert process.stdout.readline().split()[:2] == [moves, str(score)]
        process.stdin.close()
        assert process.wait(60) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT for one process there")
def test_an_interrupt_ends_a_long_search_at_once() -> None:
    with _solve_process() as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"{next(iter(PUBLISHED))}\n{SLOW}\n")
        process.stdin.flush()
        process.stdout.readline()
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
        assert process.stdout.read() == ""


def _solve_process() -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "engine", "solve"]
    pipe = subprocess.PIPE
    return subprocess.Popen(
        command, cwd=ROOT, stdin=pipe, stdout=pipe, encoding="utf-8", env=dict(os.environ)
    )


def test_lines_are_solved_without_a_process_too() -> None:
    answers = list(solve_lines(CONNECT_FOUR, None, ["22525762534622441115633653436713514 41\n", "9\n"]))
    assert isinstance(answers[0], Line)
    assert (answers[0].moves, answers[0].score) == (next(iter(PUBLISHED)), -1)
    assert answers[1] == BadLine(2, 1, "There is no column 9: the columns are 1 to 7.")


def test_analyze_shows_the_board_and_what_every_move_is_worth() -> None:
    done = engine("analyze", "--moves", "444442551122", "--as-text")
    assert (done.returncode, done.stderr) == (0, "")
    assert " . (O) .  X  .  .  . " in done.stdout
    assert "Red X to move: wins in 2 (6)." in done.stdout
    rows = [line.replace("│", " ").split() for line in done.stdout.splitlines() if line.startswith("│")]
    assert rows == [
        ["1", "-2", "loses", "in", "14"],
        ["2", "0", "draw"],
        ["3", "-2", "loses", "in", "14"],
        ["4", "-2", "loses", "in", "14"],
        ["5", "0", "draw"],
        ["6", "+14", "wins", "in", "2"],
        ["7", "-2", "loses", "in", "14"],
    ]


def test_analyze_as_json_says_the_same_in_scores_and_words() -> None:
    done = engine("analyze", "--moves", "4444 42551122", "--json")
    data = json.loads(done.stdout)
    assert (data["game"], data["board"], data["moves"]) == ("connect-four", "6x7x4", "444442551122")
    assert (data["to_move"], data["score"], data["value"], data["best"]) == ("first", 14, "wins in 2", ["6"])
    assert [row["score"] for row in data["analysis"]] == [-2, 0, -2, -2, 0, 14, -2]
    for row in data["analysis"]:
        assert row["value"] == label(row["score"], 12)
        assert row["move"] in "1234567"


def test_a_full_column_is_not_analyzed() -> None:
    state = replay(CONNECT_FOUR.start(), parse_moves(CONNECT_FOUR, None, "4444443353322"))
    found = analysis(CONNECT_FOUR, state)
    assert tuple(found.scores) == (0, 1, 2, 4, 5, 6)
    assert found.score == max(found.scores.values())
    assert all(found.scores[move] == found.score for move in found.best)


def test_every_game_with_a_solver_is_a_game_and_the_others_say_so() -> None:
    assert set(SOLVED) <= set(GAMES)
    for key in set(GAMES) - set(SOLVED):
        with pytest.raises(UnknownName, match=f"{key} has no solver yet"):
            list(solve_lines(game(key), None, []))
    with pytest.raises(EngineError, match="6x7x4 only"):
        analysis(CONNECT_FOUR, CONNECT_FOUR.start("5x6x4"))
