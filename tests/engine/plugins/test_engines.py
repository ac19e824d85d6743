"""Engines of other languages: their file, their processes, and what happens when they fail."""

from __future__ import annotations

import io
import logging
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from rich.console import Console

from engine.agents.levels import ENGINE
from engine.agents.roster import Roster
from engine.arena.matches import Contender, play_arena
from engine.cli.sitting import Chair, Sitting
from engine.core import Choice, History, Limit, State
from engine.games import game
from engine.plugins.discovery import Plugin, Survey, survey
from engine.plugins.engines import PROTOCOLS, engines_in
from tests.engine.plugins.processes import has_gone

PLAIN = Path(__file__).parents[2] / "data" / "engines" / "plain.py"
MARK = f"engine-of-test-process-{os.getpid()}"
"""Others run engines on this machine, too."""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs what Linux has")


def _table(name: str, protocol: str, *arguments: str, more: str = "seconds = 30") -> str:
    command = [sys.executable, "-I", str(PLAIN), protocol, *arguments, MARK]
    return f"[{name}]\nprotocol = {protocol!r}\ncommand = {command}\n{more}\n"


def _survey(folder: Path, *tables: str, load_seconds: float = 60.0, trial_seconds: float = 5.0) -> Survey:
    (folder / "engines.toml").write_text("\n".join(tables), "utf-8")
    return survey(folder, entry_points=False, engine_load_seconds=load_seconds, trial_seconds=trial_seconds)


def _the_plugin(folder: Path, *tables: str, trial_seconds: float = 5.0) -> Plugin:
    (plugin,) = _survey(folder, *tables, trial_seconds=trial_seconds).plugins
    return plugin


def _processes() -> Iterator[int]:
    """The engines of this test that still run, and children that they left."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if MARK.encode() in (process / "cmdline").read_bytes().split(b"\0"):
                yield int(process.name)
        except OSError:
            continue


@pytest.fixture(autouse=True)
def _none_is_left() -> Iterator[None]:
    """An engine that is killed may be there for a moment more."""
    yield
    assert all(map(has_gone, _processes()))


def _choose(plugin: Plugin, state: State, *moves: int) -> Choice:
    agent = plugin.make(0)
    with closing(agent):
        after = state
        for move in moves:
            after = after.play(move)
        agent.follow(History(plugin.level.games[0], "", state, moves))
        return agent.choose(after, Limit())


# The file


def test_an_engine_is_a_casual_level_with_its_own_name(tmp_path: Path) -> None:
    plugin = _the_plugin(tmp_path, _table("stone", "gomocup", more='name = "Stony"\ncharacter = "hard"'))
    with closing(plugin):
        level = plugin.level
        assert (level.key, level.name, level.character) == ("engine:stone", "Stony (engine)", "hard")
        assert (level.kind, level.is_rated, level.is_quick) == (ENGINE, False, False)
        assert level.boards == PROTOCOLS["gomocup"].boards
        assert Roster([plugin]).levels_of("gomoku")[-1] is level


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ("protocol = 'gomocub'", "'gomocub' is no protocol that is spoken here; there are gomocup"),
        ("protocol = 'gomocub'", "Did you mean 'gomocup'?"),
        ("command = ['/bin/sh']", "it names no protocol; there are gomocup, nboard, gtp, htp"),
        ("protocol = 'gtp'\ngame = 'hex'", "gtp is a protocol for othello, not for hex"),
        ("protocol = 'gtp'\ncommand = 'sh engine.sh'", "command is a list, such as"),
        ("protocol = 'gtp'", "it names no command"),
        ("protocol = 'gtp'\ncommand = ['/nowhere/engine']", "there is no program /nowhere/engine"),
        ("protocol = 'gtp'\ncommand = ['no-such-engine']", "no program 'no-such-engine' in the PATH"),
        ("protocol = 'gtp'\ncommand = ['./engine']", "./engine is relative: name its folder"),
        (f"protocol = 'gtp'\ncommand = [{str(PLAIN)!r}]", "cannot be executed: chmod +x"),
        ("protocol = 'gtp'\ncommand = ['/bin/sh']\nfolder = 'x'", "there is no folder"),
        ("protocol = 'gtp'\ncommand = ['/bin/sh']\nsecnds = 2", "Did you mean 'seconds'?"),
        ("protocol = 'gtp'\ncommand = ['/bin/sh']\nseconds = 0", "seconds is a number from 0.1 to 60, not 0"),
        ("protocol = 'gtp'\ncommand = ['/bin/sh']\nthreads = true", "threads is a number from 1 to 64"),
        ("protocol = 'gtp'\ncommand = ['/bin/sh']\nmemory = 2", "memory is a text in quotes, not 2"),
        ("protocol = 'gtp'\ncommand = ['/bin/sh']\nmemory = '2 apples'", 'such as "512 MiB" or "2 GiB"'),
        ("protocol = 'gtp'\ncommand = ['/bin/sh']\noptions = 'komi'", "options is a list of texts"),
        ("protocol = 'htp'\ncommand = ['/bin/sh']\nboards = ['13x13']", "plays on 11x11, 7x7, not on 13x13"),
        ("protocol = 'gtp'\ncommand = ['~nobody-here/engine']", "home directory"),
        ("protocol = 'gtp'\ncommand = ['/bin/sh']\nfolder = '~nobody-here'", "home directory"),
        (f"protocol = 'gtp'\ncommand = ['/{'x' * 5000}']", "too long"),
        (f"protocol = 'gtp'\ncommand = ['/bin/sh']\nfolder = '/{'x' * 5000}'", "too long"),
    ],
)
def test_a_wrong_table_is_left_out_with_its_reason(tmp_path: Path, wrong: str, reason: str) -> None:
    (tmp_path / "engines.toml").write_text(f"[wrong]\n{wrong}\n", "utf-8")
    engines, (remark,) = engines_in(tmp_path)
    assert engines == []
    assert remark.severity == logging.ERROR
    assert f"{remark.about} {remark.text}".startswith("wrong (engines.toml) is left out: ")
    assert reason in remark.text


def test_a_system_without_groups_of_processes_has_no_engines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "engines.toml").write_text(_table("plain", "gtp"), "utf-8")
    monkeypatch.delattr("os.killpg")
    ((remark,),) = engines_in(tmp_path)[1:]
    assert "engines need Linux or macOS" in remark.text


def test_a_file_that_is_no_toml_and_a_line_outside_a_table_are_named(tmp_path: Path) -> None:
    (tmp_path / "engines.toml").write_text("[wrong\n", "utf-8")
    assert "is ignored" in engines_in(tmp_path)[1][0].text
    (tmp_path / "engines.toml").write_text("protocol = 'gtp'\n", "utf-8")
    assert "begin one with the engine's name" in engines_in(tmp_path)[1][0].text


@pytest.mark.parametrize("deep", [f"a = {'[' * 5000}", "a = " + "{a = " * 3000])
@pytest.mark.parametrize("file", ["engines.toml", "agents.toml"])
def test_a_file_of_brackets_within_brackets_is_ignored_with_its_reason(
    tmp_path: Path, deep: str, file: str
) -> None:
    (tmp_path / file).write_text(deep, "utf-8")
    (remark,) = survey(tmp_path, entry_points=False).remarks
    assert (remark.about, remark.severity) == (file, logging.ERROR)
    assert "is ignored" in remark.text


@pytest.mark.parametrize("name", ["", "  "])
def test_an_engine_with_a_blank_name_is_named_by_its_table(tmp_path: Path, name: str) -> None:
    table = f"[deep]\nname = {name!r}\nprotocol = 'gtp'\ncommand = ['/bin/sh']\n"
    (tmp_path / "engines.toml").write_text(table, "utf-8")
    (((_, engine),), _) = engines_in(tmp_path)
    assert engine.name == "Deep"


def test_settings_are_read_as_they_are_written(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "engine"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    (tmp_path / "engines.toml").write_text(
        "[wood]\nprotocol = 'htp'\ncommand = ['./engine', '-q']\nfolder = 'bin'\nmemory = '2 GiB'\n"
        "threads = 2\nboards = ['7x7']\noptions = ['param_wolve max_time 1']\nseconds = 8\n"
    )
    ((_, engine),), remarks = engines_in(tmp_path)
    assert remarks == []
    assert engine.command == (str(tmp_path / "bin" / "engine"), "-q")
    assert (engine.folder, engine.memory_bytes, engine.threads) == (tmp_path / "bin", 2 << 30, 2)
    assert (engine.boards, engine.options, engine.seconds) == (
        ("7x7",),
        ("param_wolve max_time 1",),
        8,
    )


# Matches


@pytest.mark.slow
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_an_engine_plays_whole_games_with_both_colours(tmp_path: Path, protocol: str) -> None:
    plugin = _the_plugin(tmp_path, _table("plain", protocol))
    spoken = PROTOCOLS[protocol]
    with closing(Roster([plugin])) as roster:
        entrants = [
            Contender("plain", lambda seed: roster.make("engine:plain", seed), plugin.level.limit),
            Contender("random", lambda seed: roster.make("pip", seed), Limit()),
        ]
        for board in spoken.boards[:2]:
            arena = play_arena(game(spoken.game), board, entrants, games=4, seed=5)
            assert len(arena.results) == 4
            assert arena.forfeits(0) == ()
            assert arena.chosen(0) > 4
    assert not list(_processes())


def test_a_position_is_told_by_its_stones_after_a_swap_of_hex(tmp_path: Path) -> None:
    plugin = _the_plugin(tmp_path, _table("plain", "htp"), trial_seconds=0)
    start = game("hex").start("7x7")
    with closing(plugin):
        taken_over = start.play(24 + 1).play(49)  # beside the middle, mirrored by the swap
        assert taken_over.cells()[24 + 7] is not None
        assert _choose(plugin, taken_over).move == 24
        assert _choose(plugin, taken_over.play(24)).move not in (24, 31)


@pytest.mark.parametrize("protocol", ["gomocup", "nboard", "htp"])
def test_a_match_from_another_position_is_played(tmp_path: Path, protocol: str) -> None:
    spoken = PROTOCOLS[protocol]
    plugin = _the_plugin(tmp_path, _table("plain", protocol), trial_seconds=0)
    start = game(spoken.game).start(spoken.boards[0])
    for _ in range(4):
        start = start.play(start.legal_moves()[-1])
    with closing(plugin):
        choice = _choose(plugin, start)
    assert choice.info.forfeit == ""
    assert choice.move in start.legal_moves()


def test_gtp_says_that_it_knows_no_other_start(tmp_path: Path) -> None:
    plugin = _the_plugin(tmp_path, _table("plain", "gtp"), trial_seconds=0)
    start = game("othello").start("8x8").play(19)
    with closing(plugin):
        assert "usual start only" in _choose(plugin, start).info.forfeit
        assert _choose(plugin, game("othello").start("8x8"), 19).info.forfeit == ""


def test_a_resignation_is_told_and_not_a_forfeit(tmp_path: Path) -> None:
    plugin = _the_plugin(tmp_path, _table("plain", "htp", "resigns"))
    start = game("hex").start("11x11")
    with closing(plugin), closing(plugin.make(0)) as agent:
        found = [agent.choose(start, Limit()) for _ in range(3)]
    assert [choice.info.resigns for choice in found] == [False, False, True]
    assert [choice.info.forfeit for choice in found] == ["", "", ""]


def test_a_resignation_ends_a_game_of_the_arena_and_of_the_terminal(tmp_path: Path) -> None:
    plugin = _the_plugin(tmp_path, _table("plain", "htp", "resigns", more="boards = ['11x11']"))
    rules, said = game("hex"), io.StringIO()
    with closing(Roster([plugin])) as roster:
        entrants = [
            Contender("plain", lambda seed: roster.make("engine:plain", seed), plugin.level.limit),
            Contender("random", lambda seed: roster.make("pip", seed), Limit()),
        ]
        arena = play_arena(rules, "11x11", entrants, games=2)
        assert arena.tally(0).losses == 2
        assert max(len(result.moves) for result in arena.results) < 30
        chairs = (
            Chair("Plain", roster.make("engine:plain", 0)),
            Chair("Random", roster.make("pip", 1)),
        )
        sitting = Sitting(rules, "11x11", chairs, Console(file=said), input, as_text=True)
        assert sitting.run()
    assert said.getvalue().rstrip().endswith("Plain resigns.")


# Faults

LEFT_OUT = {
    "silent": "in a trial it gave no answer within 1 s",
    "deaf": "it could not be loaded: it gave no answer within 2 s",
    "dies-first": "it could not be loaded: its process crashed with exit code 3",
    "outside": "in a trial it answered no legal move: ",
    "own-square": "in a trial it answered no legal move: ",
    "endless-line": "in a trial it ",
    "endless-lines": "in a trial it ",
    "late": "in a trial it gave no answer within 1 s",
    "slow-start": "it could not be loaded: it gave no answer within 2 s",
    "leaves-child": "in a trial its process crashed with exit code 0",
    "says-no": "in a trial it ",
    "half-word": "in a trial it gave no answer within 1 s",
    "traceback": "last said \"ModuleNotFoundError: No module named 'weights'\"",
}
NEVER_LOADED = ("deaf", "slow-start")
HARMLESS = ("banner", "endless-errors", "stays", "says-twice", "dies-third")


@pytest.mark.slow
def test_an_engine_that_is_asked_ends_when_the_bot_is_killed(tmp_path: Path) -> None:
    (tmp_path / "engines.toml").write_text(_table("silent", "gtp", "silent", more="seconds = 60"), "utf-8")
    code = f"""
import pathlib
from engine.plugins.discovery import survey
survey(pathlib.Path({str(tmp_path)!r}), entry_points=False, engine_load_seconds=60, trial_seconds=60)
"""
    with subprocess.Popen([sys.executable, "-c", code]) as bot:
        while not (engines := set(_processes())):
            time.sleep(0.02)
        time.sleep(1.0)  # until it is asked, and reads no more
        bot.kill()
    assert all(map(has_gone, engines | set(_processes())))


@pytest.mark.slow
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_bad_engine_ends_in_one_line_and_leaves_no_process(tmp_path: Path, protocol: str) -> None:
    answering = [
        _table(fault, protocol, fault, more=f"seconds = {1 if '1 s' in LEFT_OUT.get(fault, '') else 60}")
        for fault in (*LEFT_OUT, *HARMLESS)
        if fault not in NEVER_LOADED
    ]
    found = _survey(tmp_path, *answering)
    with closing(Roster(found.plugins)):
        never = _survey(tmp_path, *(_table(one, protocol, one) for one in NEVER_LOADED), load_seconds=2)
        remarks = (*found.remarks, *never.remarks)
        said = {remark.about.partition(" ")[0]: remark for remark in remarks}
        assert len(said) == len(remarks), "one line for each"
        for fault, reason in LEFT_OUT.items():
            assert said[fault].text.startswith("is left out: ")
            assert reason in said[fault].text
            assert said[fault].title == "engine"
            assert "\n" not in said[fault].text
        assert {plugin.level.key for plugin in found.plugins} == {f"engine:{fault}" for fault in HARMLESS}
        assert set(said) <= {*LEFT_OUT, "dies-third"}
    assert all(has_gone(process) for process in _processes())


@pytest.mark.parametrize("fault", ["says-twice", "banner"])
def test_a_second_answer_is_not_taken_for_that_of_the_next_question(tmp_path: Path, fault: str) -> None:
    plugin = _the_plugin(tmp_path, _table("plain", "nboard", fault), trial_seconds=0)
    start = game("othello").start("8x8")
    state = start
    with closing(plugin), closing(plugin.make(0)) as agent:
        for _ in range(6):
            choice = agent.choose(state, Limit())
            assert choice.info.forfeit == ""
            state = state.play(choice.move)


def test_an_engine_that_dies_is_started_anew_and_asked_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    plugin = _the_plugin(tmp_path, _table("plain", "gomocup", "dies-third"), trial_seconds=0)
    state = game("gomoku").start("15x15")
    with closing(plugin), closing(plugin.make(0)) as agent:
        for _ in range(4):
            choice = agent.choose(state, Limit())
            assert choice.info.forfeit == ""
            state = state.play(choice.move)
    (line,) = (record.getMessage() for record in caplog.records)
    about, _, reason = line.partition(" is started anew at move 3: ")
    assert about == "engine plain (engines.toml) in gomoku"
    assert reason.startswith("its process crashed with exit code 3")


def test_a_late_engine_is_killed_and_its_late_answer_is_never_read(tmp_path: Path) -> None:
    plugin = _the_plugin(tmp_path, _table("plain", "gomocup", "late", more="seconds = 1"), trial_seconds=0)
    with closing(plugin):
        choice = _choose(plugin, game("gomoku").start("15x15"))
        assert choice.info.forfeit == "it gave no answer within 1 s; it last said 'OK - everything is good'"
        assert all(has_gone(process) for process in _processes())


def test_an_engine_that_ponders_is_named(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.plugins.protocols.lines._BUSY_SECONDS", 0.2)
    monkeypatch.setattr("engine.plugins.protocols.lines._BUSY_SHARE", 0.02)
    plugin = _the_plugin(
        tmp_path, _table("plain", "gomocup", "ponders", more="seconds = 20"), trial_seconds=0
    )
    state = game("gomoku").start("15x15")
    with closing(plugin), closing(plugin.make(0)) as agent:
        agent.choose(state, Limit())
        time.sleep(1.5)
        agent.choose(state, Limit())
    assert "while it was not its turn: switch its pondering off" in caplog.text


def test_many_matches_share_one_process(tmp_path: Path) -> None:
    plugin = _the_plugin(tmp_path, _table("plain", "gomocup"), trial_seconds=0)
    small, large = game("gomoku").start("9x9"), game("gomoku").start("15x15")
    with closing(plugin), closing(plugin.make(0)) as one, closing(plugin.make(1)) as other:
        for _ in range(3):
            small = small.play(one.choose(small, Limit()).move)
            large = large.play(other.choose(large, Limit()).move)
        assert len(list(_processes())) == 1
    assert small.cells().count(None) == 78
    assert large.cells().count(None) == 222


def test_no_secret_reaches_an_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISCORD_TOKEN", "very-secret")
    plugin = _the_plugin(tmp_path, _table("plain", "gomocup"), trial_seconds=0)
    with closing(plugin), closing(plugin.make(0)) as agent:
        agent.choose(game("gomoku").start("15x15"), Limit())
        (process,) = _processes()
        assert b"very-secret" not in Path(f"/proc/{process}/environ").read_bytes()
        assert Path(f"/proc/{process}/cwd").resolve() == Path(sys.executable).parent.resolve()
