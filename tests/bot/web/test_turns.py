"""The queue before Discord is asked who opens an Activity."""

from __future__ import annotations

import asyncio
import time

import pytest

from bot.domain.errors import Unavailable
from bot.web.turns import Turns


async def test_turns_come_in_order_so_many_at_once_and_too_many_are_refused() -> None:
    turns, order, inside = Turns(2, 1000.0, 3), list[int](), list[int]()
    go_on = asyncio.Event()

    async def take(number: int) -> None:
        async with turns.turn():
            order.append(number)
            inside.append(len(order))
            await go_on.wait()

    waiting = [asyncio.create_task(take(number)) for number in range(5)]
    while len(order) < 2:
        await asyncio.sleep(0.01)
    with pytest.raises(Unavailable, match="activity_busy"):
        async with turns.turn():
            pass
    assert order == [0, 1]
    go_on.set()
    await asyncio.gather(*waiting)
    assert order == [0, 1, 2, 3, 4]
    async with turns.turn():
        pass


async def test_no_more_turns_are_given_in_a_second_though_each_is_short() -> None:
    turns, began = Turns(100, 20.0, 100), time.monotonic()

    async def take() -> None:
        async with turns.turn():
            pass

    await asyncio.gather(*(take() for _ in range(40)))
    assert time.monotonic() - began >= 0.95


async def test_who_gives_up_gives_the_place_back() -> None:
    turns = Turns(1, 1000.0, 0)
    for _ in range(3):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01), turns.turn():
                await asyncio.sleep(30)
