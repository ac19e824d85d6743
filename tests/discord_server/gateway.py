"""The gateway: sessions of bots, the events that they hear, lost connections and resuming."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field

from aiohttp import WSMsgType, web

from tests.discord_server.world import DM, Channel, Guild, Payload, World

DISPATCH, HEARTBEAT, IDENTIFY, RESUME, RECONNECT, INVALID, HELLO, ACKNOWLEDGED = 0, 1, 2, 6, 7, 9, 10, 11
"""Opcodes."""

WRONG_TOKEN = 4004

GUILDS, GUILD_MESSAGES, DIRECT_MESSAGES = 1 << 0, 1 << 9, 1 << 12
"""Intents that the events of this server belong to."""

HEARTBEAT_MS = 41_250


@dataclass(eq=False)
class Session:
    """A bot's session of one shard. It outlives its connection, until another one replaces it."""

    id: str
    process: int
    shard: tuple[int, int]
    intents: int
    socket: web.WebSocketResponse | None = None
    sent: list[Payload] = field(default_factory=list)
    _waiting: asyncio.Queue[Payload] = field(default_factory=asyncio.Queue)

    @property
    def is_live(self) -> bool:
        return self.socket is not None

    def hears(self, guild: Guild | None) -> bool:
        """Whether the shard is that of the server; direct messages belong to the first one."""
        number, count = self.shard
        return number == (0 if guild is None else (guild.id >> 22) % count)

    def put(self, event: str, data: Payload) -> None:
        """Send the event now, or when the session is resumed."""
        self.sent.append({"op": DISPATCH, "t": event, "s": len(self.sent) + 1, "d": data})
        self._waiting.put_nowait(self.sent[-1])

    async def send_all(self, socket: web.WebSocketResponse, since: int) -> None:
        """Send the events after number `since`, and all later ones while the connection lasts."""
        self.socket, self._waiting = socket, asyncio.Queue()
        for event in self.sent[since:]:
            self._waiting.put_nowait(event)
        while True:
            await socket.send_json(await self._waiting.get())


class Gateway:
    """All sessions. identifies, resumes: how many there were."""

    def __init__(self, world: World, token: str, notify: Callable[[], None]) -> None:
        self.sessions: dict[str, Session] = {}
        self.identifies = self.resumes = 0
        self._world, self._token, self._notify = world, token, notify
        self._connections: dict[web.WebSocketResponse, web.Request] = {}

    @property
    def live(self) -> list[Session]:
        """The sessions with a connection."""
        return [session for session in self.sessions.values() if session.is_live]

    def dispatch(self, event: str, data: Payload, guild: Guild | None, intent: int = GUILDS) -> list[Session]:
        """Send the event to the sessions that hear the server; return these."""
        hearing = [
            one for one in self.sessions.values()
            if one.hears(guild) and (one.intents & intent or not intent)
        ]  # fmt: skip
        for session in hearing:
            session.put(event, data)
        return hearing

    def tell_of_channel(self, event: str, channel: Channel) -> None:
        """Send an event such as CHANNEL_CREATE, or THREAD_CREATE for a thread."""
        name = f"{'THREAD' if channel.is_thread else 'CHANNEL'}_{event}"
        self.dispatch(name, channel.payload(self._world.bot), channel.guild)

    def tell_of_message(self, event: str, channel: Channel, data: Payload) -> None:
        """Send an event such as MESSAGE_DELETE."""
        intent = DIRECT_MESSAGES if channel.kind == DM else GUILD_MESSAGES
        about = {} if channel.guild is None else {"guild_id": str(channel.guild.id)}
        self.dispatch(f"MESSAGE_{event}", data | about, channel.guild, intent)

    # Trouble

    def drop(self) -> None:
        """Tear every connection; the sessions can be resumed."""
        for request in list(self._connections.values()):
            if request.transport is not None:
                request.transport.abort()

    async def close(self, code: int) -> None:
        """Close every connection with that code of Discord's."""
        await asyncio.gather(*(socket.close(code=code) for socket in list(self._connections)))

    async def ask_reconnect(self) -> None:
        """Ask every session to come back on a new connection."""
        for socket in list(self._connections):
            await socket.send_json({"op": RECONNECT, "d": None})

    def forget(self, process: int) -> None:
        """End the sessions of a process that has ended."""
        self.sessions = {key: one for key, one in self.sessions.items() if one.process != process}

    # Connections

    async def connect(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse(max_msg_size=0)
        await socket.prepare(request)
        self._connections[socket] = request
        sending: asyncio.Task[None] | None = None
        session: Session | None = None
        try:
            await socket.send_json({"op": HELLO, "d": {"heartbeat_interval": HEARTBEAT_MS}})
            async for message in socket:
                if message.type is not WSMsgType.TEXT:
                    break
                said = message.json()
                if said["op"] == HEARTBEAT:
                    # discord.py notes when it sent this a moment later than it sends it.
                    await asyncio.sleep(0.05)
                    await socket.send_json({"op": ACKNOWLEDGED})
                elif said["op"] in (IDENTIFY, RESUME):
                    if said["d"]["token"] != self._token:
                        await socket.close(code=WRONG_TOKEN)
                        break
                    session, since = self._session(request, said["op"], said["d"])
                    if session is None:
                        await socket.send_json({"op": INVALID, "d": False})
                        continue
                    sending = asyncio.create_task(session.send_all(socket, since))
                    self._notify()
        except ConnectionError:
            pass
        finally:
            del self._connections[socket]
            if session is not None and session.socket is socket:
                session.socket = None
            if sending is not None:
                sending.cancel()
                with contextlib.suppress(asyncio.CancelledError, ConnectionError):
                    await sending
            self._notify()
        return socket

    def _session(self, request: web.Request, op: int, data: Payload) -> tuple[Session | None, int]:
        """Return the new or resumed session, and how many of its events the bot has."""
        if op == RESUME:
            session = self.sessions.get(data["session_id"])
            if session is None:
                return None, 0
            self.resumes += 1
            session.put("RESUMED", {})
            return session, data["seq"] or 0
        self.identifies += 1
        process = int(request.match_info["process"])
        shard = tuple(data.get("shard", (0, 1)))
        replaced = [
            key for key, one in self.sessions.items()
            if one.process == process and (one.shard == shard or not one.is_live)
        ]  # fmt: skip
        for key in replaced:
            del self.sessions[key]
        session = Session(secrets.token_hex(8), process, (shard[0], shard[1]), data["intents"])
        self.sessions[session.id] = session
        guilds = [guild for guild in self._world.guilds.values() if session.hears(guild)]
        session.put("READY", {
            "v": 10, "user": self._world.bot.payload(), "session_id": session.id, "shard": list(shard),
            "resume_gateway_url": gateway_url(request), "private_channels": [],
            "guilds": [{"id": str(guild.id), "unavailable": True} for guild in guilds],
            "application": {"id": str(self._world.bot.id), "flags": 0},
        })  # fmt: skip
        for guild in guilds:
            session.put("GUILD_CREATE", self.guild_payload(guild))
        return session, 0

    def guild_payload(self, guild: Guild) -> Payload:
        channels = [one for one in self._world.channels.values() if one.guild is guild]
        bot = self._world.bot
        return {
            "id": str(guild.id), "name": guild.name, "owner_id": str(guild.owner.id), "icon": None,
            "features": [], "emojis": [], "stickers": [], "region": "", "afk_timeout": 300, "splash": None,
            "afk_channel_id": None, "verification_level": 0, "default_message_notifications": 1,
            "explicit_content_filter": 0, "mfa_level": 0, "application_id": None, "system_channel_id": None,
            "system_channel_flags": 0, "premium_tier": 0, "preferred_locale": "en-US", "nsfw_level": 0,
            "premium_progress_bar_enabled": False, "description": None, "banner": None,
            "rules_channel_id": None, "public_updates_channel_id": None,
            "vanity_url_code": None, "large": False, "unavailable": False,
            "member_count": len(guild.members), "joined_at": guild.joined_at, "voice_states": [],
            "presences": [], "stage_instances": [], "guild_scheduled_events": list(guild.events.values()),
            "roles": [role.payload() for role in guild.roles.values()],
            "members": [guild.member_payload(bot)],
            "channels": [one.payload(bot) for one in channels if not one.is_thread],
            "threads": [one.payload(bot) for one in channels if one.is_thread and not one.is_archived],
        }  # fmt: skip


def gateway_url(request: web.Request) -> str:
    """Return the address of the gateway for the process that made the request."""
    return f"ws://{request.host}/{request.match_info['process']}/gateway/"
