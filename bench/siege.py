"""Attackers at the web's door while people play in Discord: the presses without and with them.

The bot runs in its own process at the local Discord of `tests/discord_server`; the attackers in another one.
`SIEGE_SECONDS` (default 60) is the duration of the attack, and a fifth of it that of the calm before it.
`SIEGE_AT` is another checkout with a `.venv`, whose bot is attacked instead of this one's.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import signal
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import Any

import aiohttp
from aiohttp.test_utils import unused_port

from bench import fake_discord
from bench.crowd import in_pairs, row
from bench.fake_discord import ROOT, percentile
from tests.discord_server import FakeDiscord
from tests.discord_server.activity import SECRET

ROOMS = 6
PAGES_A_SECOND, CODES_A_SECOND = 200, 30
PINGS, PIECES = 50_000, 20_000
CROWD, CROWD_PAUSE = 30, 15.0
"""So many people open the board inside Discord at once, in every such pause."""

EMPTY = bytes((0x80, 0, 0, 0, 0))
PING, TEXT, PIECE = b"\x89" + EMPTY, b"\x01" + EMPTY, b"\x00" + EMPTY


async def run() -> None:
    (seconds,) = fake_discord.asked("SIEGE", SECONDS=60.0)
    folder = Path(os.environ.get("SIEGE_AT", ROOT)).resolve()
    print("| seconds until … | times | median | p95 | longest |\n|---|---|---|---|---|")
    calm = await _part(folder, seconds / 5, attacked=False)
    print("\n" + "\n".join(calm + await _part(folder, seconds, attacked=True)))


async def _part(folder: Path, seconds: float, *, attacked: bool) -> list[str]:
    """Let six pairs play; print the row of their presses, and return what else was counted."""
    url = f"http://127.0.0.1:{unused_port()}"
    env = {
        "DISCADE_WEB_URL": url, "DISCADE_WEB_LISTEN": url.removeprefix("http://"),
        "DISCORD_CLIENT_SECRET": SECRET,
    }  # fmt: skip
    title = "attacked" if attacked else "alone"
    async with FakeDiscord(ack_seconds=60.0) as server:  # late presses are counted
        fake_discord.give_emoji(server)
        channels = [server.channel, *(server.new_channel(f"room{n}") for n in range(1, ROOMS))]
        async with fake_discord.online(server, folder, **env) as bot:
            key = await _shared(server)
            before, used = len(server.ack_latencies()), fake_discord.cpu_seconds(bot)
            async with contextlib.AsyncExitStack() as closing:
                lines = list[str]()
                others = [asyncio.create_task(_reader(url, key, lines))]
                if attacked:
                    await closing.enter_async_context(_attackers(url, key, lines))
                    others.append(asyncio.create_task(_crowd(server, url, lines)))
                waits = await in_pairs(server, channels, seconds)
                used = fake_discord.cpu_seconds(bot) - used
                for one in others:
                    one.cancel()
                await asyncio.wait(others)
            acknowledged = [latency for _, latency in server.ack_latencies()[before:]]
            failed = [line for line in bot.lines if " ERROR " in line or "Traceback" in line]
    print(row(f"the opponent is called, {title}", waits))
    print(row(f"… acknowledged, {title}", acknowledged), flush=True)
    late = sum(latency > 3.0 for latency in acknowledged)
    told = (
        f"{title}: {late} presses too late, {used / seconds:.2f} of a core, {len(failed)} errors in the log"
    )
    return [told, *lines, *failed[:5]]


async def _shared(server: FakeDiscord) -> str:
    """Return the key of a match that its player shares."""
    ada = server.user("ada")
    begun = await ada.slash(None, "play", game="connect-four", level="pip", first="me")
    menu = await (await ada.click(await begun.result(), "More…")).result()
    answer = await (await ada.click(menu, "Share on the web")).result()
    found = re.search(r"/m/([\w-]{22})", str(answer.text) + str([one.get("url") for one in answer.buttons]))
    if found is None:
        raise LookupError("no address in the answer")
    return found[1]


@contextlib.asynccontextmanager
async def _attackers(url: str, key: str, lines: list[str]) -> AsyncIterator[None]:
    """Attack until the block ends, then note what the attackers were told."""
    command = (sys.executable, "-m", "bench.siege", url, key)
    process = await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdout=asyncio.subprocess.PIPE)
    try:
        yield
    finally:
        process.terminate()
        lines += (await process.communicate())[0].decode().splitlines()


async def _reader(url: str, key: str, lines: list[str]) -> None:
    """Read the page once a second, from an address of their own."""
    told, waits, headers = Counter[int](), list[float](), {"X-Forwarded-For": "203.0.113.4"}
    async with aiohttp.ClientSession() as http:
        try:
            while True:
                await asyncio.sleep(1)
                began = time.monotonic()
                async with http.get(f"{url}/m/{key}", headers=headers) as answer:
                    await answer.read()
                    told[answer.status] += 1
                waits.append(time.monotonic() - began)
        finally:
            lines.append(f"another reader: {dict(told)}, {_told_waits(waits)}")


def _told_waits(waits: list[float]) -> str:
    if not waits:
        return "never answered"
    median, late = percentile(waits, 0.5), percentile(waits, 0.95)
    return f"median {median:.3f} s, p95 {late:.3f} s, at most {max(waits):.3f} s"


async def _crowd(server: FakeDiscord, url: str, lines: list[str]) -> None:
    """Let thirty people open the board inside Discord at once, again and again."""
    told, waits, people = Counter[int](), list[float](), [server.user(f"v{n}") for n in range(CROWD)]
    origin = f"https://{server.world.bot.id}.discordsays.com"
    headers = {"Origin": origin, "X-Forwarded-For": "203.0.113.3"}

    async def enter(person: Any) -> None:
        instance = server.activities.launch(person.user, server.channel)
        body, began = {"code": server.activities.code(person.user), "instance": instance.id}, time.monotonic()
        async with http.post(f"{url}/api/activity", json=body, headers=headers) as answer:
            told[answer.status] += 1
        waits.append(time.monotonic() - began)

    async with aiohttp.ClientSession() as http:
        try:
            while True:
                await asyncio.gather(*(enter(one) for one in people))
                await asyncio.sleep(CROWD_PAUSE)
        finally:
            lines.append(f"boards opened inside Discord: {dict(told)}, {_told_waits(waits)}")


class _Siege:
    """The attackers. told: what each was answered, how often."""

    def __init__(self, url: str, key: str, http: aiohttp.ClientSession) -> None:
        self._url, self._key, self._http = url, key, http
        self.told: dict[str, Counter[str]] = {}

    async def ask(self, name: str, method: str, path: str, address: str, body: object = None) -> None:
        headers = {"Origin": self._url, "X-Forwarded-For": address}
        async with self._http.request(method, self._url + path, json=body, headers=headers) as answer:
            await answer.read()
            self._note(name, str(answer.status))

    async def flood(self, name: str, address: str, frames: bytes) -> None:
        """Open a page and send the frames, until the socket is closed."""
        headers = {"Origin": self._url, "X-Forwarded-For": address}
        try:
            ws = await self._http.ws_connect(f"{self._url}/live", headers=headers)
        except aiohttp.WSServerHandshakeError as error:
            self._note(name, str(error.status))
            await asyncio.sleep(1)
            return
        await ws.send_json({"type": "watch", "match": self._key, "have": -1})
        transport = ws.get_extra_info("socket") and ws._writer.transport
        transport.write(frames)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(10):
                async for _ in ws:
                    pass
        self._note(name, f"closed {ws.close_code}" if ws.closed else "open after 10 s")
        await ws.close()

    def _note(self, name: str, answer: str) -> None:
        self.told.setdefault(name, Counter())[answer] += 1

    async def attack(self) -> None:
        page, code = f"/m/{self._key}", {"code": "made-up", "instance": "i-1"}
        every = self._every
        await asyncio.gather(
            every(1 / PAGES_A_SECOND, lambda: self.ask("one address, pages", "GET", page, "203.0.113.1")),
            every(
                1 / CODES_A_SECOND,
                lambda: self.ask("made-up codes", "POST", "/api/activity", "203.0.113.2", code),
            ),
            self._again(lambda: self.flood("pings", "203.0.113.5", PING * PINGS)),
            self._again(lambda: self.flood("empty pieces", "203.0.113.6", TEXT + PIECE * PIECES)),
        )

    async def _every(self, pause: float, make: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Begin one after every pause, however long each takes."""
        loop, running = asyncio.get_running_loop(), set[asyncio.Task[None]]()
        at = loop.time()
        while True:
            at += pause
            await asyncio.sleep(at - loop.time())
            task = asyncio.create_task(self._tried(make()))
            running.add(task)
            task.add_done_callback(running.discard)

    async def _again(self, make: Callable[[], Coroutine[Any, Any, None]]) -> None:
        while True:
            await self._tried(make())

    async def _tried(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except (aiohttp.ClientError, OSError) as error:
            self._note("connections", type(error).__name__)
            await asyncio.sleep(0.1)


async def _besiege(url: str, key: str) -> None:
    """Attack until SIGTERM, then print the answers."""
    ended = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector) as http:
        siege = _Siege(url, key, http)
        attack = asyncio.create_task(siege.attack())
        await ended.wait()
        attack.cancel()
        await asyncio.wait([attack])
    for name, answers in siege.told.items():
        print(f"{name}: {json.dumps(answers)}")


if __name__ == "__main__":
    asyncio.run(_besiege(*sys.argv[1:]))
