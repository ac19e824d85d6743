"""Asker: the server and the person whose turn in the queue of searches a search takes."""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple


class Asker(NamedTuple):
    """Of one search. server: also a channel of direct messages, the web, or work with turns of its own."""

    server: Hashable
    person: Hashable
