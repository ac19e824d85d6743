"""A program that is asked by lines of text: with a deadline, a bound on its output, and an end to it."""

from __future__ import annotations

import logging
import os
import queue
import re
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from engine.plugins.process import POLL_SECONDS, Child, Unwanted, pipe_of
from engine.plugins.wire import Malformed, in_line

MAX_ANSWER_BYTES = 8 << 20
"""The most output between two questions; nothing more is read after that."""

MAX_LINE_BYTES = 4 << 10
MAX_LAST_WORDS = 160
SETTLE_SECONDS = 0.03
"""The least pause between an engine's last line and the next question: some lose words that come earlier,
and a second answer to the same question comes in it."""

_BUSY_SHARE, _BUSY_SECONDS = 0.2, 5.0
"""An engine that uses more of a core than this, for at least that long between two questions, is named."""

_CHUNK = 1 << 16
_END = re.compile(rb"\r\n|\n|\r")
_BOOT = """
import json, os, select, signal, sys
sys.path[:], memory, command = json.loads(sys.argv[1])
if os.fork() == 0:
    if os.fork() == 0:
        os.close(1)
        os.close(2)
        asked = select.poll()
        asked.register(0, 0)
        asked.poll()
        os.killpg(0, signal.SIGKILL)
    os._exit(0)
os.wait()
from engine.plugins.limits import limit_this_process
limit_this_process(memory)
try:
    os.execv(command[0], command)
except OSError as error:
    sys.exit(f"{command[0]} cannot be started: {error.strerror}")
"""

"""Becomes the program, within limits, and leaves a guard behind in its group.

The guard sleeps until no process can ask the program any more, then kills the group: a bot that the system
kills cannot do it. It is no child of the program, which may wait for its children.
"""

log = logging.getLogger(__name__)


class Lines(Child):
    """A program in a process of its own. Not thread-safe."""

    def __init__(
        self, command: tuple[str, ...], folder: Path, memory_bytes: int, threads: int, newline: str = "\n"
    ) -> None:
        """Start it, without waiting; raises OSError if no process can be started."""
        path = [os.path.abspath(entry) for entry in sys.path]
        super().__init__(
            _BOOT, [path, memory_bytes, command], folder=folder, threads=threads, keeps_errors=True
        )
        self._name, self._newline = Path(command[0]).name, newline
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._bytes, self._deadline = 0, 0.0
        self._is_unwanted: Callable[[], bool] = bool
        self._written, self._complained = b"", b""
        self._last_line = time.perf_counter()
        self._processor_seconds: float | None = None
        self._is_flooding = False
        # Only so can a program that does not read be left in time; Windows lacks it.
        if hasattr(os, "set_blocking"):
            os.set_blocking(pipe_of(self._process.stdin).fileno(), False)
        self._complaints = threading.Thread(target=self._read_complaints, name="engine errors", daemon=True)
        for thread in (
            threading.Thread(target=self._read, name="engine lines", daemon=True),
            self._complaints,
        ):
            thread.start()

    @property
    def is_alive(self) -> bool:
        return not self._has_exited()

    @property
    def last_words(self) -> str:
        """Its last line, of stderr if it wrote anything there; for the log."""
        if self._process.returncode is not None:
            self._complaints.join(POLL_SECONDS)  # it may still read the last output
        said = (self._complained or self._written).decode("utf-8", "replace").strip().splitlines() or [""]
        return in_line(said[-1], MAX_LAST_WORDS)

    def begin(self, seconds: float, is_unwanted: Callable[[], bool]) -> None:
        """Begin a question: unread lines are dropped, and `next` has that time in all."""
        self._name_if_busy()
        time.sleep(max(0.0, self._last_line + SETTLE_SECONDS - time.perf_counter()))
        with suppress(queue.Empty):
            while True:
                if self._lines.get_nowait() is None:
                    self._lines.put(None)
                    break
        self._bytes, self._written, self._complained = 0, b"", b""
        self._deadline, self._is_unwanted = time.perf_counter() + seconds, is_unwanted

    def say(self, *lines: str) -> None:
        """Tell it lines; raises TimeoutError or Unwanted if it does not read them."""
        data = "".join(line + self._newline for line in lines).encode("ascii", "replace")
        while data:
            try:
                data = data[os.write(pipe_of(self._process.stdin).fileno(), data) :]
            except BlockingIOError:
                if time.perf_counter() > self._deadline:
                    raise TimeoutError from None
                if self._is_unwanted():
                    raise Unwanted from None
                time.sleep(POLL_SECONDS)
            except (OSError, ValueError):
                return  # reading will find its end

    def next(self) -> str:
        """Return its next line, without the end; several empty ones are one.

        Raises TimeoutError, Unwanted or ProcessEnded, and Malformed if it writes without an end.
        """
        line = self._next(self._lines, self._deadline, self._is_unwanted)
        if self._is_flooding:
            raise Malformed(f"more than {MAX_ANSWER_BYTES >> 20} MB for one question")
        return line

    def end(self) -> None:
        """End a question."""
        self._processor_seconds = self.used_seconds()

    def _read(self) -> None:
        """Read lines in a thread, since pipes have no portable read with a time limit."""
        rest, was_return, was_empty = b"", False, False
        with suppress(OSError, ValueError), pipe_of(self._process.stdout) as pipe:
            while data := os.read(pipe.fileno(), _CHUNK):
                self._bytes += len(data)
                self._written = (self._written + data)[-MAX_LAST_WORDS:]
                if self._bytes > MAX_ANSWER_BYTES:
                    self._is_flooding = True
                    self._lines.put("")
                    return
                if was_return:
                    data = data.removeprefix(b"\n")
                was_return = data.endswith(b"\r")
                *lines, rest = _END.split(rest + data)
                rest = rest[:MAX_LINE_BYTES]
                for line in lines:
                    if line or not was_empty:
                        self._last_line = time.perf_counter()
                        self._lines.put(line[:MAX_LINE_BYTES].decode("ascii", "replace"))
                    was_empty = not line
        self._lines.put(None)

    def _read_complaints(self) -> None:
        """Read stderr, which nothing but the log wants: a full pipe would stop the program."""
        with suppress(OSError, ValueError), pipe_of(self._process.stderr) as pipe:
            while data := os.read(pipe.fileno(), _CHUNK):
                self._complained = (self._complained + data)[-MAX_LAST_WORDS:]

    def used_seconds(self) -> float | None:
        """Return the seconds of processor time so far; None if the system does not say."""
        try:
            fields = Path(f"/proc/{self._process.pid}/stat").read_text("ascii", "replace")
            user, system = fields.rpartition(")")[2].split()[11:13]
            return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
        except (OSError, ValueError):
            return None

    def _name_if_busy(self) -> None:
        before, now = self._processor_seconds, self.used_seconds()
        idle = time.perf_counter() - self._last_line
        if before is None or now is None or idle < _BUSY_SECONDS or now - before < _BUSY_SHARE * idle:
            return
        log.warning(
            "engine %s computed for %.1f s while it was not its turn: switch its pondering off",
            self._name, now - before,
        )  # fmt: skip
