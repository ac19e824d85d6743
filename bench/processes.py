"""Three processes on one PostgreSQL and three shards, killed at random while people play in every server.

Needs an empty database named by BENCH_POSTGRES (postgresql+asyncpg://…).
`PROCESS_KILLS` (default 10) is the number of kills; a killed process restarts after a second.
"""

from __future__ import annotations

import asyncio
import os
import time
from random import Random
from typing import Any

from bench import fake_discord
from bench.fake_discord import match_of, move_ids, turn_of
from tests.discord_server import FakeDiscord, bot_command

SHARDS = 3
PAIRS = 2
CALM_SECONDS = 12.0


async def run() -> None:
    url = os.environ.get("BENCH_POSTGRES")
    if url is None:
        print("skipped: BENCH_POSTGRES names no database")
        return
    kills = int(os.environ.get("PROCESS_KILLS", "10"))
    print("| what happens | what was measured |\n|---|---|", flush=True)
    async with FakeDiscord(shards=SHARDS) as server:
        evening = Evening(server, url)
        try:
            await evening.begin()
            await evening.play_and_kill(kills)
        finally:
            await asyncio.gather(*(bot.stop(timeout=15) for bot in evening.bots), return_exceptions=True)


class Evening:
    """People in three servers, and the latest turn that they saw of each match."""

    def __init__(self, server: Any, url: str) -> None:
        self.server, self.url = server, url
        self.bots: list[Any] = []
        self.guilds: list[Any] = []
        self.seen: dict[int, int] = {}
        self.clicks = 0
        self.longest_owed = 0.0
        self._rng = Random(5)

    async def begin(self) -> None:
        for number in range(SHARDS):
            shard = {"SHARD_COUNT": str(SHARDS), "SHARD_IDS": str(number)}
            env = {"DATABASE_URL": self.url, "DISCADE_LOG_LEVEL": "INFO", **shard}
            self.bots.append(await self.server.start_bot(bot_command(), env=env, cwd=fake_discord.ROOT))
        await asyncio.gather(*(self._is_ready(number) for number in range(SHARDS)))

    async def _is_ready(self, number: int) -> None:
        await self.bots[number].ready(["play"], shards={number}, timeout=120)
        await self.bots[number].wait_output("the agents are ready", timeout=fake_discord.KERNELS_SECONDS)

    async def play_and_kill(self, kills: int) -> None:
        playing = []
        for shard in range(SHARDS):
            people = [self.server.user(f"s{shard}p{number}") for number in range(2 * PAIRS + 1)]
            guild = self.server.new_guild(shard=shard, members=people)
            self.guilds.append(guild)
            channel = self.server.channel_of(guild)
            pairs = [people[2 * number : 2 * number + 2] for number in range(PAIRS)]
            playing += [asyncio.create_task(self._play(channel, some)) for some in (*pairs, people[-1:])]
        watching = asyncio.create_task(self._watch())
        for _ in range(kills):
            await asyncio.sleep(self._rng.uniform(1.5, 4))
            number = self._rng.randrange(SHARDS)
            await self.bots[number].kill()
            await asyncio.sleep(self._rng.uniform(0.2, 2))
            await self.bots[number].restart()
            await self.bots[number].ready(["play"], shards={number}, timeout=120)
        for task in playing:
            task.cancel()
        await asyncio.gather(*playing, return_exceptions=True)
        await asyncio.sleep(CALM_SECONDS)
        watching.cancel()
        await self._print(kills)

    async def _print(self, kills: int) -> None:
        stored = {row["id"]: row for row in await self._rows(_TURNS)}
        lost = [number for number, turn in self.seen.items() if stored[number]["turn"] < turn]
        doubled = [number for number, row in stored.items() if row["moves"] != row["turn"]]
        untrue = [number for number in self.seen if not self._is_true(number, stored[number])]
        trouble = sum(
            "Traceback" in line for bot in self.bots for life in (*bot.earlier, bot.lines) for line in life
        )
        found = (
            f"{len(stored)} matches, {self.clicks} presses answered",
            f"{len(lost)} lost and {len(doubled)} doubled moves",
            f"longest wait for an agent's move {self.longest_owed:.1f} s",
            f"{len(untrue)} boards that say otherwise {untrue or ''}".rstrip(),
            f"{trouble} tracebacks",
        )
        print(f"| {kills} kills of one of {SHARDS} processes | {', '.join(found)} |", flush=True)

    def _is_true(self, number: int, row: Any) -> bool:
        message = next((one for one in self.server.messages() if int(one.id) == row["message_id"]), None)
        return message is not None and (row["end"] is not None or turn_of(message, number) == row["turn"])

    async def _watch(self) -> None:
        """Measure overdue agent moves; it asks the database, since the bot may be dead."""
        since: dict[tuple[int, int], float] = {}
        while True:
            owed = {(row["id"], row["turn"]) for row in await self._rows(_OWED)}
            now = time.monotonic()
            since = {key: since.get(key, now) for key in owed}
            self.longest_owed = max([self.longest_owed, *(now - began for began in since.values())])
            await asyncio.sleep(0.25)

    async def _rows(self, query: str) -> list[Any]:
        import asyncpg

        connection = await asyncpg.connect(self.url.replace("+asyncpg", ""))
        try:
            return list(await connection.fetch(query))
        finally:
            await connection.close()

    async def _play(self, channel: Any, people: list[Any]) -> None:
        """Let two people play each other and one play an agent, match after match."""
        terms = {"game": "connect-four", "first": "me"}
        while True:
            board = self._board(people[0])
            try:
                if board is not None:
                    turn = turn_of(board, match_of(board) or 0) or 0
                    await self._press(board, people[turn % len(people)])
                elif len(people) == 2:
                    asked = await people[0].slash(channel, "challenge", **terms, opponent=people[1])
                    await people[1].click(await asked.result(), "Accept")
                else:
                    await (await people[0].slash(channel, "play", **terms, level="pip")).result()
            except Exception:  # noqa: BLE001 - the process may be dead by now
                await asyncio.sleep(0.2)
            await asyncio.sleep(self._rng.uniform(0.1, 0.4))

    def _board(self, person: Any) -> Any | None:
        own = [one for one in self.server.messages() if person.user.username in one.text and match_of(one)]
        return next((one for one in reversed(own) if move_ids(one)), None)

    async def _press(self, board: Any, person: Any) -> None:
        pressed = await person.click(board, self._rng.choice(move_ids(board)))
        number, turn = match_of(board), turn_of(board, match_of(board) or 0)
        if not pressed.failed and number is not None and turn is not None:
            self.clicks += 1
            self.seen[number] = max(turn, self.seen.get(number, 0))


_TURNS = (
    'SELECT id, turn, message_id, "end", coalesce(packed_plies, '
    "(SELECT count(*) FROM moves WHERE match_id = matches.id)) AS moves FROM matches"
)

_OWED = (
    'SELECT id, turn FROM matches WHERE "end" IS NULL AND '
    "(CASE WHEN turn % 2 = 0 THEN first_level ELSE second_level END) IS NOT NULL"
)
