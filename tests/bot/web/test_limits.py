"""How much work of the server one person, or one address of strangers, may ask for."""

from __future__ import annotations

import asyncio
import time
from contextlib import AsyncExitStack
from datetime import datetime
from pathlib import Path

import pytest

from bot.domain.match import Match
from bot.domain.terms import First
from bot.store.database import LONG_READERS
from bot.web.assets import Assets
from bot.web.security import (
    AT_ONCE,
    DAY_SECONDS,
    MESSAGE_COST,
    PAGE_COST,
    WORK_A_SECOND,
    WORK_MOST,
    Limits,
    TooFast,
    Work,
)
from tests.bot.sittings import ADA, BEN, HERE, Clock, terms_of
from tests.bot.web.test_attacks import shared
from tests.bot.web.test_server import pair, wait_for
from tests.bot.web.visitors import ANSWER_SECONDS, WebSite, session_of_ada, web_site


class Seconds:
    """A clock that moves when told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


async def busy(milliseconds: float) -> None:
    """Use the processor for that long."""
    until = time.thread_time() + milliseconds / 1000
    while time.thread_time() < until:
        pass


async def test_a_coroutines_own_steps_are_counted_and_not_what_it_waits_for() -> None:
    async def worked() -> str:
        await busy(20)
        await asyncio.create_task(busy(200))
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await asyncio.sleep(30)
        await busy(20)
        return "answer"

    work = Work("somebody")
    assert await work.of(worked()) == "answer"
    assert 40 <= work.spent < 200


async def test_work_that_fails_is_charged_and_its_failure_goes_on() -> None:
    async def failing() -> None:
        await busy(30)
        raise KeyError

    limits = Limits(Seconds())
    with pytest.raises(KeyError), limits.paying("somebody", PAGE_COST) as work:
        await work.of(failing())
    limits.take("somebody", WORK_MOST - 100)
    with pytest.raises(TooFast):
        limits.take("somebody", 71)


def test_what_was_used_up_comes_back_and_nobody_else_pays() -> None:
    clock = Seconds()
    limits = Limits(clock)
    limits.charge("somebody", WORK_MOST)
    with pytest.raises(TooFast) as refused:
        limits.take("somebody", MESSAGE_COST)
    limits.take("somebody else", MESSAGE_COST)
    assert refused.value.seconds == 1
    clock.now = MESSAGE_COST / WORK_A_SECOND
    limits.take("somebody", MESSAGE_COST)


def test_the_guests_of_an_address_begin_so_many_matches_within_a_day() -> None:
    clock = Seconds()
    limits = Limits(clock, guest_matches=2)
    for _ in range(2):
        limits.start("one address", is_guest=True)
    clock.now += DAY_SECONDS - 90
    with pytest.raises(TooFast) as caught:
        limits.start("one address", is_guest=True)
    assert (caught.value.key, caught.value.seconds) == ("web_guests_played", 90)
    limits.start("another address", is_guest=True)
    clock.now += 90
    limits.start("one address", is_guest=True)


def test_many_requests_at_once_do_not_all_find_enough() -> None:
    limits = Limits(Seconds())
    limits.charge("somebody", WORK_MOST - 3.5 * PAGE_COST)
    with limits.paying("somebody", PAGE_COST), limits.paying("somebody", PAGE_COST):
        with (
            limits.paying("somebody", PAGE_COST),
            pytest.raises(TooFast),
            limits.paying("somebody", PAGE_COST),
        ):
            pass
        with limits.paying("somebody", PAGE_COST):
            pass


async def test_an_address_that_asks_for_too_many_pages_gets_words_and_others_get_pages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.web.security.WORK_MOST", 50.0)
    monkeypatch.setattr("bot.web.security.WORK_A_SECOND", 20.0)
    async with web_site(tmp_path / "discade.db", is_local=False) as site, site.browser() as browser:
        match = await pair(site)
        key = (await site.process.parts.stores.web.page_of(match.id, ADA.user_id)).key
        cookie = await session_of_ada(site, match.id)
        assert (await browser.get(f"/m/{key}", Cookie=cookie))[0] == 200
        asking = [browser.get(f"/m/{key}", **{"Accept-Language": "de"}) for _ in range(200)]
        answers = await asyncio.gather(*asking)
        refused = [(answer, text) for status, answer, text in answers if status == 429]
        assert len(refused) > 50
        assert refused[0][0].headers["Retry-After"] == "1"
        assert "Das ging zu schnell" in refused[0][1]
        # Of the same address: a person, and all that is ready.
        assert (await browser.get(f"/m/{key}", Cookie=cookie))[0] == 200
        for path in ("/play", Assets().path_of("match.js")):
            assert (await browser.get(path))[0] == 200
        assert (await browser.get(f"/m/{key}", **{"X-Forwarded-For": "192.0.2.7"}))[0] == 200
        async with asyncio.timeout(ANSWER_SECONDS):
            while (await browser.get(f"/m/{key}"))[0] != 200:
                await asyncio.sleep(0.5)


async def test_made_up_sessions_are_paid_by_their_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.web.security.WORK_MOST", 20.0)
    monkeypatch.setattr("bot.web.security.WORK_A_SECOND", 0.001)
    async with web_site(tmp_path / "discade.db", is_local=False) as site, site.browser() as browser:
        key = await shared(site)
        statuses = [(await browser.get(f"/m/{key}", Cookie=f"discade={n}"))[0] for n in range(100)]
        assert statuses[-1] == 429
        assert (await browser.get(f"/m/{key}"))[0] == 429


async def test_a_person_who_asks_for_too_much_is_limited_at_every_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.web.security.WORK_MOST", 20.0)
    monkeypatch.setattr("bot.web.security.WORK_A_SECOND", 0.001)
    async with web_site(tmp_path / "discade.db", is_local=False) as site, site.browser() as browser:
        match = await pair(site)
        key = (await site.process.parts.stores.web.page_of(match.id, ADA.user_id)).key
        cookie = await session_of_ada(site, match.id)
        for number in range(100):
            status, _, _ = await browser.get(
                f"/m/{key}", **{"Cookie": cookie, "X-Forwarded-For": f"192.0.2.{number}"}
            )
        assert status == 429
        assert (await browser.get(f"/m/{key}", **{"X-Forwarded-For": "192.0.2.1"}))[0] == 200


async def test_a_reader_does_not_wait_for_all_that_another_address_asked_before(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db", is_local=False) as site, site.browser() as browser:
        key, served = await shared(site), list[str]()
        database = site.process.parts.stores.database

        async def ask(address: str) -> None:
            assert (await browser.get(f"/m/{key}", **{"X-Forwarded-For": address}))[0] == 200
            served.append(address)

        async with AsyncExitStack() as busy_connections:
            for _ in range(LONG_READERS):
                await busy_connections.enter_async_context(database.reading())
            turns = site.server._limits._turns
            asking = [asyncio.create_task(ask("192.0.2.1")) for _ in range(50)]
            await wait_for(
                lambda: "192.0.2.1" in turns and len(turns["192.0.2.1"]._waiters or ()) == 50 - AT_ONCE
            )
            asking.append(asyncio.create_task(ask("192.0.2.2")))
            await wait_for(lambda: "192.0.2.2" in turns)
            await asyncio.sleep(0.1)
            assert not served
        await asyncio.gather(*asking)
        assert served.index("192.0.2.2") < 25


class Ticking(Clock):
    """A clock that moves whenever it is read, so that no two documents are the same."""

    def __call__(self) -> datetime:
        self.advance(seconds=1)
        return self.now


async def test_many_who_ask_at_once_get_one_page_that_is_made_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.web.documents.FRESH_SECONDS", 60.0)
    async with (
        web_site(tmp_path / "discade.db", is_local=False, clock=Ticking()) as site,
        site.browser() as browser,
    ):
        match = await rated_pair(site)
        key = (await site.process.parts.stores.web.page_of(match.id, ADA.user_id)).key
        answers = await asyncio.gather(*(browser.get(f"/m/{key}") for _ in range(50)))
        assert {status for status, _, _ in answers} == {200}
        assert len({text for _, _, text in answers}) == 1


async def rated_pair(site: WebSite) -> Match:
    """A match of Ada's against Ben, with a clock."""
    services, terms = site.process.services, terms_of("connect-four", first=First.ME, rated=True)
    challenge = await services.challenges.send(ADA, BEN, terms, HERE)
    return (await services.challenges.accept(challenge.id, BEN))[1]


async def test_a_page_is_made_once_for_readers_of_a_kind_and_again_after_a_move(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.web.documents.FRESH_SECONDS", 60.0)
    clock = Clock()
    async with (
        web_site(tmp_path / "discade.db", is_local=False, clock=clock) as site,
        site.browser() as browser,
    ):
        match = await rated_pair(site)
        key = (await site.process.parts.stores.web.page_of(match.id, ADA.user_id)).key
        cookie = await session_of_ada(site, match.id)
        for path in (f"/m/{key}", f"/api/matches/{key}"):
            _, _, first = await browser.get(path)
            clock.advance(seconds=30)
            _, _, again = await browser.get(path)
            _, _, own = await browser.get(path, Cookie=cookie)
            assert first == again, "its clocks would differ by 30 s"
            assert '"viewer":{"seat":0' in own
            assert '"viewer":{"seat":null' in first
        await site.process.services.playing.play(match.id, ADA, 3)
        assert (await browser.first(key))["turn"] == 1
