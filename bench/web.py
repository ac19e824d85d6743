"""Pages under load: 1,000 spectators of one match, 200 matches with two pages each, a server on one core.

The same matches move at the same rate without and with pages, so that the presses can be compared. A process
on another core opens the pages, and notes when each document of the crowded match arrives.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import sys
import tempfile
import time
from collections import defaultdict
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import cast

from bench.fake_discord import percentile
from bench.service import PLACE
from bot.config import Settings
from bot.domain.match import Match
from bot.domain.person import Person
from bot.domain.terms import Terms
from bot.parts import Parts, Services
from bot.services.changes import Changed
from bot.web.front import front_without_discord
from bot.web.security import Site
from bot.web.server import WebServer, served

SPECTATORS, MATCHES, SECONDS = 1000, 200, 12.0
PAUSES = 1.0, 5.0
"""Seconds between two moves of the crowded match, and of each other match."""

Arrived = defaultdict[int, list[float]]


async def run() -> None:
    # In memory: else the disk of a shared machine would be measured.
    async with AsyncExitStack() as closing:
        folder = Path(closing.enter_context(tempfile.TemporaryDirectory(dir="/dev/shm")))
        parts = Parts(Settings(database_url=f"sqlite+aiosqlite:///{folder / 'bench.db'}"), is_warm=True)
        await parts.open(closing)
        services = parts.services(front_without_discord(), closing)
        server = WebServer(services, Site())
        address = await closing.enter_async_context(served(server, ("127.0.0.1", 0)))
        os.sched_setaffinity(0, {0})
        keys = []
        for number in range(MATCHES + 1):
            pair = _people(number)
            challenge = await services.challenges.send(*pair, Terms("othello", "8x8"), PLACE)
            match = (await services.challenges.accept(challenge.id, pair[1]))[1]
            keys.append((await parts.stores.web.page_of(match.id, pair[0].user_id)).key)
        await _play(services)  # warms caches up
        alone, _ = await _play(services)
        before = _resident()
        command = (sys.executable, "-m", "bench.web", address.split("/")[2], *keys)
        client = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
        while server.live.sockets < SPECTATORS + 2 * MATCHES:
            await asyncio.sleep(0.1)
        await asyncio.sleep(2)
        held = (_resident() - before) / server.live.sockets
        used = time.process_time()
        beside, stored = await _play(services)
        used = time.process_time() - used
        client.terminate()
        arrived: dict[str, list[float]] = json.loads((await client.communicate())[0])
        less = time.process_time()
        alone += (await _play(services))[0]
        less = time.process_time() - less
    late = [at - stored[int(one)] for one, times in arrived.items() for at in times if int(one) in stored]
    print("| | measured | asked |\n|---|---|---|")
    print(f"| documents of the crowded match | {len(late):,} of {SPECTATORS * len(stored):,} | all |")
    print(f"| stored to received, p50 | {percentile(late, 0.5) * 1e3:.0f} ms | |")
    print(f"| stored to received, p95 | {percentile(late, 0.95) * 1e3:.0f} ms | 50 ms |")
    each = (used - less) / (len(late) + 2 * len(beside))
    print(f"| processor time a document | {each * 1e6:.0f} µs | 50 µs |")
    print(f"| memory a connection | {held / 1024:.0f} KiB | 60 KiB |")
    for share in (0.5, 0.95):
        without, beside_pages = percentile(alone, share) * 1e3, percentile(beside, share) * 1e3
        print(
            f"| press, p{100 * share:.0f}, without and with pages |"
            f" {without:.1f} ms, {beside_pages:.1f} ms | +10 % |"
        )


def _people(number: int) -> tuple[Person, Person]:
    return Person(2 * number + 10, f"Ada {number}"), Person(2 * number + 11, f"Ben {number}")


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


async def _play(services: Services) -> tuple[list[float], dict[int, float]]:
    """Move in every match; return the seconds of each press, and when the crowded match was stored."""
    taken, stored, until = list[float](), dict[int, float](), time.monotonic() + SECONDS

    def note(changed: Changed[Match]) -> None:
        if changed.after.id == 1 and time.monotonic() < until:
            stored[changed.after.version] = time.monotonic()

    async def play(number: int) -> None:
        pause = PAUSES[number > 0]
        await asyncio.sleep(pause * number / MATCHES)
        while (began := time.monotonic()) < until:
            match = await services.matches.latest(number + 1)
            people = _people(number)
            mover = people[match.seat_to_move.user_id != people[0].user_id]
            await services.playing.play(match.id, mover, match.state.legal_moves()[0], turn=match.turn)
            taken.append(time.monotonic() - began)
            await asyncio.sleep(pause - taken[-1])

    services.changes.subscribe(Match, note)
    await asyncio.gather(*(play(number) for number in range(MATCHES + 1)))
    await asyncio.sleep(1)
    return taken, stored


class _Page(asyncio.Protocol):
    """A page's connection. address: what the proxy would say. arrived: to note when versions came."""

    def __init__(self, host: str, key: str, address: str, arrived: Arrived) -> None:
        self._host, self._key, self._address, self._arrived = host, key, address, arrived

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        head = (
            f"GET /live HTTP/1.1\r\nHost: {self._host}\r\nOrigin: http://{self._host}\r\n"
            "Upgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
            f"X-Forwarded-For: {self._address}\r\n\r\n"
        )
        cast("asyncio.Transport", transport).write(head.encode())
        text = json.dumps({"type": "watch", "match": self._key, "have": -1}).encode()
        cast("asyncio.Transport", transport).write(bytes((0x81, 0x80 | len(text), 0, 0, 0, 0)) + text)

    def data_received(self, data: bytes) -> None:
        if (found := re.search(rb'"match":"[^"]+","version":(\d+)', data)) is not None:
            self._arrived[int(found[1])].append(time.monotonic())


async def _open_pages(host: str, keys: list[str]) -> None:
    """Open every page until the process is ended, then print when the crowded match arrived."""
    os.sched_setaffinity(0, {1})
    loop, ended, arrived = asyncio.get_running_loop(), asyncio.Event(), Arrived(list)
    loop.add_signal_handler(signal.SIGTERM, ended.set)
    name, _, port = host.partition(":")
    for number, key in enumerate([keys[0]] * SPECTATORS + [key for key in keys[1:] for _ in range(2)]):
        page = _Page(
            host, key, f"10.0.{number // 250}.{number % 250}", arrived if key == keys[0] else Arrived(list)
        )
        await loop.create_connection(partial(lambda page: page, page), name, int(port))
    await ended.wait()
    print(json.dumps(arrived))


if __name__ == "__main__":
    asyncio.run(_open_pages(sys.argv[1], sys.argv[2:]))
