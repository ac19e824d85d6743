"""`python -m engine solve` and `analyze`: exact scores, streamed, with precise errors."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from engine.analysis.evaluators import evaluator_of
from engine.cli.analyze import analysis, best_moves
from engine.cli.solve import BadLine, Line, solve_lines
from engine.core import EngineError, Limit, replay
from engine.games import GAMES, game
from engine.games.notation import parse_moves
from engine.score import Score
from tests.engine.cli.commands import engine

ROOT = Path(__file__).parents[3]
CONNECT_FOUR = game("connect-four")

# Pascal Pons, "Solving Connect 4", the published test sets (End-Easy).
PUBLISHED = {
    "2252576253462244111563365343671351441": -1,
    "7422341735647741166133573473242566": 1,
    "23163416124767223154467471272416755633": 0,
}


@pytest.mark.parametrize("verb", ["solve", "analyze"])
def test_every_verb_explains_itself_with_examples(verb: str) -> None:
    done = engine(verb, "--help")
    assert done.returncode == 0
    assert f"examples:\n  python -m engine {verb}" in done.stdout


def test_solve_answers_every_line_in_order_and_continues_after_a_bad_one() -> None:
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


def test_solve_reads_a_file_and_exits_with_0_if_every_line_is_valid(tmp_path: Path) -> None:
    file = tmp_path / "positions.txt"
    file.write_text("\n".join(PUBLISHED), "utf-8")
    done = engine("solve", str(file))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("\n") == len(PUBLISHED)


def test_invalid_columns_are_refused_with_the_range_and_an_example() -> None:
    done = engine("solve", typed="xyz\n")
    assert done.returncode == 1
    assert done.stderr == (
        "python -m engine solve: line 1, column 1: 'x' is no column: "
        "write the columns 1 to 7, such as 1213.\n"
    )


def test_a_position_instead_of_a_file_is_refused_with_the_correct_command() -> None:
    done = engine("solve", "xyz")
    assert done.returncode == 2
    assert done.stderr.startswith("python -m engine solve: cannot read xyz: No such file or directory.")
    assert done.stderr.endswith("for a single one, write: echo 44455554221 | python -m engine solve\n")


def test_invalid_bytes_are_an_error_of_their_line_only(tmp_path: Path) -> None:
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
        (("solve", "--game", "othello", "--board", "4x4"), "4x4"),
        (("solve", "--game", "chess"), "There is no game 'chess'"),
        (("solve", "--board", "9x9x9x9"), "is no board"),
        (("analyze", "--position", "X"), "connect-four takes --moves, not --position"),
        (("analyze", "--game", "othello", "--position=---X"), "These are 3 squares"),
        (("analyze", "--moves", "48"), "Character 2, '8': There is no column 8"),
        (("analyze", "--moves", "1212121"), "the game is over"),
        (("analyze", "--board", "13x8x4"), "13 x 8 cannot be played"),
    ],
)
def test_impossible_requests_get_one_line_with_the_reason(arguments: tuple[str, ...], said: str) -> None:
    done = engine(*arguments, typed="4\n")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert said in done.stderr


@pytest.mark.slow
def test_each_answer_is_written_before_the_next_line_is_read() -> None:
    with _solve_process() as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for moves, score in PUBLISHED.items():
            process.stdin.write(f"{moves}\n")
            process.stdin.flush()
            assert process.stdout.readline().split()[:2] == [moves, str(score)]
        process.stdin.close()
        assert process.wait(60) == 0


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT for one process there")
def test_an_interrupt_ends_a_long_search_at_once() -> None:
    with _solve_process("--game", "othello", "--seconds", "60") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"{ENDING}\nf5\n")  # the second line takes all the time it is given
        process.stdin.flush()
        process.stdout.readline()
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
        assert process.stdout.read() == ""


def _solve_process(*options: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "engine", "solve", *options]
    pipe = subprocess.PIPE
    return subprocess.Popen(
        command, cwd=ROOT, stdin=pipe, stdout=pipe, encoding="utf-8", env=dict(os.environ)
    )


def test_lines_are_solved_without_a_process_too() -> None:
    answers = list(solve_lines(CONNECT_FOUR, None, ["22525762534622441115633653436713514 41\n", "9\n"]))
    assert isinstance(answers[0], Line)
    assert (answers[0].place.name, answers[0].score) == (next(iter(PUBLISHED)), -1)
    assert answers[1] == BadLine(2, 1, "There is no column 9: the columns are 1 to 7.")


def test_analyze_prints_the_board_and_every_moves_score() -> None:
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


def test_analyze_as_json_has_the_same_scores_and_words() -> None:
    done = engine("analyze", "--moves", "4444 42551122", "--json")
    data = json.loads(done.stdout)
    assert (data["game"], data["board"], data["moves"]) == ("connect-four", "6x7x4", "444442551122")
    assert (data["to_move"], data["score"], data["value"], data["best"]) == ("first", 14, "wins in 2", ["6"])
    assert [row["score"] for row in data["analysis"]] == [-2, 0, -2, -2, 0, 14, -2]
    for row in data["analysis"]:
        assert row["value"] == str(Score.of_stones(row["score"], 30))
        assert row["move"] in "1234567"


def test_analyze_shows_every_move_of_a_file_and_lists_several_games(tmp_path: Path) -> None:
    one, two, bad = (tmp_path / name for name in ("one.sgf", "two.sgf", "bad.sgf"))
    game = "(;GM[2]SZ[8]PB[Ada]PW[Ben]RE[W+2];B[f5];W[d6];B[c3])"
    one.write_text(game, "utf-8")
    two.write_text(game + game, "utf-8")
    bad.write_text("(;GM[2];B[f5];W[f5])" + game, "utf-8")
    done = engine("analyze", str(one), "--seconds", "0.1", "--as-text")
    assert "Ada - Ben, Othello 8x8, 3 moves, W+2" in done.stdout
    assert all(name in done.stdout for name in ("black", "f5", "d6", "c3"))
    found = json.loads(engine("analyze", str(one), "--seconds", "0.1", "--json").stdout)
    assert [move["name"] for move in found["moves"]] == ["f5", "d6", "c3"]
    done = engine("analyze", str(two))
    assert "2  Ada - Ben" in done.stdout
    assert "choose one with --number" in done.stdout
    assert "There is no game 3" in engine("analyze", str(two), "--number", "3").stderr
    done = engine("analyze", str(bad))
    assert (done.returncode, "Move 2, 'f5'" in done.stderr) == (2, True)
    assert "Ada - Ben" in engine("analyze", str(bad), "--number", "2", "--seconds", "0.1", "--as-text").stdout
    assert "cannot read" in engine("analyze", str(tmp_path / "none.sgf")).stderr


def test_convert_writes_the_games_that_it_can_and_names_the_others(tmp_path: Path) -> None:
    file = tmp_path / "games.ggf"
    board = "BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]"
    file.write_text(
        f"(;GM[Othello]{board}B[f5];)(;GM[Othello]{board}B[a1];)(;GM[Othello]{board}B[d3];)", "utf-8"
    )
    done = engine("convert", str(file), "--to", "sgf")
    assert (done.returncode, done.stdout.count("(;FF[4]GM[2]")) == (1, 2)
    assert "convert: Game 2: Move 1, 'a1': a1 turns no disc over" in done.stderr
    done = engine("convert", str(file), "--number", "3", "--to", "text")
    assert (done.returncode, done.stdout.endswith("\n1. d3 *\n\n")) == (0, True)
    assert "choose one of ggf, sgf, text" in engine("convert", str(file), "--to", "pdn").stderr
    assert "There is no game 4" in engine("convert", str(file), "--number", "4").stderr


def test_a_full_column_is_not_analyzed() -> None:
    state = replay(CONNECT_FOUR.start(), parse_moves(CONNECT_FOUR, None, "4444443353322"))
    found, _ = analysis(CONNECT_FOUR, state)
    assert tuple(found.moves) == (0, 1, 2, 4, 5, 6)
    assert found.score == max(found.moves.values())
    assert all(found.moves[move] == found.score for move in best_moves(found, 42 - state.ply))


def test_every_game_has_an_evaluator_that_refuses_other_games_and_boards() -> None:
    for key, rules in GAMES.items():
        other, evaluator = (
            game("othello" if key != "othello" else "connect-four").start(),
            evaluator_of(rules),
        )
        for search in (evaluator.evaluate, evaluator.evaluate_moves, evaluator.solve):
            with pytest.raises(EngineError):
                search(other, Limit())


# Connect Four on other boards


def test_small_boards_are_solved_like_the_usual_one() -> None:
    done = engine("solve", "--board", "6x6x4", typed="3344\n33\n3344521\n")
    answers = [line.split() for line in done.stdout.splitlines()]
    assert [(words[0], int(words[1]), words[4]) for words in answers] == [
        ("3344", 15, "exact"),
        ("33", 0, "exact"),
        ("3344521", 4, "exact"),
    ]
    found, _ = analysis(CONNECT_FOUR, replay(CONNECT_FOUR.start("5x6x4"), [2, 2, 3, 3]))
    assert (str(found.score), best_moves(found, 26), found.score.exact) == ("wins in 2", (1, 4), True)


@pytest.mark.slow
def test_on_a_large_board_it_names_the_plies_without_a_forced_win() -> None:
    state = CONNECT_FOUR.start("7x8x4")
    found, _ = analysis(CONNECT_FOUR, state, seconds=0.2)
    assert not found.score.exact
    assert found.score.depth >= 8
    assert str(found.score) == f"undecided for {found.score.depth} plies"
    assert {score.points(56) for score in found.moves.values()} == {0}
    done = engine("solve", "--board", "7x8x4", "--seconds", "0.2", "--every-move", typed="3344\n")
    words = done.stdout.split()
    assert (words[0], words[1], words[4]) == ("3344", "25", "exact"), "a win in 2, though the rest is open"
    assert words[6] == "2:25:exact"
    assert words[5].startswith("1:0:depth-")


# Othello

OTHELLO = game("othello")
# Position 40 of the FFO endgame suite: see tests/data/ffo.json.
FFO_40 = "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X"
# 54 moves of a game of the engine against itself; six squares are empty.
ENDING = (
    "f5f6e6f4g6d7c3c5d3e3f3g3g5g4h5h3e7d6h4f8f2f7h2e2c4d2d1b5c1c2b1h7b3f1b4a4c6b6c7e1g1a3c8e8a5a6d8b8b7g7"
)


@pytest.mark.slow
def test_othello_is_solved_from_moves_and_boards_and_errors_name_the_column() -> None:
    lines = [ENDING, FFO_40, "f5 z9", "f5d6d7", f"{FFO_40[:30]}?{FFO_40[31:]}", FFO_40[:-2], "XO X"]
    done = engine("solve", "--game", "othello", typed="\n".join(lines))
    moves, board = [line.split() for line in done.stdout.splitlines()]
    assert (moves[0], moves[4]) == (ENDING, "exact")
    assert (" ".join(board[:2]), int(board[2]), board[5]) == (FFO_40, 38, "exact")
    said = [line.removeprefix("python -m engine solve: ") for line in done.stderr.splitlines()]
    assert [reason.partition(": ")[0] for reason in said] == [
        "line 3, column 4",
        "line 4, column 5",
        "line 5, column 31",
        "line 6, column 64",
        "line 7, column 4",
    ]
    assert "'?' is no square" in said[2]
    assert "63 squares" in said[3]
    assert "2 squares" in said[4]
    assert done.returncode == 1


def test_the_exact_scores_of_moves_are_those_of_the_positions_after_them() -> None:
    (line,) = solve_lines(OTHELLO, None, [ENDING], every_move=True)
    assert isinstance(line, Line)
    assert line.found.score.exact
    assert line.found.score == max(score for _, score in line.moves)
    for name, score in line.moves:
        (after,) = solve_lines(OTHELLO, None, [ENDING + name])
        assert isinstance(after, Line)
        has_passed = after.place.state.to_move is line.place.state.to_move
        assert after.found.score == (score if has_passed else -score)
        assert score.exact


def test_a_short_time_gives_a_marked_estimate() -> None:
    for every_move in (False, True):
        (line,) = solve_lines(OTHELLO, None, ["f5d6"], 0.05, every_move=every_move)
        assert isinstance(line, Line)
        assert not line.found.score.exact
        assert str(line).split()[4] == f"depth-{line.found.score.depth}"


def test_solve_can_write_json_lines() -> None:
    done = engine("solve", "--game", "othello", "--json", "--every-move", typed=f"{ENDING}\nx\n")
    found = json.loads(done.stdout)
    assert (found["line"], found["position"], found["exact"], found["depth"]) == (1, ENDING, True, None)
    assert found["score"] == max(row["score"] for row in found["analysis"])
    assert found["best_line"][0] in {row["move"] for row in found["analysis"]}
    assert "line 2, column 1" in done.stderr


@pytest.mark.slow
def test_analyze_marks_estimates_in_othello() -> None:
    done = engine("analyze", "--game", "othello", "--moves", "f5d6", "--seconds", "0.2", "--as-text")
    assert "Black X to move: about " in done.stdout
    rows = [line for line in done.stdout.splitlines() if line.startswith("│")]
    assert rows
    assert all(" depth " in row for row in rows)
    done = engine("analyze", "--game", "othello", f"--position={FFO_40}", "--json")
    found = json.loads(done.stdout)
    assert (found["score"], found["exact"], found["value"], found["best"]) == (38, True, "wins by 38", ["a2"])
    assert found["board"] == "8x8"


# Tic-tac-toe


@pytest.mark.parametrize(
    ("moves", "score", "words"),
    [
        ("", 0, "draw"),
        ("a1a2", 2, "wins in 3"),  # of four marks left the third, so the second from the end
        ("a1a2b1b2", 3, "wins in 1"),
        ("a1a2b1b2c3", 2, "wins in 1"),
        ("b2a1c3", 0, "draw"),
    ],
)
def test_tic_tac_toe_is_played_out(moves: str, score: int, words: str) -> None:
    rules = game("tic-tac-toe")
    state = replay(rules.start(), parse_moves(rules, None, moves))
    found, _ = analysis(rules, state)
    assert (found.score.points(9 - state.ply), str(found.score)) == (score, words)


def test_analyze_says_that_nothing_is_evaluated_while_an_opening_is_placed() -> None:
    done = engine("analyze", "--game", "gomoku", "--board", "9x9-swap2", "--moves", "e5", "--as-text")
    assert done.stdout.rstrip().endswith("Black X to move: nothing is evaluated while an opening is placed.")
