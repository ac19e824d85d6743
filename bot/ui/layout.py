"""Builds messages from components (Components V2), within Discord's limits."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, TypeVar

import discord
from discord import ui

from bot.domain.location import Location
from bot.i18n import Text, directed, shortened
from bot.presentation.links import board_link

Item = ui.Item[Any]
T = TypeVar("T")

ROW_BUTTONS = 4
"""Discord allows five, but on a narrow phone the fifth wraps to a line of its own."""

MAX_CHARACTERS = 4000
"""Limit for all texts of a message (Discord, "Component Reference")."""

MOST_OPTIONS, LABEL = 25, 100
"""Discord's limits for a select, and for the characters of each of its options."""


def layout(*parts: Item) -> ui.LayoutView:
    """Return a message of these parts.

    It is stopped at once, so that discord.py keeps no copy: presses find their handler by custom_id alone,
    before and after a restart.
    """
    view = ui.LayoutView(timeout=None)
    for part in parts:
        view.add_item(part)
    view.stop()
    return view


class Roomy(ui.TextDisplay[Any]):
    """A text with a shorter replacement, for messages that would be too long."""

    def __init__(self, content: str, shorter: Callable[[], Item]) -> None:
        super().__init__(content)
        self.shorter = shorter


def box(*parts: Item, colour: int | None = None) -> ui.LayoutView:
    """Return a message of one container."""
    if sum(map(_length, parts)) > MAX_CHARACTERS:
        parts = tuple(part.shorter() if isinstance(part, Roomy) else part for part in parts)
    return layout(ui.Container(*parts, accent_colour=colour))


def _length(part: Item) -> int:
    """Return its length as Discord counts it: in UTF-16 units, and custom emoji as they are written."""
    own = len(part.content.encode("utf-16-le")) // 2 if isinstance(part, ui.TextDisplay) else 0
    return own + sum(map(_length, getattr(part, "children", ())))


def lines(*texts: str | None) -> ui.TextDisplay[Any]:
    """Return a text of these lines without the empty ones, each in the direction of its language."""
    return ui.TextDisplay("\n".join(directed(text) for text in texts if text))


def as_many(texts: Sequence[str], left_out: Callable[[int], str]) -> ui.TextDisplay[Any]:
    """Return the lines, or as many as fit in a message, and how many are left out."""
    shown, whole = len(texts), lines(*texts)
    while _length(whole) > MAX_CHARACTERS and shown:
        shown -= 1
        whole = lines(*texts[:shown], left_out(len(texts) - shown))
    return whole


def gallery(*pictures: discord.File, described: str | None = None) -> ui.MediaGallery[Any]:
    """Return attached pictures. described: the alternative text, by default each file's own."""
    items = (discord.MediaGalleryItem(file, description=described or file.description) for file in pictures)
    return ui.MediaGallery(*items)


def rows(buttons: Sequence[Item]) -> Iterable[ui.ActionRow[Any]]:
    """Return the buttons in as few rows as possible, of similar length."""
    count = -(-len(buttons) // ROW_BUTTONS)
    if count:
        width = -(-len(buttons) // count)
        for part in chunks(buttons, width):
            yield ui.ActionRow(*part)


def options_of(
    labels: Iterable[tuple[str, str]], chosen: str | Collection[str] | None
) -> list[discord.SelectOption]:
    """Return a select's options from (value, label) pairs, the chosen ones marked; long labels are cut."""
    marked = {chosen} if chosen is None or isinstance(chosen, str) else chosen
    return [
        discord.SelectOption(label=shortened(label, LABEL), value=value, default=value in marked)
        for value, label in labels
    ]


def worded_options(key: str, t: Text, values: Iterable[str], chosen: str) -> list[discord.SelectOption]:
    """Return a select's options, labelled by texts of the key and the value, such as `calls_yes`."""
    keys = ((value, f"{key}_{value}") for value in values)
    return options_of(((value, t(text)) for value, text in keys), chosen)


def numbered(place: int) -> str:
    """Return a number before a line. Discord renumbers plain ones, which it takes for a list."""
    return f"\u200b{place}."


def chunks(items: Sequence[T], size: int) -> Iterable[Sequence[T]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]


def linked(t: Text, line: str, location: Location) -> str:
    """Return the line, followed by a link to the message in that place, if there is one."""
    address = board_link(location)
    return line if address is None else t("linked", text=line, address=address)


def mentioning(*user_ids: int) -> discord.AllowedMentions:
    """Return what lets a message notify these people alone."""
    people = [discord.Object(user_id) for user_id in user_ids]
    return discord.AllowedMentions(everyone=False, roles=False, users=people)


def custom_ids(message: discord.Message) -> set[str]:
    """Return the custom_ids of all controls of the message."""
    found: set[str] = set()
    waiting: list[Any] = list(message.components)
    while waiting:
        part = waiting.pop()
        waiting.extend(getattr(part, "children", ()))
        if (accessory := getattr(part, "accessory", None)) is not None:
            waiting.append(accessory)
        custom_id = getattr(part, "custom_id", None)
        if custom_id:
            found.add(custom_id)
    return found
