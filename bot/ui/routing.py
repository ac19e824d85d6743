"""Routes: what a custom_id looks like stands once; it writes the ids of views and leads presses to handlers.

A custom_id is a claim, not a right. Anybody can send any text as one, along with any message of the bot: it
is parsed strictly here and authorised by the services, and only a message that carries such buttons itself
may be edited in answer. Nothing is remembered between presses, so every button works after any restart.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, cast, overload

import discord

from bot.domain.errors import Refusal, SetupError
from bot.ui.client import Interaction
from bot.ui.error_replies import report_error
from bot.ui.layout import custom_ids

VERSION = "d1"
"""Raised when a custom_id's meaning changes, so that old messages are not misread."""

P = ParamSpec("P")
A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")
E = TypeVar("E")
F = TypeVar("F")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Part(Generic[T]):
    """One value in a custom_id. pattern: all that it may look like.

    read: may raise ValueError. is_optional: None is not written, and its absence is read as None.
    """

    pattern: str
    read: Callable[[str], T]
    write: Callable[[T], str] = str
    is_optional: bool = False

    def text(self, value: T) -> str:
        return "" if self.is_optional and value is None else f":{self.write(value)}"

    @property
    def group(self) -> str:
        return f"(?::({self.pattern}))?" if self.is_optional else f":({self.pattern})"


def number(digits: int, *, least: int = 0) -> Part[int]:
    """A number without leading signs, of so many digits at most; least: 0 or 1."""
    return Part(f"[1-9][0-9]{{0,{digits - 1}}}" if least else f"[0-9]{{1,{digits}}}", int)


def one_of(choices: Iterable[str]) -> Part[str]:
    return Part("|".join(map(re.escape, choices)), str)


def either(yes: str, no: str) -> Part[bool]:
    """One word for true, another for false."""
    return Part(f"{yes}|{no}", yes.__eq__, lambda value: yes if value else no)


ID = number(18, least=1)
"""A stored match, invitation, attempt or tournament."""

TURN = number(6)
MOVE = number(4)
USER = number(20, least=1)
GUILD: Part[int | None] = Part("[0-9]{1,20}", lambda text: int(text) or None, lambda guild: str(guild or 0))
"""A server, or None for everywhere."""


class Route(Generic[P]):
    """One kind of custom_id, `d1:KIND:PART:PART`; called with the parts' values it writes one.

    family: routes of one family stand on the same messages; the first part says which (a match, for example).
    """

    def __init__(self, kind: str, parts: tuple[Part[Any], ...], family: str) -> None:
        self.kind = kind
        self.family = family
        self.parts = parts
        self._pattern = re.compile(f"{VERSION}:{kind}" + "".join(part.group for part in parts))

    def __call__(self, *values: P.args, **_: P.kwargs) -> str:
        texts = [part.text(value) for part, value in zip(self.parts, values, strict=True)]
        return f"{VERSION}:{self.kind}{''.join(texts)}"

    def read(self, custom_id: str) -> tuple[Any, ...] | None:
        """The values in a custom_id of this route; None for any other text."""
        found = self._pattern.fullmatch(custom_id)
        if found is None:
            return None
        try:
            return tuple(
                None if text is None else part.read(text)
                for part, text in zip(self.parts, found.groups(), strict=True)
            )
        except ValueError:
            return None

    def to(self, handler: Callable[Concatenate[Interaction, P], Awaitable[None]]) -> Destination:
        """Leads every press with such an id to that coroutine."""
        return Destination(self, handler)


@overload
def route(kind: str, /, *, family: str = "") -> Route[[]]: ...
@overload
def route(kind: str, a: Part[A], /, *, family: str = "") -> Route[[A]]: ...
@overload
def route(kind: str, a: Part[A], b: Part[B], /, *, family: str = "") -> Route[[A, B]]: ...
@overload
def route(kind: str, a: Part[A], b: Part[B], c: Part[C], /, *, family: str = "") -> Route[[A, B, C]]: ...
@overload
def route(
    kind: str, a: Part[A], b: Part[B], c: Part[C], d: Part[D], /, *, family: str = ""
) -> Route[[A, B, C, D]]: ...
@overload
def route(
    kind: str, a: Part[A], b: Part[B], c: Part[C], d: Part[D], e: Part[E], /, *, family: str = ""
) -> Route[[A, B, C, D, E]]: ...
@overload
def route(
    kind: str, a: Part[A], b: Part[B], c: Part[C], d: Part[D], e: Part[E], f: Part[F], /, *, family: str = ""
) -> Route[[A, B, C, D, E, F]]: ...
def route(kind: str, /, *parts: Part[Any], family: str = "") -> Route[Any]:
    """A route; its family is its own kind unless it shares messages with others."""
    return Route(kind, parts, family or kind)


@dataclass(frozen=True, slots=True)
class Destination:
    """A route and the coroutine that its presses lead to."""

    route: Route[Any]
    handler: Callable[..., Awaitable[None]]


MoveHandler = Callable[[Interaction, int, int, int], Awaitable[None]]
"""Takes the subject, the point in it, and a move or a page of moves."""

NEXT_PAGE = "more"
"""The option of a select of moves that leads to its next page."""


class MoveRoutes:
    """The three routes of a position's moves: a move's button, a page of a select, and a column of squares.

    Their ids hold a subject (a match or a puzzle) and the point in it at which the move is made, such as the
    turn. A column is counted from 1; column 0 stands for the list of columns.
    """

    def __init__(self, move: str, page: str, column: str, at: Part[int], *, family: str = "") -> None:
        self.move = route(move, ID, at, MOVE, family=family)
        self.page = route(page, ID, at, number(2), family=family)
        self.column = route(column, ID, at, number(2), family=family)

    def to(self, play: MoveHandler, show_page: MoveHandler) -> tuple[Destination, Destination, Destination]:
        """Lead moves to `play`, and pages and columns to `show_page`."""
        select = partial(_select_move, play, show_page)
        return self.move.to(play), self.page.to(select), self.column.to(show_page)


async def _select_move(
    play: MoveHandler, show_page: MoveHandler, interaction: Interaction, subject: int, at: int, page: int
) -> None:
    value = choice(interaction)
    if value == NEXT_PAGE:
        await show_page(interaction, subject, at, page + 1)
    else:
        await play(interaction, subject, at, _parse_move(value))


@dataclass(frozen=True, slots=True)
class Meaning:
    """A custom_id that was understood."""

    destination: Destination
    values: tuple[Any, ...]

    @property
    def subject(self) -> tuple[Any, ...]:
        """What messages with this button are about."""
        return self.destination.route.family, *self.values[:1]

    def __str__(self) -> str:
        return " ".join(map(str, self.subject))


class Router:
    """All routes of the bot. Stateless."""

    def __init__(self, *destinations: Destination) -> None:
        self._by_kind: dict[str, list[Destination]] = {}
        for destination in destinations:
            self._by_kind.setdefault(destination.route.kind, []).append(destination)

    @property
    def routes(self) -> tuple[Route[Any], ...]:
        """All custom_ids that are understood."""
        return tuple(one.route for same in self._by_kind.values() for one in same)

    def find(self, custom_id: str) -> Meaning | None:
        """What the custom_id means; None for any text that is none of ours."""
        _, _, rest = custom_id.partition(":")
        for destination in self._by_kind.get(rest.partition(":")[0], ()):
            values = destination.route.read(custom_id)
            if values is not None:
                return Meaning(destination, values)
        return None

    async def answer(self, interaction: Interaction) -> None:
        """Leads a press or a form to its handler; whatever goes wrong is told to the person."""
        custom_id = str(_data(interaction).get("custom_id", ""))
        meaning = self.find(custom_id)
        try:
            if meaning is None:
                raise Refusal(_strange(custom_id))
            if not self._is_on(interaction.message, custom_id, meaning):
                raise Refusal("button_gone")
            await meaning.destination.handler(interaction, *meaning.values)
        except Exception as error:  # noqa: BLE001 - the border to discord.py, which would only log it
            await report_error(interaction, error, str(meaning or "a strange button"))

    def _is_on(self, message: discord.Message | None, custom_id: str, meaning: Meaning) -> bool:
        """Whether the message has that button, or had it a moment ago: one about the same is on it now.

        Of the message Discord says what is on it. Forms are on none.
        """
        if message is None or meaning.destination.route.family == FORM:
            return True
        there = custom_ids(message)
        if custom_id in there:
            return True
        others = (self.find(other) for other in there)
        return any(other is not None and other.subject == meaning.subject for other in others)


FORM = "form"
"""The family of forms, which are sent to one person and stand on no message."""


def _strange(custom_id: str) -> str:
    """The refusal of a custom_id that is not understood."""
    is_ours = re.match(r"d[0-9]{1,9}:", custom_id)
    return "button_other_version" if is_ours and not custom_id.startswith(f"{VERSION}:") else "button_unknown"


def _data(interaction: Interaction) -> Mapping[str, Any]:
    """What the interaction says, in Discord's own words."""
    return cast("Mapping[str, Any]", interaction.data or {})


def chosen(interaction: Interaction) -> tuple[str, ...]:
    """What was chosen in the select that was pressed; nobody has checked that it was offered."""
    values = _data(interaction).get("values")
    return tuple(value for value in values if isinstance(value, str)) if isinstance(values, list) else ()


def choice(interaction: Interaction) -> str:
    """The one value chosen in the select that was pressed; raises SetupError where there is none."""
    values = chosen(interaction)
    if not values:
        raise SetupError("unknown_choice", choice="–")
    return values[0]


def _parse_move(value: str) -> int:
    if not re.fullmatch(r"[0-9]{1,4}", value):
        raise SetupError("unknown_choice", choice=value)
    return int(value)


def filled_in(interaction: Interaction) -> Mapping[str, str]:
    """Custom_id -> value of the form that was sent; nobody has checked that it was offered."""
    found: dict[str, str] = {}
    waiting: list[Any] = list(_data(interaction).get("components") or ())
    while waiting:
        part = waiting.pop()
        if not isinstance(part, dict):
            continue
        waiting.extend((*(part.get("components") or ()), part.get("component")))
        values = part.get("values") or [part.get("value")]
        if "custom_id" in part and isinstance(values[0], str):
            found[str(part["custom_id"])] = values[0]
    return found
