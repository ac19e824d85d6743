"""A process of its own that packs old matches one at a time, and tells of each on stdout before the next.

Run by test_packing.py, which kills it. Argument: the database's address.
"""

from __future__ import annotations

import asyncio
import sys

from bot.services import packing
from bot.store import Stores


async def told(_seconds: float) -> None:
    print("packed", flush=True)  # noqa: T201


async def main(url: str) -> None:
    packing.AT_ONCE = 1
    await packing.Packing(await Stores.open(url), sleep=told).pack_all()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
