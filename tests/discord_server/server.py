"""The local Discord: it serves HTTP and WebSockets, and holds the people, the bots and what happened."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from aiohttp import web
from aiohttp.web_request import FileField

from tests.discord_server.activity import Activities
from tests.discord_server.errors import Refused
from tests.discord_server.faults import Fault, Faults
from tests.discord_server.gateway import Gateway, gateway_url
from tests.discord_server.interactions import Interaction
from tests.discord_server.limits import RateLimits
from tests.discord_server.messages import Files, Upload, edited
from tests.discord_server.people import Person
from tests.discord_server.process import ROOT, BotProcess
from tests.discord_server.rest import Call, find_route
from tests.discord_server.world import (
    BOT_PERMISSIONS,
    EPHEMERAL,
    PUBLIC_THREAD,
    Channel,
    Guild,
    Message,
    Payload,
    Role,
    User,
    World,
)

LOOK_SECONDS = 0.01
"""How often a wait looks whether it is so."""

QUIET_SECONDS = 1.5
"""For so long a settled bot asks for nothing; discord.py repeats a failed request after one second."""

API = "/api/v10"


@dataclass
class Record:
    """A request of the bot, and the status of its answer; None if the connection was torn."""

    at: float
    method: str
    path: str
    query: dict[str, str]
    body: Any
    process: int
    status: int | None = None


@dataclass
class Violation:
    """A rule of Discord that the bot broke."""

    kind: str
    about: str


@dataclass
class Recorder:
    """What happened. http: the bot's requests. violations: the rules that it broke."""

    http: list[Record] = field(default_factory=list)
    violations: list[Violation] = field(default_factory=list)

    def asked(self, method: str, path: str) -> list[Record]:
        """The requests of that method whose path matches; globs without `/api/v10`."""
        return [one for one in self.http if one.method == method and fnmatch(one.path, path)]


class FakeDiscord:
    """A Discord on this machine with one server and one channel; use it as `async with`.

    ack_seconds: how long an interaction waits for its first answer. token_seconds: how long its token lives.
    shards: how many Discord recommends.
    """

    def __init__(
        self,
        *,
        rate_limits: RateLimits | None = None,
        ack_seconds: float = 3.0,
        token_seconds: float = 900.0,
        bot_permissions: int = BOT_PERMISSIONS,
        shards: int = 1,
    ) -> None:
        self.ack_seconds, self.token_seconds, self.shards = ack_seconds, token_seconds, shards
        self.token = "MTIzNDU2Nzg5MDEyMzQ1Njc4.local.a-token-of-the-local-discord"
        self.url = ""
        self.world = World(bot_permissions)
        self.faults, self.recorder = Faults(), Recorder()
        self.limits = rate_limits or RateLimits()
        self.gateway = Gateway(self.world, self.token, self._note)
        self.interactions: dict[str, Interaction] = {}
        self.activities = Activities()
        self.bots: list[BotProcess] = []
        self.guild = self.new_guild()
        self.channel = self.channel_of(self.guild)
        self._people: dict[str, Person] = {}
        self._busy = 0
        self._noted_at = time.monotonic()

    async def __aenter__(self) -> FakeDiscord:
        app = web.Application(client_max_size=100 << 20)
        app.router.add_get("/{process}/gateway/", self.gateway.connect)
        app.router.add_route("*", f"/{{process}}{API}/{{path:.*}}", self._handle)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        for bot in self.bots:
            if bot.is_running:
                await bot.kill()
        await self._runner.cleanup()

    # Bots

    async def start_bot(
        self,
        command: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        cwd: Path = ROOT,
    ) -> BotProcess:
        """Start a bot by its command, see `bot_command`."""
        bot = BotProcess(self, len(self.bots) + 1, command, env or {}, cwd)
        self.bots.append(bot)
        await bot.start()
        return bot

    # Places and people

    def user(self, name: str) -> Person:
        """The person of that name, a member of the first server."""
        if name not in self._people:
            user = self.world.add_user(name)
            self.guild.members[user.id] = user
            self._people[name] = Person(self, user)
        return self._people[name]

    def new_guild(self, *, shard: int = 0, members: Iterable[Person] = ()) -> Guild:
        """Make a server of that shard, with a channel and the bot."""
        number = self.world.ids()
        while (number >> 22) % self.shards != shard:
            number += 1 << 22
        guild = self.world.add_guild(f"Server {len(self.world.guilds) + 1}", number)
        guild.members |= {person.id: person.user for person in members}
        self.world.add_channel("general", guild)
        self.gateway.dispatch("GUILD_CREATE", self.gateway.guild_payload(guild), guild)
        return guild

    def channel_of(self, guild: Guild) -> Channel:
        """The first channel of the server."""
        return next(one for one in self.world.channels.values() if one.guild is guild)

    def new_channel(self, name: str) -> Channel:
        channel = self.world.add_channel(name, self.guild)
        self.gateway.tell_of_channel("CREATE", channel)
        return channel

    def open_thread(
        self, parent: Channel, name: str, owner: User, thread_id: int | None = None, minutes: int = 1440
    ) -> Channel:
        """Make a thread; one at a message has the id of the message."""
        thread = self.world.add_channel(
            name, parent.guild, PUBLIC_THREAD, parent=parent, owner=owner, archive_minutes=minutes
        )
        if thread_id is not None:
            del self.world.channels[thread.id]
            thread.id = thread_id
            self.world.channels[thread_id] = thread
        self.gateway.tell_of_channel("CREATE", thread)
        return thread

    def auto_archive(self, thread: Channel) -> None:
        """Archive the thread, as Discord does after its time."""
        thread.is_archived = True
        self.gateway.tell_of_channel("UPDATE", thread)

    def deny_bot(self, channel: Channel, permissions: int) -> None:
        """Deny the bot these permissions in the channel, and no others."""
        channel.denied = permissions
        self.gateway.tell_of_channel("UPDATE", channel)

    def add_role(self, name: str, permissions: int) -> Role:
        role = self.world.add_role(self.guild, name, permissions)
        about = {"guild_id": str(self.guild.id), "role": role.payload()}
        self.gateway.dispatch("GUILD_ROLE_CREATE", about, self.guild)
        return role

    def give_role(self, person: Person, role: Role) -> None:
        self.guild.held.setdefault(person.id, set()).add(role.id)

    # Messages

    def messages(self, channel: Channel | None = None) -> list[Message]:
        """Those that are there, in the channel or anywhere, oldest first."""
        there = (one for one in self.world.messages.values() if not one.deleted)
        return [one for one in there if channel is None or one.channel is channel]

    def post(self, message: Message) -> Message:
        self.world.messages[message.id] = message
        if not message.flags & EPHEMERAL:
            self.gateway.tell_of_message("CREATE", message.channel, message.payload())
        return message

    def edit(self, message: Message, body: Payload, files: Files) -> None:
        """Edit the message by the body of a request; raises Refused."""
        edited(message, body, files, self)
        if not message.flags & EPHEMERAL:
            self.gateway.tell_of_message("UPDATE", message.channel, message.payload())

    def delete(self, message: Message) -> None:
        message.deleted = True
        if not message.flags & EPHEMERAL:
            about = {"id": str(message.id), "channel_id": str(message.channel.id)}
            self.gateway.tell_of_message("DELETE", message.channel, about)

    def begin(self, interaction: Interaction) -> Interaction:
        """Send the interaction to the bots that hear its place."""
        self.interactions[interaction.token] = interaction
        hearing = self.gateway.dispatch(
            "INTERACTION_CREATE", interaction.payload(), interaction.channel.guild, 0
        )
        interaction.is_heard = any(session.is_live for session in hearing)
        self._note()
        return interaction

    # Waiting and judging

    async def until(self, is_so: Callable[[], object], seconds: float, what: str) -> None:
        """Wait until it is so; raises AssertionError with the latest requests and output."""
        ends_at = time.monotonic() + seconds
        while not is_so():
            if time.monotonic() > ends_at:
                raise AssertionError(f"{what} did not come in {seconds:g} s\n{self._tail()}")
            await asyncio.sleep(LOOK_SECONDS)

    async def settle(self, timeout: float = 60.0) -> None:
        """Wait until the bot has asked for nothing for QUIET_SECONDS."""
        await self.until(
            lambda: not self._busy and time.monotonic() - self._noted_at > QUIET_SECONDS, timeout, "quiet"
        )

    async def verify(self, ignore: Collection[str] = ()) -> None:
        """Let the bot finish; raises AssertionError if it broke rules or left promises."""
        await self.settle()
        promised = [one for one in self.interactions.values() if one.message and one.message.loading]
        broken = [one for one in self.recorder.violations if one.kind not in ignore]
        assert not broken, f"{broken}\n{self._tail()}"
        assert not [one for one in promised if one.message and not one.message.deleted], self._tail()

    def violation(self, kind: str, about: str) -> None:
        self.recorder.violations.append(Violation(kind, about))

    def ack_latencies(self) -> list[tuple[Interaction, float]]:
        """Each acknowledged interaction with its seconds."""
        found = self.interactions.values()
        return [(one, one.ack_latency) for one in found if one.ack_latency is not None]

    def _note(self) -> None:
        self._noted_at = time.monotonic()

    def _tail(self) -> str:
        requests = [f"{one.method} {one.path} {one.status}" for one in self.recorder.http[-15:]]
        output = [line for bot in self.bots for line in bot.lines[-15:]]
        return "\n".join(["the latest requests:", *requests, "the latest output:", *output])

    # Requests

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        self._busy += 1
        self._note()
        try:
            return await self._answer(request)
        finally:
            self._busy -= 1
            self._note()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        body, files = await _content(request)
        path = "/" + request.match_info["path"]
        query = dict(request.query)
        process = int(request.match_info["process"])
        call = Call(request.method, path, query, body, files, process, gateway_url(request))
        record = Record(time.monotonic(), call.method, path, query, body, process)
        self.recorder.http.append(record)
        fault = self.faults.take(call.method, path)
        if fault is not None and fault.is_delay:
            await asyncio.sleep(fault.seconds)
            fault = None
        if fault is None or fault.after_effect:
            response = self._carry_out(request, call)
            if fault is None:
                record.status = response.status
                return response
        record.status = fault.status
        return _lost(request, fault)

    def _carry_out(self, request: web.Request, call: Call) -> web.Response:
        route = find_route(call)
        if route is None:
            self.violation("unknown-route", f"{call.method} {call.path}")
            return _json(404, {"code": 0, "message": "404: Not Found"})
        authorization = request.headers.get("Authorization", "")
        call.bearer = authorization.removeprefix("Bearer ") if authorization.startswith("Bearer ") else None
        is_open = route.is_of_interaction or call.bearer in self.activities.tokens or route.is_for_everybody
        if not is_open and authorization != f"Bot {self.token}":
            self.violation("unauthorized", f"{call.method} {call.path}")
            return _json(401, {"code": 0, "message": "401: Unauthorized"})
        taken = self.limits.take(
            route.name, call.major, call.process, counts_globally=not route.is_of_interaction
        )
        if taken.wait:
            if taken.is_known:
                self.violation("rate-limited", route.name)
            return _too_many(taken.wait, taken.headers, is_global=taken.is_global)
        try:
            status, answer = route.handler(self, call)
        except Refused as error:
            status, answer = error.status, error.body
            if error.body["code"] == 50035:
                self.violation("invalid-body", f"{route.name}: {error}")
        return _json(status, answer, taken.headers)


async def _content(request: web.Request) -> tuple[Any, Files]:
    """Return the body of the request, and the files that came with it."""
    if request.content_type == "multipart/form-data":
        form = await request.post()
        files = {
            name[len("files[") : -1]: Upload(one.filename, len(one.file.read()))
            for name, one in form.items()
            if isinstance(one, FileField)
        }
        return json.loads(str(form["payload_json"])), files
    if request.content_type == "application/x-www-form-urlencoded":
        return dict(await request.post()), {}
    text = await request.text()
    return json.loads(text) if text else {}, {}


def _json(status: int, body: Any, headers: Mapping[str, str] | None = None) -> web.Response:
    if body is None:
        return web.Response(status=status, headers=headers)
    # discord.py reads bodies of exactly this type, without a charset.
    content = json.dumps(body).encode()
    return web.Response(status=status, body=content, content_type="application/json", headers=headers)


def _too_many(wait: float, headers: Mapping[str, str], *, is_global: bool = False) -> web.Response:
    body = {"message": "You are being rate limited.", "retry_after": wait, "global": is_global}
    # discord.py takes a 429 without this header for a ban by the network before Discord.
    return _json(429, body, {**headers, "Via": "1.1 local", "Retry-After": f"{wait:.3f}"})


def _lost(request: web.Request, fault: Fault) -> web.Response:
    """Answer with the fault's error, or tear the connection."""
    if fault.status is None:
        if request.transport is not None:
            request.transport.close()
        return web.Response(status=500)
    if fault.retry_after is not None:
        return _too_many(fault.retry_after, {})
    if fault.body is not None:
        return _json(fault.status, fault.body)
    return web.Response(status=fault.status, text=f"error {fault.status}")
