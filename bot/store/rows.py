"""The row mapping of every subject: columns of a table to fields of a frozen dataclass, and back.

A field is stored in the column of its name; enumerations by their value, and numbers checked when they are
read, since SQLite would store any text in a column of numbers. A field that is itself a dataclass, such as a
location, is stored in the columns of its own fields. Any other layout is a `Part`.

Statements are built once: SQLAlchemy takes longer to build one than SQLite to run it.
"""

from __future__ import annotations

import enum
import typing
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import lru_cache
from operator import attrgetter
from types import NoneType, UnionType
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import sqlalchemy as sa

from bot.domain.location import Channel, Location, Web
from bot.domain.names import CleanName, clean
from bot.domain.seat import Seat
from bot.store.connection import Connection
from bot.store.shared import Conflict, Values, new_id, upsert


class Versioned(Protocol):
    """A value that is stored only over the version it was made from."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def id(self) -> int: ...
    @property
    def version(self) -> int: ...


T = TypeVar("T")
V = TypeVar("V", bound=Versioned)
E = TypeVar("E", bound=enum.Enum)

Converter = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Part:
    """A field that is stored in other columns than the one of its name.

    write: returns the values of the columns. read: makes the field of them; raises one of DAMAGE.
    """

    columns: tuple[str, ...]
    write: Callable[[Any], tuple[Any, ...]]
    read: Callable[..., Any]

    def of(self, row: sa.Row[Any]) -> Any:
        """Return the field of a row."""
        return self.read(*(row._mapping[name] for name in self.columns))


class RowMapper(Generic[T]):
    """Maps the rows of a table to values of a dataclass.

    but: columns that do not come from the value. given: fields that `read` is given, since other tables have
    them. derived: properties that are stored so that they can be queried. parts: fields with a layout of
    their own. A column or field that is none of these must have its namesake, or the module does not load. A
    key that the database counts up is not among the stored columns.
    """

    def __init__(
        self,
        table: sa.Table,
        kind: type[T],
        *,
        but: Collection[str] = (),
        given: Collection[str] = (),
        derived: Collection[str] = (),
        **parts: Part,
    ) -> None:
        self.table = table
        self._kind = kind
        hints = typing.get_type_hints(kind)
        for field in fields(typing.cast("Any", kind)):
            if is_dataclass(hints[field.name]) and field.name not in parts:
                parts[field.name] = nested(hints[field.name])
        self._parts = tuple(parts.items())
        in_parts = {name for part in parts.values() for name in part.columns}
        plain = [name for name in hints if name not in parts and name not in given]
        self._plain = [(name, _converter(hints[name])) for name in plain]
        columns = {column.name for column in table.columns} - {*but, *derived}
        if columns != in_parts | set(plain):
            raise TypeError(f"{kind.__name__} and {table.name} differ: {columns ^ (in_parts | set(plain))}")
        counted = table.autoincrement_column
        self._stored = [name for name in (*plain, *derived) if counted is None or name != counted.name]
        self._get = attrgetter(*self._stored)
        self.insert = sa.insert(table)

    def values(self, value: T, **others: Any) -> Values:
        """Return the columns of a value. others: columns that it does not have."""
        made = dict(zip(self._stored, self._get(value), strict=True))
        for name, part in self._parts:
            made.update(zip(part.columns, part.write(getattr(value, name)), strict=True))
        made.update(others)
        return made

    def changes(self, before: T, after: T) -> Values:
        """Return the columns in which the two differ, as they are in `after`."""
        names, old, new = [*self._stored], [*self._get(before)], [*self._get(after)]
        for field, part in self._parts:
            was, is_now = getattr(before, field), getattr(after, field)
            # Most changes keep seats and location, which are then the same objects.
            if was is not is_now:
                names += part.columns
                old += part.write(was)
                new += part.write(is_now)
        return {name: later for name, earlier, later in zip(names, old, new, strict=True) if later != earlier}

    def read(self, row: sa.Row[Any] | Mapping[str, Any], **given: Any) -> T:
        """Return the value of a row; raises one of DAMAGE."""
        columns = row._mapping if isinstance(row, sa.Row) else row
        for name, convert in self._plain:
            given[name] = columns[name] if convert is None else convert(columns[name])
        for name, part in self._parts:
            given[name] = part.read(*[columns[column] for column in part.columns])
        return self._kind(**given)

    async def add(self, connection: Connection, value: T) -> int:
        """Insert a row and return the number that the database gave it."""
        return new_id(await connection.execute(self.insert, self.values(value)))

    async def put(self, connection: Connection, key: Values, value: T) -> None:
        """Store the value as the row of that key, in place of the one that is there."""
        await put(connection, self.table, key, {**self.values(value), **key})


async def store_change(connection: Connection, mapper: RowMapper[V], before: V, after: V) -> None:
    """Store the difference over the version of `before`; raise Conflict if it is no longer stored."""
    await update_over(connection, mapper.table, before, mapper.changes(before, after))


async def update_over(
    connection: Connection, table: sa.Table, before: Versioned, values: Values, **options: Any
) -> None:
    """Store these columns over the version of `before`; raise Conflict if it is no longer stored.

    options: execution options of the statement.
    """
    seen = {"seen_id": before.id, "seen_version": before.version}
    statement = _update_over(table, tuple(options.items()))
    if (await connection.execute(statement, values | seen)).rowcount != 1:
        raise Conflict


async def put(connection: Connection, table: sa.Table, key: Values, values: Values) -> None:
    """Store the row of that key, in place of the one that is there."""
    await connection.execute(_put(table, tuple(key), tuple(values)), {**key, **values})


@lru_cache(maxsize=256)
def _put(table: sa.Table, key: tuple[str, ...], names: tuple[str, ...]) -> sa.Executable:
    insert = upsert(table)
    new = {name: insert.excluded[name] for name in names if name not in key}
    return insert.on_conflict_do_update(index_elements=list(key), set_=new)


@lru_cache(maxsize=64)
def _update_over(table: sa.Table, options: tuple[tuple[str, Any], ...]) -> sa.Update:
    is_seen = (table.c.id == sa.bindparam("seen_id"), table.c.version == sa.bindparam("seen_version"))
    return sa.update(table).where(*is_seen).execution_options(**dict(options))


def nested(kind: type[Any]) -> Part:
    """Return the part of a dataclass whose fields have a column of their name each."""
    hints = typing.get_type_hints(kind)
    names = tuple(field.name for field in fields(kind))
    get, converters = attrgetter(*names), [_converter(hints[name]) for name in names]

    def read(*values: Any) -> Any:
        made = zip(converters, values, strict=True)
        return kind(*[value if convert is None else convert(value) for convert, value in made])

    return Part(names, get, read)


def _converter(hint: Any) -> Converter | None:
    """Return the converter of a column to a field of that type; None if it needs none."""
    is_union = typing.get_origin(hint) in (typing.Union, UnionType)
    kinds = [kind for kind in (typing.get_args(hint) if is_union else (hint,)) if kind is not NoneType]
    if kinds == [CleanName]:
        return clean
    if len(kinds) != 1 or not isinstance(kinds[0], type):
        return None
    if issubclass(kinds[0], enum.Enum):
        return _optional(kinds[0])
    return _number if kinds[0] is int else None


def _optional(kind: type[E]) -> Converter:
    return lambda value: None if value is None else kind(value)


def _number(value: object) -> object:
    if value is not None and not isinstance(value, int):
        raise TypeError(f"{value!r} is no number")
    return value


CHANNEL = nested(Channel)
"""Where in Discord something is displayed: columns of matches, invitations and tournaments."""


def _location(channel_id: int | None, *others: Any) -> Location:
    if channel_id is not None:
        channel: Channel = CHANNEL.read(channel_id, *others)
        return channel
    web = Web(others[CHANNEL.columns.index("locale") - 1])
    if CHANNEL.write(web)[1:] != others:
        raise ValueError("a server, thread or message without a channel")
    return web


LOCATION = Part(CHANNEL.columns, CHANNEL.write, _location)
"""Where a match is displayed; on the web it has no channel."""


def seat(user: str, name: str, *more: str) -> Part:
    """Return the part of a seat that may be empty. Each argument is a column; more: level and server."""
    columns = (user, name, *more)

    def write(seated: Seat | None) -> tuple[Any, ...]:
        if seated is None:
            return (None,) * len(columns)
        return (seated.user_id, seated.name, seated.level, seated.guild_id)[: len(columns)]

    def read(
        user_id: int | None, called: str | None, key: str | None = None, guild_id: int | None = None
    ) -> Seat | None:
        return None if called is None else Seat(called, user_id, key, guild_id=guild_id)

    return Part(columns, write, read)


def numbers(*columns: str) -> Part:
    """Return the part of a tuple of numbers, each of which may be missing."""
    return Part(columns, lambda values: values, lambda *values: tuple(map(_number, values)))


def joined(values: Iterable[int]) -> str:
    """Return the numbers as they are stored in a text."""
    return " ".join(map(str, values))


def split(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split()))


def spaced(column: str) -> Part:
    """Return the part of numbers that are stored with spaces between them."""
    return Part((column,), lambda values: (joined(values),), split)


def both(first: Part, second: Part) -> Part:
    """Return the part of a pair."""
    size = len(first.columns)
    return Part(
        (*first.columns, *second.columns),
        lambda pair: (*first.write(pair[0]), *second.write(pair[1])),
        lambda *values: (first.read(*values[:size]), second.read(*values[size:])),
    )
