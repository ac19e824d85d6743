"""The engine's command line, as a process and with typed input."""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from engine.agents import make_agent
from engine.cli.sitting import Chair, Sitting
from engine.cli.terminal import describe, draw, draw_board
from engine.core import Limit, replay
from engine.games import game
from engine.games.spec import GameSpec
from tests.engine.cli.commands import engine
from tests.engine.games.shapes import EDGES, HEXAGONS, KINGS, PITS

ROOT = Path(__file__).parents[3]
PLUGINS = ROOT / "tests" / "data" / "one_plugin"


def engine_process(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The same in a process of its own, in which every warning is an error."""
    return subprocess.run(
        [sys.executable, "-W", "error", "-m", "engine", *arguments],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", "DISCADE_AGENTS": "", **environment},
    )


# Verbs


@pytest.mark.parametrize("verb", ["play", "arena", "perft", "agents"])
def test_every_verb_explains_itself_with_examples(verb: str) -> None:
    done = engine(verb, "--help")
    assert done.returncode == 0
    assert f"examples:\n  python -m engine {verb}" in done.stdout


def test_perft_prints_counts_and_speed() -> None:
    done = engine("perft", "--game", "othello", "--depth", "4")
    assert (done.returncode, done.stderr) == (0, "")
    words = done.stdout.replace("│", " ").split()
    for count in ("4", "12", "56", "244", "lines/s"):
        assert count in words
    assert "a game that ends sooner is one line" in done.stdout
    assert "a game that ends sooner is not counted" in engine("perft", "--depth", "1").stdout


def test_perft_ends_once_every_game_is_over() -> None:
    done = engine("perft", "--game", "connect-four", "--board", "3x3x3", "--depth", "50")
    assert (done.returncode, done.stderr) == (0, "")
    *rows, last = done.stdout.splitlines()
    assert last == "Every game is over after 9 moves."
    assert rows[-1].split()[0] == "9"


def test_perft_prints_each_row_as_soon_as_it_is_counted() -> None:
    command = [sys.executable, "-m", "engine", "perft", "--depth", "40"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        rows = [process.stdout.readline().split() for _ in range(5)]
        assert process.poll() is None, "it still counts"
        process.kill()
    assert [row[:2] for row in rows[2:]] == [["1", "7"], ["2", "49"], ["3", "343"]]


@pytest.mark.parametrize("text", ["abc", "0", "-1", "2.5", "100", "", "9" * 5000])
def test_an_invalid_depth_is_refused_with_the_range_and_an_example(text: str) -> None:
    done = engine("perft", f"--depth={text}")
    assert done.returncode == 2
    assert f"{text!r} is not a whole number from 1 to 99, such as 6" in done.stderr


def test_an_invalid_time_is_refused_with_an_example() -> None:
    for text in ("soon", "0", "nan", "inf"):
        done = engine("play", "pip", "--seconds", text)
        assert done.returncode == 2
        assert f"{text!r} is no time: write seconds above 0, such as 0.5 or 10" in done.stderr


@pytest.mark.slow
def test_agents_lists_levels_agents_and_plugins() -> None:
    done = engine_process("agents", "--agents-folder", str(PLUGINS))
    assert (done.returncode, done.stderr) == (0, "")
    for word in ("pip", "plays at random", "alphabeta", "depth 1 to 64", "plugin:only", "tic-tac-toe"):
        assert word in done.stdout


def test_agents_lists_only_those_of_a_game() -> None:
    printed = engine("agents", "--game", "gomoku").stdout
    for word in ("kaede", "threats", "random"):
        assert f"\n{word} " in printed
    for word in ("una", "sage", "perfect", "corner"):
        assert f"\n{word} " not in printed
        assert f"\n{word} " in engine("agents").stdout


def test_the_engine_alone_prints_its_help() -> None:
    done = engine()
    assert (done.returncode, done.stderr) == (0, "")
    assert "VERB" in done.stdout
    assert "play a game in the terminal" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (("arna",), "arena"),
        (("play", "oto"), "otto"),
        (("play", "Otto"), "otto"),
        (("play", "alphabta:depth=3"), "alphabeta"),
        (("play", "alphabeta:deph=3"), "depth"),
        (("play", "pip", "--game", "otello"), "othello"),
        (("check-game", "gomuku"), "gomoku"),
    ],
)
def test_a_mistyped_name_is_answered_with_the_nearest_one(arguments: tuple[str, ...], meant: str) -> None:
    done = engine(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.endswith(f". Did you mean {meant!r}?\n")


def test_a_name_like_no_other_is_not_answered_with_a_guess() -> None:
    assert "Did you mean" not in engine("play", "xyzzy").stderr


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.parametrize(
    "arguments",
    [
        (), ("play", "nobody"),
        *(
            pytest.param(one, marks=pytest.mark.slow)
            for one in (
                ("play",), ("play", "--help"), ("solve", "--help"), ("analyze", "--help"), ("agents",),
                ("perft", "--depth", "6"), ("analyze", "--moves", "4453"), ("check-game", "tic-tac-toe"),
                ("arena", "random", "one-step", "--game", "tic-tac-toe", "--games", "2"),
            )
        ),
    ],
)  # fmt: skip
def test_lines_fit_a_terminal_of_60_columns_and_break_between_words(arguments: tuple[str, ...]) -> None:
    printed = in_terminal(*arguments)
    assert max(map(len, printed.splitlines())) <= 60
    wide = engine(*arguments)
    broken = set(re.findall(r"[a-z]{4,}", printed)) - set(re.findall(r"[a-z]{4,}", wide.stdout + wide.stderr))
    assert not broken, "parts of words"
    assert "…" not in printed.replace(" … ", ""), "nothing is cut off"


def in_terminal(*arguments: str) -> str:
    """Run the engine in a terminal of 60 columns, without input; return the text that stays on it."""
    import pty

    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "engine", *arguments]
    # rich takes 80 by 25 for a terminal that can do nothing, unless both are told.
    size = {"COLUMNS": "60", "LINES": "25"}
    environment = {**os.environ, **size, "TERM": "dumb", "DISCADE_AGENTS": ""}
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, env=environment
    ) as process:
        os.close(theirs)
        parts = []
        with contextlib.suppress(OSError):  # Linux reports the other side's end as an error
            while part := os.read(ours, 65536):
                parts.append(part)
        assert process.wait(120) in (0, 2)
    os.close(ours)
    text = b"".join(parts).decode().replace("\r\n", "\n")
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("discade-engine p", {"play", "perft"}),
        ("discade-engine perft --game o", {"othello"}),
        ("discade-engine play un", {"una"}),
        ("discade-engine arena one", {"one-step"}),
    ],
)
def test_shells_complete_verbs_games_and_agents(tmp_path: Path, line: str, expected: set[str]) -> None:
    pytest.importorskip("argcomplete")
    file = tmp_path / "completions"
    asked = {"_ARGCOMPLETE": "1", "_ARGCOMPLETE_IFS": "\n", "_ARGCOMPLETE_STDOUT_FILENAME": str(file)}
    environment = {
        **os.environ,
        **asked,
        "COMP_LINE": line,
        "COMP_POINT": str(len(line)),
        "DISCADE_AGENTS": "",
    }
    subprocess.run([sys.executable, "-m", "engine"], cwd=ROOT, env=environment, timeout=120, check=False)
    assert {word.strip() for word in file.read_text("utf-8").splitlines()} == expected


def test_the_folder_of_plugins_may_come_from_the_environment() -> None:
    assert "plugin:only" in engine("agents", DISCADE_AGENTS=str(PLUGINS)).stdout
    assert "plugin:only" not in engine("agents").stdout


def test_the_folder_of_plugins_may_come_from_the_bots_env_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".env").write_text(f"DISCADE_AGENTS={PLUGINS}\nDISCORD_TOKEN=secret\n", "utf-8")
    below = tmp_path / "below"
    below.mkdir()
    monkeypatch.chdir(below)
    assert "plugin:only" in engine("agents", DISCADE_AGENTS=None).stdout
    assert "plugin:only" not in engine("agents").stdout, "what the environment says comes first"
    assert "DISCORD_TOKEN" not in os.environ


@pytest.mark.slow
def test_arena_prints_a_cross_table_and_writes_json(tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    done = engine(
        *("arena", "random", "otto", "plugin:only", "--game", "tic-tac-toe"),
        *("--games", "2", "--agents-folder", str(PLUGINS), "--json", str(file)),
    )
    assert (done.returncode, done.stderr) == (0, "")
    for word in ("agent", "Elo", "95 %", "s/move", "random", "otto", "plugin:only", "Against each of them"):
        assert word in done.stdout
    data = json.loads(file.read_text("utf-8"))
    assert [row["name"] for row in data["entrants"]] == ["random", "otto", "plugin:only"]
    assert len(data["games"]) == 6


@pytest.mark.slow
def test_an_agent_that_fails_after_its_trial_is_seen_in_the_table_and_beside_each_move(
    tmp_path: Path,
) -> None:
    (tmp_path / "failing_player.py").write_text(
        "class Failing:\n    def choose(self, state, limit):\n"
        "        return state.legal_moves()[int(0 / (state.ply < 2))]\n",
        "utf-8",
    )
    options = ("--game", "tic-tac-toe", "--agents-folder", str(tmp_path))
    done = engine("arena", "random", "plugin:failing", "--games", "2", *options)
    assert "forfeits" in done.stdout
    assert re.search(
        r"plugin:failing forfeited [1-9]\d* of \d+ moves to random ones; "
        r"the first because it raised: ZeroDivisionError: division by zero \(failing_player.py, line 3\)",
        done.stdout,
    )
    played = engine("play", "plugin:failing", "pip", *options).stdout
    assert (
        "  That move is random: it raised: ZeroDivisionError: division by zero (failing_player.py, line 3)."
        in played
    )


def test_arena_can_write_nothing_but_json_to_stdout() -> None:
    done = engine("arena", "random", "one-step", "--games", "2", "--json", "-")
    assert json.loads(done.stdout)["board"] == "6x7x4"


@pytest.mark.parametrize(
    ("arguments", "exists"),
    [
        (("play", "nobody"), "pip"),
        (("play", "--game", "go"), "connect-four"),
        (("play", "pip", "otto", "kit"), "two players, not 3"),
        (("play", "pip", "otto", "--first", "bot"), "the first of two begins"),
        (("play", "pip", "nobody"), "pip"),
        (("play", "--board", "99x99x4"), "3 to 12 rows"),
        (("play", "--game", "gomoku", "--board", "9x9-swap2-OLD"), "choose 9x9-swap2."),
        (("arena", "--game", "gomoku", "--board", "9x9-swap2-old"), "choose 9x9-swap2."),
        (("arena", "random", "alphabeta:width=3"), "depth"),
        (("arena", "random", "corner"), "one-step"),
        (("arena", "random", "one-step", "--games", "3"), "even number"),
        (("perft", "--game", "othello", "--board", "7x7"), "8x8 and 6x6"),
        (("agents", "--agents-folder", "no/such/folder"), "no folder"),
    ],
)
def test_a_bad_name_gets_one_line_with_the_known_names(arguments: tuple[str, ...], exists: str) -> None:
    done = engine(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert exists in done.stderr


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="closing a pipe early is a signal's business there")
def test_a_closed_pipe_causes_no_traceback() -> None:
    command = [sys.executable, "-m", "engine", "agents"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 1


# Playing


def test_a_person_plays_in_the_terminal_against_a_level() -> None:
    done = engine("play", "otto", "--seed", "1", typed="4\n9\nhint\nquit\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Otto played" in done.stdout
    assert "There is no column 9" in done.stdout
    assert "You can play 1, 2, 3, 4, 5, 6, 7." in done.stdout
    assert done.stdout.rstrip().endswith("Good bye.")


def test_numbers_boards_and_moves_are_typed_as_people_write_them() -> None:
    done = engine("play", "otto", "--board", "۶×۷×۴", "--seed", "۱", typed="۹\n1. ４\nＱＵＩＴ\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert "There is no column 9" in done.stdout
    assert "played 4 in" in done.stdout
    assert done.stdout.rstrip().endswith("Good bye.")


def test_two_people_play_to_the_end() -> None:
    done = engine("play", "person", "--game", "tic-tac-toe", "--as-text", typed="a1\nb1\na2\nb2\na3\n")
    assert done.returncode == 0
    assert done.stdout.endswith("X (player 1) wins.\n")
    assert "\x1b" not in done.stdout
    assert done.stdout.isascii()


@pytest.mark.slow
def test_any_two_play_each_other_with_score_turn_and_seconds_at_every_move() -> None:
    done = engine(
        *("play", "plugin:only", "pip", "--game", "othello", "--as-text", "--seed", "1"),
        *("--agents-folder", str(PLUGINS)),
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.isascii()
    boards = done.stdout.split("\n\n")
    assert boards[0].lstrip().startswith("Black X (Only) to move. Black has 2, white 2.\n    a  b  c")
    assert len(boards) > 50
    for board in boards[1:-1]:
        header, *_, footer = board.strip().splitlines()
        assert re.fullmatch(r".* to move\. Black has \d+, white \d+\.", header)
        assert re.fullmatch(r"(Only|Pip) played (pass|[a-h][1-8]) in \d+\.\d\d s\.", footer)
    assert re.fullmatch(r".*(wins|drawn)\. Black has \d+, white \d+\.", done.stdout.splitlines()[-1])


def test_both_players_are_chosen_from_a_list_when_none_is_named() -> None:
    done = engine("play", "--game", "tic-tac-toe", "--as-text", "--seed", "1", typed="nobody\n99\n2\nOTTO\n")
    assert done.returncode == 0
    assert "  1  person" in done.stdout
    assert "  2  pip" in done.stdout
    assert "Who plays X? A number or a name (Enter: person)> " in done.stdout
    assert "nobody called 'nobody' plays tic-tac-toe" in done.stdout
    assert "nobody called '99'" in done.stdout
    assert "X (Pip) to move." in done.stdout
    assert done.stdout.splitlines()[-1].endswith(("wins.", "drawn."))


def test_the_game_is_chosen_from_a_list_when_neither_it_nor_a_player_is_named() -> None:
    done = engine("play", "--as-text", "--seed", "1", typed="chess\n3\n\n\nb2\nquit\n")
    assert "  3  tic-tac-toe" in done.stdout
    assert "Which game? A number or a name (Enter: connect-four)> " in done.stdout
    assert "There is no game 'chess'" in done.stdout
    assert "X (you) to move." in done.stdout
    assert "You played b2 in" in done.stdout


def test_enter_chooses_a_person_against_the_weakest_level() -> None:
    done = engine("play", "--game", "tic-tac-toe", "--as-text", "--seed", "1", typed="\n\nb2\nquit\n")
    assert "X (you) to move." in done.stdout
    assert "You played b2 in" in done.stdout
    assert "Pip played" in done.stdout
    assert done.stdout.rstrip().endswith("Good bye.")


def test_without_input_no_player_is_chosen() -> None:
    done = engine("play", typed="")
    assert (done.returncode, done.stderr) == (0, "")


def test_stepping_waits_for_enter_before_every_move_of_an_agent() -> None:
    done = engine(
        *("play", "pip", "otto", "--game", "tic-tac-toe", "--as-text", "--seed", "1", "--step"),
        typed="\n\nquit\n",
    )
    assert done.stdout.count("Enter lets Pip move, 'quit' leaves> ") == 2
    assert done.stdout.count("Enter lets Otto move, 'quit' leaves> ") == 1
    assert done.stdout.count(" played ") == 2
    assert done.stdout.rstrip().endswith("Good bye.")


@pytest.mark.slow
def test_a_plugins_output_is_printed_with_its_move(tmp_path: Path) -> None:
    (tmp_path / "talking_player.py").write_text(
        "class Talking:\n    def choose(self, state, limit):\n        print('hm')\n        return 0\n",
        "utf-8",
    )
    done = engine("play", "plugin:talking", "--first", "bot", "--agents-folder", str(tmp_path))
    assert "  | hm\n" in done.stdout
    assert "Talking played 1" in done.stdout


@pytest.mark.slow
def test_a_plugin_is_an_opponent_like_any_other() -> None:
    done = engine("play", "plugin:only", "--first", "bot", "--agents-folder", str(PLUGINS))
    assert "Only played 7" in done.stdout


def sitting(key: str, *typed: str, against: str | None = None) -> tuple[Sitting, str]:
    """Play a game with these typed lines, then end the input; return the game and its output."""
    lines = iter(typed)

    def ask(prompt: str) -> str:
        try:
            return next(lines)
        except StopIteration:
            raise EOFError from None

    console = Console(width=100, color_system=None)
    agent = None if against is None else make_agent(against, 1)
    other = Chair("Bot", agent, Limit())
    table = Sitting(game(key), None, (Chair("me"), other), console, ask, as_text=True)
    with console.capture() as capture:
        table.run()
    return table, capture.get()


def test_undo_against_an_agent_takes_back_its_answer_too() -> None:
    table, _ = sitting("connect-four", "4", "4", "undo", against="random")
    assert len(table.moves) == 2
    table, printed = sitting("connect-four", "4", "undo", "undo", against="random")
    assert table.moves == ()
    assert "no move of yours to take back" in printed


def test_undo_between_people_takes_back_one_move() -> None:
    table, _ = sitting("othello", "f5", "d6", "undo")
    assert len(table.moves) == 1


def test_help_and_nonsense_get_a_friendly_answer() -> None:
    _, printed = sitting("othello", "help", "z9", "a1", "")
    assert "take back your last move" in printed
    assert "is no square" in printed
    assert "turns no disc over" in printed


# Boards


def test_a_board_in_plain_text_marks_the_last_move_and_the_winning_line() -> None:
    rules = game("connect-four")
    earlier = replay(rules.start(), [1, 0, 2, 0, 3])
    before = earlier.play(0)
    assert draw(rules, before, rules.cell_of(earlier, 0), as_text=True).plain == (
        " 1  2  3  4  5  6  7 \n"
        " .  .  .  .  .  .  . \n"
        " .  .  .  .  .  .  . \n"
        " .  .  .  .  .  .  . \n"
        "(O) .  .  .  .  .  . \n"
        " O  .  .  .  .  .  . \n"
        " O  X  X  X  .  .  . "
    )
    won = before.play(4)
    assert draw(rules, won, rules.cell_of(before, 4), as_text=True).plain.endswith(" O [X][X][X][X] .  . ")
    assert describe(rules, won, ("Ada", "Bo")) == "Red (Ada) wins."


def test_an_othello_board_has_letters_ranks_hints_and_a_count() -> None:
    rules = game("othello")
    start = rules.start("6x6")
    assert draw(rules, start, hints=True, as_text=True).plain.splitlines() == [
        "    a  b  c  d  e  f ",
        " 1  .  .  .  .  .  . ",
        " 2  .  .  +  .  .  . ",
        " 3  .  +  O  X  .  . ",
        " 4  .  .  X  O  +  . ",
        " 5  .  .  .  +  .  . ",
        " 6  .  .  .  .  .  . ",
    ]
    assert describe(rules, start, ("Ada", "Bo")) == "Black (Ada) to move. Black has 2, white 2."


@pytest.mark.parametrize(
    ("spec", "lines"),
    [
        (HEXAGONS, ["    a  b  c ", " 1  .  .  . ", " 2   .  .  . ", " 3     .  .  . "]),
        (PITS, ["    7   f:3  e:10   d:1       ", "        a:4 ( b:0)  c:6    12 "]),
        (EDGES, ["    a  b  c  d  e ", " 1  o  -  o  .  o ", " 2  |  O  |     . "]),
        (
            KINGS,
            ["     a   b   c   d   e   f ", " 1   O   .       .       O ", " 2  OO       .       .     "],
        ),
    ],
    ids=("hexagons", "pits", "edges", "kings"),
)
def test_boards_of_other_shapes_are_drawn_in_the_terminal(spec: GameSpec, lines: list[str]) -> None:
    last = 1 if spec is PITS else None
    assert draw_board(spec, spec.rules.start(), last, as_text=True).plain.splitlines()[: len(lines)] == lines


def test_the_sides_have_different_colours() -> None:
    rules = game("connect-four")
    text = draw(rules, replay(rules.start(), [0, 1]))
    console = Console(color_system="truecolor", force_terminal=True, width=80)
    with console.capture() as capture:
        console.print(text)
    printed = capture.get()
    assert "\x1b[91;44m●" in printed
    assert "\x1b[93;44m●" in printed


def test_check_game_draws_three_positions_light_and_dark(tmp_path: Path) -> None:
    done = engine("check-game", "tic-tac-toe", "--pictures", str(tmp_path))
    assert done.returncode == 0, done.stdout
    assert {file.name for file in tmp_path.iterdir()} == {
        f"tic-tac-toe-3x3-{name}-{look}.png"
        for name in ("start", "middle", "end")
        for look in ("light", "dark")
    }
    assert len({file.read_bytes() for file in tmp_path.iterdir()}) == 6


def test_check_game_says_why_it_cannot_draw(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.touch()
    done = engine("check-game", "tic-tac-toe", "--pictures", str(taken))
    assert done.returncode == 1
    assert "FAILS  its boards are drawn" in done.stdout
    assert "FileExistsError" in done.stdout
    assert done.stdout.splitlines()[-1] == "Tic-tac-toe (3x3): 1 problems."


@pytest.mark.slow
def test_agents_names_every_file_of_the_folder_that_is_no_agent(tmp_path: Path) -> None:
    (tmp_path / "wrong.py").write_text("def agent(obs, config):\n    return obs.bord\n", "utf-8")
    (tmp_path / "lesson.ipynb").write_text("{}", "utf-8")
    (tmp_path / "part.py").write_text("HALF = 3\n", "utf-8")
    (tmp_path / "right.py").write_text(
        "from part import HALF\ndef agent(obs, config):\n    return min(HALF, config.columns - 1)\n", "utf-8"
    )
    done = engine("agents", "--game", "connect-four", "--agents-folder", str(tmp_path))
    text = " ".join(done.stdout.split())
    assert (done.returncode, done.stderr) == (0, "")
    assert "plugin:right Right, a guest plugin:right · connect-four" in text
    faults, _, others = text.partition("Plug-ins and engines with a fault:")[2].partition(
        "Also in the folder:"
    )
    assert "lesson.ipynb is a notebook: save it as a Python file" in faults
    assert (
        "wrong (wrong.py) is left out: in a trial it raised: AttributeError: bord (wrong.py, line 2)"
        in faults
    )
    assert "part (part.py) is used by other files, and no agent itself" in others


@pytest.mark.slow
def test_an_agent_is_told_the_moves_of_its_match_in_the_arena_and_in_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "told.py").write_text(
        "from engine.core import replay\n"
        "class Told:\n"
        "    games = 'tic-tac-toe'\n"
        "    def choose(self, state, limit, match):\n"
        "        assert match.board == '3x3' and replay(match.start, match.moves) == state\n"
        "        return state.legal_moves()[0]\n",
        "utf-8",
    )
    options = ("--game", "tic-tac-toe", "--agents-folder", str(tmp_path))
    done = engine("arena", "random", "plugin:told", "--games", "4", *options)
    assert (done.returncode, done.stderr) == (0, "")
    assert "forfeit" not in done.stdout
    played = engine("play", "pip", "plugin:told", *options)
    assert (played.returncode, played.stderr) == (0, "")
    assert "That move is random" not in played.stdout
