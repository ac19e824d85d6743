"""The store, where its callers are cancelled at any moment."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from bot.domain.challenge import First
from tests.bot.sittings import ADA, HERE, sitting


@pytest.mark.parametrize("milliseconds", [step / 4 for step in range(16)])
async def test_a_cancelled_caller_leaves_a_whole_transaction_and_a_store_that_closes(
    tmp_path: Path, milliseconds: float
) -> None:
    async def evening() -> None:
        async with sitting(tmp_path / "discade.db") as table:
            match = await table.service.start(ADA, "othello", "pip", First.ME, HERE)
            press = asyncio.create_task(table.service.play(match.id, ADA, match.state.legal_moves()[0]))
            await asyncio.sleep(milliseconds / 1000)
            press.cancel()

    await asyncio.wait_for(evening(), 60)

    async with sitting(tmp_path / "discade.db") as table:
        (match,) = await table.stores.matches.running()
        assert len(match.moves) == match.turn == match.version
