"""The store, where its callers are cancelled at any moment."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

import pytest

from bot.challenge import First
from tests.bot.sittings import ADA, HERE, sitting


@pytest.mark.parametrize("turns_of_the_loop", range(0, 60, 4))
async def test_a_cancelled_caller_leaves_a_whole_transaction_and_a_store_that_closes(
    tmp_path: Path, turns_of_the_loop: int
) -> None:
    async def evening() -> None:
        async with sitting(tmp_path / "discade.db") as table:
            match = await table.service.start(ADA, "othello", "pip", First.ME, HERE)
            press = asyncio.create_task(table.service.play(match.id, ADA, match.state.legal_moves()[0]))
            for _ in range(turns_of_the_loop):
                await asyncio.sleep(0)
            press.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await press

    await asyncio.wait_for(evening(), 20)

    async with sitting(tmp_path / "discade.db") as table:
        (match,) = await table.store.running_matches()
        assert len(match.moves) == match.turn == match.version
