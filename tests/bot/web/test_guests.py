"""Guests: people without Discord who play at a public address, where its owner wants that."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from bot.domain.guest import GUEST_IDS, GUEST_LIFETIME, guest_id, is_guest
from bot.domain.match import Match
from bot.domain.person import Person
from bot.domain.strengths import strengths
from bot.store.privacy import TRACES
from bot.store.shared import metadata
from bot.web.documents import for_guests
from bot.web.security import GUEST_STARTS
from engine.agents.levels import levels_of
from engine.games import GAMES
from tests.bot.sittings import ADA, BEN, HERE, Clock, terms_of
from tests.bot.web.visitors import Browser, WebSite, web_site

TOUCH = {"game": "connect-four", "level": "mia", "first": "me", "move": 3}


@asynccontextmanager
async def open_site(folder: Path, clock: Clock | None = None) -> AsyncIterator[WebSite]:
    async with web_site(folder / "discade.db", is_local=False, has_guests=True, clock=clock) as site:
        yield site


async def matches_of_guests(site: WebSite) -> list[Match]:
    table = metadata.tables["matches"]
    async with site.process.parts.stores.database.reading() as connection:
        numbers = (await connection.execute(sa.select(table.c.id).order_by(table.c.id))).scalars().all()
    found = [await site.process.services.matches.match(number) for number in numbers]
    return [match for match in found if any(is_guest(seat.user_id) for seat in match.seats)]


def first_of(text: str) -> dict[str, Any]:
    found = re.search(r'id="first">(.*?)</script>', text)
    assert found is not None
    document: dict[str, Any] = json.loads(found[1])
    return document


async def sign_in(site: WebSite, browser: Browser) -> None:
    """Sign Ada in for a match of Discord."""
    services = site.process.services
    services.web.url = site.url
    challenge = await services.challenges.send(ADA, BEN, terms_of("connect-four", rated=False), HERE)
    _, match = await services.challenges.accept(challenge.id, BEN)
    link = await services.web.play_link(match.id, ADA)
    assert (await browser.post("/api/session", {"token": link.rpartition("#")[2]}))[0] == 200


async def test_a_guest_has_no_cookie_before_the_first_move_and_one_number_afterwards(tmp_path: Path) -> None:
    async with open_site(tmp_path) as site, site.browser() as browser:
        _, answer, text = await browser.get("/")
        assert "Set-Cookie" not in answer.headers
        assert first_of(text)["start"]["usual"] == "mia"
        assert await matches_of_guests(site) == []
        for _ in range(2):
            async with browser.http.post(
                f"{site.url}/api/matches", json=TOUCH, headers={"Origin": site.url}
            ) as made:
                assert made.status == 200, await made.text()
                cookie = made.headers.get("Set-Cookie", "")
        assert cookie == ""  # the second time it was known
        first, second = await matches_of_guests(site)
        assert first.seats[0].user_id == second.seats[0].user_id in GUEST_IDS
        assert not first.rated
        _, _, text = await browser.get("/")
        assert text.count("/m/") == 2


async def test_the_cookie_of_a_guest_is_kept_from_scripts_for_a_day(tmp_path: Path) -> None:
    async with open_site(tmp_path) as site, site.browser() as browser:
        headers = {"Origin": site.url, "X-Forwarded-Proto": "https"}
        async with browser.http.post(f"{site.url}/api/matches", json=TOUCH, headers=headers) as made:
            cookie = made.headers["Set-Cookie"]
        assert cookie.startswith("__Host-discade-guest=")
        for part in ("HttpOnly", "Secure", "SameSite=Lax", "Path=/", "Max-Age=86400"):
            assert part in cookie


async def test_nobody_else_reads_or_plays_a_guests_match(tmp_path: Path) -> None:
    async with open_site(tmp_path) as site, site.browser() as browser, site.browser() as other:
        _, answer = await browser.post("/api/matches", TOUCH)
        key = answer["match"]
        for path in (f"/m/{key}", f"/api/matches/{key}"):
            assert (await browser.get(path))[0] == 200
            assert (await other.get(path))[0] == 404
        assert (await other.post("/api/matches", TOUCH))[0] == 200  # a guest, too, and another one
        page = await other.watch(key)
        assert (await page.next("bye"))["reason"] == "page_gone"
        own = await browser.watch(key)
        await own.match()
        await own.send(type="resign", id=1, turn=0)
        assert (await own.next("done"))["id"] == 1


@pytest.mark.parametrize(
    "asked",
    [
        {"level": "una"},
        {"level": "echo"},
        {"level": "mcts:simulations=9000"},
        {"move": None},
        {"move": 99},
    ],
)
async def test_a_guest_begins_with_a_move_against_the_three_lowest_strengths_alone(
    tmp_path: Path, asked: dict[str, object]
) -> None:
    async with open_site(tmp_path) as site, site.browser() as browser:
        assert (await browser.post("/api/matches", TOUCH | asked))[0] == 400
        assert await matches_of_guests(site) == []


async def test_a_guest_who_names_no_level_plays_the_easy_one(tmp_path: Path) -> None:
    async with open_site(tmp_path) as site, site.browser() as browser:
        assert (await browser.post("/api/matches", TOUCH | {"level": None}))[0] == 200
        (match,) = await matches_of_guests(site)
        assert match.seats[1].level == "mia"


async def test_what_helps_is_left_out_of_a_guests_match_whatever_is_asked(tmp_path: Path) -> None:
    async with open_site(tmp_path) as site, site.browser() as browser:
        asked = TOUCH | {"rated": True, "coach": True, "position": "444"}
        _, answer = await browser.post("/api/matches", asked)
        (match,) = await matches_of_guests(site)
        assert (match.rated, match.is_coached, match.opening) == (False, False, 0)
        assert "hint" not in answer["first"]["viewer"]["may"]
        start = json.loads((await browser.get("/api/start?game=othello&position=tiger"))[2])
        assert (start["moves"], start["start"]["openings"], start["start"]["coach"]) == ([], [], None)
        assert [one["word"] for one in start["start"]["strengths"]] == ["Beginner", "Easy", "Medium"]
        start = json.loads((await browser.get("/api/start?level=una"))[2])  # the strongest there is
        assert start["start"]["refusal"] == "There’s no level “una” here. You can choose Bo, Mia, Tess."
        assert start["start"]["algorithms"]["levels"] == []
        page = await browser.watch(answer["match"])
        await page.match(2)
        for kind in ("hint", "coach", "draw", "rate", "answer"):
            await page.send(type=kind, id=1, turn=2, yes=True, choice="better")
            assert (await page.next("refused"))["reason"] == "web_not_for_guests", kind
        await page.send(type="resign", id=2, turn=2)
        over = await page.match(2)
        assert over["viewer"]["may"] == ["replay", "rematch"], "without a judgement it is no review"
        status, response, text = await browser.get(f"/api/matches/{answer['match']}/file")
        assert (status, response.headers["Content-Type"]) == (200, "text/plain; charset=utf-8")
        assert response.headers["Content-Disposition"].endswith('.txt"')
        assert '[Game "connect-four"]' in text
        await site.process.services.background.drain()
        assert not site.server.live._watched[match.id].is_reviewed


async def test_a_guest_goes_on_to_medium_at_most(tmp_path: Path) -> None:
    for game in GAMES:
        board = GAMES[game].boards[0]
        levels = levels_of(game, board)
        assert list(for_guests(game, board, levels)) == list(strengths(game, board, levels).values())[:3]


@pytest.mark.slow
async def test_the_guests_of_one_address_begin_so_many_matches(tmp_path: Path) -> None:
    async with open_site(tmp_path) as site:
        answers = []
        for _ in range(GUEST_STARTS + 1):
            site.server._limits._work.clear()
            async with site.browser() as browser:  # without the cookie of the last
                answers.append((await browser.post("/api/matches", TOUCH))[0])
        assert answers == [200] * GUEST_STARTS + [429]


async def test_the_guests_of_one_address_are_told_when_the_matches_of_their_day_are_played(
    tmp_path: Path,
) -> None:
    async with open_site(tmp_path) as site, site.browser() as browser:
        site.server._limits._guest_matches = 1
        assert (await browser.post("/api/matches", TOUCH))[0] == 200
        status, told = await browser.post("/api/matches", TOUCH)
        assert (status, told["reason"]) == (429, "web_guests_played")
        assert "Come back tomorrow, or play in Discord" in told["text"]


async def test_after_a_day_nothing_of_a_guest_is_left(tmp_path: Path) -> None:
    clock = Clock()
    async with open_site(tmp_path, clock) as site, site.browser() as browser:
        _, answer = await browser.post("/api/matches", TOUCH)
        (match,) = await matches_of_guests(site)
        guest = match.seats[0].user_id
        assert guest is not None
        privacy = site.process.services.privacy
        await privacy.forget_guests()
        assert len(await matches_of_guests(site)) == 1
        clock.now += GUEST_LIFETIME + timedelta(seconds=1)
        await privacy.forget_guests()
        assert await matches_of_guests(site) == []
        assert guest not in await site.process.parts.stores.privacy.people()
        assert (await browser.get(f"/m/{answer['match']}"))[0] == 404
        async with site.process.parts.stores.database.reading() as connection:
            for name in ("moves", "web_pages", *(trace.table for trace in TRACES)):
                rows = (await connection.execute(sa.select(metadata.tables[name]))).all()
                assert not [row for row in rows if guest in row or str(guest) in row], name


async def test_a_person_who_is_signed_in_is_no_guest(tmp_path: Path) -> None:
    async with open_site(tmp_path) as site, site.browser() as browser:
        await sign_in(site, browser)
        assert "tiles" in first_of((await browser.get("/"))[2])
        assert (await browser.post("/api/matches", TOUCH))[0] == 404
        assert await matches_of_guests(site) == []


async def test_who_is_signed_in_finds_their_matches_on_the_home_those_that_wait_for_them_first(
    tmp_path: Path,
) -> None:
    async with open_site(tmp_path) as site, site.browser() as browser, site.browser() as stranger:
        await sign_in(site, browser)
        await sign_in(site, browser)
        playing = site.process.services.playing
        first, second = sorted(
            await site.process.services.matches.running(ADA.user_id), key=lambda one: one.id
        )
        for match in (first, second):  # one of them waits for Ben
            if (match.seat_to_move.user_id == ADA.user_id) is (match is second):
                await playing.play(match.id, ADA if match is second else BEN, 3)
        shown = first_of((await browser.get("/"))[2])["running"]
        assert [one["yours"] for one in shown] == [True, False]
        assert first_of((await browser.get("/"))[2])["review"] is True
        page = await site.process.services.web.page_of_players(first.id)
        assert shown[0]["href"] == f"/m/{page.key}"
        for path in ("/", shown[0]["href"]):
            assert "New game" not in (await browser.get(path))[2].partition("<main")[0], "none begins here"
        assert "New game" in (await stranger.get("/"))[2].partition("<main")[0]
        assert "review" not in first_of((await stranger.get("/"))[2]), (
            "a game from elsewhere is for people who are known"
        )
        assert (await browser.get(shown[0]["href"]))[0] == 200
        assert ADA.name not in (await stranger.get("/"))[2]
        assert "running" not in first_of((await stranger.get("/"))[2])


def test_a_guests_number_is_no_persons_and_follows_from_the_secret_alone() -> None:
    numbers = {guest_id(f"secret {number}") for number in range(1000)}
    assert len(numbers) == 1000
    assert all(is_guest(number) for number in numbers)
    assert not is_guest(1)
    assert not is_guest(21_154_535_154_122_752)  # one of the oldest accounts
    assert not is_guest(-3)
    assert not is_guest(None)
    assert Person(guest_id("x"), "Guest").user_id == guest_id("x")
