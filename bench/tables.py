"""Matches between two servers: seconds from a press in one to the board in the other, and requests a move.

First with one process on SQLite, then with two on PostgreSQL, each of which has one of the servers. Bots run
in processes of their own. `TABLES_PAIRS` (default 5) matches are played at once, with a second of thought.
"""

from __future__ import annotations

import asyncio
import os
import random
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from bot.domain.preferences import ServerSettings
from bot.store.stores import Stores
from tests.bot.cluster import cluster
from tests.discord_server import KERNELS_SECONDS, FakeDiscord, bot_command

ROUNDS = 2
"""A lobby takes ten new tables in ten minutes."""

COLUMNS = (1, 2, 1, 2, 3, 4, 3, 4, 5, 6, 5, 6)
LONGEST_WAIT = 30.0


async def run() -> None:
    print("| processes | moves | press to the other board: p50 | p95 | longest | requests a move |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        print(await _row(f"sqlite+aiosqlite:///{Path(folder) / 'bot.db'}", 1), flush=True)
    url = await asyncio.to_thread(lambda: cluster().database(Path("tables"), is_empty=True))
    print(await _row(url, 2), flush=True)


async def _row(url: str, processes: int) -> str:
    pairs = int(os.environ.get("TABLES_PAIRS", "5"))
    async with FakeDiscord(shards=processes) as server:
        here, there = server.guild, server.new_guild(shard=processes - 1)
        stores = await Stores.open(url)
        for guild, name in ((here, "Chess Club"), (there, "Board Nights")):
            lobby = ServerSettings(lobby_channel=server.channel_of(guild).id, lobby_name=name)
            await stores.preferences.save_settings(guild.id, lobby)
        await stores.close()
        bots = []
        for number in range(processes):
            env = {"DATABASE_URL": url, "SHARD_COUNT": str(processes), "SHARD_IDS": str(number)}
            bots.append(await server.start_bot(bot_command(), env=env))
        for bot in bots:
            await bot.ready(["challenge"])
            await bot.wait_output("the agents are ready", timeout=KERNELS_SECONDS)
        waits: list[float] = []
        requests = 0
        for turn in range(ROUNDS):
            seats = [await _seated(server, there, f"{turn}-{number}") for number in range(pairs)]
            before = len(server.recorder.http)
            await asyncio.gather(*(_play(*seat, waits) for seat in seats))
            await server.settle()
            requests += len(server.recorder.http) - before
            # Their places in the lobby are free again once the matches are over.
            for host, _, board, _ in seats:
                menu = await (await host.click(board, "More…")).result()
                sure = await (await host.click(menu, "Resign")).result()
                await host.click(sure, "Yes, resign")
            await server.settle()
        for bot in bots:
            await bot.stop()
    p50, p95 = statistics.median(waits), statistics.quantiles(waits, n=20)[18]
    each = requests / len(waits)
    return f"| {processes} | {len(waits)} | {p50:.2f} s | {p95:.2f} s | {max(waits):.2f} s | {each:.1f} |"


async def _seated(server: FakeDiscord, there: Any, name: str) -> tuple[Any, Any, Any, Any]:
    """Return both people of a new match, with the board of each, the first of whom begins."""
    host, guest = server.user(f"host{name}"), server.user(f"guest{name}")
    there.members[guest.id] = server.guild.members.pop(guest.id)
    lounge = server.channel_of(there)
    asked = await host.slash(
        None, "challenge", game="connect-four", first="me", rated=False, other_servers=True
    )
    home = await asked.result()

    def offered() -> list[Any]:
        return [one for one in server.messages(lounge) if "Sit down" in one.button_labels]

    await server.until(offered, LONGEST_WAIT, "the table is in the lobby")
    board: Any = (await guest.click(offered()[0], "Sit down")).message
    await server.until(lambda: "More…" in home.button_labels, LONGEST_WAIT, "the home is shown")
    await server.until(lambda: "More…" in board.button_labels, LONGEST_WAIT, "the guest has a board")
    return host, guest, home, board


async def _play(host: Any, guest: Any, home: Any, board: Any, waits: list[float]) -> None:
    for number, column in enumerate(COLUMNS):
        await asyncio.sleep(random.uniform(0.5, 1.5))
        person, pressed, other = ((host, home, board), (guest, board, home))[number % 2]
        shown, began = other.text, time.perf_counter()
        await person.click(pressed, str(column))
        while other.text == shown and time.perf_counter() - began < LONGEST_WAIT:
            await asyncio.sleep(0.005)
        waits.append(time.perf_counter() - began)
