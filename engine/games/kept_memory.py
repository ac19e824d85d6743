"""The memory of players between two moves of their match, such as tables of positions."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

T = TypeVar("T")


class KeptMemory(Generic[T]):
    """Objects of at most `most` bytes together, by their owners; thread-safe.

    Too many: those given back first are dropped, and their owners get new ones. An owner that no longer
    exists keeps nothing.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._waiting: WeakKeyDictionary[object, tuple[Hashable, int, T]] = WeakKeyDictionary()

    def __len__(self) -> int:
        return len(self._waiting)

    def take(self, owner: object, kind: Hashable, make: Callable[[], T]) -> T:
        """Return the owner's object if it is of that kind, else a new one; nobody else has it."""
        with self._lock:
            kept = self._waiting.pop(owner, None)
        return kept[2] if kept is not None and kept[0] == kind else make()

    def give_back(self, owner: object, kind: Hashable, size: int, kept: T) -> None:
        """Keep the object for the owner's next move; size: in bytes."""
        with self._lock:
            self._waiting[owner] = kind, size, kept
            left = self._most
            for other, (_, bytes_of_it, _) in reversed(list(self._waiting.items())):
                if left < bytes_of_it:
                    del self._waiting[other]
                else:
                    left -= bytes_of_it
