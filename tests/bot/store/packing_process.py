"""A process of its own that packs old matches one at a time, and tells of each on stdout before the next.

Run by tests, which kill it. Arguments: the database's address; "clear", to take out what is needed no more.
"""

from __future__ import annotations

import asyncio
import sys

from bot.services import packing
from bot.store.stores import Stores


async def told(_seconds: float) -> None:
    print("packed", flush=True)  # noqa: T201


async def main(url: str, *, is_clearing: bool) -> None:
    packing.AT_ONCE, packing.CLEARED_AT_ONCE = 1, 20
    work = packing.Packing(await Stores.open(url), sleep=told)
    await (work.clear_all() if is_clearing else work.pack_all())


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], is_clearing="clear" in sys.argv))
