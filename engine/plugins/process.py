"""One process: started with a clean environment, asked by messages, killed with all its children."""

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
from typing import BinaryIO, TypeVar

from engine.plugins.limits import MEMORY_BYTES
from engine.plugins.wire import Question, Reply, question_bytes, receive, reply_of, send

POLL_SECONDS = 0.05
_REAP_SECONDS = 5.0
_MAX_UNREAD = 4
"""More replies than questions mean that the plug-in writes them; then no more are read."""

_START_SECONDS = 30.0  # Python with numpy, on a busy machine

_KEPT = ("PATH", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "TZ", "LD_LIBRARY_PATH", "SYSTEMROOT", "COMSPEC")
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")

_BOOT = """
import json, sys
sys.path[:], memory = json.loads(sys.argv[1])
from engine.plugins.worker import serve
serve(memory)
"""

T = TypeVar("T")


class ProcessEnded(Exception):
    """The process ended instead of answering; `code` is its exit code, negative for a signal."""

    def __init__(self, code: int | None) -> None:
        super().__init__(f"exit code {code}")
        self.code = code


class Unwanted(Exception):
    """The answer is no longer wanted."""


class Child:
    """A process with a session, an environment and a folder of its own, killed with all its children."""

    def __init__(
        self,
        boot: str,
        settings: object,
        *,
        folder: Path | None = None,
        threads: int = 1,
        keeps_errors: bool = False,
    ) -> None:
        """Start Python with the code `boot`, without waiting; raises OSError if no process can be started.

        settings: for the code, which reads it as JSON. folder: where it works; None: in a new one, which is
        its home in any case. threads: how many it may compute in. keeps_errors: its stderr is a pipe.
        """
        self._folder = Path(tempfile.mkdtemp(prefix="discade-agent-"))
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-B", "-X", "utf8", "-c", boot, json.dumps(settings)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE if keeps_errors else subprocess.DEVNULL,
                cwd=folder or self._folder,
                env=clean_environment(os.environ, self._folder, threads),
                close_fds=True,
                start_new_session=True,  # so that its children can be killed with it
            )
        except OSError:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise

    def kill(self) -> None:
        """Kill the process and all its children, and remove its folder."""
        self._end()

    def _next(
        self, inbox: queue.SimpleQueue[T | None], deadline: float, is_unwanted: Callable[[], bool]
    ) -> T:
        """Return the next message that a thread has read; None in the inbox is the end of all messages.

        deadline: in `time.perf_counter`. Raises TimeoutError, Unwanted or ProcessEnded.
        """
        has_exited = False
        while True:
            if is_unwanted():
                raise Unwanted
            remaining = deadline - time.perf_counter()
            if remaining <= 0:
                raise TimeoutError
            try:
                message = inbox.get(timeout=min(POLL_SECONDS, remaining))
            except queue.Empty:
                if not has_exited:
                    has_exited = self._has_exited()
                    continue
                message = None  # although a forked child may hold the pipe open
            if message is None:
                raise ProcessEnded(self._end())
            return message

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
            pipe_of(process.stdin).close()
        shutil.rmtree(self._folder, ignore_errors=True)
        return process.returncode


class WorkerProcess(Child):
    """A Python that loads one plug-in and answers questions. Not thread-safe."""

    last_words = ""
    """A plug-in says what is wrong in its replies."""

    def __init__(self, memory_bytes: int = MEMORY_BYTES) -> None:
        """Start it, without waiting; raises OSError if no process can be started."""
        super().__init__(_BOOT, [[os.path.abspath(entry) for entry in sys.path], memory_bytes])
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
            send(pipe_of(self._process.stdin), question_bytes(question))
        return self._next_reply(seconds, is_unwanted)

    def await_start(self, is_unwanted: Callable[[], bool]) -> None:
        """Wait until it accepts questions; raises as `ask` does."""
        self._next_reply(_START_SECONDS, is_unwanted)

    def _next_reply(self, seconds: float, is_unwanted: Callable[[], bool]) -> Reply:
        return reply_of(self._next(self._replies, time.perf_counter() + seconds, is_unwanted))

    def _read(self) -> None:
        """Read replies in a thread, since pipes have no portable read with a time limit."""
        with suppress(OSError, ValueError), pipe_of(self._process.stdout) as pipe:
            while (data := receive(pipe)) is not None and self._replies.qsize() < _MAX_UNREAD:
                self._replies.put(data)
        self._has_ended.set()
        self._replies.put(None)


def clean_environment(ours: Mapping[str, str], folder: Path, threads: int = 1) -> dict[str, str]:
    """Return a worker's environment: only harmless variables of ours, and its folder as home."""
    kept = {name: ours[name] for name in _KEPT if name in ours}
    places = dict.fromkeys(("HOME", "USERPROFILE", "TMPDIR", "TEMP", "TMP"), str(folder))
    return kept | places | dict.fromkeys(_THREADS, str(threads))


def pipe_of(pipe: object) -> BinaryIO:
    """Return a pipe of a process that was started with it."""
    if pipe is None:
        raise RuntimeError("the process was started without pipes")
    return pipe  # type: ignore[return-value]
