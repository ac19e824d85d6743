"""Plug-ins: real worker processes, real files, and everything that can go wrong in them."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.agents.roster import Roster
from engine.core import EngineError, Limit, State, Stop, replay
from engine.games import GAMES, game
from engine.plugins.discovery import Plugin, PluginAgent, discover
from engine.plugins.limits import NICENESS
from engine.plugins.players import MAX_PLAYERS
from tests.engine.plugins.processes import has_gone, is_running
from tests.working import MAX_TEST_WAIT_SECONDS

FOLDER = Path(__file__).parents[2] / "data" / "plugins"
HARD_SECONDS = 5.0

CONNECT_FOUR = game("connect-four").start()
OTHELLO = game("othello").start()


@pytest.fixture(autouse=True)
def warnings_alone(caplog: pytest.LogCaptureFixture) -> None:
    """Keep what plug-ins print out of the log; an earlier test may have lowered the log's level."""
    caplog.set_level(logging.WARNING)


@pytest.fixture(scope="module")
def plugins() -> Iterator[dict[str, Plugin]]:
    found = discover(FOLDER, hard_seconds=HARD_SECONDS, load_seconds=MAX_TEST_WAIT_SECONDS, trial_seconds=0)
    yield {plugin.level.key: plugin for plugin in found}
    for plugin in found:
        plugin.close()


def after(state: State, plies: int) -> State:
    for _ in range(plies):
        state = state.play(state.legal_moves()[-1])
    return state


def write(folder: Path, name: str, text: str) -> None:
    (folder / f"{name}_player.py").write_text(textwrap.dedent(text), "utf-8")


def found_in(folder: Path, **limits: Any) -> list[Plugin]:
    return list(discover(folder, entry_points=False, trial_seconds=0, **limits))


# Discovery


@pytest.mark.slow
def test_dropped_files_become_levels_with_their_own_name_character_and_games(
    plugins: dict[str, Plugin],
) -> None:
    level = plugins["plugin:first"].level
    assert (level.name, level.character) == ("Ada First", "always takes the first move she sees")
    assert level.games == tuple(GAMES)
    assert level.limit == Limit(seconds=HARD_SECONDS)
    assert plugins["plugin:thinker"].level.games == ("connect-four",)
    assert plugins["plugin:shy"].level.games == ("othello",)
    assert plugins["plugin:shy"].level.boards == ("8x8",)
    assert plugins["plugin:shy"].level.name == "Shy"


@pytest.mark.slow
def test_the_roster_offers_plugins_beside_the_built_in_levels() -> None:
    roster = Roster(found_in(FOLDER.parent / "one_plugin"))
    try:
        assert roster.levels_of("tic-tac-toe")[-1].key == "plugin:only"
        assert roster.make("plugin:only", 1).choose(game("tic-tac-toe").start(), Limit()).move == 8
    finally:
        roster.close()


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("class P:\n    def choose(self, state, limit)\n        return 0", "SyntaxError"),
        ("import no_such_module_at_all", "No module named 'no_such_module_at_all'"),
        (
            "class Idle:\n    def think(self): ...",
            "has no agent in a shape that is known here; its last class, Idle, needs the five lines",
        ),
        (
            "class P:\n    boards = '9x9'\n    games = 'othello'\n    def choose(self, *_): ...",
            "plays on ('9x9',)",
        ),
        ("class P:\n    games = 'chess'\n    def choose(self, *_): ...", "plays ('chess',)"),
        ("import os\nos._exit(0)", "crashed"),
        pytest.param("while True: pass", "no answer within 1 s", marks=pytest.mark.slow),
    ],
)
def test_a_broken_file_is_reported_and_skipped(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, source: str, reason: str
) -> None:
    write(tmp_path, "broken", source)
    load_seconds = 1.0 if "1 s" in reason else MAX_TEST_WAIT_SECONDS
    assert found_in(tmp_path, load_seconds=load_seconds) == []
    assert "plug-in broken (broken_player.py) is left out" in caplog.text
    assert reason in caplog.text


@pytest.mark.parametrize(
    "line",
    ['print "thinking"', "print board", "raise ValueError, 'no move'", "if 1 <> 2: pass", "x = `3`",
     "exec 'pass'", "x = 0777", "x = 10L", "try: pass\nexcept ValueError, error: pass"],
)  # fmt: skip
def test_a_player_in_python_2_is_reported_in_one_line(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, line: str
) -> None:
    write(tmp_path, "old", f"{line}\nclass P:\n    def choose(self, state, limit): return 0")
    assert found_in(tmp_path) == []
    number, last = len(line.splitlines()), line.splitlines()[-1]
    (record,) = caplog.records
    assert record.getMessage() == (
        "plug-in old (old_player.py) is left out: it is written in Python 2, not 3: "
        f"old_player.py, line {number}: {last}"
    )


def test_any_file_name_will_do_and_duplicates_are_reported(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("Same_player", "same", "Mon été (2)", "بازیکن", "x" * 60, "a.b"):
        (tmp_path / f"{name}.py").write_text(
            "class P:\n    def choose(self, state, limit): return 0", "utf-8"
        )
    found = found_in(tmp_path)
    for plugin in found:
        plugin.close()
    keys = ["a-b", "mon-ete-2", "same", "x" * 32, "agent-03441be6"]
    assert sorted(plugin.level.key for plugin in found) == sorted(f"plugin:{key}" for key in keys)
    assert "plug-in same (same.py) is left out: same (Same_player.py) has the same name" in caplog.text


def test_a_missing_folder_is_reported(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert found_in(tmp_path / "nowhere") == []
    assert "does not exist" in caplog.text


def test_discovery_runs_no_plugin_code_in_this_process(tmp_path: Path) -> None:
    write(tmp_path, "spy", f"""
        import os
        open({str(tmp_path / "pids")!r}, "a").write(f"{{os.getpid()}} {{os.getcwd()}}")
        class Spy:
            def choose(self, state, limit): return 0
    """)  # fmt: skip
    (plugin,) = found_in(tmp_path)
    plugin.close()
    assert int((tmp_path / "pids").read_text("utf-8").split()[0]) != os.getpid()
    assert not list(tmp_path.glob("**/__pycache__"))


def test_importing_the_module_does_not_load_numba() -> None:
    code = "import sys, engine.plugins.discovery; print({'numba'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.slow
def test_an_installed_class_is_found_by_its_entry_point(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "guest_agents.py").write_text(
        "class Guest:\n    name = 'Guest'\n    def choose(self, state, limit): return 3\n", "utf-8"
    )
    info = tmp_path / "guest_agents-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: guest-agents\nVersion: 1.0\n", "utf-8")
    (info / "entry_points.txt").write_text("[discade.agents]\nguest = guest_agents:Guest\n", "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))

    (plugin,) = discover(None)
    try:
        assert plugin.level.key == "plugin:guest"
        assert plugin.make(0).choose(CONNECT_FOUR, Limit()).move == 3
    finally:
        plugin.close()
    assert "guest_agents" not in sys.modules
    assert discover(None, entry_points=False) == ()


# Answers


@pytest.mark.slow
def test_a_bare_move_is_played_and_timed(plugins: dict[str, Plugin]) -> None:
    choice = plugins["plugin:first"].make(0).choose(OTHELLO, Limit())
    assert choice.move == OTHELLO.legal_moves()[0]
    assert choice.info.pv == (choice.move,)
    assert 0 < choice.info.seconds < HARD_SECONDS


def test_a_choice_keeps_its_search_info(plugins: dict[str, Plugin]) -> None:
    info = plugins["plugin:thinker"].make(0).choose(CONNECT_FOUR, Limit(seconds=0.5)).info
    assert (info.score, info.depth, info.nodes) == (0.5, 3, 7)
    assert info.seconds not in (0, 0.45), "it says 0.45, but times are measured, never told"


def test_impossible_numbers_are_dropped_or_clipped(plugins: dict[str, Plugin]) -> None:
    agent = plugins["plugin:boasting"].make(0)
    infos = []
    for plies in range(5):
        choice = agent.choose(after(CONNECT_FOUR, plies), Limit())
        assert choice.move == 0
        assert 0 < choice.info.seconds < HARD_SECONDS
        infos.append(choice.info)
    assert [info.score for info in infos] == [None, None, None, 2.0, 1.0]
    assert not infos[0].proven, "what has no score is not proved"
    assert (infos[1].depth, infos[1].nodes) == (1_000, 1 << 53)
    assert (infos[2].depth, infos[2].nodes, infos[2].pv) == (0, 0, (0,))
    assert (infos[3].pv, infos[3].visits) == ((0,) * 6, ((0, 1 << 53),)), "a column holds six discs"
    assert infos[4].move_scores == ()


def test_equal_seeds_make_a_random_plugin_reproducible(plugins: dict[str, Plugin]) -> None:
    def game_of(seed: int) -> list[int]:
        agent, state, moves = plugins["plugin:thinker"].make(seed), CONNECT_FOUR, []
        for _ in range(12):
            moves.append(agent.choose(state, Limit()).move)
            state = state.play(moves[-1])
            if state.outcome() is not None:
                break
        return moves

    assert game_of(5) == game_of(5)
    assert len(set(game_of(5)[:4])) > 1, "another number at every move"
    assert len({tuple(game_of(seed)) for seed in range(4)}) > 1


def test_a_state_that_is_over_is_refused(plugins: dict[str, Plugin]) -> None:
    over = replay(CONNECT_FOUR, [0, 1, 0, 1, 0, 1, 0])
    with pytest.raises(EngineError, match="over"):
        plugins["plugin:first"].make(0).choose(over, Limit())


@pytest.mark.parametrize("plies", [0, 2])
def test_a_plugins_output_is_truncated_and_its_move_counts(
    plugins: dict[str, Plugin],
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
    plies: int,
) -> None:
    state = after(CONNECT_FOUR, plies)
    with caplog.at_level(logging.INFO):
        choice = plugins["plugin:printing"].make(0).choose(state, Limit())
    assert choice.move == state.legal_moves()[-1]
    assert choice.info.said.startswith("thinking aloud thinking")
    assert len(choice.info.said) == 2_000
    (record,) = caplog.records
    assert f"says at move {plies + 1}: thinking aloud" in record.getMessage()
    assert len(record.getMessage()) < 600
    assert capfd.readouterr() == ("", "")
    assert plugins["plugin:printing"].make(0).choose(after(CONNECT_FOUR, 1), Limit()).info.said == ""


@pytest.mark.slow
def test_printed_text_cannot_control_a_terminal(tmp_path: Path) -> None:
    write(tmp_path, "painter", """
        class Painter:
            def choose(self, state, limit):
                print("\\x1b[2J\\x07red\\u202e\\ud800", end="\\r\\n")
                return 3
    """)  # fmt: skip
    (plugin,) = found_in(tmp_path)
    choice = plugin.make(0).choose(CONNECT_FOUR, Limit())
    plugin.close()
    mark = "\N{REPLACEMENT CHARACTER}"
    assert choice.info.said == f"{mark}[2J{mark}red{mark}{mark}{mark}\n"


@pytest.mark.slow
def test_a_player_remembers_its_match_until_its_agent_is_closed(tmp_path: Path) -> None:
    write(tmp_path, "counting", """
        class Counting:
            def __init__(self):
                self.asked = -1
            def choose(self, state, limit):
                self.asked += 1
                return self.asked
    """)  # fmt: skip
    (plugin,) = found_in(tmp_path)
    first, second = plugin.make(0), plugin.make(0)

    def moves(agent: PluginAgent) -> list[int]:
        return [agent.choose(CONNECT_FOUR, Limit()).move for _ in range(2)]

    assert moves(first) == [0, 1]
    assert moves(second) == [0, 1]
    assert moves(first) == [2, 3]
    first.close()
    assert moves(second) == [2, 3]
    assert moves(first) == [0, 1], "somebody new, who remembers nothing"
    plugin.close()


@pytest.mark.slow
def test_the_process_ends_with_the_last_match(tmp_path: Path) -> None:
    write(tmp_path, "numbered", """
        import os
        class Numbered:
            def choose(self, state, limit):
                print(os.getpid())
                return 0
    """)  # fmt: skip
    (plugin,) = found_in(tmp_path)
    agents = [plugin.make(0), plugin.make(1)]
    numbers = {int(agent.choose(CONNECT_FOUR, Limit()).info.said) for agent in agents}
    assert len(numbers) == 1
    (number,) = numbers
    agents[0].close()
    time.sleep(0.2)
    assert is_running(number)
    agents[1].close()
    assert has_gone(number)
    assert int(agents[1].choose(CONNECT_FOUR, Limit()).info.said) != number
    plugin.close()


# Limits


@pytest.mark.slow
@pytest.mark.parametrize(("asked", "told"), [(None, 2.7), (1.0, 0.9), (100.0, 2.7)])
def test_a_plugin_is_told_a_tenth_less_than_the_shorter_of_both_limits(
    tmp_path: Path, asked: float | None, told: float
) -> None:
    """One that uses all the time that it is told of is not late."""
    write(tmp_path, "told", """
        class Told:
            def choose(self, state, limit):
                print(limit.seconds, limit.nodes, limit.depth)
                return 0
    """)  # fmt: skip
    (plugin,) = found_in(tmp_path, hard_seconds=3.0)
    choice = plugin.make(0).choose(CONNECT_FOUR, Limit(seconds=asked, nodes=7, depth=3))
    plugin.close()
    seconds, *others = choice.info.said.split()
    assert float(seconds) == pytest.approx(told)
    assert others == ["7", "3"]


@pytest.mark.slow
def test_a_plugin_that_overruns_the_limit_of_a_move_forfeits_it_then(tmp_path: Path) -> None:
    write(tmp_path, "sleepy", """
        import time
        class Sleepy:
            def choose(self, state, limit):
                time.sleep(0 if state.ply else 60)
                return 0
    """)  # fmt: skip
    (plugin,) = found_in(tmp_path, hard_seconds=100.0)
    agent = plugin.make(0)
    late = agent.choose(CONNECT_FOUR, Limit(seconds=0.2))
    in_time = agent.choose(after(CONNECT_FOUR, 1), Limit(seconds=MAX_TEST_WAIT_SECONDS))
    plugin.close()
    assert late.info.forfeit == "it gave no answer within 0.2 s"
    assert in_time.info.forfeit == ""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "nice"), reason="needs what POSIX has")
def test_a_plugin_yields_the_processor_to_the_program(tmp_path: Path) -> None:
    write(tmp_path, "nice", """
        import os
        class Nice:
            def choose(self, state, limit):
                print(os.nice(0))
                return 0
    """)  # fmt: skip
    (plugin,) = found_in(tmp_path)
    said = plugin.make(0).choose(CONNECT_FOUR, Limit()).info.said
    plugin.close()
    assert int(said) == min(19, os.nice(0) + NICENESS)


@pytest.mark.slow
def test_of_too_many_players_the_one_asked_longest_ago_begins_anew(tmp_path: Path) -> None:
    write(tmp_path, "many", """
        class Many:
            def __init__(self):
                self.asked = -1
            def choose(self, state, limit):
                self.asked += 1
                return self.asked
    """)  # fmt: skip
    (plugin,) = found_in(tmp_path)
    agents = [plugin.make(0) for _ in range(MAX_PLAYERS + 1)]
    for agent in agents[:-1]:
        agent.choose(CONNECT_FOUR, Limit())
    moves = [agent.choose(CONNECT_FOUR, Limit()).move for agent in (agents[0], agents[-1])]
    assert moves == [1, 0]
    asked = (agents[0], agents[-1], agents[1])
    assert [agent.choose(CONNECT_FOUR, Limit()).move for agent in asked] == [2, 1, 0]
    plugin.close()


@pytest.mark.slow
def test_a_championship_player_forgets_a_match_with_its_agent(tmp_path: Path) -> None:
    write(tmp_path, "keeping", """
        import gc
        class Keeping:
            def __init__(self, color):
                self.color = color
                gc.collect()
                print(sum(type(one).__name__ == "Keeping" for one in gc.get_objects()))
            def play(self, board):
                move = board.valid_moves(self.color)[0]
                return move.x, move.y
    """)  # fmt: skip
    (plugin,) = found_in(tmp_path)
    left, other = plugin.make(0), plugin.make(0)

    def players(agent: PluginAgent, ply: int) -> int:
        return int(agent.choose(after(OTHELLO, ply), Limit()).info.said)

    assert [players(left, 0), players(left, 1), players(other, 0)] == [1, 2, 3]
    left.close()
    assert players(other, 1) == 2, "its own two, one for each colour"
    plugin.close()


@pytest.mark.slow
def test_waiting_for_another_match_is_no_thinking_time(tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    write(tmp_path, "shared", f"""
        import pathlib, time
        class Shared:
            def choose(self, state, limit):
                if state.ply == 0:
                    pathlib.Path({str(begun)!r}).touch()
                    time.sleep(3)
                return 0
    """)  # fmt: skip
    (plugin,) = found_in(tmp_path)
    first, second = plugin.make(0), plugin.make(0)
    thinking = threading.Thread(target=first.choose, args=(CONNECT_FOUR, Limit()))
    thinking.start()
    while not begun.exists():
        time.sleep(0.01)
    began = time.perf_counter()
    choice = second.choose(after(CONNECT_FOUR, 1), Limit(seconds=2.0))
    waited = time.perf_counter() - began
    thinking.join()
    plugin.close()
    assert choice.info.forfeit == "", "the limit is of its thinking alone"
    assert choice.info.seconds < waited / 2


# Misbehaviour


@pytest.mark.parametrize(
    ("name", "plies", "reason"),
    [
        pytest.param("late", 0, f"gave no answer within {HARD_SECONDS:g} s", marks=pytest.mark.slow),
        ("crashing", 0, "crashed"),
        ("crashing", 1, "crashed"),
        ("raising", 0, "raised: KeyError: 'no such key'"),
        ("raising", 1, "raised: SystemExit: good bye"),
        ("nonsense", 0, "answered 'a3', which is no move"),
        ("nonsense", 1, "answered None, which is no move"),
        ("nonsense", 2, "answered True, which is no move"),
        ("nonsense", 3, "answered 99, which is not legal there"),
        ("nonsense", 4, "answered -1, which is not legal there"),
        ("nonsense", 5, "answered with a broken SearchInfo"),
        ("nonsense", 6, "which is no move"),
        ("nonsense", 7, "which is no move"),
        ("boasting", 5, "answered with a broken SearchInfo"),
        ("boasting", 6, "answered a number beyond any move's"),
        ("boasting", 7, "answered a number beyond any move's"),
        ("boasting", 8, "answered 1.0, which is no move"),
        ("boasting", 9, "answered a number beyond any move's"),
        ("boasting", 10, "answered with the info None, which is no SearchInfo"),
    ],
)
def test_a_misbehaving_plugin_forfeits_to_a_random_move_and_is_logged(
    plugins: dict[str, Plugin],
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
    name: str,
    plies: int,
    reason: str,
) -> None:
    state = after(CONNECT_FOUR, plies)
    choice = plugins[f"plugin:{name}"].make(7).choose(state, Limit())

    assert choice.info.seconds < HARD_SECONDS + MAX_TEST_WAIT_SECONDS, (
        "a process may have to be started first"
    )
    assert choice.move in state.legal_moves()
    assert reason in choice.info.forfeit
    (record,) = (record for record in caplog.records if record.levelno == logging.WARNING)
    message = record.getMessage()
    assert f"plug-in {name} ({name}_player.py) in connect-four" in message
    assert f"forfeits move {plies + 1}" in message
    assert reason in message
    assert capfd.readouterr() == ("", "")


def test_forfeited_moves_are_random_by_seed(plugins: dict[str, Plugin]) -> None:
    def moves(seed: int) -> list[int]:
        agent = plugins["plugin:nonsense"].make(seed)
        return [agent.choose(CONNECT_FOUR, Limit()).move for _ in range(8)]

    assert moves(1) == moves(1)
    assert len(set(moves(1))) > 1


@pytest.mark.parametrize("name", [pytest.param("late", marks=pytest.mark.slow), "crashing"])
def test_a_killed_worker_is_replaced(plugins: dict[str, Plugin], name: str) -> None:
    agent = plugins[f"plugin:{name}"].make(0)
    agent.choose(CONNECT_FOUR, Limit(seconds=0.2))
    state = after(CONNECT_FOUR, 2)
    assert agent.choose(state, Limit()).move == state.legal_moves()[0]


@pytest.mark.slow
def test_a_plugin_that_fails_to_load_for_one_match_is_loaded_for_the_next(tmp_path: Path) -> None:
    sound = "class P:\n    def choose(self, state, limit): return 0"
    write(tmp_path, "edited", sound)
    (plugin,) = found_in(tmp_path)
    write(tmp_path, "edited", "1 / 0")
    forfeits = [plugin.make(0).choose(CONNECT_FOUR, Limit()).info.forfeit for _ in range(2)]
    assert len(set(forfeits)) == 1
    assert forfeits[0].startswith("it could not be loaded: ZeroDivisionError: division by zero")
    write(tmp_path, "edited", sound)
    assert plugin.make(0).choose(CONNECT_FOUR, Limit()).info.forfeit == ""
    plugin.close()


@pytest.mark.slow
def test_a_late_worker_is_killed(tmp_path: Path) -> None:
    write(tmp_path, "endless", f"""
        import os, pathlib
        class Endless:
            def choose(self, state, limit):
                pathlib.Path({str(tmp_path / "pid")!r}).write_text(str(os.getpid()))
                while True:
                    try:
                        while True: pass
                    except BaseException:
                        pass
    """)  # fmt: skip
    (plugin,) = found_in(tmp_path, hard_seconds=2.0)
    plugin.make(0).choose(CONNECT_FOUR, Limit())
    plugin.close()
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text("utf-8")), 0)


@pytest.mark.slow
def test_a_process_that_dies_between_two_moves_is_replaced_without_a_forfeit(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write(tmp_path, "fickle", f"""
        import os, pathlib, threading, time
        word = pathlib.Path({str(tmp_path / "word")!r})
        def die_when_told():
            while not word.exists():
                time.sleep(0.01)
            os._exit(3)
        class Fickle:
            def choose(self, state, limit):
                if state.ply == 0:
                    print(os.getpid())
                    threading.Thread(target=die_when_told).start()
                return 6
    """)  # fmt: skip
    (plugin,) = found_in(tmp_path)
    agent = plugin.make(0)
    try:
        choice = agent.choose(CONNECT_FOUR, Limit())
        (tmp_path / "word").touch()
        assert has_gone(int(choice.info.said))
        second = agent.choose(after(CONNECT_FOUR, 1), Limit())
        assert (second.move, second.info.forfeit) == (6, "")
        assert not caplog.records
    finally:
        plugin.close()


@pytest.mark.slow
def test_a_search_that_is_stopped_ends_at_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    write(tmp_path, "slow", (FOLDER / "late_player.py").read_text("utf-8"))
    (plugin,) = found_in(tmp_path, hard_seconds=100.0)
    stop = Stop()
    threading.Timer(0.2, stop.set).start()
    choice = plugin.make(0).choose(CONNECT_FOUR, Limit(stop=stop))
    assert choice.info.seconds < MAX_TEST_WAIT_SECONDS
    assert choice.move in CONNECT_FOUR.legal_moves()
    assert not caplog.records, "being stopped is no fault"
    assert choice.info.forfeit == ""
    plugin.close()


@pytest.mark.slow
def test_concurrent_matches_all_get_the_plugins_answer(plugins: dict[str, Plugin]) -> None:
    answers: list[int] = []

    def ask(plies: int) -> None:
        state = after(OTHELLO, plies)
        answers.append(plugins["plugin:first"].make(0).choose(state, Limit()).move - state.legal_moves()[0])

    threads = [threading.Thread(target=ask, args=(plies,)) for plies in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [0] * 8


@pytest.mark.slow
def test_a_game_it_does_not_play_is_forfeited_move_by_move(
    plugins: dict[str, Plugin], caplog: pytest.LogCaptureFixture
) -> None:
    small = game("othello").start("6x6")
    assert plugins["plugin:shy"].make(0).choose(small, Limit()).move in small.legal_moves()
    assert "plays 8 x 8 only" in caplog.text
    plugins["plugin:thinker"].make(0).choose(OTHELLO, Limit())
    assert "it plays connect-four only" in caplog.text
