"""The routes of Discord's REST interface that the bot uses."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from tests.discord_server.errors import Refused, invalid, unknown
from tests.discord_server.interactions import DEFERRED_UPDATE, Interaction
from tests.discord_server.messages import Files, fill, mentions_of
from tests.discord_server.world import (
    SEND,
    SEND_IN_THREADS,
    VIEW,
    Channel,
    Guild,
    Message,
    Payload,
    User,
)

if TYPE_CHECKING:
    from tests.discord_server.server import FakeDiscord

MANAGE_ROLES, CREATE_EVENTS, CREATE_THREADS = 1 << 28, 1 << 44, 1 << 35

MAX_EMOJI = 2000

Answer: TypeAlias = tuple[int, Any]
Handler: TypeAlias = Callable[["FakeDiscord", "Call"], Answer]


@dataclass
class Call:
    """A request of the bot. ids: the variable parts of its path by name."""

    method: str
    path: str
    query: dict[str, str]
    body: Any
    files: Files = field(default_factory=dict)
    process: int = 0
    gateway: str = ""
    ids: dict[str, str] = field(default_factory=dict)
    bearer: str | None = None

    @property
    def major(self) -> str:
        """The part of the path that has rate limits of its own."""
        return "/".join(self.ids[name] for name in ("channel", "guild", "token") if name in self.ids)


@dataclass(frozen=True, slots=True)
class Route:
    method: str
    template: str
    pattern: re.Pattern[str]
    handler: Handler

    @property
    def name(self) -> str:
        return f"{self.method} {self.template}"

    @property
    def is_of_interaction(self) -> bool:
        """Whether the token in the path is enough, and the bot's limit of all requests is not used up."""
        return "{token}" in self.template

    @property
    def is_for_everybody(self) -> bool:
        """Whether the body proves who asks."""
        return self.template == "/oauth2/token"


ROUTES: list[Route] = []


def route(method: str, template: str) -> Callable[[Handler], Handler]:
    """Declare the handler of a route."""
    pattern = re.compile(re.sub(r"{(\w+)}", r"(?P<\1>[^/]+)", template))

    def declare(handler: Handler) -> Handler:
        ROUTES.append(Route(method, template, pattern, handler))
        return handler

    return declare


def find_route(call: Call) -> Route | None:
    """Return the route of the call, and note the variable parts of the path in it."""
    for one in ROUTES:
        if one.method == call.method and (found := one.pattern.fullmatch(call.path)):
            call.ids = found.groupdict()
            return one
    return None


# Things named in a path


def _channel(server: FakeDiscord, call: Call, needed: int = VIEW) -> Channel:
    channel = server.world.channels.get(int(call.ids["channel"]))
    if channel is None:
        raise unknown("Channel")
    allowed = server.world.bot_permissions(channel)
    if not allowed & VIEW:
        raise Refused(403, 50001, "Missing Access")
    if needed & ~allowed:
        raise Refused(403, 50013, "Missing Permissions")
    return channel


def _message(server: FakeDiscord, call: Call, needed: int = VIEW) -> Message:
    channel = _channel(server, call, needed)
    message = server.world.messages.get(int(call.ids["message"]))
    if message is None or message.channel is not channel or message.deleted or message.ephemeral:
        raise unknown("Message")
    return message


def _guild(server: FakeDiscord, call: Call, needed: int = 0) -> Guild:
    guild = server.world.guilds.get(int(call.ids["guild"]))
    if guild is None:
        raise unknown("Guild")
    if needed & ~guild.permissions_of(server.world.bot):
        raise Refused(403, 50013, "Missing Permissions")
    return guild


def _member(server: FakeDiscord, call: Call, guild: Guild) -> User:
    user = guild.members.get(int(call.ids["user"]))
    if user is None:
        raise unknown("Member")
    return user


def _interaction(server: FakeDiscord, call: Call) -> Interaction:
    found = server.interactions.get(call.ids["token"])
    if found is None:
        raise unknown("Webhook")
    return found


# The application


@route("GET", "/users/@me")
def own_user(server: FakeDiscord, call: Call) -> Answer:
    if call.bearer is not None:
        user = server.activities.tokens[call.bearer]
        return 200, user.payload() | {"locale": user.locale}
    return 200, server.world.bot.payload()


@route("POST", "/oauth2/token")
def exchange_code(server: FakeDiscord, call: Call) -> Answer:
    return 200, server.activities.exchange(call.body, server.world.bot.id)


@route("GET", "/applications/{application}/activity-instances/{instance}")
def activity_instance(server: FakeDiscord, call: Call) -> Answer:
    instance = server.activities.instances.get(call.ids["instance"])
    if instance is None or call.bearer is not None:
        raise Refused(404, 0, "404: Not Found")
    return 200, instance.payload(server.world.bot.id)


@route("GET", "/oauth2/applications/@me")
def application(server: FakeDiscord, _: Call) -> Answer:
    bot = server.world.bot
    return 200, {
        "id": str(bot.id), "name": bot.username, "description": "", "icon": None, "bot_public": True,
        "bot_require_code_grant": False, "verify_key": "", "flags": 0, "owner": server.world.host.payload(),
    }  # fmt: skip


@route("GET", "/gateway/bot")
def gateway(server: FakeDiscord, call: Call) -> Answer:
    starts = {"total": 1000, "remaining": 999, "reset_after": 0, "max_concurrency": 1}
    return 200, {"url": call.gateway, "shards": server.shards, "session_start_limit": starts}


@route("GET", "/applications/{application}/commands")
def commands(server: FakeDiscord, _: Call) -> Answer:
    return 200, list(server.world.commands.values())


@route("PUT", "/applications/{application}/commands")
def overwrite_commands(server: FakeDiscord, call: Call) -> Answer:
    kept = {(one["name"], one["type"]): one["id"] for one in server.world.commands.values()}
    server.world.commands.clear()
    for one in call.body:
        number = kept.get((one["name"], one.get("type", 1))) or str(server.world.ids())
        server.world.commands[int(number)] = {
            "description": "", "type": 1, "options": [], **one, "id": number, "version": number,
            "application_id": str(server.world.bot.id), "dm_permission": True,
        }  # fmt: skip
    return commands(server, call)


@route("GET", "/applications/{application}/emojis")
def emoji(server: FakeDiscord, _: Call) -> Answer:
    return 200, {"items": list(server.world.emoji.values())}


@route("POST", "/applications/{application}/emojis")
def add_emoji(server: FakeDiscord, call: Call) -> Answer:
    name = call.body["name"]
    if not re.fullmatch(r"\w{2,32}", name) or not call.body["image"].startswith("data:image/"):
        raise invalid("name, image")
    if any(one["name"] == name for one in server.world.emoji.values()):
        raise invalid("name: an emoji of this name exists")
    if len(server.world.emoji) >= MAX_EMOJI:
        raise Refused(400, 30008, "Maximum number of emojis reached")
    return 201, server.world.add_emoji(name)


# Answers to interactions


@route("POST", "/interactions/{interaction}/{token}/callback")
def first_answer(server: FakeDiscord, call: Call) -> Answer:
    interaction = server.interactions.get(call.ids["token"])
    if interaction is None or str(interaction.id) != call.ids["interaction"]:
        raise unknown("Interaction")
    interaction.answer(call.body, call.files)
    wants_message = call.query.get("with_response", "").lower() in ("true", "1")
    return (200, interaction.callback_payload()) if wants_message else (204, None)


@route("POST", "/webhooks/{application}/{token}")
def follow_up(server: FakeDiscord, call: Call) -> Answer:
    message = _interaction(server, call).follow_up(call.body, call.files)
    return 200, message.payload()


@route("GET", "/webhooks/{application}/{token}/messages/{message}")
def answer(server: FakeDiscord, call: Call) -> Answer:
    return 200, _interaction(server, call).find(call.ids["message"]).payload()


@route("PATCH", "/webhooks/{application}/{token}/messages/{message}")
def edit_answer(server: FakeDiscord, call: Call) -> Answer:
    interaction = _interaction(server, call)
    return 200, interaction.edit_answer(call.body, call.files, call.ids["message"]).payload()


@route("DELETE", "/webhooks/{application}/{token}/messages/{message}")
def delete_answer(server: FakeDiscord, call: Call) -> Answer:
    interaction = _interaction(server, call)
    message = interaction.find(call.ids["message"])
    server.delete(message)
    if message is interaction.message and interaction.ack_type != DEFERRED_UPDATE and interaction.followups:
        interaction.message = interaction.followups[0]
    return 204, None


# Messages


@route("POST", "/channels/{channel}/messages")
def send(server: FakeDiscord, call: Call) -> Answer:
    place = server.world.channels.get(int(call.ids["channel"]))
    channel = _channel(server, call, SEND_IN_THREADS if place is not None and place.is_thread else SEND)
    body = call.body
    nonce = None if body.get("nonce") is None else str(body["nonce"])
    if nonce is not None and body.get("enforce_nonce"):
        for earlier in reversed(server.messages(channel)):
            if earlier.nonce == nonce and earlier.author is server.world.bot:
                return 200, earlier.payload()
    message = Message(server.world.ids(), channel, server.world.bot, flags=body.get("flags", 0), nonce=nonce)
    message.reference = body.get("message_reference")
    fill(message, body, call.files, server)
    message.mentions = mentions_of(message, body, server.world)
    channel.is_archived = False
    server.post(message)
    return 200, message.payload()


@route("GET", "/channels/{channel}/messages")
def history(server: FakeDiscord, call: Call) -> Answer:
    found = [one for one in server.messages(_channel(server, call)) if not one.ephemeral]
    limit = int(call.query.get("limit", 50))
    if "before" in call.query:
        found = [one for one in found if one.id < int(call.query["before"])]
    if "after" in call.query:
        found = [one for one in found if one.id > int(call.query["after"])][:limit]
    return 200, [one.payload() for one in found[::-1][:limit]]


@route("GET", "/channels/{channel}/messages/{message}")
def message(server: FakeDiscord, call: Call) -> Answer:
    return 200, _message(server, call).payload()


@route("PATCH", "/channels/{channel}/messages/{message}")
def edit(server: FakeDiscord, call: Call) -> Answer:
    found = _message(server, call)
    if found.author is not server.world.bot:
        raise Refused(403, 50005, "Cannot edit a message authored by another user")
    if found.channel.is_archived:
        raise Refused(400, 50083, "Thread is archived")
    server.edit(found, call.body, call.files)
    return 200, found.payload()


@route("DELETE", "/channels/{channel}/messages/{message}")
def delete(server: FakeDiscord, call: Call) -> Answer:
    server.delete(_message(server, call))
    return 204, None


@route("PUT", "/channels/{channel}/messages/pins/{message}")
def pin(server: FakeDiscord, call: Call) -> Answer:
    _message(server, call, 1 << 51).is_pinned = True
    return 204, None


# Channels and threads


@route("GET", "/channels/{channel}")
def channel(server: FakeDiscord, call: Call) -> Answer:
    return 200, _channel(server, call).payload(server.world.bot)


@route("PATCH", "/channels/{channel}")
def edit_channel(server: FakeDiscord, call: Call) -> Answer:
    found = _channel(server, call)
    found.archive_minutes = call.body.get("auto_archive_duration", found.archive_minutes)
    found.is_archived = call.body.get("archived", found.is_archived)
    server.gateway.tell_of_channel("UPDATE", found)
    return 200, found.payload(server.world.bot)


@route("POST", "/channels/{channel}/messages/{message}/threads")
def add_thread(server: FakeDiscord, call: Call) -> Answer:
    found = _message(server, call, CREATE_THREADS)
    if found.thread is not None:
        raise Refused(400, 160004, "A thread has already been created for this message")
    minutes = call.body.get("auto_archive_duration", 1440)
    thread = server.open_thread(found.channel, call.body["name"], server.world.bot, found.id, minutes)
    found.thread = thread
    return 201, thread.payload(server.world.bot)


@route("POST", "/users/@me/channels")
def open_conversation(server: FakeDiscord, call: Call) -> Answer:
    user = server.world.users.get(int(call.body["recipient_id"]))
    if user is None:
        raise unknown("User")
    return 200, server.world.dm_of(user).payload(server.world.bot)


# Servers and people


@route("GET", "/users/{user}")
def user(server: FakeDiscord, call: Call) -> Answer:
    found = server.world.users.get(int(call.ids["user"]))
    if found is None:
        raise unknown("User")
    return 200, found.payload()


@route("GET", "/guilds/{guild}/members/{user}")
def member(server: FakeDiscord, call: Call) -> Answer:
    guild = _guild(server, call)
    return 200, guild.member_payload(_member(server, call, guild))


@route("PUT", "/guilds/{guild}/members/{user}/roles/{role}")
def give_role(server: FakeDiscord, call: Call) -> Answer:
    return _change_role(server, call, lambda held, role: held.add(role))


@route("DELETE", "/guilds/{guild}/members/{user}/roles/{role}")
def take_role(server: FakeDiscord, call: Call) -> Answer:
    return _change_role(server, call, lambda held, role: held.discard(role))


def _change_role(server: FakeDiscord, call: Call, change: Callable[[set[int], int], None]) -> Answer:
    guild = _guild(server, call, MANAGE_ROLES)
    member = _member(server, call, guild)
    role = guild.roles.get(int(call.ids["role"]))
    if role is None:
        raise unknown("Role")
    own = max(guild.roles[one].position for one in guild.held[server.world.bot.id])
    if role.is_managed or role.position >= own:
        raise Refused(403, 50013, "Missing Permissions")
    change(guild.held.setdefault(member.id, set()), role.id)
    about = guild.member_payload(member) | {"guild_id": str(guild.id)}
    server.gateway.dispatch("GUILD_MEMBER_UPDATE", about, guild, 1 << 1)
    return 204, None


@route("GET", "/guilds/{guild}/scheduled-events")
def events(server: FakeDiscord, call: Call) -> Answer:
    return 200, list(_guild(server, call).events.values())


@route("POST", "/guilds/{guild}/scheduled-events")
def add_event(server: FakeDiscord, call: Call) -> Answer:
    guild = _guild(server, call, CREATE_EVENTS)
    number = server.world.ids()
    guild.events[number] = {
        "description": None, "image": None, "channel_id": None, **call.body, "id": str(number), "status": 1,
        "guild_id": str(guild.id), "creator_id": str(server.world.bot.id), "entity_id": None, "user_count": 0,
    }  # fmt: skip
    server.gateway.dispatch("GUILD_SCHEDULED_EVENT_CREATE", guild.events[number], guild, 1 << 16)
    return 200, guild.events[number]


@route("GET", "/guilds/{guild}/scheduled-events/{event}")
def event(server: FakeDiscord, call: Call) -> Answer:
    return 200, _event(server, call)


@route("PATCH", "/guilds/{guild}/scheduled-events/{event}")
def edit_event(server: FakeDiscord, call: Call) -> Answer:
    found = _event(server, call)
    found |= call.body
    return 200, found


@route("DELETE", "/guilds/{guild}/scheduled-events/{event}")
def delete_event(server: FakeDiscord, call: Call) -> Answer:
    found = _event(server, call)
    del _guild(server, call).events[int(found["id"])]
    return 204, None


def _event(server: FakeDiscord, call: Call) -> Payload:
    found = _guild(server, call).events.get(int(call.ids["event"]))
    if found is None:
        raise unknown("Guild Scheduled Event")
    return found
