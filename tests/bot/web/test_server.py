"""The web server: pages, live updates, commands, and requests of hostile pages."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import TypeVar

import aiohttp
import pytest
import sqlalchemy as sa
from sqlalchemy.util import await_only

from bot.domain.errors import Refusal
from bot.domain.location import Web
from bot.domain.match import Match
from bot.domain.seat import Seat
from bot.domain.terms import First
from bot.i18n.texts import END_ISOLATE, OPENING_ISOLATES
from bot.presentation.web_match import Reader, bare, match_document
from bot.store.backup import back_up, restore
from bot.store.versions import Unusable
from bot.web.answers import text_of
from bot.web.assets import Assets
from bot.web.documents import SeatFacts, Visitor, document_of
from bot.web.live import Socket
from bot.web.security import Site
from bot.web.server import WebServer, served
from bot.web.start_page import offered_games
from tests.bot.cold import cold
from tests.bot.made_once import all_texts
from tests.bot.services.test_web_matches import process
from tests.bot.sittings import ADA, BEN, EVE, HERE, Clock, terms_of
from tests.bot.web.visitors import ANSWER_SECONDS, GUEST, LivePage, WebSite, web_site


async def test_a_match_is_played_to_its_end_in_a_browser(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db") as site, site.browser() as browser:
        _, answer = await browser.post("/api/matches", {"game": "tic-tac-toe", "level": "pip", "first": "me"})
        page = await browser.watch(answer["match"])
        document, versions = await page.match(), []
        while document["status"]["kind"] != "over":
            move = document["position"]["moves"][0]["move"]
            await page.send(type="play", id=1, turn=document["turn"], move=move)
            document = await page.match(document["turn"] + 1)
            while document["status"]["kind"] in ("thinking", "theirs"):
                document = await page.match(document["turn"] + 1)
            versions.append(document["version"])
        assert versions == sorted(set(versions))
        assert document["result"]["text"]
        path = f"/api/matches/{answer['match']}/replay"
        _, _, text = await browser.get(path)
        assert len(json.loads(text)["positions"]) == len(document["moves"]) + 1
        assert {(await browser.get(path))[2] for _ in range(20)} == {text}


T = TypeVar("T")


def opened(site: WebSite, match: Match) -> set[Socket]:
    """The server's side of the match's open pages."""
    return site.server.live._watched[match.id].sockets


async def wait_for(found: Callable[[], T]) -> T:
    """Wait until it returns something that is true."""
    while not (value := found()):
        await asyncio.sleep(0.01)
    return value


async def pair(site: WebSite, *moves: int, rated: bool = False) -> Match:
    """A match of Connect Four in Discord that Ada began against Ben, after these moves."""
    services = site.process.services
    challenge = await services.challenges.send(
        ADA, BEN, terms_of("connect-four", first=First.ME, rated=rated), HERE
    )
    _, match = await services.challenges.accept(challenge.id, BEN)
    for ply, move in enumerate(moves):
        match = await services.playing.play(match.id, (ADA, BEN)[ply % 2], move)
    return match


async def test_a_finished_match_is_reviewed_and_open_pages_get_the_key_moments(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db", is_local=False) as site, site.browser() as browser:
        match = await pair(site, 3, 0, 4, 0, 6, 1, 1)
        key = (await site.process.parts.stores.web.page_of(match.id, ADA.user_id)).key
        before = await browser.watch(key)
        await before.match()
        await site.process.services.playing.resign(match.id, ADA)
        after = await browser.watch(key)
        for page in (before, after):
            review = (await page.next("review"))["review"]
            while review["share"] < 1:
                review = (await page.next("review"))["review"]
            assert (len(review["ahead"]), len(review["verdicts"])) == (8, 7)
            assert any(one["why"] for one in review["moments"])
            assert "*" not in json.dumps(review, ensure_ascii=False)
            # Ben is not listed everywhere, and Ada shared the page.
            assert "Ben" not in json.dumps(review)
            assert "Ada" in " ".join(review["lines"])


async def test_a_player_shares_a_finished_match_from_its_page(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db", is_local=False) as site, site.browser() as browser:
        match = await pair(site, 3, 0, 4, 0, 6, 1, 1)
        site.process.services.web.url = site.url
        await site.process.services.playing.resign(match.id, ADA)
        link = await site.process.services.web.play_link(match.id, ADA)
        assert (await browser.post("/api/session", {"token": link.rpartition("#")[2]}))[0] == 200
        page = await browser.watch((await site.process.services.web.page_of_players(match.id)).key)
        assert "share" in (await page.match())["viewer"]["may"]
        await page.send(type="share", id=1)
        shared = await page.next("shared")
        assert shared["address"] in shared["text"]
        assert (await page.next("done"))["id"] == 1
        async with site.browser() as stranger:
            watched = await (await stranger.watch(shared["address"].rpartition("/")[2])).match()
        assert (watched["match"] in shared["address"], "share" in watched["viewer"]["may"]) == (True, False)


async def test_a_review_that_would_help_in_a_rated_match_is_not_sent(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db", is_local=False) as site, site.browser() as browser:
        finished = await pair(site, 3, 3, 3, 3, 3)
        await site.process.services.playing.resign(finished.id, ADA)
        await pair(site, 3, 3, 3, 3, rated=True)
        key = (await site.process.parts.stores.web.page_of(finished.id, ADA.user_id)).key
        page = await browser.watch(key)
        told = await page.next("review")
        assert (told["review"], "rated" in told["text"]) == (None, True)


async def test_a_review_of_other_peoples_match_is_not_sent_to_whom_it_would_help(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db", is_local=False) as site, site.browser() as browser:
        services = site.process.services
        services.web.url = site.url
        finished = await pair(site, 3, 3, 3, 3, 3)
        await services.playing.resign(finished.id, ADA)
        dan, terms = type(GUEST)(4, "Dan"), terms_of("connect-four", first=First.ME, rated=True)
        challenge = await services.challenges.send(EVE, dan, terms, HERE)
        _, rated = await services.challenges.accept(challenge.id, dan)
        for ply in range(4):
            rated = await services.playing.play(rated.id, (EVE, dan)[ply % 2], 3)
        link = await services.web.play_link(rated.id, EVE)
        _, session = await services.web.open_link(re.split("[/#?=]", link)[-1], None)
        key = (await site.process.parts.stores.web.page_of(finished.id, ADA.user_id)).key
        page = LivePage(await browser.connect())
        await page.send(type="watch", match=key, have=-1, session=session)
        told = await page.next("review")
        assert (told["review"], "rated" in told["text"]) == (None, True)
        stranger = await browser.watch(key)
        assert (await stranger.next("review"))["review"] is not None


async def test_what_is_shown_is_stored(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db") as site, site.browser() as browser:
        match, key = await site.begin()
        page = await browser.watch(key)
        await page.send(type="play", id=7, turn=0, move=3)
        assert (await page.next("done"))["id"] == 7
        shown = await page.match(1)
        stored = await site.process.parts.stores.matches.find(match.id)
        assert stored is not None
        assert stored.version >= shown["version"]


async def test_a_page_that_opens_while_a_move_is_stored_shows_it(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db", is_local=False) as site, site.browser() as browser:
        services = site.process.services
        services.web.url = site.url
        reader = site.process.parts.stores.database.reader
        assert reader is not None
        match, moved_after, reads = await pair(site), 0, 0

        @sa.event.listens_for(reader.sync_engine, "after_cursor_execute")
        def move_after_that_read(*_: object) -> None:
            nonlocal reads
            reads += 1
            if reads == moved_after:
                await_only(services.playing.play(match.id, ADA, 3))

        while reads >= moved_after:
            key, moved_after = (await services.web.share(match.id, ADA)).rpartition("/")[2], moved_after + 1
            reads = 0
            page = await browser.watch(key)
            document = await page.match()
            if reads >= moved_after:
                assert document["turn"] or (await page.match(1))["turn"]
            await page.ws.close()
            match = await pair(site)
        assert moved_after > 5


async def test_the_first_document_is_inside_the_page(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db") as site, site.browser() as browser:
        match, key = await site.begin()
        first = await browser.first(key)
        assert (first["version"], first["turn"], first["match"]) == (match.version, 0, key)
        assert len(first["position"]["moves"]) == 7
        assert {"play", "hint", "resign"} <= set(first["viewer"]["may"])
        status, answer, text = await browser.get(f"/m/{key}")
        assert status == 200
        assert text.count("modulepreload") == 6
        status, answer, _ = await browser.get(f"/api/matches/{key}")
        assert (status, answer.headers["Cache-Control"]) == (200, "no-store")
        status, _, board = await browser.get(first["game"]["description"])
        assert (status, len(json.loads(board)["cells"])) == (200, 42)


async def test_a_match_on_an_old_board_has_its_page_and_none_begins_there(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db") as site, site.browser() as browser:
        services = site.process.services
        seats = GUEST.seat, Seat("Momo", level="momo")
        old = Match.begin("gomoku", "9x9-swap2-old", seats, Web(), Clock()(), rated=False)
        match = await site.process.parts.stores.matches.add(old, most=9)
        first = await browser.first((await services.web.page_of_players(match.id)).key)
        assert "Gomoku, 9×9, swap2, old rule" in first["title"]
        status, _, board = await browser.get(first["game"]["description"])
        assert (status, len(json.loads(board)["cells"])) == (200, 81)
        asked = {"game": "gomoku", "level": "momo", "first": "me", "board": "9x9-swap2-old"}
        status, answer = await browser.post("/api/matches", asked)
        assert (status, answer["reason"]) == (409, "unknown_board")


async def test_a_move_that_was_answered_by_nothing_is_sent_again_and_made_once(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db") as site, site.browser() as browser:
        match, key = await site.begin()
        page = await browser.watch(key)
        for _ in range(2):
            await page.send(type="play", id=1, turn=0, move=3)
            await page.next("done")
        await page.send(type="play", id=2, turn=0, move=4)
        refused = await page.next("refused")
        assert refused["reason"] in ("stale", "not_your_turn")
        assert refused["text"]
        stored = await site.process.match(match)
        assert stored.moves[0] == 3
        assert len(stored.moves) == 2


async def test_every_other_command_goes_through_the_services(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db") as site, site.browser() as browser:
        match, key = await site.begin()
        page = await browser.watch(key)
        await page.match()
        await page.send(type="hint", id=1, turn=0)
        hint = await page.next("hint")
        assert (hint["turn"], len(hint["at"])) == (0, 1)
        assert "*" not in hint["text"]
        assert "Hint 1 of 3: Connect Four · Column 4: " in hint["text"], (
            "the heading is no part of the sentence"
        )
        await page.send(type="play", id=2, turn=0, move=3)
        document = await page.match(2)
        await page.send(type="undo", id=3, turn=document["turn"])
        assert (await page.match(3))["moves"] == []
        await page.send(type="draw", id=4, turn=3)
        assert (await page.next("refused"))["reason"] == "agent_declines_draw"
        await page.send(type="resign", id=5, turn=3)
        over = await page.match(3)
        assert (over["result"]["winner"], over["viewer"]["may"]) == (1, ["rematch"])
        await page.send(type="rematch", id=6)
        moved = await page.next("moved")
        following = await browser.first(moved["to"].removeprefix("/m/"))
        # The bot begins, and may have moved already.
        assert following["status"]["kind"] in ("thinking", "yours")
        assert following["seats"][1]["name"] == "Guest"
        assert (await site.process.services.matches.match(match.id + 1)).location == Web()


async def test_the_coach_holds_the_answer_and_tells_the_player_alone(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db") as site, site.browser() as browser:
        lost = {"game": "tic-tac-toe", "level": "pip", "first": "me", "coach": True, "position": "a1b1a2b2"}
        _, answer = await browser.post("/api/matches", lost)
        page = await browser.watch(answer["match"])
        document = await page.match()
        await page.send(type="play", id=1, turn=document["turn"], move=2)  # c1
        while document["status"]["kind"] != "held":
            document = await page.match()
        coach = document["coach"]
        assert coach["text"] == "🎓 Wait: Pip can win at once. Look at b3."
        assert [one["choice"] for one in coach["choices"]] == ["back", "better", "on"]
        assert document["status"]["text"] == "Pip waits for you"
        assert len(document["moves"]) == 5
        services = site.process.services
        (match,) = await services.matches.running(GUEST.user_id)
        watched = match_document(
            services.texts.of("en"), match, "key", Reader(None), match.touched_at, services.roster
        )
        assert watched["coach"] is None
        assert "thinks it over" in watched["status"]["text"]
        await page.send(type="coach", id=2, turn=document["turn"], choice="better")
        better = await page.next("better")
        assert better["text"] == "a3 wins."
        await page.send(type="coach", id=3, turn=document["turn"], choice="instead")
        while document["status"]["kind"] != "over":
            document = await page.match()
        await page.send(type="coach", id=4, turn=document["turn"], choice="on")
        assert (await page.next("refused"))["reason"] == "match_over"


async def test_games_are_offered_with_the_persons_strength_and_the_openings_of_the_command(
    tmp_path: Path,
) -> None:
    async with web_site(tmp_path / "discade.db") as site, site.browser() as browser:
        services = site.process.services
        games = {one["key"]: one for one in offered_games(services, services.texts.of("en"))}
        assert games["othello"]["levels"][0]["name"] == "Echo (your strength)"
        assert {"name": "Tiger", "title": "Tiger: f5d6c3d3c4"} in games["othello"]["openings"]
        assert games["tic-tac-toe"]["openings"] == []
        asked = {"game": "othello", "level": "echo", "first": "me", "position": "tiger"}
        status, answer = await browser.post("/api/matches", asked)
        assert status == 200, answer
        document = await browser.first(answer["match"])
        assert document["seats"][0]["name"].startswith("Echo ")  # five moves are made, and White is next
        assert "Tiger" in document["last"]
        status, answer = await browser.post("/api/matches", asked | {"position": "no such opening"})
        assert (status, answer["reason"]) == (409, "bad_position")


async def test_the_coach_tells_that_the_trained_opening_was_left(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db") as site, site.browser() as browser:
        asked = {"game": "othello", "level": "pip", "first": "me", "position": "Tiger"}
        _, answer = await browser.post("/api/matches", asked)
        page = await browser.watch(answer["match"])
        document = await page.match()
        f3 = 21
        await page.send(type="play", id=1, turn=document["turn"], move=f3)
        told = await page.next("coach")
        assert "leaves the known openings after Tiger" in told["text"]


async def test_a_stranger_reads_nothing_that_is_not_shared_and_presses_nothing(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db", is_local=False) as site, site.browser() as browser:
        match, key = await site.begin()
        for path in (f"/m/{key}", f"/api/matches/{key}", f"/api/matches/{key}/replay", f"/m/{match.id}"):
            assert (await browser.get(path))[0] == 404, path
        page = await browser.watch(key)
        assert (await page.next("bye"))["reason"] == "page_gone"
        shared = await site.process.parts.stores.web.page_of(match.id, ADA.user_id)
        page = await browser.watch(shared.key)
        document = await page.match()
        assert (document["viewer"], "moves" in document["position"]) == ({"seat": None, "may": []}, False)
        for kind in ("play", "undo", "draw", "resign", "hint", "rematch", "swap", "answer"):
            await page.send(type=kind, id=1, turn=0, move=3, offer="draw", accept=True)
            assert (await page.next("refused"))["reason"] == "web_only_watching"
        assert (await site.process.services.matches.match(match.id)).version == match.version


async def test_strangers_see_the_names_of_listed_people_and_of_the_sharer_alone(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db", is_local=False) as site, site.browser() as browser:
        match, _ = await site.begin()
        web = site.process.parts.stores.web
        hidden, shown = await web.page_of(match.id, BEN.user_id), await web.page_of(match.id, GUEST.user_id)
        assert (await browser.first(hidden.key))["seats"][0]["name"] == "First player"
        _, _, text = await browser.get(f"/m/{hidden.key}")
        assert "Guest" not in text
        assert (await browser.first(shown.key))["seats"][0]["name"] == "Guest"


async def test_strangers_read_no_rating_of_a_rated_match_and_its_players_do(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db", is_local=False) as site:
        services = site.process.services
        match = await pair(site, 3, 0, 4, 0, 6, 1, 1, rated=True)
        page = await site.process.parts.stores.web.page_of(match.id, ADA.user_id)
        facts, t = await SeatFacts.load(services, match), services.texts.of("en")
        over = await services.playing.resign(match.id, ADA)
        for reader, has_ratings in ((Visitor(t, "address"), False), (Visitor(t, "Ben", BEN.user_id), True)):
            running, ended = (document_of(services, page, one, reader, facts) for one in (match, over))
            assert ["rating" in seat for seat in running["seats"]] == [has_ratings] * 2
            assert (ended["result"]["ratings"] is not None) == has_ratings


async def test_spectators_see_a_move_and_who_is_there(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db", is_local=False) as site, site.browser() as browser:
        match, _ = await site.begin()
        key = (await site.process.parts.stores.web.page_of(match.id, GUEST.user_id)).key
        pages = [await browser.watch(key) for _ in range(3)]
        for page in pages:
            await page.match()
        await site.process.services.playing.play(match.id, GUEST, 3)
        for page in pages:
            assert (await page.match(1))["moves"][0]["name"] == "4"
        await site.server.live.run_once()
        assert (await pages[0].next("presence"))["watching"] == 3


@pytest.mark.sqlite
async def test_after_a_restore_an_open_page_goes_back_to_the_stored_match(tmp_path: Path) -> None:
    file, saved = tmp_path / "discade.db", tmp_path / "saved.db"
    async with web_site(file) as site, site.browser() as browser:
        match, key = await site.begin()
        await asyncio.to_thread(back_up, file, saved)
        await site.process.services.playing.play(match.id, GUEST, 3)
        shown = await browser.first(key)
    restore(file, saved, Clock()())
    async with web_site(file) as site, site.browser() as browser:
        page = LivePage(await browser.connect())
        await page.send(type="watch", match=key, have=shown["version"], epoch=shown["epoch"])
        document = await page.match()
        assert (document["turn"], document["version"] < shown["version"]) == (0, True)
        assert document["epoch"] != shown["epoch"]


async def test_a_slow_reader_skips_positions(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db", is_local=False) as site, site.browser() as browser:
        match, _ = await site.begin()
        key = (await site.process.parts.stores.web.page_of(match.id, GUEST.user_id)).key
        page = await browser.watch(key)
        shown = (await page.match())["version"]
        for _ in range(3):
            await site.process.services.playing.play(match.id, GUEST, 3)
            match = await site.process.match(match)
        versions = [shown]
        while versions[-1] < match.version:
            versions.append((await page.match())["version"])
        assert versions == sorted(set(versions))


@asynccontextmanager
async def page_that_takes_nothing(site: WebSite, key: str) -> AsyncIterator[None]:
    """An open page with more to send to it than the buffers of both ends hold."""
    host = site.url.removeprefix("http://")
    _, writer = await asyncio.open_connection(*host.split(":"))
    watch = json.dumps({"type": "watch", "match": key}).encode()
    writer.write(
        f"GET /live HTTP/1.1\r\nHost: {host}\r\nOrigin: {site.url}\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
        "X-Forwarded-For: 192.0.2.1\r\n\r\n".encode()
        + bytes((0x81, 0x80 | len(watch), 0, 0, 0, 0))
        + watch
    )
    (socket,) = await wait_for(
        lambda: [
            one
            for watched in site.server.live._watched.values()
            for one in watched.sockets
            if one.visitor.who == "192.0.2.1"
        ]
    )
    sending = asyncio.create_task(socket.send(b"x" * 32_000_000))
    await asyncio.sleep(0.1)
    try:
        yield
    finally:
        writer.transport.abort()
        await sending


async def test_a_reader_that_takes_nothing_is_dropped_and_delays_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.web.live.SLOW_SECONDS", 0.5)
    async with web_site(tmp_path / "discade.db", is_local=False) as site, site.browser() as browser:
        match = await pair(site)
        key = (await site.process.parts.stores.web.page_of(match.id, ADA.user_id)).key
        quick = await browser.watch(key)
        await quick.match()
        async with page_that_takes_nothing(site, key):
            await site.process.services.playing.play(match.id, ADA, 3)
            assert (await quick.match(1))["turn"] == 1
            await site.server.live.run_once()
            await asyncio.sleep(0.5)
            await site.server.live.run_once()
            await wait_for(lambda: site.server.live.sockets == 1)


async def test_a_reader_that_takes_nothing_does_not_hold_up_the_end(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db", is_local=False) as site, site.browser() as browser:
        match = await pair(site)
        key = (await site.process.parts.stores.web.page_of(match.id, ADA.user_id)).key
        quick = await browser.watch(key)
        await quick.match()
        async with page_that_takes_nothing(site, key):
            async with asyncio.timeout(ANSWER_SECONDS):
                await site.server.live.close()
            assert (await quick.next("bye"))["reason"] == "restart"


@pytest.mark.parametrize(
    "rubbish", ["not json", "[1]", '{"type": 5}', "[" * 2000, json.dumps({"type": "watch", "match": 3})]
)
async def test_rubbish_closes_the_socket_with_a_word(tmp_path: Path, rubbish: str) -> None:
    async with web_site(tmp_path / "discade.db") as site, site.browser() as browser:
        ws = await browser.connect()
        await ws.send_str(rubbish)
        assert (await ws.receive_json())["type"] == "bye"
        assert (await ws.receive()).type is aiohttp.WSMsgType.CLOSE


async def test_a_large_message_closes_the_socket(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db") as site, site.browser() as browser:
        _, key = await site.begin()
        page = await browser.watch(key)
        await page.match()
        await page.ws.send_str("x" * 1_000_000)
        while (message := await page.ws.receive()).type is aiohttp.WSMsgType.TEXT:
            pass
        assert message.type in (aiohttp.WSMsgType.CLOSE, aiohttp.WSMsgType.ERROR, aiohttp.WSMsgType.CLOSED)
        assert site.server.live.sockets == 0 or (await page.ws.receive()).type is aiohttp.WSMsgType.CLOSED


async def test_only_the_origin_that_is_set_can_open_a_socket(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db", is_local=False) as site, site.browser() as browser:
        for origin in ("https://evil.example", site.url.replace("http:", "https:"), f"{site.url}.evil", ""):
            with pytest.raises(aiohttp.WSServerHandshakeError, match="403"):
                await browser.http.ws_connect(f"{site.url}/live", headers={"Origin": origin})
        await (await browser.connect()).close()
        with pytest.raises(aiohttp.WSServerHandshakeError, match="421"):
            await browser.http.ws_connect(
                f"{site.url}/live", headers={"Origin": site.url, "Host": "evil.example"}
            )


async def test_foreign_pages_can_neither_post_nor_open_a_socket(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db") as site:
        for origin in ("https://evil.example", "null", ""):
            async with site.browser(origin) as browser:
                headers = {"Origin": origin} if origin else {}
                body = {"game": "othello", "level": "pip"}
                async with browser.http.post(f"{site.url}/api/matches", json=body, headers=headers) as answer:
                    assert answer.status == 403
                with pytest.raises(aiohttp.WSServerHandshakeError, match="403"):
                    await browser.http.ws_connect(f"{site.url}/live", headers=headers)
        async with site.browser() as browser:
            headers = {"Origin": site.url, "Content-Type": "text/plain"}
            async with browser.http.post(f"{site.url}/api/matches", data="{}", headers=headers) as answer:
                assert answer.status == 400


async def test_on_this_machine_other_names_of_it_are_refused_and_a_taken_port_is_one_line(
    tmp_path: Path,
) -> None:
    async with process(tmp_path / "discade.db", Clock()) as running:
        server = WebServer(running.services, Site(), is_local=True)
        async with served(server, ("127.0.0.1", 0)) as address, aiohttp.ClientSession() as http:
            for host, status in (("evil.example", 421), (address.removeprefix("http://").strip("/"), 200)):
                async with http.get(address, headers={"Host": host}) as answer:
                    assert answer.status == status
            port = int(address.rstrip("/").rpartition(":")[2])
            with pytest.raises(Unusable, match=f"DISCADE_WEB_LISTEN=127.0.0.1:{port}"):
                async with served(WebServer(running.services, Site()), ("127.0.0.1", port)):
                    pass


async def test_a_second_rematch_leads_to_the_first_and_names_no_command_of_discords(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db") as site, site.browser() as browser:
        match, key = await site.begin()
        await site.process.services.playing.resign(match.id, GUEST)
        page = await browser.watch(key)
        await page.send(type="rematch", id=1)
        again = (await page.next("moved"))["to"]
        await page.send(type="rematch", id=2)
        told = await page.next("refused")
        assert (told["reason"], told["text"]) == ("already_rematched", "The rematch has already begun.")
        assert told["to"] == again


@pytest.mark.parametrize("language", ["de", "en", "es", "fa", "fr", "pt_BR"])
def test_no_refusal_on_a_page_names_a_command(language: str) -> None:
    t = all_texts().of(language)
    for key in ("time_is_up", "too_many_matches", "already_rematched", "no_draw_offer"):
        told = text_of(t, Refusal(key, limit=5))
        assert "/" not in told, told
        assert len(told) > 10
        assert sum(map(told.count, OPENING_ISOLATES)) == told.count(END_ISOLATE)


async def test_who_sends_too_much_is_told_to_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.web.security.WORK_A_SECOND", 0.001)
    async with web_site(tmp_path / "discade.db") as site, site.browser() as browser:
        _, key = await site.begin()
        page = await browser.watch(key)
        for number in range(21):
            await page.send(type="undo", id=number, turn=0)
        reasons = [(await page.next("refused"))["reason"] for _ in range(21)]
        assert (reasons[0], reasons[-1]) == ("nothing_to_undo", "web_slow_down")


async def test_every_answer_has_the_headers_and_files_are_kept_for_ever(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db") as site, site.browser() as browser:
        _, key = await site.begin()
        script = Assets().path_of("match.js")
        for path in ("/", f"/m/{key}", f"/api/matches/{key}", "/nothing", "/m/nothing", script):
            _, answer, _ = await browser.get(path)
            policy = answer.headers["Content-Security-Policy"]
            assert "default-src 'none'; script-src 'self';" in policy, path
            assert "unsafe" not in policy
            assert answer.headers["X-Content-Type-Options"] == "nosniff", path
            assert answer.headers["Referrer-Policy"] == "no-referrer", path
        _, answer, text = await browser.get(script)
        assert "immutable" in answer.headers["Cache-Control"]
        assert Assets().path_of("live.js").rpartition("/")[2] in text


async def test_names_cannot_end_the_document_in_the_page(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db", is_local=False) as site, site.browser() as browser:
        services = site.process.services
        mallory = type(GUEST)(5, "</script><script>alert(1)</script>")
        challenge = await services.challenges.send(mallory, BEN, terms_of("connect-four"), HERE)
        _, match = await services.challenges.accept(challenge.id, BEN)
        key = (await site.process.parts.stores.web.page_of(match.id, mallory.user_id)).key
        _, _, text = await browser.get(f"/m/{key}")
        assert "<script>alert" not in text
        assert text.count("</script>") == text.count("<script")


def test_texts_lose_their_markdown_and_nothing_else() -> None:
    assert bare("-# **A\\*B** played **4** \\_x\\_ @\u200beverybody") == "A*B played 4 _x_ @everybody"
    assert bare("### Title\nWait until <t:0:R>.") == "Title\nWait until 00:00 UTC."


def test_the_page_gets_its_texts_in_every_language() -> None:
    for language in all_texts().languages:
        assert "page_lost" in all_texts().of(language).starting_with("page_")


@pytest.mark.slow
def test_discord_is_not_loaded_for_the_web_alone() -> None:
    code = "import sys, bot.__main__, bot.operation.web; sys.exit('discord' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=300).returncode == 0


@pytest.mark.parametrize(
    "header", [b"Authorization: Bearer \xff", b"Cookie: discade=\xff", b"Origin: http://["]
)
async def test_headers_that_no_browser_sends_are_refused(tmp_path: Path, header: bytes) -> None:
    async with web_site(tmp_path / "discade.db", is_local=False) as site:
        host = site.url.removeprefix("http://")
        site.server.site = Site()
        for method, path in ((b"GET", b"/play"), (b"DELETE", b"/api/session")):
            reader, writer = await asyncio.open_connection(*host.split(":"))
            lines = (method + b" " + path + b" HTTP/1.1", b"Host: " + host.encode(), header, b"", b"")
            writer.write(b"\r\n".join(lines))
            status = int((await reader.readline()).split()[1])
            writer.close()
            assert status < 500


async def test_half_a_character_is_no_text(tmp_path: Path) -> None:
    """JSON can write one half of a pair of UTF-16, which no database and no other server takes."""
    async with web_site(tmp_path / "discade.db", is_local=False) as site, site.browser() as browser:
        status, answer = await browser.post("/api/session", {"token": "\ud800"})
        assert (status, answer["reason"]) == (400, "web_bad_message")


class CountingClock(Clock):
    """A clock that counts how often it was asked."""

    asked = 0

    def __call__(self) -> datetime:
        self.asked += 1
        return super().__call__()


async def until(is_so: Callable[[], object]) -> None:
    async with asyncio.timeout(ANSWER_SECONDS):
        while not is_so():
            await asyncio.sleep(0.01)


async def test_what_waits_for_compiled_code_says_how_long_and_moves_go_on(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db") as site, site.browser() as browser:
        services = site.process.services
        with cold(services.search):
            _, key = await site.begin(is_coached=True)
            page = await browser.watch(key)
            told = (await page.match())["waits"]
            assert re.fullmatch(
                r"Your coach is getting ready, about \d+ s more. Until then it says nothing.", told
            )
            await page.send(type="hint", id=1, turn=0)
            refused = await page.next("refused")
            assert refused["reason"] == "getting_ready"
            assert re.fullmatch(
                r"I’m still getting ready for this game, about \d+ s more. Ask again then.", refused["text"]
            )
            await page.send(type="play", id=2, turn=0, move=3)
            document = await page.match(2)
            assert document["status"]["kind"] == "yours", "Pip needs no compiled code"
            _, other = await browser.post(
                "/api/matches", {"game": "connect-four", "level": "mia", "first": "me", "move": 3}
            )
            assert re.fullmatch(r"Mia is getting ready, about \d+ s…", other["first"]["status"]["text"])
            waiting = await browser.watch(other["match"])
            again = await waiting.next("ready")
            assert re.fullmatch(r"Mia is getting ready, about \d+ s…", again["status"]["text"])
            services.search.finish("tic-tac-toe")
            assert services.search.waiting == 1
            services.search.finish("connect-four")
            assert (await waiting.match(2))["status"]["kind"] == "yours"
        while (await page.next("ready"))["waits"] is not None:
            pass
        await page.send(type="hint", id=3, turn=2)
        assert "Hint 1 of 3" in (await page.next("hint"))["text"]


async def test_a_review_that_waits_for_compiled_code_says_so_and_comes_by_itself(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db") as site, site.browser() as browser:
        services = site.process.services
        match, key = await site.begin("tic-tac-toe")
        with cold(services.search):
            await services.playing.play(match.id, GUEST, 4)
            await services.playing.resign(match.id, GUEST)
            page = await browser.watch(key)
            told = await page.next("review")
            assert re.fullmatch(r"The review begins by itself once I’m ready, in about \d+ s\.", told["text"])
        await site.server.live.offer_withheld()
        while (told := await page.next("review"))["review"] is None:
            pass
        assert told["review"]["verdicts"]


async def test_a_move_counts_from_its_arrival_though_a_hint_is_still_looked_for(tmp_path: Path) -> None:
    clock = CountingClock()
    async with web_site(tmp_path / "discade.db", clock=clock) as site, site.browser() as browser:
        match, key = await site.begin(clock_seconds=10)
        search = site.process.services.search
        search.hold({"perfect"})
        page = await browser.watch(key)
        await page.match()
        await page.send(type="hint", id=1, turn=0)
        await until(lambda: search.waiting)
        clock.advance(seconds=9)
        asked = clock.asked
        await page.send(type="play", id=2, turn=0, move=3)
        await until(lambda: clock.asked > asked)
        clock.advance(seconds=2.5)
        await site.process.services.clocks.tick()
        search.release()
        assert (await page.next("done"))["id"] == 2
        played = await site.process.services.matches.match(match.id)
        assert (played.timed_moves[0].seconds, played.result) == (9, None)
