"""The agreement between the bot and the workers: the metric's name and the version of the code."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

import engine

METRIC = "discade"
"""Under this name a worker says which code it runs, as soon as it is ready; tasks begin with it."""


@cache
def code() -> str:
    """Return a digest of the search code; workers with the same digest may search for the bot."""
    digest = hashlib.sha256()
    folder = Path(engine.__file__).parent
    for path in (*sorted(Path(__file__).parent.glob("*.py")), *sorted(folder.rglob("*.py"))):
        digest.update(path.name.encode() + b"\0" + path.read_bytes().replace(b"\r\n", b"\n") + b"\0")
    return digest.hexdigest()[:16]
