"""Writes games in the formats of their field."""

from __future__ import annotations

from engine.core import UnknownName
from engine.games.spec import GameSpec
from engine.records import text
from engine.records.reading import FORMATS
from engine.records.record import Format, Record


def formats_of(spec: GameSpec) -> tuple[Format, ...]:
    """Return the formats that games of this spec can be written in, the usual one first."""
    by_key = {form.key: form for form in FORMATS}
    found = [by_key[key] for key in spec.play.formats if key in by_key and by_key[key].write is not None]
    return (*found, *(() if text.FORMAT in found else (text.FORMAT,)))


def format_named(spec: GameSpec, key: str | None) -> Format:
    """Return the format with that key, or the usual one; raises UnknownName."""
    known = formats_of(spec)
    for form in known:
        if key in (None, form.key):
            return form
    keys = ", ".join(form.key for form in known)
    raise UnknownName(
        f"{spec.title} is not written as {key!r}: choose one of {keys}.", str(key), keys.split(", ")
    )


def write(record: Record, key: str | None = None) -> str:
    """Return the text of the game in that format, None: the usual one of its game.

    Raises UnknownName for another format, RecordError if the format cannot express the game.
    """
    form = format_named(record.spec, key)
    return "" if form.write is None else form.write(record)
