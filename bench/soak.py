"""Hundreds of people play against every level: memory, tasks, threads, files and kept entries of the bot.

The bot runs in its own process at the local Discord of `tests/discord_server`. `SOAK_SECONDS` (default 600)
is the duration, `SOAK_PEOPLE` (default 200) the number of people, and `SOAK_PAUSE` (default 15) the
approximate seconds between two presses of one person.
"""

from __future__ import annotations

import asyncio
import re
import socket
import time
import urllib.request
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from bench import fake_discord
from engine.agents.levels import levels_of
from engine.games import GAMES
from tests.discord_server import FakeDiscord

READ_SECONDS = 20.0
CALM_SECONDS = 45.0
CHANNELS = 40
COMMANDS: tuple[tuple[str, dict[str, str]], ...] = (
    ("profile", {}), ("leaderboard", {"game": "connect-four"}), ("help", {"game": "othello"}),
    ("match list", {}), ("review hint", {}), ("profile", {"page": "achievements"}), ("preferences", {}),
    ("puzzle daily", {}), ("review analysis", {}),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Reading:
    """The bot's resources at a number of seconds after the start."""

    seconds: float
    memory_mib: float
    tasks: int
    threads: int
    files: int
    remembered: int


async def run() -> None:
    seconds, people, pause = fake_discord.asked("SOAK", SECONDS=600.0, PEOPLE=200.0, PAUSE=15.0)
    port, rng, done = _free_port(), Random(5), Counter[str]()
    async with (
        FakeDiscord() as server,
        fake_discord.online(server, DISCADE_HEALTH_PORT=str(port)) as bot,
    ):
        channels = [server.new_channel(f"room{number}") for number in range(CHANNELS)]
        actors = [server.user(f"person{number}") for number in range(int(people))]
        began = time.monotonic()
        playing = [
            asyncio.create_task(_play(actor, channels[number % CHANNELS], rng, pause, done))
            for number, actor in enumerate(actors)
        ]
        readings = [await _read(bot, port, began)]
        while time.monotonic() - began < seconds:
            await asyncio.sleep(READ_SECONDS)
            readings.append(await _read(bot, port, began))
        for task in playing:
            task.cancel()
        await asyncio.gather(*playing, return_exceptions=True)
        await asyncio.sleep(CALM_SECONDS)
        readings.append(await _read(bot, port, began))
        lines = [line for line in bot.lines if "Traceback" in line or " ERROR " in line]
    _print(readings, done, lines)


async def _play(actor: Any, channel: Any, rng: Random, pause: float, done: Counter[str]) -> None:
    """Begin matches, press enabled buttons, and use commands."""
    boards: list[Any] = []
    while True:
        await asyncio.sleep(rng.expovariate(1 / pause))
        kind = rng.random()
        try:
            if boards and kind < 0.85:
                board = boards[-1]
                if moves := fake_discord.move_ids(board):
                    await actor.click(board, rng.choice(moves))
                else:
                    boards.pop()
                done["moves"] += 1
            elif 0.85 <= kind < 0.9:
                name, options = rng.choice(COMMANDS)
                await (await actor.slash(channel, name, **options)).acknowledged()
                done["commands"] += 1
            else:
                game = rng.choice(tuple(GAMES))
                level = rng.choice([level.key for level in levels_of(game)])
                sent = await actor.slash(channel, "play", game=game, level=level, first="me")
                boards.append(await sent.result())
                boards[:] = boards[-3:]
                done["matches"] += 1
        except Exception as error:  # noqa: BLE001 - a refused press is counted
            done[f"not done: {type(error).__name__}"] += 1


async def _read(bot: Any, port: int, began: float) -> Reading:
    folder = Path("/proc") / str(bot.pid)
    status = dict(re.findall(r"^(\w+):\s+(\d+)", (folder / "status").read_text(), re.MULTILINE))
    page = await asyncio.to_thread(lambda: urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics").read())
    tasks = re.search(rb"^discade_tasks (\S+)", page, re.MULTILINE)
    return Reading(
        time.monotonic() - began,
        int(status["VmRSS"]) / 1024,
        0 if tasks is None else int(float(tasks[1])),
        int(status["Threads"]),
        len(list((folder / "fd").iterdir())),
        sum(
            int(float(count)) for count in re.findall(rb"^discade_remembered\{.*\} (\S+)", page, re.MULTILINE)
        ),
    )


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as one:
        return int(one.getsockname()[1])


def _print(readings: list[Reading], done: Counter[str], lines: list[str]) -> None:
    print(", ".join(f"{count} {name}" for name, count in sorted(done.items())) + "\n")
    print("| after | memory (MiB) | tasks | threads | files | kept entries |")
    print("|---|---|---|---|---|---|")
    for number, one in enumerate(readings):
        if number % 3 == 0 or one is readings[-1]:
            print(
                f"| {one.seconds:.0f} s | {one.memory_mib:.0f} | {one.tasks} | {one.threads} | {one.files} "
                f"| {one.remembered} |"
            )
    half = [one.memory_mib for one in readings[len(readings) // 2 : -1]]
    print(
        f"\nIn its second half memory grew by {half[-1] - half[0]:+.1f} MiB; errors in the log: {len(lines)}"
    )
    for line in lines[:5]:
        print(f"\n    {line}")
