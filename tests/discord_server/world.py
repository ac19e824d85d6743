"""The state of the local Discord: servers, channels, people and messages, with their payloads."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TypeAlias

Payload: TypeAlias = dict[str, Any]

EPOCH_MS = 1_420_070_400_000
"""The first millisecond of Discord's ids: 1 January 2015."""

VIEW, SEND, SEND_IN_THREADS, ADMINISTRATOR = 1 << 10, 1 << 11, 1 << 38, 1 << 3

MEMBER_PERMISSIONS = VIEW | SEND | SEND_IN_THREADS | 1 << 6 | 1 << 14 | 1 << 15 | 1 << 16 | 1 << 31 | 1 << 35
"""@everyone's: reactions, links, files, history, commands and threads besides reading and writing."""

BOT_PERMISSIONS = MEMBER_PERMISSIONS | 1 << 18
"""Those of a bot's role by default: emoji of other servers besides a member's."""

EPHEMERAL, LOADING, COMPONENTS_V2 = 1 << 6, 1 << 7, 1 << 15
"""Flags of messages."""

TEXT, DM, PUBLIC_THREAD = 0, 1, 11
"""Kinds of channels."""

ROW, BUTTON, STRING_SELECT, TEXT_INPUT, TEXT_DISPLAY, LABEL = 1, 2, 3, 4, 10, 18
USER_SELECT, ROLE_SELECT, MENTIONABLE_SELECT, CHANNEL_SELECT = 5, 6, 7, 8
SELECTS = (STRING_SELECT, USER_SELECT, ROLE_SELECT, MENTIONABLE_SELECT, CHANNEL_SELECT)
"""Kinds of components."""


class Ids:
    """Makes ids that grow, with the time in their upper bits, as Discord's do."""

    def __init__(self) -> None:
        self._last = 0

    def __call__(self) -> int:
        now = (time.time_ns() // 1_000_000 - EPOCH_MS) << 22
        self._last = max(now, self._last + 1)
        return self._last


def now_text() -> str:
    return datetime.now(UTC).isoformat()


@dataclass(eq=False)
class User:
    id: int
    username: str
    is_bot: bool = False
    locale: str = "en-US"

    def payload(self) -> Payload:
        return {
            "id": str(self.id), "username": self.username, "global_name": None, "discriminator": "0",
            "avatar": None, "bot": self.is_bot, "public_flags": 0,
        }  # fmt: skip


@dataclass(eq=False)
class Role:
    id: int
    name: str
    permissions: int
    position: int
    is_managed: bool = False

    def payload(self) -> Payload:
        return {
            "id": str(self.id), "name": self.name, "permissions": str(self.permissions), "flags": 0,
            "position": self.position, "color": 0, "hoist": False, "managed": self.is_managed,
            "mentionable": False, "colors": {"primary_color": 0},
        }  # fmt: skip


@dataclass(eq=False)
class Guild:
    """A server. Its own id is also that of the role @everyone."""

    id: int
    name: str
    owner: User
    members: dict[int, User] = field(default_factory=dict)
    roles: dict[int, Role] = field(default_factory=dict)
    held: dict[int, set[int]] = field(default_factory=dict)
    """The ids of each member's roles besides @everyone."""

    events: dict[int, Payload] = field(default_factory=dict)
    joined_at: str = field(default_factory=now_text)

    def permissions_of(self, user: User) -> int:
        allowed = 0
        for role_id in (self.id, *self.held.get(user.id, ())):
            if role_id in self.roles:
                allowed |= self.roles[role_id].permissions
        return (1 << 53) - 1 if user is self.owner or allowed & ADMINISTRATOR else allowed

    def member_payload(self, user: User) -> Payload:
        return {
            "user": user.payload(), "roles": [str(role) for role in self.held.get(user.id, ())],
            "joined_at": self.joined_at, "nick": None, "avatar": None, "deaf": False, "mute": False,
            "flags": 0, "pending": False, "premium_since": None, "communication_disabled_until": None,
        }  # fmt: skip


@dataclass(eq=False)
class Channel:
    """A text channel, a thread in one, or a conversation with the bot."""

    id: int
    kind: int
    name: str = ""
    guild: Guild | None = None
    parent: Channel | None = None
    owner: User | None = None
    """Who opened the thread, or talks to the bot."""

    denied: int = 0
    """Permissions that the bot lacks here."""

    is_archived: bool = False
    archive_minutes: int = 1440

    @property
    def is_thread(self) -> bool:
        return self.kind == PUBLIC_THREAD

    def payload(self, bot: User) -> Payload:
        about: Payload = {"id": str(self.id), "type": self.kind, "last_message_id": None, "flags": 0}
        if self.kind == DM:
            assert self.owner is not None
            return about | {"recipients": [self.owner.payload()]}
        assert self.guild is not None
        about |= {"guild_id": str(self.guild.id), "name": self.name, "nsfw": False, "rate_limit_per_user": 0}
        if self.is_thread:
            assert self.parent is not None
            assert self.owner is not None
            return about | {
                "parent_id": str(self.parent.id), "owner_id": str(self.owner.id), "message_count": 0,
                "member_count": 1, "thread_metadata": {
                    "archived": self.is_archived, "auto_archive_duration": self.archive_minutes,
                    "archive_timestamp": now_text(), "locked": False,
                },
            }  # fmt: skip
        overwrite = {"id": str(bot.id), "type": 1, "allow": "0", "deny": str(self.denied)}
        return about | {
            "position": 0, "parent_id": None, "topic": None,
            "permission_overwrites": [overwrite] if self.denied else [],
        }  # fmt: skip


@dataclass(eq=False)
class Message:
    """A message, which stays readable for the test after it was deleted."""

    id: int
    channel: Channel
    author: User
    content: str = ""
    components: list[Payload] = field(default_factory=list)
    embeds: list[Payload] = field(default_factory=list)
    attachments: list[Payload] = field(default_factory=list)
    flags: int = 0
    mentions: list[User] = field(default_factory=list)
    nonce: str | None = None
    reference: Payload | None = None
    cause: Payload | None = None
    """The interaction that it answers."""

    seen_by: User | None = None
    """The only person who sees it, if it is ephemeral."""

    thread: Channel | None = None
    edited_at: str | None = None
    is_pinned: bool = False
    deleted: bool = False

    @property
    def ephemeral(self) -> bool:
        return bool(self.flags & EPHEMERAL)

    @property
    def loading(self) -> bool:
        """Whether it says that the bot is thinking."""
        return bool(self.flags & LOADING)

    @property
    def text(self) -> str:
        """All that can be read in it, pictures and controls aside."""
        parts = (part["content"] for part in walk(self.components) if part["type"] == TEXT_DISPLAY)
        return "\n".join(filter(None, (self.content, *parts)))

    @property
    def buttons(self) -> list[Payload]:
        return [part for part in walk(self.components) if part["type"] == BUTTON]

    @property
    def button_labels(self) -> list[str]:
        return [button_label(button) for button in self.buttons]

    @property
    def enabled_buttons(self) -> list[Payload]:
        return [button for button in self.buttons if not button.get("disabled")]

    @property
    def selects(self) -> list[Payload]:
        return [part for part in walk(self.components) if part["type"] in SELECTS]

    def payload(self) -> Payload:
        told: Payload = {
            "id": str(self.id), "channel_id": str(self.channel.id), "author": self.author.payload(),
            "content": self.content, "timestamp": _created(self.id), "edited_timestamp": self.edited_at,
            "tts": False, "mention_everyone": False, "mention_roles": [], "embeds": self.embeds,
            "mentions": [user.payload() for user in self.mentions], "pinned": self.is_pinned, "type": 0,
            "attachments": self.attachments, "flags": self.flags, "components": self._shown_components(),
        }  # fmt: skip
        if self.nonce is not None:
            told["nonce"] = self.nonce
        if self.reference is not None:
            told["message_reference"] = self.reference
        if self.cause is not None:
            told["interaction_metadata"] = self.cause
        if self.thread is not None:
            told["thread"] = self.thread.payload(self.author)
        return told

    def _shown_components(self) -> list[Payload]:
        """The components with the addresses of attached pictures in place of their names."""
        addresses = {f"attachment://{one['filename']}": one["url"] for one in self.attachments}

        def shown(value: Any) -> Any:
            if isinstance(value, list):
                return [shown(one) for one in value]
            if not isinstance(value, dict):
                return value
            inner = {key: shown(one) for key, one in value.items()}
            if (address := addresses.get(inner.get("url", ""))) is not None:
                inner |= {"url": address, "proxy_url": address}
            return inner

        told: list[Payload] = shown(self.components)
        return told


def walk(components: list[Payload]) -> Iterator[Payload]:
    """Every component with those inside it, in reading order."""
    for one in components:
        yield one
        inner = [*one.get("components", ()), *(one[key] for key in ("accessory", "component") if key in one)]
        yield from walk(inner)


def button_label(button: Payload) -> str:
    """The words on a button, or its emoji."""
    return str(button.get("label") or (button.get("emoji") or {}).get("name") or "")


def _created(message_id: int) -> str:
    return datetime.fromtimestamp(((message_id >> 22) + EPOCH_MS) / 1000, UTC).isoformat()


class World:
    """Everything that exists, by id."""

    def __init__(self, bot_permissions: int = BOT_PERMISSIONS) -> None:
        self.ids = Ids()
        self.bot = User(self.ids(), "Discade", is_bot=True)
        self.host = User(self.ids(), "host")
        self.users = {self.bot.id: self.bot, self.host.id: self.host}
        self.guilds: dict[int, Guild] = {}
        self.channels: dict[int, Channel] = {}
        self.messages: dict[int, Message] = {}
        self.commands: dict[int, Payload] = {}
        self.emoji: dict[int, Payload] = {}
        self._bot_permissions = bot_permissions

    def add_user(self, name: str) -> User:
        user = User(self.ids(), name)
        self.users[user.id] = user
        return user

    def add_guild(self, name: str, guild_id: int | None = None) -> Guild:
        """Make a server with the bot in it."""
        guild = Guild(guild_id or self.ids(), name, self.host, members={self.host.id: self.host})
        guild.roles[guild.id] = Role(guild.id, "@everyone", MEMBER_PERMISSIONS, 0)
        own = self.add_role(guild, self.bot.username, self._bot_permissions, is_managed=True)
        guild.members[self.bot.id] = self.bot
        guild.held[self.bot.id] = {own.id}
        self.guilds[guild.id] = guild
        return guild

    def add_role(self, guild: Guild, name: str, permissions: int, *, is_managed: bool = False) -> Role:
        """Make a role right above @everyone."""
        for other in guild.roles.values():
            other.position += other.position > 0
        role = Role(self.ids(), name, permissions, 1, is_managed)
        guild.roles[role.id] = role
        return role

    def add_channel(self, name: str, guild: Guild | None, kind: int = TEXT, **about: Any) -> Channel:
        channel = Channel(self.ids(), kind, name, guild, **about)
        self.channels[channel.id] = channel
        return channel

    def dm_of(self, user: User) -> Channel:
        """The conversation of that person with the bot."""
        found = (one for one in self.channels.values() if one.kind == DM and one.owner is user)
        return next(found, None) or self.add_channel("", None, DM, owner=user)

    def add_emoji(self, name: str) -> Payload:
        """Give the application an emoji of that name."""
        emoji: Payload = {
            "id": str(self.ids()), "name": name, "roles": [], "user": self.bot.payload(), "animated": False,
            "require_colons": True, "managed": False, "available": True,
        }  # fmt: skip
        self.emoji[int(emoji["id"])] = emoji
        return emoji

    def bot_permissions(self, channel: Channel) -> int:
        """What the bot may do in the channel."""
        if channel.guild is None:
            return MEMBER_PERMISSIONS
        return channel.guild.permissions_of(self.bot) & ~(channel.parent or channel).denied

    def members(self, channel: Channel) -> list[User]:
        if channel.guild is not None:
            return list(channel.guild.members.values())
        return [one for one in (channel.owner, self.bot) if one is not None]
