"""Interactions: a person's use of a command, a button, a menu or a form, and the bot's answers to it."""

from __future__ import annotations

import secrets
import time
from typing import TYPE_CHECKING

from tests.discord_server.errors import NoResponse, Refused, invalid, unknown
from tests.discord_server.messages import Files, fill, mentions_of
from tests.discord_server.world import (
    COMPONENTS_V2,
    EPHEMERAL,
    LOADING,
    Channel,
    Message,
    Payload,
    User,
)

if TYPE_CHECKING:
    from tests.discord_server.server import FakeDiscord

COMMAND, COMPONENT, AUTOCOMPLETE, MODAL_SUBMIT = 2, 3, 4, 5
"""Kinds of interactions."""

MESSAGE, DEFERRED_MESSAGE, DEFERRED_UPDATE, UPDATE, CHOICES, MODAL, LAUNCH = 4, 5, 6, 7, 8, 9, 12
"""Kinds of first answers."""

RESULT_SECONDS = 60.0
"""Time limit for the message that follows an acknowledgement."""


class Interaction:
    """What a person did, and all that the bot answered.

    ack_type, ack_latency: the kind of the first answer and the seconds until it; None before.
    resolve_latency: the seconds until an answer can be read.
    message: the answer, or the pressed message if that was edited. followups: further messages.
    modal: the form that opened. choices: those offered for an option.
    """

    def __init__(
        self,
        server: FakeDiscord,
        kind: int,
        user: User,
        channel: Channel,
        data: Payload,
        source: Message | None,
    ) -> None:
        self.id, self.token = server.world.ids(), secrets.token_hex(16)
        self.kind, self.user, self.channel, self.data, self.source = kind, user, channel, data, source
        self.sent_at = time.monotonic()
        self.is_heard = False
        self.ack_type: int | None = None
        self.ack_latency: float | None = None
        self.resolve_latency: float | None = None
        self.message: Message | None = None
        self.followups: list[Message] = []
        self.modal: Payload = {}
        self.choices: list[Payload] = []
        self._server = server

    def __repr__(self) -> str:
        what = self.data.get("name") or self.data.get("custom_id")
        return f"<{self.user.username}: {what}, answered with type {self.ack_type}>"

    # The person's side

    @property
    def failed(self) -> bool:
        """Whether the person is told that the bot did not respond."""
        return self.ack_type is None

    @property
    def text(self) -> str:
        return "" if self.message is None else self.message.text

    @property
    def ephemeral(self) -> bool:
        return self.message is not None and self.message.ephemeral

    async def acknowledged(self) -> Interaction:
        """Wait for the first answer; raises NoResponse."""
        seconds = self._server.ack_seconds
        try:
            await self._server.until(lambda: self.ack_type is not None, seconds, f"an answer to {self!r}")
        except AssertionError as error:
            if self.is_heard:
                self._server.violation("late-ack", repr(self))
            raise NoResponse(str(error)) from None
        return self

    async def result(self, seconds: float = RESULT_SECONDS) -> Message:
        """Wait for the answer that can be read, and return it."""
        await self.acknowledged()
        await self._server.until(lambda: self.resolve_latency is not None, seconds, f"the answer to {self!r}")
        assert self.message is not None
        return self.message

    # The bot's side

    def payload(self) -> Payload:
        """The event that the bot receives."""
        server, guild = self._server, self.channel.guild
        allowed = server.world.bot_permissions(self.channel)
        where = self.channel.payload(server.world.bot)
        told: Payload = {
            "id": str(self.id), "application_id": str(server.world.bot.id), "type": self.kind,
            "token": self.token, "version": 1, "channel_id": str(self.channel.id), "channel": where,
            "data": self.data, "locale": self.user.locale, "app_permissions": str(allowed),
            "entitlements": [], "attachment_size_limit": 10 << 20, "context": 1 if guild is None else 0,
            "authorizing_integration_owners": {"0": "0" if guild is None else str(guild.id)},
        }  # fmt: skip
        if guild is None:
            told["user"] = self.user.payload()
        else:
            permissions = str(guild.permissions_of(self.user))
            where["permissions"] = permissions
            told |= {
                "guild_id": str(guild.id), "guild_locale": "en-US",
                "guild": {"id": str(guild.id), "locale": "en-US", "features": []},
                "member": guild.member_payload(self.user) | {"permissions": permissions},
            }  # fmt: skip
        if self.source is not None:
            told["message"] = self.source.payload()
        return told

    def answer(self, body: Payload, files: Files) -> None:
        """Take the first answer; raises Refused."""
        if self.ack_type is not None:
            self._server.violation("double-ack", repr(self))
            raise Refused(400, 40060, "Interaction has already been acknowledged.")
        late = time.monotonic() - self.sent_at
        if late > self._server.ack_seconds:
            self._server.violation("late-ack", f"{self!r} after {late:.1f} s")
            raise unknown("Interaction")
        kind, data = body["type"], body.get("data") or {}
        if kind in (MESSAGE, DEFERRED_MESSAGE):
            flags = data.get("flags", 0) | (LOADING if kind == DEFERRED_MESSAGE else 0)
            self.message = self._new_message(data, files, flags, is_deferred=kind == DEFERRED_MESSAGE)
        elif kind in (UPDATE, DEFERRED_UPDATE):
            if self.source is None:
                raise invalid("only a press can edit its message")
            self.message = self.source
            if kind == UPDATE:
                self._server.edit(self.source, data, files)
        elif kind == CHOICES:
            self.choices = data["choices"]
            if len(self.choices) > 25:
                raise invalid("at most 25 choices")
        elif kind == LAUNCH:
            self._server.activities.launch(self.user, self.channel)
        elif kind == MODAL:
            self.modal = data
        else:
            raise invalid(f"type {kind}")
        self.ack_type, self.ack_latency = kind, late
        if kind != DEFERRED_MESSAGE:
            self.resolve_latency = late

    def follow_up(self, body: Payload, files: Files) -> Message:
        """Add a message; the first one after a promise fills it, with its visibility."""
        self._check_is_acknowledged()
        if self.message is not None and self.message.loading:
            self.edit_answer(body, files)
            return self.message
        self.followups.append(self._new_message(body, files, body.get("flags", 0)))
        return self.followups[-1]

    def find(self, which: str) -> Message:
        """Return the message `@original`, or the one with that id; raises Refused."""
        self._check_is_acknowledged()
        own = [*([] if self.message is None else [self.message]), *self.followups]
        found = own[:1] if which == "@original" else [one for one in own if str(one.id) == which]
        if not found or found[0].deleted:
            raise unknown("Message")
        return found[0]

    def edit_answer(self, body: Payload, files: Files, which: str = "@original") -> Message:
        message = self.find(which)
        # A promise can become a message of components, since it has no content yet.
        new = body.get("flags", 0) & COMPONENTS_V2
        if message.loading:
            message.flags = (message.flags & ~LOADING) | new
        self._server.edit(message, body, files)
        if message is self.message:
            self.resolve_latency = time.monotonic() - self.sent_at
        return message

    def callback_payload(self) -> Payload:
        """The answer to a first answer `with_response`."""
        about: Payload = {"id": str(self.id), "type": self.kind}
        told: Payload = {"interaction": about}
        if self.message is not None:
            about |= {
                "response_message_id": str(self.message.id),
                "response_message_loading": self.message.loading,
                "response_message_ephemeral": self.message.ephemeral,
            }
            told["resource"] = {"type": self.ack_type, "message": self.message.payload()}
        return told

    def _check_is_acknowledged(self) -> None:
        if self.ack_type is None:
            raise unknown("Webhook")
        if time.monotonic() - self.sent_at > self._server.token_seconds:
            self._server.violation("token-expired", repr(self))
            raise Refused(401, 50027, "Invalid Webhook Token")

    def _new_message(self, body: Payload, files: Files, flags: int, *, is_deferred: bool = False) -> Message:
        world = self._server.world
        message = Message(world.ids(), self.channel, world.bot, flags=flags)
        message.cause = {
            "id": str(self.id), "type": self.kind, "user": self.user.payload(),
            "authorizing_integration_owners": {},
        }  # fmt: skip
        if flags & EPHEMERAL:
            message.seen_by = self.user
        if not is_deferred:
            fill(message, body, files, self._server)
            message.mentions = mentions_of(message, body, world)
        self._server.post(message)
        return message
