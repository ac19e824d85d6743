"""The bodies of messages: what Discord accepts, and how they fill a message."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from tests.discord_server.errors import Refused, invalid
from tests.discord_server.world import (
    BUTTON,
    COMPONENTS_V2,
    ROW,
    SELECTS,
    STRING_SELECT,
    TEXT_DISPLAY,
    Message,
    Payload,
    User,
    World,
    now_text,
    walk,
)

MAX_COMPONENTS, MAX_TEXT, MAX_CONTENT, MAX_FILES = 40, 4000, 2000, 10
"""Discord's documentation, "Component Reference" and "Create Message"."""

_MENTION = re.compile(r"<@!?(\d+)>")
_LINK_STYLE = 5


@dataclass(frozen=True, slots=True)
class Upload:
    name: str
    size: int


Files: TypeAlias = dict[str, Upload]
"""Uploaded files by their number in the form."""


class Place(Protocol):
    """The parts of the server that messages need."""

    url: str
    world: World


def fill(message: Message, body: Payload, files: Files, place: Place) -> None:
    """Put the body into the message; raises Refused and leaves the message as it was."""
    content = message.content if body.get("content") is None else str(body["content"])
    components = message.components if body.get("components") is None else body["components"]
    embeds = message.embeds if body.get("embeds") is None else body["embeds"]
    if "content" in body and body["content"] is None:
        content = ""
    if message.flags & COMPONENTS_V2:
        if content or embeds:
            raise invalid("content and embeds cannot be used with MessageFlags.IS_COMPONENTS_V2")
    elif any(part["type"] not in (ROW, BUTTON, *SELECTS) for part in walk(components)):
        raise invalid("components: only with MessageFlags.IS_COMPONENTS_V2")
    attachments = _attachments(message, body, files, place)
    if not (content or components or embeds or attachments):
        raise Refused(400, 50006, "Cannot send an empty message")
    if len(content) > MAX_CONTENT:
        raise invalid(f"content: at most {MAX_CONTENT} characters")
    check_components(components)
    for number, part in enumerate(walk(components), 1):
        part.setdefault("id", number)
    message.content, message.components, message.embeds = content, components, embeds
    message.attachments = attachments


def edited(message: Message, body: Payload, files: Files, place: Place) -> None:
    """Edit the message by the body; raises Refused."""
    fill(message, body, files, place)
    message.edited_at = now_text()


def check_components(components: list[Payload]) -> None:
    """Hold the components to Discord's limits; raises Refused."""
    parts = list(walk(components))
    if len(parts) > MAX_COMPONENTS:
        raise invalid(f"components: {len(parts)} of at most {MAX_COMPONENTS}")
    if sum(len(part["content"]) for part in parts if part["type"] == TEXT_DISPLAY) > MAX_TEXT:
        raise invalid(f"components: at most {MAX_TEXT} characters of text")
    ids = [part["custom_id"] for part in parts if part.get("custom_id")]
    if len(set(ids)) < len(ids):
        raise invalid("components: a custom_id twice")
    if any(not 1 <= len(one) <= 100 for one in ids):
        raise invalid("components: custom_id of 1 to 100 characters")
    for part in parts:
        _check_component(part)


def _check_component(part: Payload) -> None:
    if part["type"] == ROW and not 1 <= len(part["components"]) <= 5:
        raise invalid("a row has 1 to 5 components")
    if part["type"] == BUTTON:
        if len(part.get("label") or "") > 80 or not (part.get("label") or part.get("emoji")):
            raise invalid("a button has a label of at most 80 characters or an emoji")
        if not part.get("custom_id") and part.get("style") != _LINK_STYLE:
            raise invalid("a button needs a custom_id")
    if part["type"] == STRING_SELECT:
        values = [option["value"] for option in part["options"]]
        if not 1 <= len(values) <= 25 or len(set(values)) < len(values):
            raise invalid("a select has 1 to 25 options with different values")
        if any(not 1 <= len(option["label"]) <= 100 for option in part["options"]):
            raise invalid("an option has a label of 1 to 100 characters")


def _attachments(message: Message, body: Payload, files: Files, place: Place) -> list[Payload]:
    """Return the files that the message has then: the kept ones and the new ones."""
    if len(files) > MAX_FILES:
        raise invalid(f"at most {MAX_FILES} files")
    there = {one["id"]: one for one in message.attachments}
    if body.get("attachments") is None:
        return [*there.values(), *(_stored(file, place) for file in files.values())]
    kept: list[Payload] = []
    for one in body["attachments"]:
        number = str(one["id"])
        if number in there:
            kept.append(there[number])
        elif number in files:
            kept.append(_stored(files[number], place) | {"description": one.get("description")})
        else:
            raise invalid(f"attachments: no file {number}")
    return kept


def _stored(file: Upload, place: Place) -> Payload:
    number = place.world.ids()
    address = f"{place.url}/cdn/attachments/{number}/{file.name}"
    return {
        "id": str(number), "filename": file.name, "size": file.size, "url": address, "proxy_url": address,
    }  # fmt: skip


def mentions_of(message: Message, body: Payload, world: World) -> list[User]:
    """Return the people whom the message notifies."""
    allowed: dict[str, Any] | None = body.get("allowed_mentions")
    found = [int(number) for number in _MENTION.findall(message.text)]
    if allowed is not None and "users" not in allowed.get("parse", ()):
        wanted = {int(number) for number in allowed.get("users", ())}
        found = [number for number in found if number in wanted]
    return [world.users[number] for number in dict.fromkeys(found) if number in world.users]
