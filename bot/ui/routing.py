"""Routes: each declares the form of a custom_id once, writes the ids of views and leads presses to a handler.

A custom_id can be forged, along with any message of the bot. So it is parsed strictly here and authorised by
the services, and a message may be edited in answer only if it carries such a control itself. Nothing is
remembered between presses, so every button works after any restart.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, overload

import discord

from bot.domain.errors import Refusal, SetupError
from bot.ui.answers import ARRIVED_AT, hold
from bot.ui.client import Interaction
from bot.ui.error_replies import report_error
from bot.ui.layout import custom_ids
from bot.ui.move_choices import Picked

VERSION = "d1"
"""Raised when the meaning of a custom_id changes, so that old messages are not misread."""

FORM = "form"
"""The family of forms, which are sent to one person and are on no message."""

P = ParamSpec("P")
A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")
E = TypeVar("E")
F = TypeVar("F")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class IdPart(Generic[T]):
    """One value in a custom_id. pattern: a regular expression that it matches.

    read: may raise ValueError. is_optional: None is left out.
    """

    pattern: str
    read: Callable[[str], T]
    write: Callable[[T], str] = str
    is_optional: bool = False

    @property
    def group(self) -> str:
        return f"(?::({self.pattern}))?" if self.is_optional else f":({self.pattern})"


def number(digits: int, *, least: int = 0) -> IdPart[int]:
    """Return a part for numbers without sign, of at most that many digits; least: 0 or 1.

    Of 19 digits, those below 9 * 10**18 alone: databases store 64 bits with a sign.
    """
    few = min(digits, 18)
    pattern = f"[1-9][0-9]{{0,{few - 1}}}" if least else f"[0-9]{{1,{few}}}"
    return IdPart(pattern if digits == few else f"{pattern}|[1-8][0-9]{{18}}", int)


def one_of(choices: Iterable[str]) -> IdPart[str]:
    return IdPart("|".join(map(re.escape, choices)), str)


def either(yes: str, no: str) -> IdPart[bool]:
    """Return a part with one word for true and one for false."""
    return IdPart(f"{yes}|{no}", yes.__eq__, lambda value: yes if value else no)


ID = number(18, least=1)
"""A stored match, invitation, attempt or tournament."""

TURN = number(6)
MOVE = number(4)
PICKED = IdPart(r"[0-9]{1,4}\.[0-9]", Picked.read)
USER = number(19, least=1)
GUILD: IdPart[int | None] = IdPart(
    number(19).pattern, lambda text: int(text) or None, lambda guild: str(guild or 0)
)
"""A server, or None for everywhere."""


class Route(Generic[P]):
    """One kind of custom_id, `d1:KIND:PART:PART`; called with the values of the parts, it writes one.

    family: routes of one family are on the same messages; their first part is the subject, such as a match.
    """

    def __init__(self, kind: str, parts: tuple[IdPart[Any], ...], family: str) -> None:
        self.kind = kind
        self.family = family
        self.parts = parts
        self._pattern = re.compile(f"{VERSION}:{kind}" + "".join(part.group for part in parts))

    def __call__(self, *values: P.args, **_: P.kwargs) -> str:
        pairs = zip(self.parts, values, strict=True)
        texts = [part.write(value) for part, value in pairs if value is not None or not part.is_optional]
        return ":".join((VERSION, self.kind, *texts))

    def read(self, custom_id: str) -> tuple[Any, ...] | None:
        """Return the values in a custom_id of this route; None for any other text."""
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
        """Lead every press with such a custom_id to the handler."""
        return Destination(self, handler)


@overload
def route(kind: str, /, *, family: str = "") -> Route[[]]: ...
@overload
def route(kind: str, a: IdPart[A], /, *, family: str = "") -> Route[[A]]: ...
@overload
def route(kind: str, a: IdPart[A], b: IdPart[B], /, *, family: str = "") -> Route[[A, B]]: ...
@overload
def route(
    kind: str, a: IdPart[A], b: IdPart[B], c: IdPart[C], /, *, family: str = ""
) -> Route[[A, B, C]]: ...
@overload
def route(
    kind: str, a: IdPart[A], b: IdPart[B], c: IdPart[C], d: IdPart[D], /, *, family: str = ""
) -> Route[[A, B, C, D]]: ...
@overload
def route(
    kind: str, a: IdPart[A], b: IdPart[B], c: IdPart[C], d: IdPart[D], e: IdPart[E], /, *, family: str = ""
) -> Route[[A, B, C, D, E]]: ...
@overload
def route(
    kind: str,
    a: IdPart[A],
    b: IdPart[B],
    c: IdPart[C],
    d: IdPart[D],
    e: IdPart[E],
    f: IdPart[F],
    /,
    *,
    family: str = "",
) -> Route[[A, B, C, D, E, F]]: ...
def route(kind: str, /, *parts: IdPart[Any], family: str = "") -> Route[Any]:
    """Return a route; by default its kind is its family."""
    return Route(kind, parts, family or kind)


@dataclass(frozen=True, slots=True)
class Destination:
    """A route and the handler of its presses."""

    route: Route[Any]
    handler: Callable[..., Awaitable[None]]


MoveHandler = Callable[[Interaction, int, int, int], Awaitable[None]]
PickHandler = Callable[[Interaction, int, int, Picked], Awaitable[None]]


class MoveRoutes:
    """The three routes of a position's moves: a move's button, a choice before it, and a select of both.

    Their ids hold a subject (a match or a puzzle) and the point in it at which the move is made, such as the
    turn.
    """

    def __init__(self, move: str, select: str, pick: str, at: IdPart[int], *, family: str = "") -> None:
        self.move = route(move, ID, at, MOVE, family=family)
        self.select = route(select, ID, at, family=family)
        self.pick = route(pick, ID, at, PICKED, family=family)

    def to(self, play: MoveHandler, pick: PickHandler) -> tuple[Destination, Destination, Destination]:
        """Lead moves to `play`, and choices before a move to `pick`."""
        return self.move.to(play), self.select.to(partial(_select, play, pick)), self.pick.to(pick)


async def _select(
    play: MoveHandler, pick: PickHandler, interaction: Interaction, subject: int, at: int
) -> None:
    value = choice(interaction)
    if re.fullmatch(MOVE.pattern, value):
        await play(interaction, subject, at, int(value))
    elif re.fullmatch(PICKED.pattern, value):
        await pick(interaction, subject, at, Picked.read(value))
    else:
        raise SetupError("unknown_choice", choice=value)


@dataclass(frozen=True, slots=True)
class Meaning:
    """A custom_id that was understood."""

    destination: Destination
    values: tuple[Any, ...]

    @property
    def subject(self) -> tuple[Any, ...]:
        """The subject of messages with this control."""
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
        return tuple(one.route for same in self._by_kind.values() for one in same)

    def find(self, custom_id: str) -> Meaning | None:
        """Return the meaning of the custom_id; None for any text that no route has written."""
        _, _, rest = custom_id.partition(":")
        for destination in self._by_kind.get(rest.partition(":")[0], ()):
            values = destination.route.read(custom_id)
            if values is not None:
                return Meaning(destination, values)
        return None

    async def answer(self, interaction: Interaction) -> None:
        """Lead a press or a form to its handler, and report errors to the person; ignore commands."""
        interaction.extras[ARRIVED_AT] = asyncio.get_running_loop().time()
        if interaction.type not in (discord.InteractionType.component, discord.InteractionType.modal_submit):
            return
        data: Mapping[str, Any] = interaction.data or {}
        custom_id = str(data.get("custom_id", ""))
        meaning, is_held = self.find(custom_id), False
        if interaction.message is not None:  # first: what the press changes may be displayed by its token
            interaction.client.ui.presses.note(interaction.message.id, interaction)
        try:
            if meaning is None:
                raise Refusal(_unknown(custom_id))
            if not self._is_on(interaction.message, custom_id, meaning):
                raise Refusal("button_gone")
            is_held = await hold(interaction)
            await meaning.destination.handler(interaction, *meaning.values)
        except Exception as error:  # noqa: BLE001 - the border to discord.py, which would only log it
            await report_error(interaction, error, str(meaning or "an unknown button"))
        # After an error, too: an acknowledged press is the only way to edit such a message.
        if is_held and meaning is not None:
            await interaction.client.display.catch_up(interaction, meaning.subject)

    def _is_on(self, message: discord.Message | None, custom_id: str, meaning: Meaning) -> bool:
        """Return whether Discord says that the message has that control, or another one of the same subject.

        The message may have been edited since it was pressed.
        """
        if message is None or meaning.destination.route.family == FORM:
            return True
        present = custom_ids(message)
        if custom_id in present:
            return True
        others = (self.find(other) for other in present)
        return any(other is not None and other.subject == meaning.subject for other in others)


def _unknown(custom_id: str) -> str:
    """Return the key of the refusal of a custom_id without meaning."""
    is_ours = re.match(r"d[0-9]{1,9}:", custom_id)
    return "button_other_version" if is_ours and not custom_id.startswith(f"{VERSION}:") else "button_unknown"


def chosen(interaction: Interaction) -> tuple[str, ...]:
    """Return the values chosen in the pressed select, unchecked: they may never have been offered."""
    data: Mapping[str, Any] = interaction.data or {}
    values = data.get("values")
    return tuple(value for value in values if isinstance(value, str)) if isinstance(values, list) else ()


def choice(interaction: Interaction) -> str:
    """Return the value chosen in the pressed select, unchecked; raises SetupError if there is none."""
    values = chosen(interaction)
    if not values:
        raise SetupError("unknown_choice", choice="–")
    return values[0]


def filled_in(interaction: Interaction) -> Mapping[str, str]:
    """Return the values of a form by custom_id, unchecked."""
    data: Mapping[str, Any] = interaction.data or {}
    found: dict[str, str] = {}
    waiting: list[Any] = list(data.get("components") or ())
    while waiting:
        part = waiting.pop()
        if not isinstance(part, dict):
            continue
        # At any depth: Discord puts a field into a row or a label, whichever the form was made with.
        waiting.extend((*(part.get("components") or ()), part.get("component")))
        values = part.get("values") or [part.get("value")]
        if "custom_id" in part and isinstance(values[0], str):
            found[str(part["custom_id"])] = values[0]
    return found
