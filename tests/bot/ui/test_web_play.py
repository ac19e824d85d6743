"""Personal links: a match in Discord that a person plays on the web."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest
from playwright.async_api import Page, expect

from bot.domain.panel_choices import Mode
from bot.domain.preferences import Preferences
from bot.ui.match.routes import ACTION, Action
from bot.web.live import MAX_OF_PERSON
from tests.bot.table import Table, buttons_of, parts_of, text_of
from tests.bot.ui.test_web_sharing import web_beside
from tests.bot.web.test_page import PLAYABLE, browser_path, chromium
from tests.bot.web.visitors import Browser, LivePage


async def ask_for_link(table: Table, person: Any, board: Any) -> Any:
    """The private answer with the link, from the person's menu."""
    menu = (await person.click(board, label="More…")).response
    return (await person.click(menu, label="Play on the web")).response


def secret_in(answer: Any) -> str:
    assert buttons_of(answer) == {"Open": True, "Withdraw and sign out": True}, text_of(answer)
    (address,) = (part["url"] for part in parts_of(answer) if part.get("url"))
    return str(address).partition("/play#")[2]


@asynccontextmanager
async def browser_at(url: str) -> AsyncIterator[Browser]:
    # Browsers keep cookies of addresses, too.
    jar = aiohttp.CookieJar(unsafe=True)
    async with aiohttp.ClientSession(cookie_jar=jar) as http:
        yield Browser(url, http, url)


async def sign_in(browser: Browser, secret: str) -> str:
    """Exchange the link; return the key of the match's page."""
    code, answer = await browser.post("/api/session", {"token": secret})
    assert code == 200, answer
    return str(answer["to"]).removeprefix("/m/")


async def reason(browser: Browser, secret: str) -> str:
    """The refusal of a link."""
    code, answer = await browser.post("/api/session", {"token": secret})
    assert code == 404
    assert answer["text"]
    return str(answer["reason"])


async def refusal(page: LivePage, **message: Any) -> str:
    await page.send(id=1, **message)
    while (answer := await page.ws.receive_json())["type"] not in ("done", "refused"):
        pass
    return str(answer.get("reason"))


def invitations(table: Table) -> list[Any]:
    return [message for message in table.games.history() if "Accept" in buttons_of(message)]


async def test_a_match_is_played_on_the_web_and_in_discord_at_once(table: Table) -> None:
    board = await table.pair(rated=False)
    async with web_beside(table) as url, browser_at(url) as browser:
        answer = await ask_for_link(table, table.ada, board)
        assert answer.flags.ephemeral
        key = await sign_in(browser, secret_in(answer))
        page = await browser.watch(key)
        first = await page.match()
        assert (first["viewer"]["seat"], [seat["name"] for seat in first["seats"]]) == (0, ["Ada", "Ben"])
        await page.send(type="play", id=1, turn=0, move=3)
        await page.next("done")
        await table.soon(lambda: "**4**" in text_of(table.board()))
        assert "Ada played **4**" in text_of(table.board())
        await table.ben.click(table.board(), label="5")
        assert (await page.match(2))["moves"][1]["name"] == "5"
        await page.send(type="undo", id=2, turn=2)
        await page.next("done")
        await table.soon(lambda: "Allow" in buttons_of(table.board()))
        await table.ben.click(table.board(), label="Allow")
        assert (await page.match(3))["turn"] == 3
        await page.send(type="draw", id=3, turn=3)
        await page.next("done")
        await table.soon(lambda: "Accept the draw" in buttons_of(table.board()))
        await page.send(type="resign", id=4, turn=3)
        while (document := await page.match(3))["status"]["kind"] != "over":
            pass
        assert document["result"]["winner"] == 1
        assert "Rate your next match?" in (question := await page.next("rate"))["text"]
        assert (question["yes"], question["no"]) == ("Yes", "Not yet")
        await page.send(type="rate", id=6, yes=True)
        assert "rated from now on" in (await page.next("rate"))["text"]
        assert table.bot.services.settings.person(table.ada.id).mode is Mode.RATED
        await page.send(type="rematch", id=5)
        await page.next("done")
        await table.soon(lambda: invitations(table))
        await table.ben.click(invitations(table)[0], label="Accept")
        moved = (await page.next("moved"))["to"].removeprefix("/m/")
        assert (await browser.first(moved))["viewer"]["seat"] == 1


async def test_a_rematch_against_an_agent_gets_its_board_in_discord_at_once(table: Table) -> None:
    board = await table.start(rated=False)
    async with web_beside(table) as url, browser_at(url) as browser:
        key = await sign_in(browser, secret_in(await ask_for_link(table, table.ada, board)))
        page = await browser.watch(key)
        await page.match()
        await page.send(type="resign", id=1)
        await page.next("done")
        await page.send(type="rematch", id=2)
        await page.next("moved")
        await table.bot.services.background.drain()
        boards = [message for message in table.games.history() if "More…" in buttons_of(message)]
        assert len(boards) == 1


async def test_the_menu_has_room_for_every_way_to_the_web(table: Table) -> None:
    board = await table.pair()
    async with web_beside(table):
        table.bot.services.web.has_activity = True
        menu = (await table.ada.click(board, label="More…")).response
        assert len(buttons_of(menu)) == 6
        assert {"Open board", "Play on the web", "Share on the web"} < set(buttons_of(menu))


async def test_a_link_works_once_and_for_ten_minutes_until_it_is_withdrawn(own_table: Table) -> None:
    board = await own_table.pair()
    async with web_beside(own_table) as url, browser_at(url) as browser, browser_at(url) as other:
        secret = secret_in(await ask_for_link(own_table, own_table.ada, board))
        assert (await browser.get("/play"))[0] == 200
        key = await sign_in(browser, secret)
        (cookie,) = browser.http.cookie_jar
        for used in (secret, cookie.value):
            assert await reason(other, used) == "play_link_gone"
        assert (await browser.get(f"/m/{key}"))[0] == 200
        # A second link ends the session of the first, and a third one ends the second.
        second, third = [secret_in(await ask_for_link(own_table, own_table.ada, board)) for _ in range(2)]
        assert (await browser.get(f"/m/{key}"))[0] == 404
        assert await reason(other, second) == "play_link_gone"
        await own_table.skip(minutes=11)
        assert await reason(other, third) == "play_link_gone"
        answer = await ask_for_link(own_table, own_table.ada, board)
        withdrawn = secret_in(answer)
        await own_table.ada.click(answer, label="Withdraw and sign out")
        assert await reason(other, withdrawn) == "play_link_gone"
        for rubbish in ("", "x", secret[:-1]):
            assert await reason(other, rubbish) == "play_link_gone"


async def test_a_session_ends_for_open_pages_too(table: Table) -> None:
    board = await table.pair()
    async with web_beside(table) as url, browser_at(url) as browser:
        answer = await ask_for_link(table, table.ada, board)
        page = await browser.watch(await sign_in(browser, secret_in(answer)))
        await page.match()
        # Another process, which cannot close the page, ends it.
        session = await table.bot.parts.stores.web.end_sessions(table.ada.id, table.games.id)
        assert len(session) == 1
        assert await refusal(page, type="play", turn=0, move=3) == "play_link_gone"
        answer = await ask_for_link(table, table.ada, board)
        key = await sign_in(browser, secret_in(answer))
        page = await browser.watch(key)
        await page.match()
        await table.ada.click(answer, label="Withdraw and sign out")
        while (message := await page.ws.receive()).type is aiohttp.WSMsgType.TEXT:
            pass
        assert message.type is aiohttp.WSMsgType.CLOSE
        # It comes back, and is told the way to a new link.
        told = await (await browser.watch(key)).next("bye")
        assert "If you play this match, More… under it in Discord gives you a link." in told["text"]
        assert told["final"]
        # So is one that was made after the backup that was restored.
        assert (await (await browser.watch("0" * len(key))).next("bye"))["text"] == told["text"]


async def test_signing_out_ends_the_session(table: Table) -> None:
    board = await table.pair()
    async with web_beside(table) as url, browser_at(url) as browser:
        key = await sign_in(browser, secret_in(await ask_for_link(table, table.ada, board)))
        kept = {cookie.key: cookie.value for cookie in browser.http.cookie_jar}
        async with browser.http.delete(
            f"{url}/api/session", headers={"Origin": "https://evil.example"}
        ) as no:
            assert no.status == 403
        async with browser.http.delete(f"{url}/api/session", headers={"Origin": url}) as answer:
            assert answer.status == 200
        async with aiohttp.ClientSession(cookies=kept) as http, http.get(f"{url}/m/{key}") as answer:
            assert answer.status == 404


async def test_a_session_plays_its_own_seat_in_its_own_channel(table: Table) -> None:
    board = await table.pair()
    elsewhere = table.guild.create_text_channel("elsewhere")
    secret_match = (
        await table.ada.slash(elsewhere, "play", game="othello", level="pip", first="me", rated=False)
    ).response
    async with web_beside(table) as url, browser_at(url) as browser, browser_at(url) as bens:
        key = await sign_in(browser, secret_in(await ask_for_link(table, table.ada, board)))
        page = await browser.watch(key)
        await page.match()
        await bens.watch(await sign_in(bens, secret_in(await ask_for_link(table, table.ben, board))))
        bens_page = await bens.watch(key)
        assert await refusal(bens_page, type="play", turn=0, move=3) == "not_your_turn"
        assert await refusal(page, type="play", turn=7, move=3) == "stale"
        # Ada's other match is in another channel: its page is closed to this session.
        (other,) = [
            match
            for match in await table.bot.services.matches.running(table.ada.id)
            if match.location.channel_id == elsewhere.id
        ]
        hidden = await table.bot.services.web.page_of_players(other.id)
        assert (await browser.get(f"/m/{hidden.key}"))[0] == 404
        shared = await table.bot.parts.stores.web.page_of(other.id, table.ada.id)
        other_page = await browser.watch(shared.key)
        assert (await other_page.match())["viewer"] == {"seat": None, "may": []}
        assert await refusal(other_page, type="resign") == "web_only_watching"
        # A second link adds the channel to the browser's session.
        await sign_in(browser, secret_in(await ask_for_link(table, table.ada, secret_match)))
        for open_now in (hidden.key, key):
            assert (await browser.get(f"/m/{open_now}"))[0] == 200
        # Another person's link replaces it.
        await sign_in(browser, secret_in(await ask_for_link(table, table.ben, board)))
        assert (await browser.first(key))["viewer"]["seat"] == 1
        assert (await browser.get(f"/m/{hidden.key}"))[0] == 404
    (mine,) = await table.bot.services.matches.running(table.ben.id)
    assert await table.refused(table.forge(table.eve, board, ACTION(mine.id, mine.turn, Action.WEB_PLAY)))


async def test_a_stolen_cookie_counts_for_its_person_and_ends_with_the_next_link(table: Table) -> None:
    board = await table.pair()
    async with web_beside(table) as url, browser_at(url) as browser, aiohttp.ClientSession() as http:
        key = await sign_in(browser, secret_in(await ask_for_link(table, table.ada, board)))
        (cookie,) = browser.http.cookie_jar
        stolen = {
            "Cookie": f"{cookie.key}={cookie.value}", "Origin": url,
            "X-Forwarded-For": "198.51.100.9", "User-Agent": "Another/1.0",
        }  # fmt: skip
        pages = []
        for _ in range(MAX_OF_PERSON):
            pages.append(LivePage(await http.ws_connect(f"{url}/live", headers=stolen)))
            await pages[-1].send(type="watch", match=key, have=-1)
            assert (await pages[-1].match())["viewer"]["seat"] == 0
        # The thief's pages use up the person's, so that their own is refused.
        told = await LivePage(await browser.connect()).next("bye")
        assert (told["reason"], told["final"]) == ("web_too_many_pages", False)
        # The person's next link closes the pages and ends the cookie.
        await ask_for_link(table, table.ada, board)
        for page in pages:
            while (message := await page.ws.receive()).type is aiohttp.WSMsgType.TEXT:
                pass
            assert message.data == 1008
        async with http.get(f"{url}/api/matches/{key}", headers=stolen) as answer:
            assert answer.status == 404


async def test_hostile_requests_with_a_session_change_nothing(table: Table) -> None:
    board = await table.pair()
    async with web_beside(table) as url, browser_at(url) as browser:
        secret = secret_in(await ask_for_link(table, table.ada, board))
        evil = {"Origin": "https://evil.example"}
        async with browser.http.post(f"{url}/api/session", json={"token": secret}, headers=evil) as answer:
            assert answer.status == 403
        key = await sign_in(browser, secret)
        with pytest.raises(aiohttp.WSServerHandshakeError, match="403"):
            await browser.http.ws_connect(f"{url}/live", headers=evil)
        page = await browser.watch(key)
        await page.match()
        await page.ws.send_str("x" * 1_000_000)
        while not page.ws.closed:
            await page.ws.receive()
        assert (await browser.first(key))["turn"] == 0
        for _ in range(21):
            code, _ = await browser.post("/api/session", {"token": "x"})
        assert code == 429


async def test_the_cookie_is_kept_from_scripts_and_refusals_are_in_the_persons_language(table: Table) -> None:
    board = await table.pair()
    async with web_beside(table) as url, browser_at(url) as browser:
        secret = secret_in(await ask_for_link(table, table.ada, board))
        headers = {"Origin": url, "X-Forwarded-Proto": "https"}
        async with browser.http.post(f"{url}/api/session", json={"token": secret}, headers=headers) as answer:
            cookie = answer.headers["Set-Cookie"]
        assert cookie.startswith("__Host-discade=")
        for part in ("HttpOnly", "Secure", "SameSite=Lax", "Path=/", "Max-Age=604800"):
            assert part in cookie
        assert "Domain" not in cookie
        rows = await table.bot.parts.stores.web.session(secret, table.clock())
        assert rows is None  # the secret itself is not stored
        await sign_in(browser, secret_in(await ask_for_link(table, table.ada, board)))
        await table.bot.services.settings.prefer(table.ada.id, Preferences(language="de"))
        _, _, text = await browser.get("/m/nothing", **{"Accept-Language": "fr"})
        assert "Diese Seite gibt es nicht" in text


@pytest.mark.slow
async def test_deleted_data_signs_a_person_out(table: Table) -> None:
    board = await table.pair()
    async with web_beside(table) as url, browser_at(url) as browser:
        key = await sign_in(browser, secret_in(await ask_for_link(table, table.ada, board)))
        await table.bot.services.privacy.delete(table.person(table.ada))
        assert (await browser.get(f"/m/{key}"))[0] == 404


@pytest.mark.slow
async def test_without_an_address_play_on_the_web_is_not_offered(own_table: Table) -> None:
    board = await own_table.pair()
    menu = (await own_table.ada.click(board, label="More…")).response
    assert "Play on the web" not in buttons_of(menu)


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.skipif(browser_path is None, reason="needs chromium or Chrome on the PATH")
async def test_two_browsers_and_discord_show_one_match(table: Table) -> None:
    board = await table.pair(game="tic-tac-toe", rated=False)
    async with web_beside(table) as url, chromium(url) as adas, chromium(url) as bens:
        pages: list[Page] = []
        for person, context in ((table.ada, adas), (table.ben, bens)):
            page = await context.new_page()
            await page.goto(f"/play#{secret_in(await ask_for_link(table, person, board))}")
            assert "#" not in page.url
            await page.get_by_role("button", name="Play").click()
            await expect(page.locator(".own .name")).to_have_text(person.name.capitalize())
            pages.append(page)
        ada, ben = pages
        await ada.locator(PLAYABLE).nth(4).click()
        for page in pages:
            await expect(page.locator(".panel > .moves li")).to_have_count(1)
        await table.soon(lambda: "Ada played" in text_of(table.board()))
        await table.ben.click(table.board(), label=next(iter(buttons_of(table.board()))))
        for page in pages:
            await expect(page.locator(".panel > .moves li")).to_have_count(2)
        await ada.get_by_role("button", name="Sign out").click()
        await ada.locator(".gone").wait_for()
        await ben.get_by_role("button", name="Resign").click()
        await ben.locator(".asking .danger").click()
        await table.soon(lambda: "Ada won" in text_of(table.board()))
        await expect(ben.locator(".status")).to_have_class(re.compile("over"))
