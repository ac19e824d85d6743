"""A dictionary for more than fits in memory: what was used last is there, the rest in a temporary file."""

from __future__ import annotations

import contextlib
import marshal
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

V = TypeVar("V")

IN_MEMORY = 40_000
"""Values that one keeps at hand; some 20 MB of ratings."""

_PRAGMAS = ("journal_mode = OFF", "synchronous = OFF", "cache_size = -8000")
"""Nobody reads the file but who has made it, and not after a crash."""


class Spill(Generic[V]):
    """Numbers, texts, lists and tuples by key; gone when it is closed.

    Whoever changes a list that they got must set it again.
    """

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="discade-")
        self._file = sqlite3.connect(Path(self._folder.name) / "spill", isolation_level=None)
        for pragma in _PRAGMAS:
            self._file.execute(f"PRAGMA {pragma}")
        self._file.execute("CREATE TABLE spilled (key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID")
        self._near: dict[str, V] = {}
        self._changed: set[str] = set()
        self._has_spilled = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
        # What cannot be removed now is the system's to remove.
        with contextlib.suppress(OSError):
            self._folder.cleanup()

    def get(self, key: str) -> V | None:
        found = self._near.get(key)
        if found is None and self._has_spilled:
            row = self._file.execute("SELECT value FROM spilled WHERE key = ?", (key,)).fetchone()
            if row is not None:
                found = marshal.loads(row[0])
                self._keep(key, found)
        return found

    def set(self, key: str, value: V) -> None:
        self._changed.add(key)
        self._keep(key, value)

    def pop(self, key: str) -> V | None:
        """What it had for the key, and has no longer."""
        found = self.get(key)
        if found is not None:
            self._near.pop(key, None)
            self._changed.discard(key)
            if self._has_spilled:
                self._file.execute("DELETE FROM spilled WHERE key = ?", (key,))
        return found

    def items(self, beginning: str = "") -> Iterator[tuple[str, V]]:
        """Whatever it has under keys that begin like that, in their order; nothing may change meanwhile."""
        self._spill()
        query = "SELECT key, value FROM spilled WHERE key >= ? ORDER BY key"
        for key, value in self._file.execute(query, (beginning,)):
            if not key.startswith(beginning):
                break
            yield key, marshal.loads(value)

    def _keep(self, key: str, value: V) -> None:
        self._near[key] = value
        if len(self._near) > IN_MEMORY:
            self._spill()

    def _spill(self) -> None:
        """Along the keys' order, so that the file is written in one sweep."""
        near: dict[str, Any] = self._near
        rows = [(key, marshal.dumps(near[key])) for key in sorted(self._changed)]
        self._file.execute("BEGIN")
        self._file.executemany("INSERT OR REPLACE INTO spilled VALUES (?, ?)", rows)
        self._file.execute("COMMIT")
        self._near.clear()
        self._changed.clear()
        self._has_spilled = True
