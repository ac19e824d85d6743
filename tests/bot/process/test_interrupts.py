"""How a process ends: asked once in order, asked twice at once; and its database is free for the next."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.working import MAX_TEST_WAIT_SECONDS

ROOT = Path(__file__).parents[3]

START_SECONDS = 240.0
"""How long a bot may take to load its modules and to refuse, on a machine that is busy with much else."""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no signals to other processes")


@contextlib.contextmanager
def running(*command: str, **environment: str) -> Iterator[subprocess.Popen[str]]:
    """A process of our own that has said its first line on stdout."""
    process = subprocess.Popen(
        command, cwd=environment.get("PWD", ROOT), env=os.environ | environment, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    assert process.stdout is not None
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def wait_for(process: subprocess.Popen[str], start: str) -> None:
    assert process.stdout is not None
    said = []
    for line in process.stdout:
        if line.startswith(start):
            return
        said.append(line)
    raise AssertionError("".join(said))


def working(body: str) -> tuple[str, ...]:
    """A process that runs `body` inside a coroutine with `interrupts` in scope."""
    program = """
    import asyncio, signal, sys, threading, time
    from bot.process.interrupts import Interrupts

    async def work():
    {}
        return 0

    interrupts = Interrupts()
    with interrupts.installed():
        code = asyncio.run(interrupts.run(work()))
    print("code", code, flush=True)
    sys.exit(code)
    """
    indented = textwrap.indent(textwrap.dedent(body).strip(), "    ")
    return sys.executable, "-c", textwrap.dedent(program).format(indented)


ORDERLY = """
print("ready", flush=True)
forever = asyncio.create_task(asyncio.sleep(1000))
if await interrupts.came_before(forever):
    print("asked", flush=True)
    await asyncio.sleep(float(sys.argv[1]) if len(sys.argv) > 1 else 0)
    print("tidy", flush=True)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_first_signal_lets_the_work_end_in_order(number: signal.Signals) -> None:
    with running(*working(ORDERLY), "0.1") as process:
        wait_for(process, "ready")
        process.send_signal(number)
        wait_for(process, "tidy")
        assert process.wait(MAX_TEST_WAIT_SECONDS) == 0


@pytest.mark.parametrize("module", ["sqlalchemy", "engine.games", "aiohttp"])
def test_a_signal_while_the_bot_loads_its_modules_ends_it_without_a_traceback(module: str) -> None:
    code = textwrap.dedent(f"""
        import os, runpy, signal, sys

        class Interrupting:
            def find_spec(self, name, *_rest):
                if name == {module!r}:
                    os.kill(os.getpid(), signal.SIGINT)

        sys.meta_path.insert(0, Interrupting())
        sys.argv[:] = ["bot", "web"]
        runpy.run_module("bot", run_name="__main__")
        """)
    command = [sys.executable, "-c", code]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


def test_a_process_under_nohup_outlives_its_terminal() -> None:
    with running("nohup", *working(ORDERLY)) as process:
        wait_for(process, "ready")
        process.send_signal(signal.SIGHUP)
        process.send_signal(signal.SIGTERM)
        wait_for(process, "tidy")
        assert process.wait(MAX_TEST_WAIT_SECONDS) == 0


def test_a_signal_that_another_thread_receives_ends_a_loop_that_waits() -> None:
    strike = "signal.pthread_kill(threading.get_ident(), signal.SIGTERM)"
    body = f"threading.Timer(0.5, lambda: {strike}).start()\n{ORDERLY.strip()}"
    with running(*working(body)) as process:
        wait_for(process, "tidy")
        assert process.wait(MAX_TEST_WAIT_SECONDS) == 0


def test_the_second_signal_cancels_work_that_the_first_let_finish() -> None:
    with running(*working(ORDERLY), "1000") as process:
        wait_for(process, "ready")
        process.send_signal(signal.SIGTERM)
        wait_for(process, "asked")
        process.send_signal(signal.SIGTERM)
        assert process.wait(MAX_TEST_WAIT_SECONDS) == 128 + signal.SIGTERM


def test_work_that_handles_no_interrupts_is_cancelled_by_the_first_signal() -> None:
    with running(*working('print("ready", flush=True)\nawait asyncio.sleep(1000)')) as process:
        wait_for(process, "ready")
        process.send_signal(signal.SIGINT)
        assert process.wait(MAX_TEST_WAIT_SECONDS) == 128 + signal.SIGINT


@pytest.mark.slow
def test_after_the_second_signal_a_process_ends_even_when_its_loop_hangs() -> None:
    with running(*working('print("ready", flush=True)\nwhile True: time.sleep(0.05)')) as process:
        wait_for(process, "ready")
        # On a busy machine two that come within a moment are one.
        while process.poll() is None:
            process.send_signal(signal.SIGTERM)
            time.sleep(0.2)
        assert process.wait() == 128 + signal.SIGTERM


def demo(database: Path) -> dict[str, str]:
    return {
        "DISCORD_TOKEN": "", "DISCADE_DEMO_PORT": "0", "DATABASE_URL": f"sqlite+aiosqlite:///{database}",
    }  # fmt: skip


def can_be_process_1() -> bool:
    unshare = shutil.which("unshare")
    return (
        unshare is not None
        and not subprocess.run(
            (unshare, "--pid", "--fork", "true"), capture_output=True, check=False
        ).returncode
    )


@pytest.mark.slow
@pytest.mark.skipif(not can_be_process_1(), reason="needs the right to make process namespaces")
def test_as_process_1_the_bot_ends_on_sigterm_with_exit_code_0(tmp_path: Path) -> None:
    # Process 1 only receives signals that it handles; unshare forwards none, so its child gets the signal.
    with running(
        "unshare", "--pid", "--fork", "--kill-child", sys.executable, "-m", "bot", **demo(tmp_path / "x.db")
    ) as process:
        wait_for(process, "http://")
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        os.kill(int(children[0]), signal.SIGTERM)
        assert process.wait(MAX_TEST_WAIT_SECONDS) == 0


@pytest.mark.slow
def test_a_second_process_on_one_database_is_refused_until_the_first_is_gone(tmp_path: Path) -> None:
    environment = demo(tmp_path / "discade.db")
    bot = (sys.executable, "-m", "bot")
    with running(*bot, **environment) as first:
        wait_for(first, "http://")
        second = subprocess.run(
            (*bot, "demo"),
            cwd=ROOT,
            env=os.environ | environment,
            capture_output=True,
            text=True,
            timeout=START_SECONDS,
        )
        assert second.returncode == 2
        assert second.stderr.count("\n") == 1
        assert f"is in use by another Discade, process {first.pid}" in second.stderr
        # What the line tells them to do, as it stands.
        ((address, folder),) = re.findall(r"DATABASE_URL=(\S+) after `mkdir (\w+)`", second.stderr)
        (tmp_path / folder).mkdir()
        elsewhere = environment | {"DATABASE_URL": address, "PYTHONPATH": str(ROOT), "PWD": str(tmp_path)}
        with running(*bot, "web", **elsewhere, DISCADE_WEB_GUESTS="yes") as beside:
            wait_for(beside, "DISCADE_WEB_URL and DISCADE_WEB_GUESTS change nothing here")
            wait_for(beside, "http://")
        assert (tmp_path / folder / "demo.db").exists()
        reader = subprocess.run(
            (*bot, "recount", "--check"),
            cwd=ROOT, env=os.environ | demo(tmp_path / "demo.db"),
            capture_output=True, text=True, timeout=START_SECONDS,
        )  # fmt: skip
        assert reader.returncode == 0, "who only reads may"
        first.kill()  # and tidies nothing up
        first.wait()
    with running(*bot, **environment) as third:
        wait_for(third, "http://")
        third.send_signal(signal.SIGTERM)
        assert third.wait(MAX_TEST_WAIT_SECONDS) == 0
