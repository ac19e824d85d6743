"""The bot as a process of its own that takes the local Discord for the real one."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.discord_server.gateway import Session
    from tests.discord_server.server import FakeDiscord

LAUNCHER = Path(__file__).with_name("launch.py")

ROOT = Path(__file__).resolve().parents[2]

READY_SECONDS, END_SECONDS = 120.0, 30.0

KERNELS_SECONDS = 240.0
"""Time limit for compiling the agents' kernels at the first start in a folder."""


def bot_command(python: str = sys.executable) -> list[str]:
    """The command of `python -m bot` at the local Discord."""
    return [python, str(LAUNCHER)]


@asynccontextmanager
async def online(server: FakeDiscord, at: Path = ROOT, /, **env: str) -> AsyncIterator[BotProcess]:
    """Run the bot on a fresh database, ready to play, until the block ends.

    at: another checkout, run in its own environment.
    """
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite+aiosqlite:///{Path(folder) / 'bot.db'}"
        python = sys.executable if at == ROOT else str(at / ".venv" / "bin" / "python")
        bot = await server.start_bot(bot_command(python), env={"DATABASE_URL": url, **env}, cwd=at)
        try:
            await bot.ready(["play"])
            await bot.wait_output("the agents are ready", timeout=KERNELS_SECONDS)
            yield bot
        finally:
            await bot.stop()


class BotProcess:
    """A bot. lines: its output; earlier: that of its former lives."""

    def __init__(
        self,
        server: FakeDiscord,
        number: int,
        command: Sequence[str],
        env: Mapping[str, str],
        cwd: Path,
    ) -> None:
        self.number = number
        self.lines: list[str] = []
        self.earlier: list[list[str]] = []
        self._server, self._command, self._env, self._cwd = server, list(command), dict(env), cwd
        self._process: asyncio.subprocess.Process | None = None
        self._reading: asyncio.Task[None] | None = None

    async def start(self) -> None:
        self._server.limits.forget(self.number)
        host = self._server.url.removeprefix("http://")
        env = {
            **os.environ,
            "DISCADE_LOG_LEVEL": "INFO",
            **self._env,
            "DISCORD_TOKEN": self._server.token,
            "DISCORD_SERVER": f"{host}/{self.number}",
            "PYTHONUNBUFFERED": "1",
        }
        self._process = await asyncio.create_subprocess_exec(
            *self._command, env=env, cwd=self._cwd, stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        self._reading = asyncio.create_task(self._read(self._process))

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        lines = self.lines
        async for line in process.stdout:
            lines.append(line.decode(errors="replace").rstrip())

    @property
    def _started(self) -> asyncio.subprocess.Process:
        assert self._process is not None, "start() makes the process"
        return self._process

    @property
    def pid(self) -> int:
        return self._started.pid

    @property
    def is_running(self) -> bool:
        return self._started.returncode is None

    @property
    def sessions(self) -> list[Session]:
        """Its sessions at the gateway."""
        return [one for one in self._server.gateway.live if one.process == self.number]

    async def ready(
        self,
        commands: Iterable[str] = (),
        timeout: float = READY_SECONDS,
        *,
        shards: Iterable[int] | None = None,
    ) -> BotProcess:
        """Wait until it is at the gateway, with these shards, and has registered these commands."""
        wanted = set(commands)

        def is_ready() -> bool:
            if not self.is_running:
                raise AssertionError("the bot has ended:\n" + "\n".join(self.lines[-30:]))
            registered = {command["name"] for command in self._server.world.commands.values()}
            held = {session.shard[0] for session in self.sessions}
            return bool(held) and held >= set(shards or ()) and registered >= wanted

        await self._server.until(is_ready, timeout, "the bot at the gateway")
        return self

    async def wait_output(self, text: str, timeout: float = READY_SECONDS) -> None:
        """Wait for a line that contains the text."""
        await self._server.until(
            lambda: any(text in line for line in self.lines), timeout, f"the line {text!r}"
        )

    async def wait(self) -> int:
        """Wait for its end and return the exit code."""
        code = await self._started.wait()
        assert self._reading is not None
        await self._reading
        return code

    async def kill(self) -> None:
        """End it as a power cut would."""
        await self._end(is_asked=False)

    async def stop(self, timeout: float = END_SECONDS) -> None:
        """Ask it to end; kill it if it does not."""
        try:
            await self._end(is_asked=True, seconds=timeout)
        except TimeoutError:
            await self.kill()

    async def restart(self) -> BotProcess:
        """Kill it if it runs, and start it again."""
        await self.kill()
        self.earlier.append(self.lines)
        self.lines = []
        await self.start()
        return self

    async def _end(self, *, is_asked: bool, seconds: float = END_SECONDS) -> None:
        if self.is_running and sys.platform == "win32":
            self._started.kill()
        elif self.is_running:
            # Its own session: its children end with it, and nothing else does.
            os.killpg(self.pid, signal.SIGTERM if is_asked else signal.SIGKILL)
        await asyncio.wait_for(self.wait(), seconds)
        await self._server.until(lambda: not self.sessions, END_SECONDS, "the end of its connections")
        if is_asked:
            self._server.gateway.forget(self.number)
