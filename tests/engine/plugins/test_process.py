"""A plug-in's worker process: its environment, its limits, its cleanup, and the validation of its replies."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import textwrap
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.core import Choice, Limit, SearchInfo
from engine.games import game
from engine.plugins.discovery import Plugin, discover
from engine.plugins.limits import FILE_BYTES, MORE_PROCESSES
from engine.plugins.process import clean_environment
from engine.plugins.wire import Malformed, Reply, reply_bytes, reply_of
from tests.engine.plugins.processes import has_gone, is_running
from tests.working import MAX_TEST_WAIT_SECONDS

CONNECT_FOUR = game("connect-four").start()
MEMORY_BYTES = 400 << 20

posix = pytest.mark.skipif(os.name != "posix", reason="needs what POSIX has")
linux = pytest.mark.skipif(sys.platform != "linux", reason="needs what Linux has")

Ask = Callable[..., Choice]


@pytest.fixture
def ask(tmp_path: Path) -> Iterator[Ask]:
    """Asks a plug-in whose `choose` has that body, and gives it those seconds to answer."""
    made: list[Plugin] = []

    def asked(body: str, seconds: float = MAX_TEST_WAIT_SECONDS) -> Choice:
        lines = textwrap.indent(textwrap.dedent(body), " " * 8)
        code = f"class Curious:\n    def choose(self, state, limit):\n{lines}\n        return 3\n"
        (tmp_path / "curious_player.py").write_text(f"import os, sys, pathlib, time\n{code}", "utf-8")
        (plugin,) = discover(
            tmp_path, entry_points=False, hard_seconds=seconds, trial_seconds=0, memory_bytes=MEMORY_BYTES
        )
        made.append(plugin)
        return plugin.make(0).choose(CONNECT_FOUR, Limit())

    yield asked
    for plugin in made:
        plugin.close()


# Environment


def test_no_secret_reaches_a_plugin(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISCORD_TOKEN", "DATABASE_URL", "MY_PASSWORD", "ANYTHING_ELSE"):
        monkeypatch.setenv(name, "very-secret")
    said = ask("""
        print(sorted(os.environ))
        print("secret" if "very-secret" in str(dict(os.environ)) else "nothing")
    """).info.said  # fmt: skip
    assert "nothing" in said
    assert "DISCORD_TOKEN" not in said
    assert "'PATH'" in said


@pytest.mark.slow
@linux
def test_the_environment_in_proc_is_as_clean(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISCORD_TOKEN", "very-secret")
    said = ask("print('very-secret' in pathlib.Path('/proc/self/environ').read_text())").info.said
    assert said == "False\n"


def test_only_named_parts_of_the_environment_are_passed_on(tmp_path: Path) -> None:
    ours = {"PATH": "/bin", "LANG": "C.UTF-8", "DISCORD_TOKEN": "secret", "PYTHONPATH": "/x", "HOME": "/me"}
    clean = clean_environment(ours, tmp_path)
    assert clean["PATH"] == "/bin"
    assert clean["LANG"] == "C.UTF-8"
    assert clean["HOME"] == clean["TMPDIR"] == str(tmp_path)
    assert "secret" not in clean.values()
    assert "PYTHONPATH" not in clean


@pytest.mark.slow
@linux
def test_no_open_file_of_the_program_is_inherited(ask: Ask, tmp_path: Path) -> None:
    with (tmp_path / "private").open("w", encoding="utf-8") as private:
        os.set_inheritable(private.fileno(), True)
        said = ask("""
            for number in os.listdir("/proc/self/fd"):
                if os.path.exists(f"/proc/self/fd/{number}") or number in "012":
                    print(os.readlink(f"/proc/self/fd/{number}"))
        """).info.said  # fmt: skip
    assert {line.partition(":")[0] for line in said.splitlines()} <= {"pipe", "/dev/null"}


def test_its_folder_is_its_own_empty_and_removed_afterwards(ask: Ask) -> None:
    said = ask("""
        print(os.listdir())
        pathlib.Path("kept.txt").write_text("for later")
        print(os.getcwd())
    """).info.said.splitlines()  # fmt: skip
    assert said[0] == "[]"
    folder = Path(said[1])
    assert folder != Path.cwd()
    assert (folder / "kept.txt").exists()


@pytest.mark.slow
def test_its_folder_is_removed_with_it(tmp_path: Path) -> None:
    (tmp_path / "still_player.py").write_text(
        "import os\nclass Still:\n    def choose(self, *_):\n        print(os.getcwd())\n        return 3\n",
        "utf-8",
    )
    (plugin,) = discover(tmp_path, entry_points=False, trial_seconds=0)
    folder = Path(plugin.make(0).choose(CONNECT_FOUR, Limit()).info.said.strip())
    assert folder.is_dir()
    plugin.close()
    assert not folder.exists()


# Limits


@pytest.mark.slow
@posix
def test_memory_beyond_the_limit_is_refused_at_once(ask: Ask, caplog: pytest.LogCaptureFixture) -> None:
    choice = ask("held = bytearray(4 << 30)")
    assert choice.move in CONNECT_FOUR.legal_moves()
    assert "raised: MemoryError" in caplog.text


@pytest.mark.slow
@posix
def test_a_file_that_grows_too_large_is_refused(ask: Ask) -> None:
    said = ask(f"""
        try:
            with open("large", "wb") as file:
                file.write(bytes({FILE_BYTES} + 1))
        except OSError as error:
            print(type(error).__name__, os.stat("large").st_size <= {FILE_BYTES})
    """).info.said  # fmt: skip
    assert said == "OSError True\n"


@linux
def test_a_plugin_cannot_start_thousands_of_threads(ask: Ask) -> None:
    """The system limits the threads of a user, but not of root: a plug-in of root becomes another user."""
    said = ask("""
        import resource, threading
        if os.getuid() == 0:
            # Of its own: others may run this test, too, and the limit is for all threads of a user.
            os.setgroups([]), os.setgid(65534), os.setuid(100_000 + os.getpid())
        threading.stack_size(1 << 16)  # otherwise the limit of memory would come first
        done, started = threading.Event(), 0
        try:
            while started < 5_000:
                threading.Thread(target=done.wait, daemon=True).start()
                started += 1
        except RuntimeError:
            pass
        done.set()
        limits = (resource.RLIMIT_NPROC, resource.RLIMIT_CORE)
        print(started, *(resource.getrlimit(kind)[0] for kind in limits))
    """).info.said  # fmt: skip
    started, most, core = map(int, said.split())
    assert MORE_PROCESSES // 2 < started <= most
    assert core == 0


# Cleanup


@posix
@pytest.mark.parametrize(
    "ending", ["return 3", pytest.param("while True: pass", marks=pytest.mark.slow), "os._exit(5)"]
)
def test_its_child_processes_end_with_it(ask: Ask, tmp_path: Path, ending: str) -> None:
    children = tmp_path / "children"
    body = f"""
        import subprocess
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        forked = os.fork()
        if forked == 0:
            time.sleep(600)
        pathlib.Path({str(children)!r}).write_text(f"{{child.pid}} {{forked}}")
        {ending}
    """
    choice = ask(body, 3.0 if ending.startswith("while") else MAX_TEST_WAIT_SECONDS)
    assert choice.move in CONNECT_FOUR.legal_moves()
    numbers = [int(number) for number in children.read_text("utf-8").split()]
    if ending == "return 3":
        assert all(is_running(number) for number in numbers), "while the match goes on"
    else:
        assert all(has_gone(number) for number in numbers)


@pytest.mark.slow
@posix
def test_children_end_when_the_plugin_is_closed(tmp_path: Path) -> None:
    (tmp_path / "parent_player.py").write_text(
        textwrap.dedent("""
            import subprocess, sys
            class Parent:
                def choose(self, state, limit):
                    print(subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]).pid)
                    return 3
        """),
        "utf-8",
    )
    (plugin,) = discover(tmp_path, entry_points=False, trial_seconds=0)
    child = int(plugin.make(0).choose(CONNECT_FOUR, Limit()).info.said)
    plugin.close()
    assert has_gone(child)


@pytest.mark.slow
@posix
def test_a_worker_ends_when_the_program_is_killed(tmp_path: Path) -> None:
    (tmp_path / "busy_player.py").write_text(
        textwrap.dedent(f"""
            import os, pathlib
            class Busy:
                def choose(self, state, limit):
                    pathlib.Path({str(tmp_path / "pid")!r}).write_text(str(os.getpid()))
                    while True: pass
        """),
        "utf-8",
    )
    code = f"""
import os, pathlib, threading, time
from engine.plugins.discovery import discover
from engine.core import Limit
from engine.games import game
(plugin,) = discover(pathlib.Path({str(tmp_path)!r}), entry_points=False, hard_seconds=60, trial_seconds=0)
state = game("connect-four").start()
threading.Thread(target=plugin.make(0).choose, args=(state, Limit()), daemon=True).start()
while not pathlib.Path({str(tmp_path / "pid")!r}).exists():
    time.sleep(0.05)
time.sleep(0.2)
os.kill(os.getpid(), 9)
"""
    subprocess.run([sys.executable, "-c", code], timeout=60, check=False)
    assert has_gone(int((tmp_path / "pid").read_text("utf-8")))


# Replies


@posix
@pytest.mark.parametrize(
    "junk",
    [
        'b"\\x00\\x00\\x00\\x05junk!"',
        'b"\\xff" * 100',
        'b"\\x00\\x00\\x00\\x02[]"',
        'b"\\x00\\x01\\x00\\x00" + b"[" * 65536',
    ],
)
def test_forged_replies_forfeit_the_move(ask: Ask, caplog: pytest.LogCaptureFixture, junk: str) -> None:
    choice = ask(f"""
        for number in range(3, 20):
            try:
                os.write(number, {junk})
            except OSError:
                pass
        time.sleep(0.5)
    """)  # fmt: skip
    assert choice.move in CONNECT_FOUR.legal_moves()
    (record,) = (record for record in caplog.records if record.levelno == logging.WARNING)
    assert "answered what cannot be read" in record.getMessage() or "crashed" in record.getMessage()


@pytest.fixture
def _traced() -> Iterator[None]:
    """Memory is traced."""
    tracemalloc.start()
    yield
    tracemalloc.stop()


@posix
@pytest.mark.usefixtures("_traced")
def test_an_endless_stream_of_replies_is_not_read(ask: Ask) -> None:
    """Replies of a megabyte each, written after the move was answered; only a few of them are kept."""
    choice = ask("""
        import threading
        def write():
            time.sleep(0.2)
            frame = (1 << 20).to_bytes(4, "big") + b" " * (1 << 20)
            while True:
                for number in range(3, 20):
                    try:
                        os.write(number, frame)
                    except OSError:
                        pass
        threading.Thread(target=write, daemon=True).start()
    """)  # fmt: skip
    until = time.monotonic() + MAX_TEST_WAIT_SECONDS
    while tracemalloc.get_traced_memory()[1] < 1 << 20 and time.monotonic() < until:
        time.sleep(0.01)
    time.sleep(0.5)
    peak = tracemalloc.get_traced_memory()[1]
    assert choice.move == 3
    assert 1 << 20 < peak < 12 << 20, "some were read, and not all"


def test_a_reply_survives_encoding_and_decoding() -> None:
    info = SearchInfo(1.5, False, 3, 7, 0.0, (1, 2), ((1, 0.5),), ((1, 4),))
    reply = Reply("said\n", None, "", None, 1, info)
    assert reply_of(reply_bytes(reply)) == reply
    assert reply_of(reply_bytes(Reply(fault="is broken"))) == Reply(fault="is broken")


@pytest.mark.parametrize(
    "change",
    [
        {"move": True},
        {"move": 1.0},
        {"move": "1"},
        {"printed": None},
        {"trace": 3},
        {"fault": ["x"]},
        {"info": [1, False, 0, 0, [], [], []]},
        {"info": [1.0, 0, 0, 0, [], [], []]},
        {"info": [1.0, False, 0.5, 0, [], [], []]},
        {"info": [1.0, False, 0, 0, [None], [], []]},
        {"info": [1.0, False, 0, 0, [], [[1]], []]},
        {"info": [1.0, False, 0, 0, [], [], [[1, 2, 3]]]},
        {"info": {}},
        {"description": ["a", "b", [], []]},
        {"description": ["a", "b", ["chess"], []]},
        {"description": ["a", 1, ["othello"], []]},
        {"description": ["a"]},
    ],
)
def test_a_reply_with_wrong_types_is_malformed(change: dict[str, object]) -> None:
    parts = json.loads(reply_bytes(Reply(move=1, info=SearchInfo())))
    with pytest.raises(Malformed):
        reply_of(json.dumps(parts | change).encode())


@pytest.mark.parametrize("data", [b"", b"null", b"[]", b"{}", b"\xff", b"[" * 100_000, b"1" * 10_000])
def test_bytes_that_are_not_a_reply_are_malformed(data: bytes) -> None:
    with pytest.raises(Malformed):
        reply_of(data)
