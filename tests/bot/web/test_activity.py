"""The Activity: the page inside Discord, with the real bot and a local Discord."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from aiohttp.test_utils import TestServer
from playwright.async_api import FrameLocator, Page, Route, expect

from bot.domain.location import Channel
from bot.domain.person import Person
from bot.domain.preferences import ServerSettings
from bot.services.imports import ANY_GAME
from bot.web.activity import Application
from bot.web.security import MESSAGES, WORK_MOST, Site
from bot.web.server import WebServer
from bot.web.visitors import who_is
from engine.games import GAMES
from tests.bot.live import live_bot
from tests.bot.services.test_web_matches import Process, process
from tests.bot.sittings import Clock, terms_of
from tests.bot.web.test_page import PHONE, PLAYABLE, browser_path, chromium
from tests.bot.web.visitors import ANSWER_SECONDS, LivePage
from tests.discord_server import FakeDiscord
from tests.discord_server import Person as DiscordPerson
from tests.discord_server.activity import SECRET, Instance, client_page
from tests.discord_server.world import User
from tests.ports import unused_port

LOCAL_FRAME = "--disable-features=LocalNetworkAccessChecks,AutoupgradeMixedContent"
"""Lets a page of discord.com have a frame of this machine."""


@dataclass
class Inside:
    """A bot with an Activity, in a process without a Discord client, and a local Discord that it asks."""

    discord: FakeDiscord
    process: Process
    server: WebServer
    url: str
    http: aiohttp.ClientSession
    origin: str
    clock: Clock

    async def post(
        self, path: str, body: object, session: str = "", **headers: str
    ) -> tuple[int, dict[str, Any]]:
        headers["Origin"] = self.origin
        if session:
            headers["Authorization"] = f"Bearer {session}"
        async with self.http.post(self.url + path, json=body, headers=headers) as answer:
            return answer.status, await answer.json()

    async def get(self, path: str, session: str) -> tuple[int, dict[str, Any]]:
        headers = {"Authorization": f"Bearer {session}"}
        async with self.http.get(self.url + path, headers=headers) as answer:
            return answer.status, await answer.json()

    async def enter(self, person: DiscordPerson, **headers: str) -> dict[str, Any]:
        """Open the Activity in the first channel."""
        instance = self.discord.activities.launch(person.user, self.discord.channel)
        body = {"code": self.discord.activities.code(person.user), "instance": instance.id}
        status, answer = await self.post("/api/activity", body, **headers)
        assert status == 200, answer
        return answer

    async def watch(self, key: str, session: str) -> LivePage:
        ws = await self.http.ws_connect(f"{self.url}/live", headers={"Origin": self.origin})
        page = LivePage(ws)
        await page.send(type="watch", match=key, have=-1, session=session)
        return page


@asynccontextmanager
async def activity(file: Path) -> AsyncIterator[Inside]:
    clock = Clock()
    async with FakeDiscord() as discord, process(file, clock) as running, aiohttp.ClientSession() as http:
        application = Application(discord.world.bot.id, SECRET, discord.token, f"{discord.url}/1/api/v10")
        server = WebServer(running.services, Site(activity=application.origin), application=application)
        test_server = TestServer(server.application())
        await test_server.start_server()
        url = str(test_server.make_url("")).rstrip("/")
        server.site = Site(frozenset({url}), application.origin)
        try:
            yield Inside(discord, running, server, url, http, application.origin, clock)
        finally:
            await server.live.close()
            await test_server.close()


def here(inside: Inside) -> Channel:
    channel = inside.discord.channel
    return Channel(channel.id, None if channel.guild is None else channel.guild.id)


async def test_the_room_has_the_channels_matches_seats_and_games(tmp_path: Path) -> None:
    async with activity(tmp_path / "discade.db") as inside:
        ada, ben = (inside.discord.user(name) for name in ("ada", "ben"))
        session = (await inside.enter(ada))["session"]
        status, started = await inside.post(
            "/api/matches", {"game": "connect-four", "level": "pip", "first": "me"}, session
        )
        assert status == 200
        services = inside.process.services
        (match,) = await services.matches.running(ada.id)
        assert match.location.channel_id == inside.discord.channel.id
        await services.background.drain()
        assert list(inside.process.screen.shown) == [match.id]
        page = await inside.watch(started["match"], session)
        assert (await page.match())["viewer"]["seat"] == 0
        await page.send(type="play", id=1, turn=0, move=3)
        await page.next("done")
        await services.challenges.send(Person(ada.id, "Ada"), None, terms_of("othello"), here(inside))
        bens = (await inside.enter(ben))["session"]
        _, room = await inside.get("/api/room", bens)
        assert [one["href"] for one in room["running"]] == [started["to"]]
        assert {len(game["algorithms"]["levels"]) > 0 for game in room["games"]} == {True}
        assert [tile["key"] for tile in room["tiles"]] == [game["key"] for game in room["games"]]
        async with inside.http.get(inside.url + room["tiles"][0]["picture"]) as picture:
            assert (picture.status, picture.content_type) == (200, "image/png")
        (seat,) = room["seats"]
        watching = await inside.watch(started["match"], bens)
        seen = await watching.match()
        assert (seen["viewer"]["seat"], seen["seats"][0]["name"]) == (None, "ada")
        await watching.send(type="resign", id=1)
        assert (await watching.next("refused"))["reason"] == "web_only_watching"
        status, answer = await inside.post(f"/api/seats/{seat['id']}", {}, bens)
        assert status == 200
        assert (await inside.get(f"/api/matches/{answer['match']}", bens))[1]["viewer"]["seat"] is not None


async def test_the_room_of_a_server_with_a_highest_level_offers_no_algorithms(tmp_path: Path) -> None:
    async with activity(tmp_path / "discade.db") as inside:
        session = (await inside.enter(inside.discord.user("ada")))["session"]
        guild = here(inside).guild_id
        assert guild is not None
        await inside.process.services.settings.save(guild, ServerSettings(highest_level=1))
        _, room = await inside.get("/api/room", session)
        assert [game["algorithms"]["levels"] for game in room["games"]] == [[]] * len(GAMES)


async def test_the_room_leads_to_the_review_of_a_game_from_elsewhere(tmp_path: Path) -> None:
    async with activity(tmp_path / "discade.db") as inside:
        ada, ben = [(await inside.enter(inside.discord.user(name)))["session"] for name in ("ada", "ben")]
        _, form = await inside.get("/api/games", ada)
        offered = {value for value, _ in form["games"]}
        assert {f"{key} {board}" for key, rules in GAMES.items() for board in rules.boards} < offered
        headers = {"Origin": inside.origin, "Authorization": f"Bearer {ada}"}
        async with inside.http.post(
            f"{inside.url}/api/games?game={ANY_GAME}&side=first", data=b"f5d6c3d3c4", headers=headers
        ) as answer:
            key = (await answer.json())["to"].removeprefix("/m/")
        document = (await inside.get(f"/api/matches/{key}", ada))[1]
        assert document["viewer"] == {"seat": 0, "may": ["review"]}
        assert document["seats"][0]["name"] == "ada"
        assert (await inside.get(f"/api/matches/{key}", ben))[0] == 404
        assert (await inside.get("/api/games", ""))[0] == 404


async def test_the_name_of_somebody_inside_discord_is_cleaned(tmp_path: Path) -> None:
    async with activity(tmp_path / "discade.db") as inside:
        ada = inside.discord.user("ada")
        ada.user.username = "\u202ea\nda" + "\u0301" * 30
        session = (await inside.enter(ada))["session"]
        asked = {"game": "connect-four", "level": "pip", "first": "me"}
        assert (await inside.post("/api/matches", asked, session))[0] == 200
        (match,) = await inside.process.services.matches.running(ada.id)
        assert match.seats[0].name == "a dá\u0301\u0301"


async def test_access_is_what_discord_says_and_not_what_the_page_says(tmp_path: Path) -> None:
    async with activity(tmp_path / "discade.db") as inside:
        ada, eve = (inside.discord.user(name) for name in ("ada", "eve"))
        instance = inside.discord.activities.launch(ada.user, inside.discord.channel)
        adas = inside.discord.activities.code(ada.user)
        bodies: list[dict[str, Any]] = [
            {"code": "made-up", "instance": instance.id},
            {"code": inside.discord.activities.code(eve.user), "instance": instance.id},  # is not there
            {"code": inside.discord.activities.code(ada.user), "instance": "../../users/@me"},
            {"code": inside.discord.activities.code(ada.user), "instance": "i-unknown"},
            {"code": None, "instance": None},
        ]
        for body in bodies:
            status, answer = await inside.post("/api/activity", body | {"user_id": str(ada.id)})
            assert (status, answer["reason"]) == (404, "page_activity_refused"), body
        assert (await inside.post("/api/activity", {"code": adas, "instance": instance.id}))[0] == 200
        assert (await inside.post("/api/activity", {"code": adas, "instance": instance.id}))[0] == 404
        for session in ("", "x", adas):
            assert (await inside.get("/api/room", session))[0] == 404
            assert (await inside.post("/api/matches", {"game": "othello", "level": "pip"}, session))[0] == 404
        inside.discord.faults.rate_limit("GET", "/users/@me", 0.2)
        await inside.enter(ada)
        inside.discord.faults.status("GET", "/users/@me", 503)
        body = {"code": inside.discord.activities.code(ada.user), "instance": instance.id}
        assert (await inside.post("/api/activity", body))[1]["reason"] == "activity_unavailable"


async def test_thirty_people_who_open_the_board_at_once_all_get_in_behind_one_address(tmp_path: Path) -> None:
    async with activity(tmp_path / "discade.db") as inside:
        people = [inside.discord.user(f"p{number}") for number in range(30)]
        sessions = await asyncio.gather(*(inside.enter(one) for one in people))
        assert len({one["session"] for one in sessions}) == 30


async def test_a_person_who_opens_the_board_again_and_again_is_told_to_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.web.security.WORK_A_SECOND", 0.001)
    async with activity(tmp_path / "discade.db") as inside:
        ada, ben = (inside.discord.user(name) for name in ("ada", "ben"))
        instance = inside.discord.activities.launch(ada.user, inside.discord.channel)
        statuses = list[int]()
        for _ in range(MESSAGES + 1):
            body = {"code": inside.discord.activities.code(ada.user), "instance": instance.id}
            statuses.append((await inside.post("/api/activity", body))[0])
        assert statuses == [200] * MESSAGES + [429]
        await inside.enter(ben)


async def test_codes_that_strangers_make_up_reach_discord_seldom_and_lock_nobody_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.web.security.WORK_A_SECOND", 0.001)
    monkeypatch.setattr("bot.web.activity.MOST_WAITING", 10)
    async with activity(tmp_path / "discade.db") as inside:
        made_up = {"code": "made-up", "instance": "i-1"}
        statuses = [(await inside.post("/api/activity", made_up))[0] for _ in range(MESSAGES + 1)]
        assert statuses == [404] * MESSAGES + [429]
        # Discord's proxy, which no stranger's address is:
        ada = inside.discord.user("ada")
        await inside.enter(ada, **{"X-Forwarded-For": "192.0.2.1"})
        flood = [inside.post("/api/activity", made_up, **{"X-Forwarded-For": "192.0.2.1"}) for _ in range(60)]
        told = Counter(status for status, _ in await asyncio.gather(*flood))
        assert set(told) == {404, 503}
        assert told[404] < 40
        await inside.enter(ada, **{"X-Forwarded-For": "192.0.2.1"})


async def test_a_room_is_closed_to_other_channels_and_ends_after_twelve_hours(tmp_path: Path) -> None:
    async with activity(tmp_path / "discade.db") as inside:
        ada, ben = (inside.discord.user(name) for name in ("ada", "ben"))
        session = (await inside.enter(ada))["session"]
        services = inside.process.services
        elsewhere = Channel(inside.discord.new_channel("elsewhere").id, here(inside).guild_id)
        challenge = await services.challenges.send(
            Person(ben.id, "Ben"), None, terms_of("othello"), elsewhere
        )
        assert (await inside.post(f"/api/seats/{challenge.id}", {}, session))[0] == 404
        _, match = await services.challenges.accept(challenge.id, Person(ada.id, "Ada"))
        hidden = await services.web.page_of_players(match.id)
        assert (await inside.get(f"/api/matches/{hidden.key}", session))[0] == 404
        guild = here(inside).guild_id
        assert guild is not None
        await services.settings.save(guild, ServerSettings(play_channels=frozenset({elsewhere.channel_id})))
        status, answer = await inside.post("/api/matches", {"game": "othello", "level": "pip"}, session)
        assert (status, answer["reason"]) == (409, "web_not_in_this_channel")
        inside.clock.advance(hours=13)
        assert (await inside.get("/api/room", session))[0] == 404


async def test_a_session_that_is_signed_out_ends_and_its_page_closes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.web.security.WORK_A_SECOND", 0.001)
    async with activity(tmp_path / "discade.db") as inside:
        session, other = [(await inside.enter(inside.discord.user("ada")))["session"] for _ in range(2)]
        asked = {"game": "connect-four", "level": "pip", "first": "me"}
        _, started = await inside.post("/api/matches", asked, session)
        page = await inside.watch(started["match"], session)
        await page.match()
        headers = {"Origin": inside.origin, "Authorization": f"Bearer {session}"}
        async with inside.http.delete(f"{inside.url}/api/session", headers=headers) as answer:
            assert answer.status == 200
        while (message := await page.ws.receive(ANSWER_SECONDS)).type is aiohttp.WSMsgType.TEXT:
            pass
        assert message.data == 1008
        assert (await inside.get("/api/room", session))[0] == 404
        statuses = [(await inside.get("/api/room", other))[0] for _ in range(MESSAGES)]
        assert (statuses[0], statuses[-1]) == (200, 429)


async def test_discord_alone_may_frame_the_activity_and_nothing_else_is_framed(tmp_path: Path) -> None:
    async with activity(tmp_path / "discade.db") as inside:
        ancestors = {}
        for path in ("/?frame_id=1&instance_id=2", "/", "/play", "/m/nothing", "/api/room"):
            async with inside.http.get(inside.url + path) as answer:
                policy = answer.headers["Content-Security-Policy"]
                ancestors[path] = policy.partition("frame-ancestors ")[2]
                assert ("Set-Cookie" in answer.headers) is False
        framed = ancestors.pop("/?frame_id=1&instance_id=2")
        assert framed == "https://discord.com https://*.discord.com https://*.discordsays.com"
        assert set(ancestors.values()) == {"'none'"}
        for origin in ("https://1.discordsays.com", "https://evil.example", "null"):
            headers = {"Origin": origin}
            async with inside.http.post(f"{inside.url}/api/activity", json={}, headers=headers) as answer:
                assert answer.status == 403


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.skipif(browser_path is None, reason="needs chromium or Chrome on the PATH")
async def test_a_board_is_opened_and_played_inside_discord() -> None:
    port = unused_port()
    settings = {
        "DISCADE_WEB_URL": f"http://127.0.0.1:{port}",
        "DISCADE_WEB_LISTEN": f"127.0.0.1:{port}",
        "DISCORD_CLIENT_SECRET": SECRET,
    }
    async with live_bot(**settings) as (server, _):
        ada = server.user("ada")
        board = await (
            await ada.slash(None, "play", game="connect-four", level="pip", first="me", rated=False)
        ).result()
        menu = await (await ada.click(board, "More…")).result()
        pressed = await ada.click(menu, "Open board")
        assert pressed.ack_type == 12
        assert "played" not in board.text
        (instance,) = server.activities.instances.values()
        async with chromium(settings["DISCADE_WEB_URL"], LOCAL_FRAME) as context:
            page = await context.new_page()
            await _client(page, server, ada.user, settings["DISCADE_WEB_URL"], instance)
            await _play_inside(page)
        await server.until(lambda: "played" in board.text, 60, "the move in Discord")


COUNTED = """
    const [Socket, begin, end] = [WebSocket, setInterval, clearInterval];
    const { addEventListener: add, removeEventListener: remove } = EventTarget.prototype;
    Object.assign(window, { opened: 0, running: new Set(), heard: new Map() });
    window.WebSocket = class extends Socket {
      constructor(...all) { super(...all); window.opened += 1; }
    };
    window.setInterval = (...all) => { const id = begin(...all); running.add(id); return id; };
    window.clearInterval = (id) => { running.delete(id); end(id); };
    EventTarget.prototype.addEventListener = function (type, listener, options) {
      if ([window, document].includes(this) || this instanceof MediaQueryList) {
        heard.set(listener, type);
        options?.signal?.addEventListener("abort", () => heard.delete(listener));
      }
      return add.call(this, type, listener, options);
    };
    EventTarget.prototype.removeEventListener = function (type, listener, options) {
      heard.delete(listener);
      return remove.call(this, type, listener, options);
    };
"""
"""Counts sockets that were opened, timers that run, and listeners of the window, the document and media."""


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.skipif(browser_path is None, reason="needs chromium or Chrome on the PATH")
async def test_the_frame_goes_from_match_to_match_without_loading_again_and_leaves_nothing_behind(
    tmp_path: Path,
) -> None:
    async with activity(tmp_path / "discade.db") as inside, chromium(inside.url, LOCAL_FRAME) as context:
        page = await context.new_page()
        await page.add_init_script(COUNTED)
        user, discord = inside.discord.user("ada").user, inside.discord
        launched = discord.activities.launch(user, discord.channel)
        frame = await _client(page, discord, user, inside.url, launched)

        async def shown() -> tuple[int, list[str]]:
            """The timers and listeners of the page."""
            counted = "() => [running.size, [...heard.values()].sort()]"
            timers, heard = await frame.locator("body").evaluate(counted)
            return timers, heard

        room = frame.get_by_role("button", name="This channel")
        await frame.get_by_role("link", name="Tic-tac-toe").click()
        await frame.get_by_role("button", name="Play: Tic-tac-toe").wait_for()
        loaded = await frame.locator("body").evaluate("() => performance.timeOrigin")
        empty = await shown()
        await frame.get_by_role("button", name="Play: Tic-tac-toe").click()
        await frame.locator(PLAYABLE).first.click()
        playing = await shown()
        await frame.get_by_role("button", name="Resign").click()
        await frame.locator(".asking .danger").click()
        await frame.locator(".replay .controls").wait_for()
        await frame.get_by_role("button", name="Rematch").click()
        await expect(frame.locator(".replay")).to_have_count(0)
        await frame.locator(PLAYABLE).first.wait_for(state="attached")
        assert await shown() == playing
        assert inside.server.live.sockets == 1
        await room.click()
        await frame.get_by_role("button", name="Play: Tic-tac-toe").wait_for()
        assert await shown() == empty
        await discord.until(lambda: inside.server.live.sockets == 0, 30, "the socket's end")
        await frame.locator(".running button").click()
        await frame.locator(PLAYABLE).first.wait_for(state="attached")
        assert await frame.locator("body").evaluate("() => opened") == 3
        await room.click()
        await frame.get_by_role("link", name="Review a game of yours").click()
        await frame.get_by_label("The game’s moves").fill("f5 d6 c3 d3 c4")
        await frame.get_by_role("button", name="Review it").click()
        await frame.locator("svg.plot").wait_for()
        await room.click()
        await frame.get_by_role("button", name="Play: Tic-tac-toe").wait_for()
        assert await shown() == empty
        assert await frame.locator("body").evaluate("() => performance.timeOrigin") == loaded


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.skipif(browser_path is None, reason="needs chromium or Chrome on the PATH")
async def test_a_refused_start_in_a_room_is_told_below_the_pressed_button(tmp_path: Path) -> None:
    async with (
        activity(tmp_path / "discade.db") as inside,
        chromium(inside.url, LOCAL_FRAME, **PHONE) as context,
    ):
        page = await context.new_page()
        user, discord = inside.discord.user("ada").user, inside.discord
        launched = discord.activities.launch(user, discord.channel)
        frame = await _client(page, discord, user, inside.url, launched)
        await frame.get_by_role("link", name="Hex").click()
        last = frame.get_by_role("button", name="Play: Hex")
        await expect(last).to_be_focused()
        inside.server._limits.charge(who_is(int(user.id)), 2 * WORK_MOST)
        await last.click()
        refusal = frame.locator(".refusal")
        await expect(refusal).to_have_text("That was too fast. Wait a moment.")
        below, above = await refusal.bounding_box(), await last.bounding_box()
        assert below is not None
        assert above is not None
        assert 0 <= below["y"] - (above["y"] + above["height"]) < 20


async def _client(page: Page, discord: FakeDiscord, user: User, url: str, instance: Instance) -> FrameLocator:
    """Open the Activity at that address in a page of Discord's client; return its frame."""
    frame = f"{url}/?frame_id=f1&instance_id={instance.id}"

    async def play_client(route: Route) -> None:
        code = discord.activities.code(user)
        body = client_page(frame, "f1", discord.world.bot.id, code)
        await route.fulfill(content_type="text/html", body=body)

    await page.route("https://discord.com/**", play_client)
    await page.goto("https://discord.com/channels/1")
    return page.frame_locator("#activity")


async def _play_inside(page: Page) -> None:
    inside = page.frame_locator("#activity")
    await inside.locator(PLAYABLE).nth(3).click()
    await expect(inside.locator(".panel > .moves li").first).to_have_text("14")
    assert await page.context.cookies() == []
