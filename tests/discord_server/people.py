"""People of the local Discord: they use commands, press, choose, fill in forms, and read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.discord_server.errors import ClientRefused
from tests.discord_server.interactions import (
    AUTOCOMPLETE,
    COMMAND,
    COMPONENT,
    MODAL,
    MODAL_SUBMIT,
    Interaction,
)
from tests.discord_server.world import (
    CHANNEL_SELECT,
    DM,
    LABEL,
    ROLE_SELECT,
    ROW,
    STRING_SELECT,
    TEXT_INPUT,
    Channel,
    Message,
    Payload,
    Role,
    User,
    button_label,
)

if TYPE_CHECKING:
    from tests.discord_server.server import FakeDiscord

SUB_COMMAND, GROUP, STRING, INTEGER, NUMBER = 1, 2, 3, 4, 10
"""Kinds of options; the others are things with an id, or yes and no."""

SLASH, USER_MENU, MESSAGE_MENU = 1, 2, 3
"""Kinds of commands."""

BOT_DM = 1


class Person:
    """A person. Each action waits for the bot's first answer; `start_…` does not."""

    def __init__(self, server: FakeDiscord, user: User) -> None:
        self.user = user
        self._server = server

    def __repr__(self) -> str:
        return f"<{self.user.username}>"

    @property
    def id(self) -> int:
        return self.user.id

    @property
    def dm(self) -> Channel:
        """The conversation with the bot."""
        return self._server.world.dm_of(self.user)

    # Commands

    async def slash(self, channel: Channel | None, name: str, /, **options: Any) -> Interaction:
        """Use a command, or one in a group: `puzzle daily`."""
        return await self.start_slash(channel, name, **options).acknowledged()

    def start_slash(self, channel: Channel | None, name: str, /, **options: Any) -> Interaction:
        place = channel or self._server.channel
        command, schema, path = self._command(name, place)
        known = {one["name"]: one for one in schema}
        if strange := options.keys() - known.keys():
            raise ClientRefused(f"/{name} has no option {sorted(strange)}")
        if missing := [key for key, one in known.items() if one.get("required") and key not in options]:
            raise ClientRefused(f"/{name} needs {missing}")
        resolved: Payload = {}
        chosen = [self._option(known[key], value, resolved, place) for key, value in options.items()]
        return self._use(COMMAND, place, _command_data(command, path, chosen) | {"resolved": resolved})

    async def autocomplete(
        self, channel: Channel | None, name: str, option: str, text: str, /, **options: Any
    ) -> list[Payload]:
        """Type the text into the option; return the choices that the bot offers."""
        place = channel or self._server.channel
        command, schema, path = self._command(name, place)
        known = {one["name"]: one for one in schema}
        resolved: Payload = {}
        chosen = [self._option(known[key], value, resolved, place) for key, value in options.items()]
        typed = {"name": option, "type": known[option]["type"], "value": text, "focused": True}
        data = _command_data(command, path, [*chosen, typed]) | {"resolved": resolved}
        return (await self._use(AUTOCOMPLETE, place, data).acknowledged()).choices

    async def menu(
        self, target: Person | Message, name: str, *, channel: Channel | None = None
    ) -> Interaction:
        """Use the command in the menu of a person or a message."""
        is_person = isinstance(target, Person)
        place = channel or (self._server.channel if isinstance(target, Person) else target.channel)
        kind = USER_MENU if is_person else MESSAGE_MENU
        command = self._find_command(name, kind, place)
        resolved: Payload = {}
        if isinstance(target, Person):
            self._resolve_user(target.user, resolved, place)
        else:
            resolved["messages"] = {str(target.id): target.payload()}
        data = _command_data(command, [], []) | {"target_id": str(target.id), "resolved": resolved}
        return await self._use(COMMAND, place, data).acknowledged()

    # Messages

    async def click(self, message: Message, which: str) -> Interaction:
        """Press the button with that label, emoji or custom_id."""
        return await self.start_click(message, which).acknowledged()

    def start_click(self, message: Message, which: str) -> Interaction:
        self._check_sees(message)
        for button in message.buttons:
            if which in (button.get("custom_id"), button_label(button)):
                if button.get("disabled"):
                    raise ClientRefused(f"the button {which!r} is disabled")
                return self.start_press(message, button)
        raise ClientRefused(f"no button {which!r} among {message.button_labels}")

    def start_press(self, message: Message, part: Payload, **values: Any) -> Interaction:
        """Send the press of a button, or of a select with `values`, as the message had it before."""
        self._check_sees(message)
        data = {"custom_id": part["custom_id"], "component_type": part["type"], "id": part["id"], **values}
        return self._use(COMPONENT, message.channel, data, message)

    async def select(self, message: Message, which: str, *values: Any) -> Interaction:
        """Choose in the select with that custom_id: values or labels, people, roles or channels."""
        self._check_sees(message)
        found = [one for one in message.selects if one["custom_id"] == which]
        if not found or found[0].get("disabled"):
            raise ClientRefused(f"no select {which!r}")
        resolved: Payload = {}
        chosen = _chosen(found[0], values)
        for value in values:
            self._resolve(value, resolved, message.channel)
        press = self.start_press(message, found[0], values=chosen, resolved=resolved)
        return await press.acknowledged()

    async def submit(self, form: Interaction, answers: dict[str, Any]) -> Interaction:
        """Fill in the form that opened; answers by label or custom_id."""
        if form.ack_type != MODAL:
            raise ClientRefused("no form opened")
        filled = [_filled(part, answers, self) for part in form.modal["components"]]
        data = {"custom_id": form.modal["custom_id"], "components": filled, "resolved": {}}
        return await self._use(MODAL_SUBMIT, form.channel, data, form.source).acknowledged()

    async def send(self, text: str, channel: Channel | None = None) -> Message:
        """Write a message."""
        place = channel or self._server.channel
        return self._server.post(Message(self._server.world.ids(), place, self.user, text))

    def start_thread(self, channel: Channel, name: str) -> Channel:
        return self._server.open_thread(channel, name, self.user)

    def sees(self, message: Message) -> bool:
        """Whether the message is there and not only for somebody else."""
        is_there = not message.deleted and self.user in self._server.world.members(message.channel)
        return is_there and message.seen_by in (None, self.user)

    def messages(self, channel: Channel | None = None) -> list[Message]:
        """Those that the person sees, in the channel or anywhere, oldest first."""
        return [one for one in self._server.messages(channel) if self.sees(one)]

    def pings(self) -> list[Message]:
        """The messages that mention the person."""
        return [one for one in self.messages() if self.user in one.mentions]

    # What Discord's app does with it

    def _use(self, kind: int, place: Channel, data: Payload, source: Message | None = None) -> Interaction:
        if self.user not in self._server.world.members(place):
            raise ClientRefused(f"{self!r} is not in that channel")
        return self._server.begin(Interaction(self._server, kind, self.user, place, data, source))

    def _check_sees(self, message: Message) -> None:
        if not self.sees(message):
            raise ClientRefused(f"{self!r} does not see the message")

    def _find_command(self, name: str, kind: int, place: Channel) -> Payload:
        for command in self._server.world.commands.values():
            if (command["name"], command["type"]) != (name, kind):
                continue
            if (BOT_DM if place.kind == DM else 0) not in (command.get("contexts") or (0, 1)):
                raise ClientRefused(f"/{name} is not offered here")
            needed = command.get("default_member_permissions")
            allowed = -1 if place.guild is None else place.guild.permissions_of(self.user)
            if needed is not None and int(needed) & ~allowed:
                raise ClientRefused(f"/{name} is not offered to {self!r}")
            return command
        raise ClientRefused(f"there is no command {name!r}")

    def _command(self, name: str, place: Channel) -> tuple[Payload, list[Payload], list[Payload]]:
        """Return the command, the options of the one that is meant, and the way to it."""
        first, *rest = name.split()
        command = self._find_command(first, SLASH, place)
        schema: list[Payload] = command.get("options") or []
        path: list[Payload] = []
        for word in rest:
            inner = next((one for one in schema if one["name"] == word), None)
            if inner is None:
                raise ClientRefused(f"there is no command {name!r}")
            path.append({"name": word, "type": inner["type"]})
            schema = inner.get("options") or []
        if any(one["type"] in (SUB_COMMAND, GROUP) for one in schema):
            raise ClientRefused(f"/{name} is a group")
        return command, schema, path

    def _option(self, schema: Payload, value: Any, resolved: Payload, place: Channel) -> Payload:
        kind = schema["type"]
        if choices := schema.get("choices"):
            values = {one["name"]: one["value"] for one in choices}
            value = values.get(value, value)
            if value not in values.values():
                raise ClientRefused(f"{schema['name']} has no choice {value!r}")
        elif kind in (INTEGER, NUMBER):
            if not schema.get("min_value", value) <= value <= schema.get("max_value", value):
                raise ClientRefused(f"{schema['name']} cannot be {value!r}")
        elif kind == STRING:
            value = str(value)
            if not schema.get("min_length", 0) <= len(value) <= schema.get("max_length", 6000):
                raise ClientRefused(f"{schema['name']} cannot be that long")
        else:
            value = self._resolve(value, resolved, place)
        return {"name": schema["name"], "type": kind, "value": value}

    def _resolve(self, value: Any, resolved: Payload, place: Channel) -> Any:
        """Return the value as it is sent, with a description of a thing in `resolved`."""
        if isinstance(value, Person):
            self._resolve_user(value.user, resolved, place)
        elif isinstance(value, Channel):
            about = value.payload(self._server.world.bot) | {"permissions": str((1 << 53) - 1)}
            resolved.setdefault("channels", {})[str(value.id)] = about
        elif isinstance(value, Role):
            resolved.setdefault("roles", {})[str(value.id)] = value.payload()
        else:
            return value
        return str(value.id)

    def _resolve_user(self, user: User, resolved: Payload, place: Channel) -> None:
        resolved.setdefault("users", {})[str(user.id)] = user.payload()
        if place.guild is not None and user.id in place.guild.members:
            about = place.guild.member_payload(user) | {"permissions": str(place.guild.permissions_of(user))}
            resolved.setdefault("members", {})[str(user.id)] = about


def _command_data(command: Payload, path: list[Payload], chosen: list[Payload]) -> Payload:
    """The options inside the groups that lead to the command."""
    for step in reversed(path):
        chosen = [step | {"options": chosen}]
    return {"id": command["id"], "name": command["name"], "type": command["type"], "options": chosen}


def _chosen(select: Payload, values: tuple[Any, ...]) -> list[str]:
    if not select.get("min_values", 1) <= len(values) <= select.get("max_values", 1):
        raise ClientRefused(f"{len(values)} values are too few or too many")
    if select["type"] != STRING_SELECT:
        wanted = {CHANNEL_SELECT: Channel, ROLE_SELECT: Role}.get(select["type"], Person)
        if not all(isinstance(value, wanted) for value in values):
            raise ClientRefused("such things cannot be chosen here")
        return [str(value.id) for value in values]
    offered = {one["label"]: one["value"] for one in select["options"]}
    chosen = [offered.get(value, value) for value in values]
    if strange := set(chosen) - set(offered.values()):
        raise ClientRefused(f"{sorted(strange)} cannot be chosen")
    return chosen


def _filled(part: Payload, answers: dict[str, Any], person: Person) -> Payload:
    """The part of a form with the person's answer, or with the text that stands there already."""
    if part["type"] == ROW:
        return part | {"components": [_filled(one, answers, person) for one in part["components"]]}
    if part["type"] == LABEL:
        inner = part["component"]
        named = {inner["custom_id"]: answers[part["label"]]} if part["label"] in answers else answers
        return {"type": LABEL, "id": part.get("id", 1), "component": _filled(inner, named, person)}
    if "custom_id" not in part:
        return part
    about = {"type": part["type"], "custom_id": part["custom_id"], "id": part.get("id", 1)}
    answer = answers.get(part["custom_id"], answers.get(part.get("label", "")))
    if part["type"] == TEXT_INPUT:
        text = part.get("value", "") if answer is None else str(answer)
        if not part.get("min_length", 0) <= len(text) <= part.get("max_length", 4000):
            raise ClientRefused(f"{part['custom_id']} cannot be that long")
        return about | {"value": text}
    usual = [one["value"] for one in part.get("options", ()) if one.get("default")]
    values = usual if answer is None else answer if isinstance(answer, list) else [answer]
    return about | {"values": _chosen(part, tuple(values))}
