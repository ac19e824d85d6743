"""Many clocks that run out at the same moment: how soon all those matches are over, and how long others wait.

Needs ../shared/fakediscord; the bot runs as a process of its own, under the rate limits seen at Discord.
`CLOCKS_MATCHES` (default 100) rated matches of four moves expire at once; beside them six pairs play in a
channel of their own, as in `python -m bench crowd`.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import sys
import tempfile
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

from bench import fake_discord
from bench.crowd import in_pairs, move_ids, row
from bot.store.shared import microseconds

CHANNELS, AT_ONCE = 10, 3
"""Where the matches stand, and how many are begun at once."""
CROWD_SECONDS = 40.0
"""How long the six pairs play, half of it before the clocks run out."""

GAME = {"game": "connect-four", "first": "me", "rated": True}
PATIENCE_SECONDS = 120.0


@fake_discord.given
async def run(module: Any) -> None:
    matches = int(os.environ.get("CLOCKS_MATCHES", "100"))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "bot.db"
        env = {"DATABASE_URL": f"sqlite+aiosqlite:///{file}", "DISCADE_LOG_LEVEL": "INFO"}
        async with module.FakeDiscord(rate_limits=module.RateLimits.realistic()) as server:
            bot = await server.start_bot([sys.executable, "-m", "bot"], env=env, cwd=fake_discord.ROOT)
            try:
                await bot.ready(["play"], timeout=60)
                await bot.wait_output("the agents are ready", timeout=fake_discord.KERNELS_SECONDS)
                await _measure(server, bot, file, matches)
            finally:
                await bot.stop(timeout=15)


async def _measure(server: Any, bot: Any, file: Path, matches: int) -> None:
    rooms = [server.new_channel(f"room{number}") for number in range(CHANNELS)]
    boards: list[Any] = []
    for first in range(0, matches, AT_ONCE):
        numbers = range(first, min(matches, first + AT_ONCE))
        boards += await asyncio.gather(*(_begun(server, rooms[n % CHANNELS], n) for n in numbers))
    before = await in_pairs(server, [server.channel], CROWD_SECONDS / 2)
    playing = asyncio.create_task(in_pairs(server, [server.channel], CROWD_SECONDS / 2))
    await asyncio.sleep(1)
    began, used = time.monotonic(), fake_discord.cpu_seconds(bot)
    _expire(file, matches)
    await _until(lambda: _over(file, matches) == matches)
    stored = time.monotonic() - began
    await _until(lambda: not any(move_ids(board) for board in boards))
    shown = time.monotonic() - began
    used = fake_discord.cpu_seconds(bot) - used
    print(f"{matches} clocks run out: all are over after {stored:.1f} s, and shown after {shown:.1f} s;")
    print(f"until then the bot, with six pairs beside them, used {used:.1f} s of a processor\n", flush=True)
    print("| seconds until the opponent is called | times | median | p95 | longest |\n|---|---|---|---|---|")
    print(row("before", before), flush=True)
    print(row("while the clocks are worked off, and after", await playing), flush=True)


async def _begun(server: Any, channel: Any, number: int) -> Any:
    """The board of a match after two moves of each of two people."""
    rng = Random(number)
    pair = [server.user(f"sleeper{number}{side}") for side in "ab"]
    asked = await pair[0].slash(channel, "challenge", **GAME, opponent=pair[1])
    board = (await pair[1].click(await asked.result(), "Accept")).message
    for turn in range(4):
        await pair[turn % 2].click(board, rng.choice(move_ids(board)))
    return board


def _expire(file: Path, matches: int) -> None:
    now = datetime.now(UTC)
    with closing(sqlite3.connect(file, timeout=20)) as connection, connection:
        connection.execute(
            "UPDATE matches SET turn_started_at = ?, due_at = ? WHERE id <= ?",
            (microseconds(now - timedelta(days=9)), microseconds(now - timedelta(days=1)), matches),
        )


def _over(file: Path, matches: int) -> int:
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True, timeout=5)) as connection:
        query = "SELECT count(*) FROM matches WHERE end IS NOT NULL AND id <= ?"
        return int(connection.execute(query, (matches,)).fetchone()[0])


async def _until(is_so: Any) -> None:
    until = time.monotonic() + PATIENCE_SECONDS
    while not is_so() and time.monotonic() < until:
        await asyncio.sleep(0.1)
