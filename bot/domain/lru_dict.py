"""The dict of limited size in which the bot remembers: beyond it, the entry used least recently goes.

Setting and reading use an entry. It belongs to one thread, such as that of the event loop.
"""

from __future__ import annotations

from cachetools import LRUCache as LruDict

__all__ = ["LruDict"]
