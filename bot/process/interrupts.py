"""SIGINT, SIGTERM and SIGHUP from the first moment: the first asks for an orderly end, the second quits.

Plain signal handlers, because they work on every platform, and because a process with the number 1, as in a
container, is sent nothing that it has no handler for.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import threading
from collections.abc import Coroutine, Iterator
from types import FrameType
from typing import Any

QUIT_SECONDS = 3.0
"""Time for cleaning up after the second signal; then the process quits."""

_SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK") if hasattr(signal, name)
)


class Interrupts:
    """Handles the signals of one process while it is installed.

    count: of the signals so far. exit_code: of a process that they ended, 0 before the first one.
    """

    def __init__(self) -> None:
        self.count = 0
        self.exit_code = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._work: asyncio.Task[int] | None = None
        self._orderly: asyncio.Event | None = None

    @contextlib.contextmanager
    def installed(self) -> Iterator[None]:
        """Handle signals inside the block; only in the main thread, as Python demands."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = [(number, signal.signal(number, self._hear)) for number in _SIGNALS if not _outlives(number)]
        try:
            yield
        finally:
            for number, handler in before:
                signal.signal(number, handler)

    async def run(self, work: Coroutine[Any, Any, int]) -> int:
        """Run the work and return its exit code, or that of an interrupted process.

        A signal cancels the work, unless it waits in `came_before`.
        """
        self._loop = asyncio.get_running_loop()
        self._work = asyncio.create_task(work)
        try:
            with _signals_wake(self._loop):
                return await self._work
        except asyncio.CancelledError:
            if not self.count:
                raise
            return self.exit_code
        finally:
            self._loop = None

    async def came_before(self, work: asyncio.Task[Any]) -> bool:
        """Wait for the end of `work` or the first signal; return whether the signal came. The work goes on.

        The first signal does not cancel the caller, which can end in order; the second one does.
        """
        self._orderly = asyncio.Event()
        asked = asyncio.create_task(self._orderly.wait())
        try:
            await asyncio.wait((work, asked), return_when=asyncio.FIRST_COMPLETED)
        finally:
            asked.cancel()
            self._orderly = None
        return not work.done()

    def _hear(self, number: int, _frame: FrameType | None) -> None:
        self.count += 1
        self.exit_code = 128 + number
        if self._loop is None:
            raise KeyboardInterrupt
        if self.count == 2:
            timer = threading.Timer(QUIT_SECONDS, os._exit, (self.exit_code,))
            timer.daemon = True
            timer.start()
        elif self.count > 2:
            os._exit(self.exit_code)
        self._loop.call_soon_threadsafe(self._react)

    def _react(self) -> None:
        if self._orderly is not None and self.count == 1:
            self._orderly.set()
        elif self._work is not None:
            self._work.cancel()


@contextlib.contextmanager
def _signals_wake(loop: asyncio.AbstractEventLoop) -> Iterator[None]:
    """Let every signal end the loop's wait for something to do, so that its handler runs at once.

    A handler runs between two steps of Python. A signal does not interrupt a wait that starts just after it,
    nor one while another thread receives it.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or os.name == "nt":  # the loop of Windows does it itself
        yield
        return
    reader, writer = socket.socketpair()
    with reader, writer:
        reader.setblocking(False)
        writer.setblocking(False)
        loop.add_reader(reader, reader.recv, 64)
        before = signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
        try:
            yield
        finally:
            signal.set_wakeup_fd(before)
            loop.remove_reader(reader)


def _outlives(number: int) -> bool:
    """Return whether the process is to outlive its terminal, as `nohup` says."""
    return number == getattr(signal, "SIGHUP", None) and signal.getsignal(number) is signal.SIG_IGN
