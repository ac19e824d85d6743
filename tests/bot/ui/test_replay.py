"""Replays: the animation, the code, the file, and stepping."""

from __future__ import annotations

import asyncio
import io
from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest
from PIL import Image

from bot.domain.location import Channel
from bot.domain.match import Match
from bot.domain.seat import Seat
from bot.ui.picture_cache import PictureCache
from bot.ui.review.replay_views import step_view
from engine.games import game
from tests.bot.made_once import all_texts
from tests.bot.table import Table, buttons_of, parts_of, text_of
from tests.bot.ui.test_board import flat
from tests.bot.ui.test_review import press_arrow


async def finished(table: Table) -> Any:
    board = await table.pair(game="tic-tac-toe")
    await table.play(board, "b2 a1 b1 a2 b3")
    return board


@pytest.mark.slow
async def test_a_replay_has_an_animation_its_code_and_a_file(table: Table) -> None:
    board = await finished(table)
    shown = (await table.ben.click(board, label="Replay")).response
    assert shown.ephemeral
    text = text_of(shown)
    assert "### Replay: Tic-tac-toe" in text
    assert "`b2a1b1a2b3`" in text
    animation, record = shown.attachments
    gif = await animation.read()
    assert len(gif) <= 1 << 20
    assert getattr(Image.open(io.BytesIO(gif)), "n_frames", 1) == 6
    lines = (await record.read()).decode().splitlines()
    assert record.filename.endswith(".txt")
    assert {'[X "Ada"]', '[O "Ben"]', '[Result "1-0"]', '[Board "3x3"]'} <= set(lines)
    assert "1. b2 a1 2. b1 a2 3. b3 1-0" in lines
    (described,) = (item["description"] for p in parts_of(shown) if p["type"] == 12 for item in p["items"])
    assert "Ada and Ben" in described


@pytest.mark.slow
async def test_a_replay_can_be_stepped_also_after_a_restart(table: Table) -> None:
    await finished(table)
    shown = (await table.ada.slash(table.games, "review replay")).response
    await press_arrow(table.ada, shown, "◀️")
    assert "Move 4 of 5, ⭕ Ben: **a2**" in text_of(shown)
    await table.restart()
    await press_arrow(table.ada, shown, "⏮️")
    assert "The start." in text_of(shown)
    assert [name for name, is_live in buttons_of(shown).items() if not is_live] == ["⏮️", "◀️"]


@pytest.mark.slow
async def test_a_replay_starts_a_match_from_the_shown_position(table: Table) -> None:
    await finished(table)
    shown = (await table.ada.slash(table.games, "review replay")).response
    await press_arrow(table.ada, shown, "◀️")
    started = await table.ada.click(shown, label="Play from here")
    assert not started.ephemeral
    assert (await table.bot.services.matches.match(table.first_match + 1)).moves[:4] == (4, 0, 1, 3)
    await press_arrow(table.ada, shown, "⏭️")
    assert not buttons_of(shown)["Play from here"]


async def test_a_running_match_has_no_replay(table: Table) -> None:
    await table.pair()
    assert "still running" in await table.refused(
        table.ada.slash(table.games, "review replay", match=str(table.first_match))
    )


async def test_the_same_picture_is_drawn_once_also_for_two_at_once() -> None:
    cache, drawn = PictureCache(2), list[str]()

    def draw(name: str) -> bytes:
        drawn.append(name)
        return name.encode()

    first, second = await asyncio.gather(*(cache.get("a", partial(draw, "a")) for _ in range(2)))
    assert first is second
    for name in ("b", "c", "a"):
        assert await cache.get(name, partial(draw, name)) == name.encode()
    assert drawn == ["a", "b", "c", "a"], "the third picture has displaced the first"
    assert len(cache) == 2


async def test_a_step_names_its_move_in_the_readers_words() -> None:
    rules = game("connect-four")
    seats = Seat("Ada", user_id=1), Seat("Ben", user_id=2)
    match = Match.begin("connect-four", "6x7x4", seats, Channel(1), datetime(2026, 1, 1, tzinfo=UTC))
    match = match.play(1, rules.parse_move(rules.start(), "4"), match.created_at)
    (told,) = (
        part["content"]
        for part in flat(step_view(match, all_texts().of("de"), 1))
        if "Zug 1" in part.get("content", "")
    )
    assert told == "Zug 1 von 1, 🔴 Ada: **Spalte 4**"
