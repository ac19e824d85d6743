"""Hundreds of people play for ten minutes: memory, tasks, threads, files and kept entries of the bot.

Needs ../shared/fakediscord; the bot runs as a process of its own. `SOAK_SECONDS` (default 600) is how
long, `SOAK_PEOPLE` (default 200) how many play, `SOAK_PAUSE` (default 15) about how many seconds each thinks
between two presses. With `SOAK_PICTURE=FILE.png` the curves are drawn there.
"""

from __future__ import annotations

import asyncio
import os
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
from bot.presentation.canvas import FAINT, INK, PANEL, Canvas

READ_SECONDS = 20.0
CALM_SECONDS = 20.0
CHANNELS = 40
COMMANDS: tuple[tuple[str, dict[str, str]], ...] = (
    ("profile", {}), ("leaderboard", {"game": "connect-four"}), ("rules", {"game": "othello"}), ("games", {}),
    ("hint", {}), ("achievements", {}), ("preferences", {}), ("puzzle daily", {}), ("analyze", {}),
)  # fmt: skip

_STATES = {"01": "connections", "08": "connections left half closed", "0A": "listening"}
"""Kinds of sockets by how /proc/net/tcp writes their states."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What the bot holds so many seconds after the beginning; kinds: what its files are."""

    seconds: float
    memory_mib: float
    tasks: int
    threads: int
    files: int
    remembered: int
    kinds: Counter[str]


@fake_discord.given
async def run(module: Any) -> None:
    seconds, people, pause = fake_discord.asked("SOAK", SECONDS=600.0, PEOPLE=200.0, PAUSE=15.0)
    port, rng, done = _free_port(), Random(5), Counter[str]()
    async with (
        module.FakeDiscord() as server,
        fake_discord.online(server, DISCADE_HEALTH_PORT=str(port)) as bot,
    ):
        channels = [server.new_channel(f"room{number}") for number in range(CHANNELS)]
        actors = [server.user(f"person{number}") for number in range(int(people))]
        began = time.monotonic()
        playing = [
            asyncio.create_task(_play(actor, actors, channels[number % CHANNELS], rng, pause, done))
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
    if picture := os.environ.get("SOAK_PICTURE"):
        Path(picture).write_bytes(_drawn(readings))


async def _play(
    actor: Any, others: list[Any], channel: Any, rng: Random, pause: float, done: Counter[str]
) -> None:
    """Begins matches, presses what can be pressed, and looks around."""
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
            elif 0.9 <= kind < 0.93:
                asked = await actor.slash(
                    channel, "challenge", game="tic-tac-toe", opponent=rng.choice(others)
                )
                await asked.result()
                done["challenges"] += 1
            else:
                game = rng.choice(("connect-four", "othello", "tic-tac-toe"))
                sent = await actor.slash(channel, "play", game=game, level="pip", first="me")
                boards.append(await sent.result())
                boards[:] = boards[-3:]
                done["matches"] += 1
        except Exception as error:  # noqa: BLE001 - what the person is refused
            done[f"not done: {type(error).__name__}"] += 1


async def _read(bot: Any, port: int, began: float) -> Reading:
    folder = Path("/proc") / str(bot.pid)
    status = dict(re.findall(r"^(\w+):\s+(\d+)", (folder / "status").read_text(), re.MULTILINE))
    page = await asyncio.to_thread(lambda: urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics").read())
    kinds = _open_files(folder)
    tasks = re.search(rb"^discade_tasks (\S+)", page, re.MULTILINE)
    return Reading(
        time.monotonic() - began,
        int(status["VmRSS"]) / 1024,
        0 if tasks is None else int(float(tasks[1])),
        int(status["Threads"]),
        kinds.total(),
        sum(
            int(float(count)) for count in re.findall(rb"^discade_remembered\{.*\} (\S+)", page, re.MULTILINE)
        ),
        kinds,
    )


def _open_files(folder: Path) -> Counter[str]:
    """How many files of each kind the process has open: of the database, connections by state, others."""
    states = _connections(folder)
    found = Counter[str]()
    for link in (folder / "fd").iterdir():
        try:
            target = os.readlink(link)
        except FileNotFoundError:
            continue
        if socket_number := re.fullmatch(r"socket:\[(\d+)\]", target):
            found[states.get(socket_number[1], "other sockets")] += 1
        else:
            found["database" if "bot.db" in target else "other files"] += 1
    return found


def _connections(folder: Path) -> dict[str, str]:
    """The state of each TCP socket of this machine, by the number of its file."""
    found = {}
    for line in (folder / "net" / "tcp").read_text().splitlines()[1:]:
        fields = line.split()
        found[fields[9]] = _STATES.get(fields[3], "other connections")
    return found


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _print(readings: list[Reading], done: Counter[str], lines: list[str]) -> None:
    print(", ".join(f"{count} {name}" for name, count in sorted(done.items())) + "\n")
    print("| after | memory (MiB) | tasks | threads | files | of them database, connections | kept entries |")
    print("|---|---|---|---|---|---|---|")
    for number, one in enumerate(readings):
        if number % 3 == 0 or one is readings[-1]:
            print(
                f"| {one.seconds:.0f} s | {one.memory_mib:.0f} | {one.tasks} | {one.threads} | {one.files} "
                f"| {one.kinds['database']}, {one.kinds['connections']} | {one.remembered} |"
            )
    most = max(readings, key=lambda one: one.files)
    print("\nWhen most files were open: " + ", ".join(f"{n} {kind}" for kind, n in most.kinds.most_common()))
    half = [one.memory_mib for one in readings[len(readings) // 2 : -1]]
    print(
        f"\nIn its second half memory grew by {half[-1] - half[0]:+.1f} MiB; errors in the log: {len(lines)}"
    )
    for line in lines[:5]:
        print(f"\n    {line}")


def _drawn(readings: list[Reading]) -> bytes:
    """Memory over time, and below it the rest, each on a scale of its own from zero."""
    names = ("memory_mib", "tasks", "threads", "files", "remembered")
    width, height, left = 760, 130, 150
    canvas = Canvas(width, len(names) * height)
    for row, name in enumerate(names):
        values = [float(getattr(one, name)) for one in readings]
        top, most = row * height + 16, max(*values, 1.0) * 1.1
        canvas.panel((left, top, width - 16, top + height - 28), PANEL, 6)
        canvas.text(16, top + 30, name.replace("_mib", ", MiB"), 15, INK, anchor="lm")
        canvas.text(16, top + 56, f"{values[0]:.0f} .. {values[-1]:.0f}", 13, FAINT, anchor="lm")
        for one, value in zip(readings, values, strict=True):
            x = left + 12 + (width - left - 40) * one.seconds / readings[-1].seconds
            canvas.disc(x, top + (height - 28) * (1 - value / most), 4, (86, 180, 233))
    return canvas.png()
