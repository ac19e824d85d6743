"""Parts for interface tests: the real bot on a real file, in a simulated Discord with three people."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import discord
import simcord.actors
from discord import app_commands
from simcord.components import walk_components
from simcord.enums import ComponentType

from bot.app import Discade
from bot.config import Settings
from bot.domain.person import Person
from bot.ui.match.display import MessageDisplay
from tests.bot.draws import Draws
from tests.bot.made_once import all_texts, database_url
from tests.bot.patient_proofs import judge_patiently

LONG_PAUSE = 60.0
"""Longer than simcord waits for a task to end, so that it parks between the moves of a watched match."""


class SkippingClock:
    """Discord's simulated clock, which can be set ahead: a week has 120,000 ticks of the jobs."""

    def __init__(self) -> None:
        self.ahead = timedelta()

    def __call__(self) -> datetime:
        return discord.utils.utcnow() + self.ahead


_payloads: dict[str, dict[str, Any]] = {}
"""By a command as it is without languages."""


def translate_once(kind: Any) -> None:
    """Keep what the translator has made of a command: every bot here has the same ones and the same texts.

    A third of a short test's time were 11,000 translations.
    """
    translated = kind.get_translated_payload

    async def remembered(command: Any, tree: Any, translator: Any) -> dict[str, Any]:
        plain = json.dumps(command.to_dict(tree), sort_keys=True)
        if plain not in _payloads:
            _payloads[plain] = await translated(command, tree, translator)
        return _payloads[plain]

    kind.get_translated_payload = remembered


for one in (app_commands.Command, app_commands.Group, app_commands.ContextMenu):
    translate_once(one)


def new_bot(database: Path, clock: SkippingClock, agents_folder: Path | None = None) -> Discade:
    """A bot as a new process would build it; agents play at once, so tests let only the quick ones play."""
    judge_patiently()
    settings = Settings(
        database_url=database_url(database),
        agents_folder=agents_folder,
        backups=0,
        greets=False,
        shard_count=1,
        emoji=False,
    )
    return Discade(
        settings, clock=clock, rng=Draws(), pace_seconds=LONG_PAUSE, is_warm=True, texts=all_texts()
    )


@dataclass
class Table:
    """A server with a channel `games` and three people in it."""

    env: Any
    bot: Discade
    database: Path
    clock: SkippingClock
    guild: Any
    games: Any
    ada: Any
    ben: Any
    eve: Any

    first_match: int = 1
    """The number of the first match that is started here."""

    @property
    def display(self) -> MessageDisplay:
        display = self.bot.display
        assert isinstance(display, MessageDisplay)
        return display

    @property
    def draws(self) -> Draws:
        draws = self.bot.parts.rng
        assert isinstance(draws, Draws)
        return draws

    async def restart(self, agents_folder: Path | None = None) -> None:
        """The process ends and another one starts on the same file."""
        await self.bot.close()
        self.bot = new_bot(self.database, self.clock, agents_folder)
        await self.env.restart_bot(self.bot)

    async def skip(self, **span: float) -> None:
        """Sets the bot's clock ahead, as if it had looked at it all the while, and lets its jobs look."""
        span_of_time = timedelta(**span)
        self.clock.ahead += span_of_time
        if (looked_at := self.bot.services.clocks._ticked_at) is not None:
            self.bot.services.clocks._ticked_at = looked_at + span_of_time
        await self.env.advance_time(6)

    async def reconcile(self, times: int = 1) -> None:
        """The reconciler asks every source now, and delivers within its limits; then again."""
        for _ in range(times):
            for feed in self.bot.reconciler._feeds:
                feed.ask_at = 0.0
            await self.env.advance_time(1)

    async def soon(self, is_so: Callable[[], object]) -> None:
        """Lets time pass until it is so, or too much.

        A look that the database refuses takes the process's time and none of Discord's, so the next one may
        come more than six seconds of Discord's later.
        """
        for _ in range(10):
            await self.env.advance_time(6)
            if is_so():
                return

    async def let_messages_age(self, minutes: float) -> None:
        """Lets time pass on Discord without the bot's jobs, which look at every clock all the time."""
        jobs = self.bot._jobs
        assert jobs is not None
        jobs.stop()
        await self.env.advance_time(minutes * 60)

    def person(self, actor: Any) -> Person:
        return Person(actor.id, actor.name.capitalize())

    def writes(self, method: str, path: str) -> list[Any]:
        """The bodies of the bot's requests to Discord with that method and matching paths."""
        return [
            entry.json
            for entry in self.env.http_requests
            if fnmatch(entry.method, method) and fnmatch(entry.path, path)
        ]

    async def start(self, person: Any = None, **options: Any) -> Any:
        """A rated board against Pip on which the person begins; returns its message.

        first: also who is drawn, in the first rated match of the two.
        """
        self.draws.is_askers = options.get("first") != "opponent"
        chosen = {"game": "connect-four", "level": "pip", "first": "me", "rated": True, **options}
        return (await (person or self.ada).slash(self.games, "play", **chosen)).response

    async def pair(self, **options: Any) -> Any:
        """A rated board on which Ada begins against Ben; returns its message. first: as in `start`."""
        self.draws.is_askers = options.get("first") != "opponent"
        chosen = {"game": "connect-four", "opponent": self.ben, "first": "me", "rated": True, **options}
        invitation = await self.ada.slash(self.games, "challenge", **chosen)
        return (await self.ben.click(invitation.response, label="Accept")).response

    async def settings(self, person: Any, group: str) -> Any:
        """Opens a group of the server's settings; returns its message."""
        panel = (await person.slash(self.games, "settings")).response
        await person.click(panel, custom_id=f"d1:gg:{group}")
        return panel

    async def press_tournament(self, person: Any, *labels: str) -> Any:
        """The person presses buttons one after another, from those of /tournament show on."""
        answer = await person.slash(self.games, "tournament show")
        for label in labels:
            answer = await person.click(answer.response, label=label)
        return answer

    async def cancel_tournament(self, person: Any) -> Any:
        return await self.press_tournament(person, "Cancel…", "Yes, cancel it")

    async def play(self, board: Any, moves: str) -> Any:
        """Presses columns or squares in turn, Ada first; returns the last answer."""
        answer = None
        for index, label in enumerate(moves.split()):
            mover = (self.ada, self.ben)[index % 2]
            if label in buttons_of(board):
                answer = await mover.click(board, label=label)
            else:
                answer = await mover.select(board, [value_of(board, label)])
        return answer

    async def forge(self, person: Any, message: Any, custom_id: str, values: Any = None) -> Any:
        """Sends any custom_id with any message the person sees, unlike Discord's own apps."""
        kind = ComponentType.BUTTON if values is None else ComponentType.STRING_SELECT
        data: dict[str, Any] = {"custom_id": custom_id, "component_type": kind}
        if values is not None:
            data["values"] = values
        stored = simcord.actors._visible_message(person, message)
        return await simcord.actors._component_interaction(person, stored, data)

    async def refused(self, press: Any) -> str:
        """The private line that refuses; fails when the answer was public."""
        result = await press
        assert result.acknowledged
        assert result.ephemeral
        return line_of(result.response)

    def board(self) -> discord.Message:
        """The only message that can be pressed, as it is now."""
        (found,) = (message for message in self.games.history() if buttons_of(message))
        assert isinstance(found, discord.Message)
        return found

    def calls(self) -> list[str]:
        """The pings, oldest first."""
        return [
            message.content for message in self.games.history() if message.content.startswith(("<@", "⏳"))
        ]


def seat_people(env: Any, bot: Discade, database: Path, clock: SkippingClock) -> Table:
    guild = env.create_guild("Games and more")
    games = guild.create_text_channel("games")
    people = [
        guild.add_member(env.create_user(name.lower(), global_name=name)) for name in ("Ada", "Ben", "Eve")
    ]
    table = Table(env, bot, database, clock, guild, games, *people)
    table.draws.is_askers = True  # the bot may have sat at another table before
    return table


def parts_of(message: Any) -> list[dict[str, Any]]:
    """Every component of the message as it is now."""
    components = message.components
    if isinstance(message, discord.Message):
        components = [component.to_dict() for component in message.components]
    return list(walk_components(components))


def text_of(message: Any) -> str:
    return "\n".join(part["content"] for part in parts_of(message) if part["type"] == 10)


def line_of(message: Any) -> str:
    """The text of a private answer, from plain content or from components."""
    return str(message.content) or text_of(message)


async def behind_more(person: Any, board: Any, label: str) -> Any:
    """Presses an item of the private menu behind the board's button More; returns the answer."""
    menu = (await person.click(board, label="More…")).response
    return await person.click(menu, label=label)


def buttons_of(message: Any) -> dict[str, bool]:
    """Label (or emoji) -> whether it can be pressed."""
    return {
        part.get("label") or part["emoji"]["name"]: not part.get("disabled", False)
        for part in parts_of(message)
        if part["type"] == 2
    }


def value_of(message: Any, label: str) -> str:
    """The value of the select's option of that label."""
    return next(
        str(option["value"])
        for part in parts_of(message)
        for option in part.get("options", ())
        if option["label"] == label
    )


def options_of(message: Any) -> list[str]:
    return [option["value"] for part in parts_of(message) if part["type"] == 3 for option in part["options"]]
