"""One worker process: started with a clean environment, asked by messages, killed with all its children."""

from __future__ import annotations

import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from engine.plugins.limits import MEMORY_BYTES
from engine.plugins.wire import Question, Reply, question_bytes, receive, reply_of, send

_POLL_SECONDS = 0.05
_REAP_SECONDS = 5.0
_MAX_UNREAD = 4
"""More replies than questions mean that the plug-in writes them; then no more are read."""

_START_SECONDS = 30.0  # Python with numpy, on a busy machine

_KEPT = ("PATH", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "TZ", "LD_LIBRARY_PATH", "SYSTEMROOT", "COMSPEC")
_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")

_BOOT = """
import json, sys
sys.path[:], memory = json.loads(sys.argv[1])
from engine.plugins.worker import serve
serve(memory)
"""


class ProcessEnded(Exception):
    """The process ended instead of answering; `code` is its exit code, negative for a signal."""

    def __init__(self, code: int | None) -> None:
        super().__init__(f"exit code {code}")
        self.code = code


class Unwanted(Exception):
    """The answer is no longer wanted."""


class WorkerProcess:
    """A process with a session, an environment and a folder of its own. Not thread-safe."""

    def __init__(self, memory_bytes: int = MEMORY_BYTES) -> None:
        """Start it, without waiting; raises OSError if no process can be started."""
        self._folder = Path(tempfile.mkdtemp(prefix="discade-agent-"))
        path = [os.path.abspath(entry) for entry in sys.path]
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-B", "-X", "utf8", "-c", _BOOT, json.dumps([path, memory_bytes])],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=self._folder,
                env=clean_environment(os.environ, self._folder),
                close_fds=True,
                start_new_session=True,  # so that its children can be killed with it
            )
        except OSError:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise
        self._replies: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._has_ended = threading.Event()
        threading.Thread(target=self._read, name="plug-in replies", daemon=True).start()

    @property
    def is_alive(self) -> bool:
        return not self._has_ended.is_set() and not self._has_exited()

    def ask(self, question: Question, seconds: float, is_unwanted: Callable[[], bool]) -> Reply:
        """Send the question and return the reply.

        Raises TimeoutError after `seconds`, Unwanted soon after `is_unwanted` returns True, ProcessEnded if
        there will be no reply, and Malformed for an invalid one; then the process must be killed.
        """
        with suppress(OSError):  # reading will find its end
            send(_pipe(self._process.stdin), question_bytes(question))
        return self._next_reply(seconds, is_unwanted)

    def await_start(self, is_unwanted: Callable[[], bool]) -> None:
        """Wait until it accepts questions; raises as `ask` does."""
        self._next_reply(_START_SECONDS, is_unwanted)

    def kill(self) -> None:
        """Kill the process and all its children, and remove its folder."""
        self._end()

    def _next_reply(self, seconds: float, is_unwanted: Callable[[], bool]) -> Reply:
        deadline = time.monotonic() + seconds
        has_exited = False
        while True:
            if is_unwanted():
                raise Unwanted
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                raise TimeoutError
            try:
                data = self._replies.get(timeout=min(_POLL_SECONDS, remaining))
            except queue.Empty:
                if not has_exited:
                    has_exited = self._has_exited()
                    continue
                data = None  # although a forked child may hold the pipe open
            if data is None:
                raise ProcessEnded(self._end())
            return reply_of(data)

    def _read(self) -> None:
        """Read replies in a thread, since pipes have no portable read with a time limit."""
        with suppress(OSError, ValueError), _pipe(self._process.stdout) as pipe:
            while (data := receive(pipe)) is not None and self._replies.qsize() < _MAX_UNREAD:
                self._replies.put(data)
        self._has_ended.set()
        self._replies.put(None)

    def _has_exited(self) -> bool:
        """Whether it has exited; does not reap it, so its process id stays reserved."""
        if hasattr(os, "waitid"):
            flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
            return os.waitid(os.P_PID, self._process.pid, flags) is not None
        return not hasattr(os, "killpg") and self._process.poll() is not None

    def _end(self) -> int | None:
        """Kill and reap the process; return its exit code, None if it cannot be killed."""
        process = self._process
        if process.returncode is None:
            # Its process id is its group id, and stays reserved until it has been reaped.
            if hasattr(os, "killpg"):
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, signal.SIGKILL)
            process.kill()
        with suppress(subprocess.TimeoutExpired):
            process.wait(_REAP_SECONDS)
        with suppress(OSError):
            _pipe(process.stdin).close()
        shutil.rmtree(self._folder, ignore_errors=True)
        return process.returncode


def clean_environment(ours: Mapping[str, str], folder: Path) -> dict[str, str]:
    """Return a worker's environment: only harmless variables of ours, and its folder as home."""
    kept = {name: ours[name] for name in _KEPT if name in ours}
    places = dict.fromkeys(("HOME", "USERPROFILE", "TMPDIR", "TEMP", "TMP"), str(folder))
    return kept | places | dict.fromkeys(_ONE_THREAD, "1")


def _pipe(pipe: object) -> BinaryIO:
    if pipe is None:
        raise RuntimeError("the process was started without pipes")
    return pipe  # type: ignore[return-value]
