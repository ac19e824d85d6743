"""Recovery of stale boards, and its duration: quiet restarts, kills, and Discord's failures.

The bot runs in its own process at the local Discord of `tests/discord_server`. `TRUTH_MATCHES` (default 60)
is the number of waiting matches during quiet restarts, `TRUTH_KILLS` (default 15) the number of kills during
play, which end after `TRUTH_SECONDS` (default 3600), and `TRUTH_ONLY` (default `quiet kills faults`) selects
the scenarios. During the kills each match has a mirror in a second channel, and its players press either.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any

from bench import fake_discord
from bench.fake_discord import match_of, move_ids, turn_of
from tests.discord_server import FakeDiscord

BOARD_WAIT_SECONDS, PING_WAIT_SECONDS, CALM_SECONDS = 60.0, 240.0, 2.0
PAIRS = 6
CALMED_KILLS = 5
"""After each so many kills everything rests until the pings are right."""

GAME = {"game": "connect-four", "first": "me"}
PATCH, TOKEN = ("PATCH", "/channels/*/messages/*"), ("PATCH", "/webhooks/*")

VIEWING, WRITING = 1 << 10, 1 << 11 | 1 << 38
"""Permissions to see a channel; to send messages there and in its threads."""


async def run() -> None:
    matches, kills, seconds = fake_discord.asked("TRUTH", MATCHES=60, KILLS=15, SECONDS=3600)
    print("| what happens | what was measured |\n|---|---|", flush=True)
    only = os.environ.get("TRUTH_ONLY", "quiet kills faults").split()
    scenes = {"quiet": _quiet(matches), "kills": _kills(kills, seconds), "faults": _faults()}
    for scene in (scenes[name] for name in only):
        async with world_of() as world:
            await scene(world)


class World:
    """A local Discord, the bot's process and its database.

    arenas: channels with mirrors alone. mirrored: the matches that are to have one. sat: where each player of
    a match pressed last, by match and player, unless that press was not answered.
    """

    def __init__(self, server: Any, bot: Any, file: Path) -> None:
        self.server, self.bot, self.file = server, bot, file
        self.channels = [server.channel]
        self.arenas: list[Any] = []
        self.mirrored: set[int] = set()
        self.sat: dict[tuple[int, int], Any] = {}
        self.seen: dict[int, int] = {}
        self.presses = self.mirror_presses = 0

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        connection = sqlite3.connect(f"file:{self.file}?mode=ro", uri=True, timeout=5)
        try:
            return connection.execute(query).fetchall()
        finally:
            connection.close()

    def untrue(self) -> list[int]:
        """Return the matches of people with a message, in any channel, that differs from the stored state."""
        messages = {int(message.id): message for message in self.server.messages()}
        mirrors = self.mirrors()
        found = []
        query = (
            "SELECT id, turn, end, message_id FROM matches "
            "WHERE first_user IS NOT NULL OR second_user IS NOT NULL"
        )
        for number, turn, end, message_id in self.rows(query):
            shown = [messages.get(message_id), *mirrors.get(number, ())]
            is_missing = number in self.mirrored and number not in mirrors
            if is_missing or not all(_shows(message, number, turn, end) for message in shown):
                found.append(number)
        return found

    def mirrors(self) -> dict[int, list[Any]]:
        """Return the mirrors of each match, also of those that are over."""
        found: dict[int, list[Any]] = {}
        for message in self.server.messages():
            number = match_of(message)
            if number is not None and message.channel in self.arenas and not message.ephemeral:
                found.setdefault(number, []).append(message)
        return found

    def doubled(self) -> int:
        """Count pressable boards beyond one for each match and channel, and mirrors beyond one."""
        pressable = (message for message in self.server.messages() if move_ids(message))
        living = [match_of(message) for message in pressable if message.channel not in self.arenas]
        mirrors = self.mirrors()
        return len(living) - len(set(living)) + sum(map(len, mirrors.values())) - len(mirrors)

    def saw(self, board: Any) -> None:
        """Record an answered press and the turn that its board shows."""
        number = match_of(board)
        if number is not None:
            self.presses += 1
            self.mirror_presses += board.channel in self.arenas
            self.seen[number] = max(turn_of(board, number) or 0, self.seen.get(number, 0))

    def lost_moves(self) -> list[int]:
        """Return the matches with a seen move that is not stored, or a move stored twice."""
        stored = self.rows(
            "SELECT id, turn, coalesce(packed_plies, "
            "(SELECT count(*) FROM moves WHERE match_id = matches.id)) FROM matches"
        )
        return [number for number, turn, moves in stored if moves != turn or turn < self.seen.get(number, 0)]

    def calls(self) -> list[Any]:
        return [message for message in self.server.messages() if message.content.startswith(("<@", "⏳"))]

    def wrong_pings(self) -> tuple[int, int]:
        """Return the number of stale pings, and the number of missing ones."""
        query = (
            "SELECT CASE WHEN ping_ask / 4 = turn THEN ping_id END FROM matches "
            "WHERE end IS NULL AND first_level IS NULL AND second_level IS NULL"
        )
        right = [row[0] for row in self.rows(query)]
        there = {int(message.id) for message in self.calls()}
        return len(there - set(right)), sum(message_id not in there for message_id in right)

    def misplaced_pings(self) -> int:
        """Count the current pings that are not where the person to move pressed last."""
        query = "SELECT id, turn, ping_id FROM matches WHERE end IS NULL AND ping_ask / 4 = turn"
        place = {int(message.id): message.channel for message in self.calls()}
        asked = [
            (self.sat.get((number, turn % 2)), place.get(ping)) for number, turn, ping in self.rows(query)
        ]
        return sum(None not in (sat, there) and sat is not there for sat, there in asked)

    async def true(self, what: str) -> float:
        """Return the seconds until every board shows its stored state."""
        began = time.monotonic()
        await self.server.until(lambda: not self.untrue(), BOARD_WAIT_SECONDS, what)
        return time.monotonic() - began

    def writes(self, since: int) -> list[Any]:
        """Return the bot's writes to channels after request number `since`."""
        return [
            record
            for record in self.server.recorder.http[since:]
            if record.method in ("PATCH", "POST", "DELETE") and "/messages" in record.path
        ]

    async def ready(self) -> None:
        await self.bot.ready(["play"])
        await self.bot.wait_output("the agents are ready", timeout=fake_discord.KERNELS_SECONDS)


@asynccontextmanager
async def world_of(**options: Any) -> AsyncIterator[World]:
    """Start a local Discord with these options, and the bot on a fresh database, ready to play."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "bot.db"
        url = f"sqlite+aiosqlite:///{file}"
        async with (
            FakeDiscord(**options) as server,
            fake_discord.online(server, DATABASE_URL=url) as bot,
        ):
            yield World(server, bot, file)


def _shows(message: Any, number: int, turn: int, end: str | None) -> bool:
    shown = None if message is None else turn_of(message, number)
    return shown is not None and (shown == turn if end is None else not move_ids(message))


Scene = Callable[[World], Any]


def _quiet(matches: int) -> Scene:
    async def scene(world: World) -> None:
        channels = [world.server.new_channel(f"room{number}") for number in range(10)]
        people = [world.server.user(f"person{number}") for number in range(-(-matches // 15))]
        for number in range(matches):
            person, channel = people[number // 15], channels[number % len(channels)]
            await (await person.slash(channel, "play", game="connect-four", level="pip", first="me")).result()
        await asyncio.sleep(CALM_SECONDS)
        for name, end in (("stopped", world.bot.stop), ("killed", world.bot.kill)):
            await end()
            since = len(world.server.recorder.http)
            await world.bot.restart()
            await world.ready()
            await asyncio.sleep(5)
            made = len(world.writes(since))
            print(f"| {name} while {matches} matches stand still | {made} edits then |", flush=True)

    return scene


def _kills(most: int, seconds: float) -> Scene:
    async def scene(world: World) -> None:
        rng, until = Random(3), time.monotonic() + seconds
        waits: list[float] = []
        misplaced = 0
        world.arenas.append(world.server.new_channel("arena"))
        pairs = [[world.server.user(f"pair{n}a"), world.server.user(f"pair{n}b")] for n in range(PAIRS)]
        while len(waits) < most and time.monotonic() < until:
            playing = [asyncio.create_task(_play(world, pair, rng)) for pair in pairs]
            await asyncio.sleep(rng.uniform(1.0, 2.5))
            await world.bot.kill()
            for task in playing:
                task.cancel()
            await asyncio.gather(*playing, return_exceptions=True)
            await world.bot.restart()
            await world.bot.ready(["play"])
            waits.append(await world.true("every board"))
            if len(waits) % CALMED_KILLS == 0:
                await _until_called_rightly(world)
                misplaced += world.misplaced_pings()
        called_after = await _until_called_rightly(world)
        stored = world.rows("SELECT count(*) FROM matches")[0][0]
        found = (
            f"boards right {fake_discord.percentile(waits, 0.95):.1f} s (p95) after the start",
            f"{len(world.untrue())} wrong",
            f"{world.doubled()} boards twice",
            f"{world.presses} presses answered",
            f"{len(world.lost_moves())} matches with a move lost or doubled",
            "{} stale pings, {} missing".format(*world.wrong_pings())
            + f" {called_after:.0f} s after the last start, {misplaced} in the wrong channel",
            f"{len(world.mirrors())} mirrors, {world.mirror_presses} presses there",
        )
        print(f"| {len(waits)} kills, {stored} matches of {PAIRS} pairs | {', '.join(found)} |", flush=True)

    return scene


async def _until_called_rightly(world: World) -> float:
    """Seconds until no ping is stale or missing, at most PING_WAIT_SECONDS."""
    began = time.monotonic()
    while world.wrong_pings() != (0, 0) and time.monotonic() - began < PING_WAIT_SECONDS:
        await asyncio.sleep(1)
    return time.monotonic() - began


async def _play(world: World, pair: list[Any], rng: Random) -> None:
    """Let two people continue on any of their boards, or begin another match."""
    while True:
        own = [one for one in world.server.messages() if pair[0].user.username in one.text]
        boards = [message for message in own if match_of(message) and move_ids(message)]
        try:
            invitations = [message for message in own if "Accept" in message.button_labels]
            if not boards and invitations:
                await pair[1].click(invitations[-1], "Accept")
            elif not boards:
                asked = await pair[0].slash(None, "challenge", **GAME, opponent=pair[1])
                await pair[1].click(await asked.result(), "Accept")
            else:
                await _press_or_mirror(world, pair, boards, rng)
        except Exception as error:  # noqa: BLE001 - the bot may be dead by now
            await asyncio.sleep(0.2 if "NoResponse" in type(error).__name__ else 0.05)
        await asyncio.sleep(rng.uniform(0.05, 0.2))


async def _press_or_mirror(world: World, pair: list[Any], boards: list[Any], rng: Random) -> None:
    """Let the player to move press any board of the latest match, or a player show it in the arena."""
    number = match_of(boards[-1]) or 0
    if number not in world.mirrored:
        said = await rng.choice(pair).slash(world.arenas[0], "match board", watch=True)
        if "in a moment" in said.text or "already" in said.text:
            world.mirrored.add(number)
        return
    board = rng.choice([one for one in boards if match_of(one) == number])
    turn = turn_of(board, number) or 0
    sat = world.sat.pop((number, turn % 2), None)
    pressed = await pair[turn % 2].click(board, rng.choice(move_ids(board)))
    if not pressed.failed:
        world.saw(board)
        # A refused press is answered in private, and leaves the person where they were.
        if not pressed.ephemeral:
            world.sat[number, turn % 2] = board.channel
        elif sat is not None:
            world.sat[number, turn % 2] = sat


def _faults() -> Scene:
    async def scene(world: World) -> None:
        server, faults = world.server, world.server.faults

        def torn(*, after: bool) -> None:
            for path in (PATCH, TOKEN):
                faults.disconnect(*path, times=2, after_effect=after)

        def status(number: int, *, after: bool = False) -> None:
            for path in (PATCH, TOKEN):
                faults.status(*path, number, times=1 if number >= 500 else 3, after_effect=after)

        troubles: list[tuple[str, Callable[[Any], object]]] = [
            ("the connection tears", lambda _: torn(after=False)),
            ("it tears after the edit", lambda _: torn(after=True)),
            ("500", lambda _: status(500)),
            ("502 after the edit", lambda _: status(502, after=True)),
            ("429 without a time", lambda _: status(429)),
            ("the message is deleted", lambda board: server.delete(board)),
        ]
        ada = server.user("ada")
        for number, (name, begin) in enumerate(troubles):
            channel = server.new_channel(f"fault{number}")
            board = await (await ada.slash(channel, "play", **GAME, level="pip")).result()
            await _trouble(world, ada, board, begin)
            print(f"| {name} | the board is right after {await world.true(name):.1f} s |", flush=True)
            faults.clear()
        await _closed(world, ada)
        lines = [line for life in (*world.bot.earlier, world.bot.lines) for line in life]
        print(f"| all of that | {sum('Traceback' in line for line in lines)} tracebacks |", flush=True)

    return scene


async def _closed(world: World, person: Any) -> None:
    """Close a channel and then a thread to the bot for a while."""
    server = world.server
    channel = server.new_channel("closed")
    board = await (await person.slash(channel, "play", **GAME, level="pip")).result()
    await _trouble(world, person, board, lambda _: server.deny_bot(channel, VIEWING | WRITING))
    await asyncio.sleep(5)
    since = len(server.recorder.http)
    await asyncio.sleep(10)
    tries = len(world.writes(since))
    server.deny_bot(channel, 0)
    seconds = await world.true("the board")
    print(
        f"| the channel is closed to the bot for 15 s | {tries} tries in its last 10 s, "
        f"the board is right {seconds:.1f} s after it is open |",
        flush=True,
    )
    thread = person.start_thread(server.new_channel("threads"), "a thread")
    board = await (await person.slash(thread, "play", **GAME, level="pip")).result()
    await _trouble(world, person, board, lambda _: server.auto_archive(thread))
    print(f"| the thread is archived | the board is right after {await world.true('it'):.1f} s |", flush=True)


async def _trouble(world: World, person: Any, board: Any, begin: Callable[[Any], object]) -> None:
    """Begin the fault, then let the person move by a command, after which the bot edits the board."""
    begin(board)
    await person.slash(board.channel, "move", to="4")
    number = match_of(board) or 1
    await world.server.until(
        lambda: world.rows(f"SELECT turn FROM matches WHERE id = {number}")[0][0] >= 2, 20, "the agent's move"
    )
