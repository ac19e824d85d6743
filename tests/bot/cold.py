"""A process whose compiled code is still missing, as after a first start."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from bot.search.pool import SearchPool
from bot.search.readiness import Readiness


@contextmanager
def cold(search: SearchPool) -> Iterator[Readiness]:
    """Nothing is compiled inside the block, unless `search.finish` says so; everything is after it."""
    vars(search.readiness).update(vars(Readiness()))
    try:
        yield search.readiness
    finally:
        for key in tuple(search.readiness.missing):
            search.finish(key)
