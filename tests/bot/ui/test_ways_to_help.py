"""Every way to help is closed in a game in which the person's rated match against a bot runs."""

from __future__ import annotations

from typing import Any

import pytest

from bot.domain.match import End
from tests.bot.table import Table, buttons_of, parts_of, text_of

BARRED = "is running: until it’s over, I give no help in this game and play no other match in it."


@pytest.fixture
def table(shared_table: Table) -> Table:
    return shared_table


async def barred(table: Table, **options: Any) -> Any:
    """The private refusal of a second match against a bot."""
    answer = await table.ada.slash(
        table.games, "play", game="tic-tac-toe", level="pip", rated=False, **options
    )
    assert answer.ephemeral
    assert BARRED in text_of(answer.response)
    return answer.response


async def test_the_refusal_leads_to_the_rated_match_and_asks_before_it_resigns(table: Table) -> None:
    board = await table.start(game="tic-tac-toe")
    refusal = await barred(table)
    assert f"Your rated match #{table.first_match} (Tic-tac-toe) {BARRED}" in text_of(refusal)
    assert list(buttons_of(refusal)) == ["Go to it", "Resign it"]
    (link,) = (part["url"] for part in parts_of(refusal) if part.get("url"))
    assert link == f"https://discord.com/channels/{table.guild.id}/{table.games.id}/{board.id}"

    await table.ada.click(refusal, label="Resign it")
    assert list(buttons_of(refusal)) == ["Yes, resign", "Keep playing"]
    match = await table.bot.services.matches.match(table.first_match)
    assert not match.is_over
    await table.ada.click(refusal, label="Yes, resign")
    match = await table.bot.services.matches.match(table.first_match)
    assert match.result is not None
    assert match.result.end is End.RESIGNATION
    assert "Casual" in text_of(await table.start(game="tic-tac-toe", rated=False))


async def test_only_its_person_resigns_the_rated_match(table: Table) -> None:
    await table.start(game="tic-tac-toe")
    refusal = await barred(table)
    custom_id = next(part["custom_id"] for part in parts_of(refusal) if part.get("custom_id"))
    answer = await table.forge(table.ben, table.board(), custom_id.replace("resign", "resign-now"))
    assert "match is between" in text_of(answer.response) or "match is between" in answer.response.content
    assert not (await table.bot.services.matches.match(table.first_match)).is_over


@pytest.mark.slow
async def test_the_refusal_works_after_a_restart(own_table: Table) -> None:
    await own_table.start(game="tic-tac-toe")
    refusal = await barred(own_table)
    await own_table.restart()
    await own_table.ada.click(refusal, label="Resign it")
    await own_table.ada.click(refusal, label="Yes, resign")
    assert (await own_table.bot.services.matches.match(1)).is_over
