"""People use everything that the bot offers; the bench counts missing answers, failures and stale boards.

They use every registered command with all kinds of options, and press everything on a message, including
other people's buttons and two at once. On a busy machine answers may come too late.

The bot runs in its own process at the local Discord of `tests/discord_server`. `WANDER_SECONDS` (default 240)
is the duration, `WANDER_PEOPLE` (default 12) the number of people, and `WANDER_SEED` the seed of their deeds.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from bench import fake_discord
from bench.truth import World, world_of
from tests.discord_server import ClientRefused

SUB, GROUP, STRING, INTEGER, BOOLEAN, USER, CHANNEL, ROLE, NUMBER = 1, 2, 3, 4, 5, 6, 7, 8, 10
BUTTON, STRING_SELECT, CHANNEL_SELECT, ROLE_SELECT, TEXT_INPUT = 2, 3, 8, 6, 4
SELECTS = (STRING_SELECT, 5, ROLE_SELECT, 7, CHANNEL_SELECT)
LABEL, LINK = 18, 5
MANAGE = 1 << 5 | 1 << 13 | 1 << 28
"""Permissions to manage the server, messages and roles."""

BOT_MAY = 1 << 10 | 1 << 11 | 1 << 14 | 1 << 15 | 1 << 16 | 1 << 28 | 1 << 35 | 1 << 38 | 1 << 44 | 1 << 51
"""Permissions to see, read and write, with links and files; roles, threads, events, pins."""

_PLAIN = "|a|Cup|4|d3|44, 33 52|9x9x5|۴|0|-1|en|7x6|Pip|@everyone|<@1>|````|**|https://example.com"
_ODD = ("' OR 1=1 --", "\n\n# big", "\u202etxet", "a\u0300" * 70, "🙂" * 60, "9" * 30, "x" * 100)
WORDS = (*_PLAIN.split("|"), *_ODD)
"""Texts typed into options and forms."""


async def run() -> None:
    seconds, people, seed = fake_discord.asked("WANDER", SECONDS=240, PEOPLE=12, SEED=1)
    async with world_of(bot_permissions=BOT_MAY) as world:
        day = Day(world, Random(seed))
        await day.spend(seconds, people)
        await world.bot.stop(timeout=15)
        _print(day, await _checked(world.file))


class Day:
    """One server, and the problems that its people found."""

    def __init__(self, world: World, rng: Random) -> None:
        self.world, self.rng = world, rng
        self.server, self.bot = world.server, world.bot
        self.used: Counter[str] = Counter()
        self.happened: Counter[str] = Counter()
        self.unanswered: list[str] = []
        self.strange: list[str] = []
        self.people: list[Any] = []
        self.channels = [self.server.new_channel(f"room{number}") for number in range(4)]

    async def spend(self, seconds: float, people: int) -> None:
        boss = self.server.add_role("Boss", MANAGE)
        self.server.add_role("Winner", 0)
        names = ("ada", "ben\u202e", "**zoë**", "`x`", "@here", "🙂🙂", "a\u0300\u0301\u0302" * 5, "نور")
        self.people = [self.server.user(f"{names[n % len(names)]}{n}") for n in range(people)]
        for actor in self.people[:2]:
            self.server.give_role(actor, boss)
        until = time.monotonic() + seconds
        walking = [asyncio.create_task(self._walk(actor, until)) for actor in self.people]
        await asyncio.gather(*walking)
        await asyncio.sleep(20)

    # Actions of the people

    async def _walk(self, actor: Any, until: float) -> None:
        while time.monotonic() < until:
            kind = self.rng.random()
            try:
                if kind < 0.35:
                    await self._command(actor)
                elif kind < 0.4:
                    await self._menu(actor)
                else:
                    await self._press(actor, at_once=2 if kind > 0.9 else 1)
            except ClientRefused:
                self.happened["not offered"] += 1
            except Exception as error:  # noqa: BLE001 - printed at the end
                self.strange.append(f"{type(error).__name__}: {error}"[:300])
            await asyncio.sleep(self.rng.expovariate(2.0))

    async def _command(self, actor: Any) -> None:
        paths = [
            path for command in self.server.world.commands.values() if command["type"] == 1
            for path in _leaves(command["name"], command["options"])
        ]  # fmt: skip
        path, options = self.rng.choice(paths)
        where = actor.dm if self.rng.random() < 0.05 else self.rng.choice(self.channels)
        chosen: dict[str, Any] = {}
        for option in options:
            if option.get("required") or self.rng.random() < 0.35:
                value = await self._value(actor, where, path, option, chosen)
                if value is not None:
                    chosen[option["name"]] = value
        self.used[f"/{path}"] += 1
        await self._answered(actor, f"/{path} {chosen}", lambda: actor.start_slash(where, path, **chosen))

    async def _value(self, actor: Any, where: Any, path: str, option: dict[str, Any], chosen: Any) -> Any:
        kind, rng = option["type"], self.rng
        if option.get("choices"):
            return rng.choice(option["choices"])["value"]
        if kind in (INTEGER, NUMBER):
            return rng.randint(option.get("min_value", -5), option.get("max_value", 10_000))
        if kind == BOOLEAN:
            return rng.random() < 0.5
        if kind == USER:
            return rng.choice(self.people)
        if kind == CHANNEL:
            return rng.choice(self.channels)
        if kind != STRING:
            return None
        if option.get("autocomplete") and rng.random() < 0.85:
            self.used[f"typing {option['name']} of /{path}"] += 1
            offered = []
            try:
                typed = rng.choice(("", "", "p", "c"))
                offered = await actor.autocomplete(where, path, option["name"], typed, **chosen)
            except AssertionError as error:
                self._note(error, f"typing {option['name']} of /{path}")
            if offered:
                return rng.choice(offered)["value"]
        least, most = option.get("min_length", 0), option.get("max_length", 6000)
        text = rng.choice(WORDS)[:most]
        return text + "x" * max(0, max(least, 1) - len(text))

    async def _menu(self, actor: Any) -> None:
        menus = [one for one in self.server.world.commands.values() if one["type"] in (2, 3)]
        if not menus:
            return
        command, channel = self.rng.choice(menus), self.rng.choice(self.channels)
        target = self.rng.choice(self.people)
        if command["type"] == 3:
            seen = actor.messages(channel)
            if not seen:
                return
            target = self.rng.choice(seen[-20:])
        self.used[command["name"]] += 1
        try:
            made = await actor.menu(target, command["name"], channel=channel)
        except AssertionError as error:
            self._note(error, command["name"])
            return
        await self._form(actor, made)

    async def _press(self, actor: Any, at_once: int) -> None:
        """Press something on one of the newest visible messages."""
        seen = [message for channel in (*self.channels, actor.dm) for message in actor.messages(channel)]
        seen += [message for message in actor.messages() if message.channel.is_thread]
        seen = [one for one in sorted(seen, key=lambda one: int(one.id))[-40:] if not one.loading]
        found = [(one, part) for one in seen for part in _pressable(one)]
        if not found:
            return
        # Each kind of button is equally likely, or almost all presses would be moves.
        kinds = sorted({_kind(part) for _, part in found})
        wanted = self.rng.choice(kinds)
        message, part = self.rng.choice([one for one in found if _kind(one[1]) == wanted])
        self.used[wanted] += 1
        people = [actor, self.rng.choice(self.people)][:at_once]
        await asyncio.gather(
            *(self._press_one(person, message, part) for person in people if person.sees(message))
        )

    async def _press_one(self, actor: Any, message: Any, part: dict[str, Any]) -> None:
        values: dict[str, Any] = {}
        label = f"{part['custom_id']}"
        if part["type"] == STRING_SELECT:
            most = min(part.get("max_values", 1), len(part["options"]))
            count = self.rng.randint(min(part.get("min_values", 1), most), most)
            values["values"] = [one["value"] for one in self.rng.sample(part["options"], count)]
            label += f" {values['values']}"
        elif part["type"] in SELECTS:
            pool = {CHANNEL_SELECT: self.channels, ROLE_SELECT: [self._winner()]}.get(
                part["type"], self.people
            )
            chosen = [one for one in (self.rng.choice(pool),) if one is not None]
            made = actor.select(message, part["custom_id"], *chosen[: part.get("max_values", 1)])
            try:
                await made
            except AssertionError as error:
                self._note(error, label)
            return
        await self._answered(actor, label, lambda: actor.start_press(message, part, **values))

    async def _answered(self, actor: Any, label: str, begin: Callable[[], Any]) -> None:
        made = begin()
        try:
            await made.acknowledged()
        except AssertionError as error:
            self._note(error, label)
            return
        self.happened["answered"] += 1
        await self._form(actor, made)

    async def _form(self, actor: Any, made: Any) -> None:
        if made.ack_type != 9:
            return
        answers = {}
        for part in made.modal["components"]:
            field = part["component"] if part["type"] == LABEL else part
            if field.get("type") == TEXT_INPUT:
                least = max(1, field.get("min_length") or 0)
                answers[field["custom_id"]] = (self.rng.choice(WORDS) or "x")[
                    : field.get("max_length") or 4000
                ].ljust(least, "x")
            elif field.get("options"):
                given = [one for one in field["options"] if one.get("default")] or field["options"]
                answers[field["custom_id"]] = self.rng.choice(given)["value"]
        self.used["a form"] += 1
        try:
            await actor.submit(made, answers)
        except ClientRefused:
            self.happened["form not offered"] += 1
        except AssertionError as error:
            self._note(error, f"form {made.modal['title']} {answers}")

    def _winner(self) -> Any | None:
        return next((role for role in self.server.guild.roles.values() if role.name == "Winner"), None)

    def _note(self, error: AssertionError, label: str) -> None:
        """Record a missing answer; a request that the local Discord refused is an error of this bench."""
        if isinstance(error, ClientRefused):
            raise error
        self.unanswered.append(f"{time.strftime('%H:%M:%S')} {label}"[:160])


def _leaves(path: str, options: list[dict[str, Any]]) -> list[tuple[str, list[dict[str, Any]]]]:
    """Return every (sub-)command below that path with its options."""
    inner = [one for one in options if one["type"] in (SUB, GROUP)]
    if not inner:
        return [(path, options)]
    return [leaf for one in inner for leaf in _leaves(f"{path} {one['name']}", one.get("options") or [])]


def _pressable(message: Any) -> list[dict[str, Any]]:
    parts = (*message.buttons, *message.selects)
    return [
        one for one in parts if one.get("custom_id") and not one.get("disabled") and one.get("style") != LINK
    ]


def _kind(part: dict[str, Any]) -> str:
    """Return the kind of the component's route, with its words, which distinguish routes of one kind."""
    words = str(part["custom_id"]).split(":")[1:]
    return ":".join(word for word in words if not word.isdigit())


async def _checked(file: Path) -> str:
    """Exit code and output of `python -m bot check`."""
    env = {"DATABASE_URL": f"sqlite+aiosqlite:///{file}"}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bot", "check", env={**os.environ, **env}, cwd=fake_discord.ROOT,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    said = (await process.communicate())[0].decode().strip()
    return f"{process.returncode}: {said[-2000:]}"


def _print(day: Day, checked: str) -> None:
    lines = [line for life in (*day.bot.earlier, day.bot.lines) for line in life]
    bad = [line for line in lines if " ERROR " in line]
    print("| what was counted | |\n|---|---|")
    for name, count in sorted(day.happened.items()):
        print(f"| {name} | {count} |")
    print(f"| kinds of things used | {len(day.used)} |")
    print(f"| not answered by a bot that was there | {len(day.unanswered)} |")
    print(f"| errors in the log, tracebacks | {len(bad)}, {sum('Traceback' in line for line in lines)} |")
    untrue = [f"match {number}" for number in day.world.untrue()]
    print(f"| boards that say otherwise than the database | {len(untrue)} |")
    print(f"| `python -m bot check` | {checked} |")
    found = {"untrue": untrue, "not answered": day.unanswered, "errors": bad, "strange": day.strange}
    for title, some in found.items():
        for line in some[:40]:
            print(f"\n    {title}: {line}")
