"""The page of a match in Chromium, with the real server."""

from __future__ import annotations

import asyncio
import gzip
import re
import shutil
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.async_api import BrowserContext, Page, Route, async_playwright, expect

from bot.domain.location import Web
from bot.domain.terms import First
from bot.store.backup import back_up, restore
from bot.web.assets import Assets
from bot.web.security import WORK_MOST, Site
from bot.web.server import WebServer, served
from bot.web.visitors import who_is
from engine.agents.levels import levels_of
from engine.games import GAMES
from tests.bot.services.test_web_matches import process
from tests.bot.sittings import ADA, HERE, Clock, terms_of
from tests.bot.web.test_attacks import shared
from tests.bot.web.visitors import GUEST, WebSite, web_site

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
browser_path = next(filter(None, map(shutil.which, BROWSERS)), None)
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(browser_path is None, reason="needs chromium or Chrome on the PATH"),
]

PLAYABLE = ".cell[aria-label*='press Enter to play']"
PIECES = ".cell[aria-label*='press Enter to pick']"
"""Cells that make a move when the person presses them, and pieces that can be moved."""

BUDGET_BYTES = 40_000
WAIT_MS = 60_000
"""The machine may be busy."""

expect.set_options(timeout=WAIT_MS)

PAUSE_MS = 500
"""The server takes 20 messages in 10 s."""

PHONE: dict[str, Any] = {"viewport": {"width": 360, "height": 740}, "has_touch": True}
SMALL_PHONE: dict[str, Any] = {"viewport": {"width": 320, "height": 640}, "has_touch": True}


@asynccontextmanager
async def chromium(url: str, *arguments: str, **options: Any) -> AsyncIterator[BrowserContext]:
    """A browser in English; fails at the end if a page said an error or was refused something.

    arguments: further ones of the program.
    """
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=browser_path, args=["--no-sandbox", *arguments]
        )
        context = await browser.new_context(base_url=url, **{"locale": "en"} | options)
        context.set_default_timeout(WAIT_MS)
        said: list[str] = []
        context.on("console", lambda one: said.append(one.text) if one.type in ("error", "warning") else None)
        context.on("weberror", lambda one: said.append(str(one.error)))
        try:
            yield context
            expected = (
                "WebSocket connection",
                "status of 404",
                "status of 409",
                "status of 429",
                "ERR_FAILED",
            )
            assert [line for line in said if not any(part in line for part in expected)] == []
        finally:
            await browser.close()


async def new_match(site: WebSite, game: str) -> str:
    """The key of a new match of the guest's, whose turn it is."""
    level = levels_of(game)[0].key
    match = await site.process.services.starting.start(
        GUEST, terms_of(game, first=First.ME, rated=False), level, Web()
    )
    return (await site.process.services.web.page_of_players(match.id)).key


@asynccontextmanager
async def opened(site: WebSite, game: str, **options: Any) -> AsyncIterator[Page]:
    """The page of such a match."""
    key = await new_match(site, game)
    async with chromium(site.url, **options) as context:
        page = await context.new_page()
        await page.goto(f"/m/{key}")
        yield page


async def turn(page: Page) -> bool:
    """Wait for the person's turn or the end; whether the match goes on."""
    await page.locator(".status.over, .status.yours:has-text('Your turn')").first.wait_for()
    if await page.locator(".status.over").count():
        return False
    await page.locator(f"{PLAYABLE}, {PIECES}, .group button:enabled").first.wait_for(state="attached")
    return True


async def moves_made(page: Page) -> int:
    return await page.locator(".panel > .moves li").count()


async def wait_for_moves(page: Page, number: int) -> None:
    """Wait for so many moves, or for the end."""
    await page.wait_for_function(
        """n => document.querySelectorAll('.panel > .moves li').length >= n
            || document.querySelector('.status.over')""",
        arg=number,
    )


@pytest.mark.slow
@pytest.mark.parametrize("game", list(GAMES))
async def test_a_match_is_played_to_its_end_by_mouse_and_replayed(tmp_path: Path, game: str) -> None:
    async with web_site(tmp_path / "discade.db") as site, opened(site, game) as page:
        made = 0
        while await turn(page):
            before = await moves_made(page)
            cells, pieces = page.locator(PLAYABLE), page.locator(PIECES)
            if not await cells.count() and await pieces.count():
                await pieces.nth(made * 7 % await pieces.count()).click()
            if await cells.count():
                await cells.nth(made * 7 % await cells.count()).click()
            else:
                await page.locator(".group button").first.click()
            made += 1
            await wait_for_moves(page, before + 1)
            await page.wait_for_timeout(PAUSE_MS)
            if game == "gomoku" and made == 12:
                await page.get_by_role("button", name="Resign").click()
                await expect(page.get_by_role("button", name="Keep playing")).to_be_focused()
                await page.locator(".asking .danger").click()
                await page.locator(".status.over").wait_for()
        await page.locator(".replay").wait_for()
        shown = await page.locator(".board .piece").count()
        await page.keyboard.press("Home")
        await expect(page.locator(".says")).to_have_text("The beginning")
        assert await page.locator(".board .piece").count() != shown  # sown games have fewer at the end
        await page.keyboard.press("End")
        await expect(page.locator(".board .piece")).to_have_count(shown)


@pytest.mark.slow
async def test_a_replay_shows_the_evaluation_and_the_key_moments(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db") as site, opened(site, "connect-four") as page:
        for column in (0, 0, 0):
            if await turn(page):
                before = await moves_made(page)
                await page.locator(f"{PLAYABLE}[aria-label*='column {column + 1}']").first.click()
                await wait_for_moves(page, before + 1)
                await page.wait_for_timeout(PAUSE_MS)
        await turn(page)
        await page.get_by_role("button", name="Resign").click()
        await page.locator(".asking .danger").click()
        await expect(page.locator("svg.plot")).to_have_attribute("aria-label", re.compile("Ahead|ahead|even"))
        await expect(page.locator(".lines")).to_contain_text("accuracy")
        async with page.expect_download() as download:
            await page.get_by_role("link", name="Download").click()
        assert (await download.value).suggested_filename.startswith("connect-four-")
        await page.locator(".moments button").first.click()
        shown = await page.locator(".replay input").input_value()
        await expect(page.locator(".says")).to_have_text(re.compile(rf"^{shown}\..*Better was"))
        await page.keyboard.press("ArrowLeft")
        await expect(page.locator(".replay input")).to_have_value(str(int(shown) - 1))


@pytest.mark.slow
async def test_a_match_is_played_by_keyboard_alone(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db") as site, opened(site, "tic-tac-toe") as page:
        await page.locator(".cell").first.wait_for()
        await turn(page)
        for _ in range(5):
            await page.keyboard.press("Tab")
            if await page.evaluate("document.activeElement.className") == "cell":
                break
        for at in range(9):
            await page.keyboard.press("Home")
            for _ in range(3):
                await page.keyboard.press("ArrowUp")
            for key, steps in (("ArrowDown", at // 3), ("ArrowRight", at % 3)):
                for _ in range(steps):
                    await page.keyboard.press(key)
            assert await page.evaluate("document.activeElement.dataset.at") == str(at)
            if "press Enter" in (await page.locator(":focus").get_attribute("aria-label") or ""):
                before = await moves_made(page)
                await page.keyboard.press("Enter")
                await wait_for_moves(page, before + 1)
            if not await turn(page):
                break
        await expect(page.locator(".status.over")).to_be_visible()


@pytest.mark.slow
async def test_a_press_on_a_taken_square_is_refused_in_words(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db") as site, opened(site, "tic-tac-toe") as page:
        cells, refusal = page.locator(".cell"), page.locator(".refusal")
        await cells.nth(4).click()
        assert await turn(page)
        await cells.nth(4).click()
        await expect(refusal).to_have_text("b2 is taken. Choose a free square.")
        await page.locator(PLAYABLE).first.click()
        await expect(refusal).to_have_text("")


@pytest.mark.slow
async def test_a_finger_aims_at_small_cells_and_then_confirms(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db") as site, opened(site, "gomoku", **PHONE) as page:
        await turn(page)
        cell = page.locator(".cell").nth(112)
        await cell.tap()
        place = page.get_by_role("button", name="Place at h8")
        assert await moves_made(page) == 0
        box = await place.bounding_box()
        assert box is not None
        assert box["height"] >= 44
        await place.tap()
        await expect(page.locator(".panel > .moves li").first).to_contain_text("h8")


@pytest.mark.slow
async def test_ones_own_pieces_begin_below_and_those_that_can_move_are_marked(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db") as site, chromium(site.url, **PHONE) as context:
        page = await context.new_page()
        for first in (First.ME, First.OPPONENT):
            match = await site.process.services.starting.start(
                GUEST, terms_of("draughts", first=first, rated=False), "pip", Web()
            )
            await page.goto(f"/m/{(await site.process.services.web.page_of_players(match.id)).key}")
            await turn(page)
            own = await page.locator(".cell[aria-label*='Guest']").first.bounding_box()
            other = await page.locator(".cell[aria-label*='Pip']").first.bounding_box()
            assert own is not None
            assert other is not None
            assert own["y"] > other["y"] + own["height"], first
            marked = page.locator(".board svg circle[r='0.1']")
            assert await marked.count() == await page.locator(PIECES).count()
            await page.locator(PIECES).first.tap()
            await expect(marked).to_have_count(0)


@pytest.mark.slow
async def test_a_board_of_hexagons_keeps_its_sides_on_a_phone_and_its_button_is_in_sight(
    tmp_path: Path,
) -> None:
    async with web_site(tmp_path / "discade.db") as site, chromium(site.url, **PHONE) as context:
        match = await site.process.services.starting.start(
            GUEST, terms_of("hex", "11x11", first=First.ME, rated=False), "wim", Web()
        )
        page = await context.new_page()
        await page.goto(f"/m/{(await site.process.services.web.page_of_players(match.id)).key}")
        await turn(page)
        boxes = [await page.locator(".cell").nth(at).bounding_box() for at in (0, 10, 110)]
        corner, last_column, last_row = (box for box in boxes if box is not None)
        assert last_column["x"] > last_row["x"] > corner["x"]
        assert last_row["y"] > corner["y"] == pytest.approx(last_column["y"])
        await page.locator(".cell").first.focus()
        await page.keyboard.press("ArrowRight")
        assert (await page.locator(":focus").get_attribute("aria-label") or "").startswith("b1, empty")
        await page.locator(".cell").nth(60).tap()
        await expect(page.get_by_role("button", name="Place at f6")).to_be_in_viewport(ratio=1)


@pytest.mark.slow
async def test_nothing_scrolls_sideways_on_the_smallest_phone(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db") as site, chromium(site.url, **SMALL_PHONE) as context:
        page = await context.new_page()
        for game in GAMES:
            await page.goto(f"/m/{await new_match(site, game)}")
            await turn(page)
            widths = await page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
            assert widths[0] <= widths[1], game
            # Found and measured in one step: the page draws them again once its connection stands.
            sizes = await page.evaluate(
                "[...document.querySelectorAll('button')].filter((one) => one.checkVisibility())"
                ".map((one) => Math.min(one.offsetWidth, one.offsetHeight))"
            )
            assert min(sizes) >= 44, game


@pytest.mark.slow
async def test_a_reloaded_page_shows_the_stored_move(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db") as site, opened(site, "connect-four") as page:
        await turn(page)
        await page.locator(".cell").nth(3).click()
        # Browsers may drop a message of a page that is left at once: such a move is not made.
        while not (await site.process.services.matches.running(GUEST.user_id))[0].timed_moves:
            await asyncio.sleep(0.01)
        await page.reload()
        assert '"moves":[{"n":1,' in await page.evaluate("document.getElementById('first').textContent")
        await turn(page)
        await expect(page.locator(".panel > .moves li").first).to_contain_text("4")


@pytest.mark.slow
async def test_a_page_too_many_says_what_to_do_instead_of_waiting_for_the_opponent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.web.live.MAX_OF_ADDRESS", 1)
    async with web_site(tmp_path / "discade.db", is_local=False) as site, chromium(site.url) as context:
        key = await shared(site)
        first, second = await context.new_page(), await context.new_page()
        await first.goto(f"/m/{key}")
        await expect(first.locator(".status")).to_be_visible()
        await second.goto(f"/m/{key}")
        await expect(second.locator(".banner")).to_have_text(
            "1 boards are open here already, and that is the most. Close one of the other pages. "
            "This page tries again by itself."
        )
        await expect(second.locator(".status")).to_be_hidden()
        await expect(first.locator(".banner")).to_be_hidden()
        await first.close()
        await expect(second.locator(".banner")).to_be_hidden()
        await expect(second.locator(".status")).to_be_visible()


@pytest.mark.slow
async def test_a_page_survives_a_restart_of_the_server(tmp_path: Path) -> None:
    async with process(tmp_path / "discade.db", Clock()) as running:
        match = await running.services.starting.start(
            GUEST, terms_of("connect-four", first=First.ME, rated=False), "pip", Web()
        )
        key = (await running.services.web.page_of_players(match.id)).key

        def server(port: int) -> AbstractAsyncContextManager[str]:
            server = WebServer(running.services, Site(), is_local=True)
            return served(server, ("127.0.0.1", port))

        async with AsyncExitStack() as first:
            url = await first.enter_async_context(server(0))
            port = int(url.rstrip("/").rpartition(":")[2])
            async with chromium(url) as context:
                page = await context.new_page()
                await page.goto(f"/m/{key}")
                await turn(page)
                await first.aclose()
                await expect(page.locator(".banner")).to_be_visible()
                assert await page.locator(PLAYABLE).count() == 0
                async with server(port):
                    await expect(page.locator(".banner")).to_be_hidden()
                    await turn(page)
                    await page.locator(".cell").nth(3).click()
                    await wait_for_moves(page, 2)


@pytest.mark.slow
@pytest.mark.sqlite
async def test_an_open_page_goes_back_to_the_match_of_a_restored_backup(tmp_path: Path) -> None:
    file, saved = tmp_path / "discade.db", tmp_path / "saved.db"
    async with AsyncExitStack() as first:
        running = await first.enter_async_context(process(file, Clock()))
        match = await running.services.starting.start(
            GUEST, terms_of("connect-four", first=First.ME, rated=False), "pip", Web()
        )
        key = (await running.services.web.page_of_players(match.id)).key
        await asyncio.to_thread(back_up, file, saved)
        server = WebServer(running.services, Site(), is_local=True)
        url = await first.enter_async_context(served(server, ("127.0.0.1", 0)))
        port = int(url.rstrip("/").rpartition(":")[2])
        async with chromium(url) as context:
            page = await context.new_page()
            await page.goto(f"/m/{key}")
            await turn(page)
            await page.locator(".cell").nth(3).click()
            await wait_for_moves(page, 2)
            await first.aclose()
            restore(file, saved, Clock()())
            async with process(file, Clock()) as running:
                server = WebServer(running.services, Site(), is_local=True)
                async with served(server, ("127.0.0.1", port)):
                    await expect(page.locator(".panel > .moves li")).to_have_count(0)
                    await turn(page)
                    await page.locator(".cell").nth(2).click()
                    await expect(page.locator(".panel > .moves li").first).to_contain_text("3")


@pytest.mark.slow
async def test_a_persian_page_reads_right_to_left(tmp_path: Path) -> None:
    async with (
        web_site(tmp_path / "discade.db") as site,
        opened(site, "othello", locale="fa", **PHONE) as page,
    ):
        await page.locator(".status.yours").wait_for()
        assert await page.evaluate("document.dir") == "rtl"
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.slow
async def test_a_persian_replay_opens_at_its_last_move_and_names_stand_at_the_right(tmp_path: Path) -> None:
    async def slow(route: Route) -> None:
        await asyncio.sleep(1)  # the review comes first
        await route.continue_()

    async with web_site(tmp_path / "discade.db") as site, chromium(site.url, locale="fa", **PHONE) as context:
        match, key = await site.begin("othello")
        for _ in range(4):
            match = await site.process.services.playing.play(match.id, GUEST, match.state.legal_moves()[0])
            match = await site.process.match(match)
        await site.process.services.playing.resign(match.id, GUEST)
        page = await context.new_page()
        await page.route("**/replay", slow)
        await page.goto(f"/m/{key}")
        await page.locator("svg.plot").wait_for()
        await page.locator(".replay .moves [aria-current]").wait_for(state="attached")
        # Again and again: what comes above it moves it down.
        await page.evaluate("setInterval(() => scrollTo(0, document.body.scrollHeight), 100)")
        await expect(page.locator(".replay .moves [aria-current]")).to_be_in_viewport(ratio=0.5)
        box = await page.locator(".name bdi").first.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] > PHONE["viewport"]["width"] - 80
        assert "  " not in re.sub("[\u2068\u2069]", "", await page.locator(".status").inner_text())


@pytest.mark.slow
async def test_a_replay_that_is_refused_or_cut_off_says_why_and_comes_later(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db") as site, chromium(site.url) as context:
        match, key = await site.begin("tic-tac-toe")
        await site.process.services.playing.play(match.id, GUEST, 4)
        await site.process.services.playing.resign(match.id, GUEST)
        page = await context.new_page()
        await page.goto(f"/m/{key}")
        await page.locator(".replay").wait_for()
        text = "That was too fast. Wait a moment."
        refused = [(429, {"reason": "web_slow_down", "text": text})]

        async def refuse_once(route: Route) -> None:
            if refused:
                status, body = refused.pop()
                await route.fulfill(status=status, json=body)
            else:
                await route.continue_()

        await page.route("**/replay", refuse_once)
        await page.reload()
        await expect(page.locator(".refusal")).to_have_text("That was too fast. Wait a moment.")
        await page.locator(".replay").wait_for()
        await expect(page.locator(".refusal")).to_have_text("")
        await page.route("**/replay", lambda route: route.abort())
        await page.reload()
        await expect(page.locator(".refusal")).to_have_text("Something went wrong. Try again.")
        await page.unroute("**/replay")
        await page.locator(".replay").wait_for()


@pytest.mark.slow
async def test_a_personal_link_opens_the_match_and_a_refused_sign_out_is_not_called_done(
    tmp_path: Path,
) -> None:
    async with web_site(tmp_path / "discade.db", is_local=False) as site, chromium(site.url) as context:
        services = site.process.services
        services.web.url = site.url
        match = await services.starting.start(
            ADA, terms_of("tic-tac-toe", first=First.ME, rated=False), "pip", HERE
        )
        page = await context.new_page()
        await page.goto(await services.web.play_link(match.id, ADA))
        await page.get_by_role("button").click()
        assert await turn(page)
        site.server._limits.charge(who_is(ADA.user_id), 100 * WORK_MOST)
        await page.get_by_role("button", name="Sign out").click()
        await expect(page.locator(".refusal")).to_have_text("That was too fast. Wait a moment.")
        site.server._limits.charge(who_is(ADA.user_id), -100 * WORK_MOST)
        await page.get_by_role("button", name="Sign out").click()
        await page.get_by_text("You are signed out here.").wait_for()


@pytest.mark.slow
async def test_the_look_is_also_that_of_the_pieces_beside_names_and_moves(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db") as site, opened(site, "othello") as page:
        await turn(page)
        assert await page.locator(".seat .chip path").count() == 0
        await page.locator(".look").select_option("shapes")
        await expect(page.locator(".seat:not(.own) .chip path")).to_have_count(1)
        await expect(page.locator(".seat.own .chip path")).to_have_count(0)
        await page.locator(".look").select_option("letters")
        assert await page.locator(".seat .chip text").all_text_contents() == ["W", "B"]


@pytest.mark.slow
async def test_the_refusal_of_a_second_match_leads_to_the_rated_one(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db") as site, chromium(site.url) as context:
        terms = terms_of("connect-four", first=First.ME)
        rated = await site.process.services.starting.start(GUEST, terms, "pip", Web())
        page = await context.new_page()
        await page.goto("/")
        await page.locator(".cell").nth(3).click()
        await page.get_by_role("link", name="Go to it").click()
        key = (await site.process.services.web.page_of_players(rated.id)).key
        await page.wait_for_url(f"**/m/{key}")


@pytest.mark.slow
async def test_while_the_coach_holds_the_answer_the_turn_is_taken_back_or_played_better(
    tmp_path: Path,
) -> None:
    async with web_site(tmp_path / "discade.db") as site, chromium(site.url) as context:
        match = await site.process.services.starting.start(
            GUEST, terms_of("tic-tac-toe", first=First.ME), "pip", Web(), is_coached=True, position="a1b1a2b2"
        )
        page, c1 = await context.new_page(), 2
        await page.goto(f"/m/{(await site.process.services.web.page_of_players(match.id)).key}")
        for choice in ("Take back", "Show me"):
            await page.locator(f".cell[data-at='{c1}']").click()
            await expect(page.locator(".coach")).to_contain_text("Wait: Pip can win at once. Look at b3.")
            await expect(page.locator(".status")).to_have_text("Pip waits for you")
            await page.get_by_role("button", name=choice).click()
        await expect(page.locator(".coach")).to_contain_text("a3 wins.")
        await page.get_by_role("button", name="Play a3").click()
        await expect(page.locator(".status")).to_contain_text("wins")
        await expect(page.locator(".coach")).to_be_hidden()


LANGUAGES = ["en", "de", "es", "fa", "fr", "pt-BR"]


@pytest.mark.slow
async def test_levels_boards_and_buttons_are_shown_whole_on_a_phone(tmp_path: Path) -> None:
    is_cut = """
        () => [...document.querySelectorAll('select')].filter((one) => {
          const [copy, width] = [one.cloneNode(true), one.offsetWidth];
          Object.assign(copy.style, { inlineSize: 'max-content', maxInlineSize: 'none' });
          one.after(copy);
          const isCut = copy.offsetWidth > width;
          copy.remove();
          return isCut;
        }).map((one) => one.textContent)
    """
    async with web_site(tmp_path / "discade.db") as site, chromium(site.url, **PHONE) as context:
        _, key = await site.begin()
        page = await context.new_page()
        for language in LANGUAGES:
            await context.set_extra_http_headers({"Accept-Language": language})
            for path in ("/", f"/m/{key}"):
                await page.goto(path)
                await page.locator("h1").wait_for()
                assert await page.evaluate(is_cut) == [], (language, path)
            buttons = page.locator(".actions button")
            await buttons.first.wait_for()
            # All in one look: the page draws them again once its connection stands.
            heights = await buttons.evaluate_all("all => all.map((one) => [one.innerText, one.offsetHeight])")
            assert [text for text, height in heights if height >= 50] == [], language


@pytest.mark.slow
async def test_the_head_of_a_page_is_one_line_on_a_phone(tmp_path: Path) -> None:
    lines = "all => all.map((one) => [one.innerText, one.offsetHeight])"
    for invite in (None, "https://discord.com/oauth2/authorize?client_id=1"):
        file = tmp_path / f"{bool(invite)}.db"
        async with (
            web_site(file, is_local=invite is None, invite=invite) as site,
            chromium(site.url, **SMALL_PHONE) as context,
        ):
            page = await context.new_page()
            for language in LANGUAGES:
                await context.set_extra_http_headers({"Accept-Language": language})
                for width in (320, 360, 390):
                    await page.set_viewport_size({"width": width, "height": 740})
                    await page.goto("/")
                    heights = await page.locator(".bar .button").evaluate_all(lines)
                    assert [text for text, height in heights if height >= 50] == [], (language, width)
                    assert await page.evaluate("document.documentElement.scrollWidth") <= width, language


@pytest.mark.slow
async def test_the_first_touch_of_the_home_is_a_move_and_the_page_goes_on_as_the_match(
    tmp_path: Path,
) -> None:
    async with web_site(tmp_path / "discade.db") as site, chromium(site.url, **PHONE) as context:
        page = await context.new_page()
        await page.goto("/")
        await expect(page.locator(".status")).to_have_text("You begin: touch the board")
        where = "(one) => one.getBoundingClientRect().top + scrollY"
        top = await page.locator(".board").evaluate(where)
        await page.get_by_role("radio", name="Medium").check(force=True)
        await expect(page.locator(".seat .name").first).to_have_text("Tess")
        # The words below the board say how strong; figures are in the list of all levels.
        await expect(page.locator(".seat .about").first).not_to_have_text(re.compile(r"\d"))
        await page.locator(".cell").nth(3).click()
        await turn(page)
        await expect(page.locator(".moves li")).to_have_count(2)
        page_of_match = urlsplit(page.url).path
        assert page_of_match.startswith("/m/")
        assert await page.locator(".board").evaluate(where) == top
        assert await page.locator(".opponents").count() == 0
        await page.evaluate("localStorage.setItem('level othello', 'theo')")
        await page.get_by_role("link", name="Discade").click()
        await expect(page.get_by_role("radio", name="Medium")).to_be_checked()
        drop, flip = page.locator(".tile").nth(0), page.locator(".tile").nth(1)
        await expect(drop).to_contain_text("Drop Your turn")
        assert await drop.get_attribute("href") == page_of_match
        await expect(flip).to_contain_text("Flip Medium")
        await expect(page.get_by_role("navigation", name="Your matches")).to_contain_text("Tess")


@pytest.mark.slow
async def test_an_address_that_names_no_game_or_level_of_ours_says_so_above_the_board(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db") as site, chromium(site.url, **PHONE) as context:
        page = await context.new_page()
        refusal = page.locator(".panel > .refusal")
        await page.goto("/?game=hex")
        await expect(page.get_by_role("heading", level=1)).to_have_text("Hex")
        await expect(refusal).to_have_text("")
        await page.goto("/?game=hex&level=nonsense")
        await expect(page.get_by_role("heading", level=1)).to_have_text("Hex")
        await expect(refusal).to_contain_text("There’s no level “nonsense” here. You can choose Wim,")
        await expect(page.get_by_role("radio", name="Easy")).to_be_checked()
        await page.evaluate("localStorage.setItem('game', 'hex')")  # so that the page asks for another board
        await page.goto("/?level=bo")
        await expect(page.get_by_role("heading", level=1)).to_have_text("Hex")
        await expect(refusal).to_contain_text("There’s no level “bo” here.")
        await page.goto("/?game=chess")
        await expect(refusal).to_contain_text("There’s no game “chess” here. You can choose Connect Four,")
        await page.locator(".cell").nth(3).click()
        await turn(page)
        await expect(refusal).to_have_text("")
        await page.evaluate("localStorage.setItem('game', 'chess')")  # one that is no longer there
        await page.goto("/")
        await expect(page.get_by_role("heading", level=1)).to_have_text("Connect Four")
        await expect(refusal).to_have_text("")


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, PHONE])
async def test_guests_are_told_what_their_matches_are_on_every_screen(
    tmp_path: Path, options: dict[str, Any]
) -> None:
    async with (
        web_site(tmp_path / "discade.db", is_local=False, has_guests=True) as site,
        chromium(site.url, **options) as context,
    ):
        page = await context.new_page()
        await page.goto("/")
        await expect(
            page.get_by_text("You play as a guest: casual, and deleted after a day.")
        ).to_be_visible()


@pytest.mark.slow
async def test_a_refused_start_is_told_beside_the_board_and_the_board_waits_again(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db") as site, chromium(site.url, **PHONE) as context:
        page = await context.new_page()
        await page.goto("/")
        await page.locator(".status").wait_for()
        site.server._limits.charge("local", 2 * WORK_MOST)
        await page.locator(".cell").nth(3).click()
        refusal = page.locator(".panel > .refusal")
        await expect(refusal).to_have_text("That was too fast. Wait a moment.")
        await expect(refusal).to_be_in_viewport()
        site.server._limits.charge("local", -2 * WORK_MOST)
        await page.locator(".cell").nth(3).click()
        await turn(page)


@pytest.mark.slow
async def test_the_end_leads_on_by_four_ways(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db") as site, chromium(site.url, **PHONE) as context:
        page = await context.new_page()
        await page.goto("/")
        await page.locator(".cell").nth(3).click()
        await turn(page)
        for _ in range(2):
            await page.get_by_role("button", name="Resign").last.click()
        ways = page.locator(".ends > *")
        await expect(ways).to_have_text(["Rematch", "Easier: Beginner", "Review", "Another game"])
        await page.get_by_role("button", name="Review").click()
        await expect(page.locator(".replay input")).to_be_focused()
        await expect(page.locator(".says")).to_be_in_viewport()
        await expect(page.get_by_role("link", name="Another game")).to_have_attribute("href", "/#games")
        await page.get_by_role("button", name="Easier: Beginner").click()
        await expect(page.locator(".seat .name").first).to_have_text("Bo")
        await turn(page)


@pytest.mark.slow
async def test_a_reader_of_a_shared_page_is_led_to_play_it(tmp_path: Path) -> None:
    file, invite = tmp_path / "discade.db", "https://discord.example/add?bot=1"
    async with web_site(file, is_local=False, invite=invite) as site, chromium(site.url, **PHONE) as context:
        match, _ = await site.begin()
        key = (await site.process.parts.stores.web.page_of(match.id, GUEST.user_id)).key
        page = await context.new_page()
        await page.goto(f"/m/{key}")
        await expect(page.locator(".panel").get_by_role("link")).to_have_attribute("href", invite)
        await page.goto("/")
        await expect(page.get_by_role("heading", level=1)).to_have_text("Nine board games in Discord")
        await page.get_by_role("link", name="Hex").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("Hex")


@pytest.mark.slow
async def test_an_opening_is_trained_from_the_home(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db") as site, chromium(site.url, **PHONE) as context:
        page = await context.new_page()
        await page.goto("/")
        await page.get_by_role("link", name="Othello").click()
        await page.get_by_text("All 18 levels").click()
        await page.get_by_role("radio", name="Echo").check(force=True)
        await page.get_by_text("More options").click()
        await page.get_by_role("combobox", name="Board", exact=True).select_option("6x6")
        await expect(page.get_by_role("combobox", name="Opening")).to_have_count(0)
        await page.get_by_text("More options").click()
        await page.get_by_role("combobox", name="Board", exact=True).select_option("8x8")
        await page.get_by_text("More options").click()
        await page.get_by_role("combobox", name="Opening").fill("no such opening")
        await page.get_by_role("combobox", name="Opening").press("Enter")
        await expect(page.locator(".opponents .refusal")).to_contain_text("no such opening")
        await page.get_by_role("combobox", name="Opening").fill("Tiger")
        await page.get_by_role("combobox", name="Opening").press("Enter")
        await expect(page.locator(".last")).to_contain_text("Tiger")
        await page.locator(".cell").nth(21).click()
        await expect(page.locator(".seat .name").first).to_contain_text("Echo")
        await expect(page.locator(".coach")).to_contain_text("leaves the known openings after Tiger")


@pytest.mark.slow
async def test_an_algorithm_is_chosen_after_the_levels_and_plays(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db") as site, chromium(site.url, **PHONE) as context:
        page = await context.new_page()
        await page.goto("/")
        await page.get_by_text(re.compile("All [0-9]+ levels")).click()
        algorithms = page.get_by_role("combobox", name="Algorithms")
        await algorithms.select_option("One-step")
        await expect(page.locator(".opponents > .about")).to_have_text(
            "One-step · scores the board after each move"
        )
        await expect(page.get_by_role("radio", checked=True)).to_have_count(0)
        await page.get_by_role("radio", name="Easy").check(force=True)
        await expect(algorithms).to_have_value("")
        await algorithms.select_option("minimax:depth=2")
        await page.locator(".cell").nth(3).click()
        await expect(page.locator(".seat .name").first).to_have_text("Minimax 2")
        await expect(page.locator(".moves li")).to_have_count(2)


async def test_the_first_board_fits_the_budget(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db") as site, site.browser() as browser:
        _, key = await site.begin()
        _, _, html = await browser.get(f"/m/{key}")
        paths = [path for path in Assets().by_path if path in html]
        sizes = {path: len(Assets().by_path[path].kept.packed) for path in paths}
        assert len(sizes) == 9
        assert sum(sizes.values()) + len(gzip.compress(html.encode())) < BUDGET_BYTES


def test_the_page_writes_no_markup_from_text() -> None:
    for asset in Assets().by_path.values():
        if asset.kept.type == "text/javascript":
            text = asset.kept.body.decode()
            assert not any(word in text for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "eval("))
            assert "://" not in text.replace("http://www.w3.org/2000/svg", "")
