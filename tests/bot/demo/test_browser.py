"""The demo in its own process, with a real browser on its page."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect, sync_playwright

from bot.app import drawings
from bot.demo.page import STATIC
from bot.presentation.tiles.tile import Cell
from bot.process.emoji_sync import names_for

REPOSITORY = Path(__file__).parents[3]
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
DRAWINGS = drawings()
DISCS = {
    name
    for name, one in zip(names_for(DRAWINGS, {}), DRAWINGS, strict=True)
    if isinstance(one.key, Cell) and one.key.piece is not None
}
"""Names of emoji with a disc."""

PAGE_WAIT_SECONDS = 120.0
"""A first start compiles the agents before they answer, and the machine may be busy."""

IS_DONE = re.compile("Callback completed|Options updated")
"""Text of the page's status after a press or a choice."""

expect.set_options(timeout=1000 * PAGE_WAIT_SECONDS)

browser_path = next(filter(None, map(shutil.which, BROWSERS)), None)
needs_browser = pytest.mark.skipif(
    browser_path is None,
    reason="needs chromium or Chrome on the PATH; on Debian: apt-get install chromium",
)


class DemoProcess:
    """`python -m bot` without a token, on a database of its own."""

    def __init__(self, database: Path) -> None:
        environment = {key: value for key, value in os.environ.items() if not key.startswith("DISCADE_")}
        # Set but empty, so that a developer's own .env cannot fill it.
        environment |= {"DISCORD_TOKEN": "", "DATABASE_URL": f"sqlite+aiosqlite:///{database}"}
        self._process = subprocess.Popen(
            (sys.executable, "-m", "bot"),
            cwd=REPOSITORY,
            env=environment | {"DISCADE_DEMO_PORT": "0"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.log: list[str] = []
        self._reader = threading.Thread(target=self._read_log)
        self._reader.start()
        assert self._process.stdout is not None
        self.said = [""]
        for line in self._process.stdout:
            self.said.append(line.strip())
            if line.startswith("http://"):
                break

    @property
    def url(self) -> str:
        assert self.said[-1].startswith("http://"), "".join(self.log)
        return self.said[-1].split()[0]  # behind it stands what the address serves

    def interrupt(self) -> int:
        """What Ctrl-C does; returns the exit code."""
        self._process.send_signal(signal.SIGINT)
        return self._process.wait(PAGE_WAIT_SECONDS)

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        self._reader.join()
        for pipe in (self._process.stdout, self._process.stderr):
            assert pipe is not None
            pipe.close()

    def _read_log(self) -> None:
        assert self._process.stderr is not None
        self.log.extend(self._process.stderr)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[[], DemoProcess]]:
    """Start the demo on the same database as before."""
    with contextlib.ExitStack() as stack:

        def start() -> DemoProcess:
            process = DemoProcess(tmp_path / "discade.db")
            stack.callback(process.close)
            return process

        yield start


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=list(FLAGS))
        opened = browser.new_page(viewport={"width": 1280, "height": 1000})
        opened.set_default_timeout(1000 * PAGE_WAIT_SECONDS)
        yield opened
        # For failed tests; pytest keeps the folders of the last runs.
        opened.screenshot(path=tmp_path / "page.png")
        browser.close()


def visit(page: Page, demo: DemoProcess) -> None:
    page.goto(demo.url)
    # The page drops keys typed before it has measured itself.
    expect(page.locator("#action-status")).to_have_text("Viewport updated")


def begin_a_match(page: Page) -> Locator:
    """Begin a match against an easy agent that moves second, from the greeting; return its board."""
    newest(page).get_by_role("button", name="Play", exact=True).click()
    panel = newest(page)
    expect(panel).to_contain_text("Only you can see this")
    panel.get_by_role("button", name="More…", exact=True).click()
    expect(panel).to_contain_text("Who goes first")
    panel.get_by_role("combobox").first.click()
    page.get_by_role("option", name="I go first").click()
    expect(panel).to_contain_text("· I go first")
    panel.get_by_role("button", name="Start", exact=True).click()
    expect(newest(page)).to_contain_text("Large boards")
    return page.locator("article.channel-message").nth(-2)


@pytest.mark.slow
@pytest.mark.browser
@needs_browser
def test_a_newcomer_plays_against_the_agent_in_the_browser(
    start: Callable[[], DemoProcess], page: Page
) -> None:
    visit(page, start())
    board = begin_a_match(page)
    expect(board).to_contain_text("Ada to move")

    board.get_by_role("button", name="4", exact=True).click()

    expect_discs(board, 2)
    expect(board).to_contain_text(re.compile(r"Mia played \d"))
    # Emoji are as high and as far apart as their lines: the board has no gaps.
    tiles = board.locator("img.custom-emoji").filter(visible=True)
    boxes = [tiles.nth(index).bounding_box() for index in range(2, 2 + 49)]
    assert all(box is not None for box in boxes)
    tops = sorted({box["y"] for box in boxes if box is not None})
    lefts = sorted({box["x"] for box in boxes if box is not None})
    steps = [after - before for places in (tops, lefts) for before, after in itertools.pairwise(places)]
    assert len(tops) == len(lefts) == 7
    assert steps == pytest.approx([22.0] * 12, abs=0.1)


@pytest.mark.slow
@pytest.mark.browser
@needs_browser
def test_a_match_continues_after_a_restart_of_the_demo(start: Callable[[], DemoProcess], page: Page) -> None:
    first = start()
    visit(page, first)
    board = begin_a_match(page)
    board.get_by_role("button", name="4", exact=True).click()
    expect_discs(board, 2)
    assert first.interrupt() == 0

    visit(page, start())
    choose_command(page, "match board")
    send(page)
    board = page.locator("article.channel-message").filter(has_text="Ada used /match")
    expect_discs(board, 2)
    board.get_by_role("button", name="4", exact=True).click()
    expect_discs(board, 4)


@pytest.mark.slow
@pytest.mark.browser
@needs_browser
def test_the_page_opens_at_the_newest_message_and_links_to_a_board_scroll_to_it(
    start: Callable[[], DemoProcess], page: Page
) -> None:
    left = (
        "(one => one.scrollHeight - one.scrollTop - one.clientHeight)(document.querySelector('[role=log]'))"
    )
    page.set_viewport_size({"width": 390, "height": 600})
    demo = start()
    visit(page, demo)
    expect_discs(begin_a_match(page), 0)
    choose_command(page, "match board")
    send(page)
    board = page.locator("article.channel-message").filter(has_text="Ada used /match")
    expect_discs(board, 0)
    for _ in range(2):
        choose_command(page, "help")
        send(page)
        page.wait_for_timeout(1500)

    page.reload()
    expect(page.locator("#action-status")).to_have_text("Viewport updated")
    page.wait_for_function(f"{left} < 2")
    link = page.get_by_role("link", name="Go to the board").last
    link.click()
    expect(board).to_be_in_viewport(ratio=0.5)
    assert page.url.startswith(demo.url.split("#")[0])


@pytest.mark.slow
@pytest.mark.browser
@needs_browser
def test_a_large_board_and_its_buttons_are_in_view_at_800_pixels(
    start: Callable[[], DemoProcess], page: Page
) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    visit(page, start())
    board = begin_a_match(page)
    newest(page).get_by_role("button", name="Large boards", exact=True).click()
    expect(newest(page)).to_contain_text("large pictures")
    board = page.locator("article.channel-message").filter(has_text="Ada to move")
    board.get_by_role("button", name="4", exact=True).click()
    picture = board.locator("img:not(.custom-emoji)")
    expect(board).to_contain_text(re.compile(r"Mia played \d"))
    expect(picture).to_have_js_property("naturalWidth", 392)
    picture.evaluate("one => one.scrollIntoView()")
    expect(picture).to_be_in_viewport(ratio=0.99)
    expect(board.get_by_role("button", name="More…", exact=True)).to_be_in_viewport(ratio=0.99)


@pytest.mark.slow
@pytest.mark.browser
@needs_browser
def test_the_page_has_our_name_and_greeting_and_no_controls_for_testing_bots(
    start: Callable[[], DemoProcess], page: Page
) -> None:
    visit(page, start())
    expect(page).to_have_title("Discade")
    expect(page.get_by_role("heading", name="Hello, I’m Discade")).to_be_visible()
    expect(newest(page)).to_contain_text("At the top of the page you can switch to Ben")
    logo = newest(page).locator(".avatar-bot").evaluate("one => getComputedStyle(one).backgroundImage")
    assert "/icon.svg" in logo
    assert discs_on(newest(page)) > 4, "the greeting shows a board"
    for name in ("Refresh preview", "Capture", "Inspector", "Messages"):
        expect(page.get_by_role("button", name=name)).to_have_count(0)
    page.get_by_label("You are").select_option(label="Ben")
    newest(page).get_by_role("button", name="Play", exact=True).click()
    expect(newest(page)).to_contain_text("Only you can see this")
    choose_command(page, "play")
    page.locator(".command-ghost").click()
    page.get_by_role("option", name="level").first.click()
    expect(page.get_by_role("option", name="Bo (Beginner)")).to_be_visible()


@pytest.mark.slow
@pytest.mark.browser
@needs_browser
def test_tiles_take_their_place_before_their_pictures_come(
    start: Callable[[], DemoProcess], page: Page
) -> None:
    page.route("**/api/assets/**", lambda _: None)  # never answered
    visit(page, start())
    tiles = newest(page).locator("img.custom-emoji:not([src])")
    expect(tiles).to_have_count(49)
    boxes = tiles.evaluate_all("found => found.map(one => one.getBoundingClientRect().toJSON())")
    assert {(box["width"], box["height"]) for box in boxes} == {(22, 22)}
    assert len({box["top"] for box in boxes}) == len({box["left"] for box in boxes}) == 7


@pytest.mark.slow
@pytest.mark.browser
@needs_browser
def test_a_select_shows_the_bots_latest_default(start: Callable[[], DemoProcess], page: Page) -> None:
    visit(page, start())
    newest(page).get_by_role("button", name="Play", exact=True).click()
    panel, status = newest(page), page.locator("#action-status")
    game = panel.locator(".select-trigger").first
    expect(game).to_contain_text("Connect Four")
    game.click()
    page.get_by_role("option", name="Othello").click()
    expect(game).to_contain_text("Othello")
    opponent, friend = panel.locator(".select-trigger").nth(1), panel.locator(".select-trigger").nth(2)
    expect(opponent).to_contain_text("Easy")
    # simcord drops a choice that is made while another one is on its way.
    expect(panel).to_contain_text("Othello against")
    expect(status).to_have_text(IS_DONE)
    opponent.click()
    page.get_by_role("option", name="All ").click()
    expect(panel).to_contain_text("Levels, weakest first")
    expect(status).to_have_text(IS_DONE)
    level = panel.locator(".select-trigger").first
    level.click()
    page.get_by_role("option", name="Pip").click()
    expect(panel).to_contain_text("against Pip")
    expect(opponent).to_contain_text("Pip")
    expect(status).to_have_text(IS_DONE)
    friend.click()
    expect(status).to_have_text("Options updated")
    page.get_by_role("option", name="Ben").last.click()
    expect(opponent).not_to_contain_text("Pip")
    expect(panel).to_contain_text("@Ben")
    expect(friend).to_contain_text("Ben")
    expect(status).to_have_text(IS_DONE)
    opponent.click()
    page.get_by_role("option", name="Medium").click()
    expect(panel).to_contain_text("(Medium)")
    expect(friend).not_to_contain_text("Ben")


@pytest.mark.slow
@pytest.mark.browser
@needs_browser
def test_relative_times_count_from_now_and_not_from_opening_the_page(page: Page) -> None:
    page.clock.install(time="2026-01-01T12:00:00Z")
    page.clock.pause_at("2026-01-01T12:00:04Z")
    page.set_content(
        '<time class="discord-timestamp" datetime="2026-01-01T12:03:00Z">in 9 minutes</time>'
        '<time class="discord-timestamp" datetime="2026-01-01T12:03:00Z">January 1, 2026</time>'
    )
    page.add_script_tag(content=(STATIC / "demo.js").read_text("utf-8"))
    relative, day = page.locator("time").first, page.locator("time").last
    page.clock.run_for(1000)
    expect(relative).to_have_text("in 3 minutes")
    page.clock.run_for(146_000)
    expect(relative).to_have_text("in 29 seconds")
    expect(day).to_have_text("January 1, 2026")


@pytest.mark.slow
@pytest.mark.browser
@needs_browser
def test_the_old_picture_of_a_message_stays_until_the_new_one_is_loaded(page: Page) -> None:
    shown = (STATIC / "icon.svg").read_text("utf-8")
    page.set_content(
        '<div id="channel-timeline"><article class="channel-message" data-message-id="1">'
        '<div class="part"><img class="old"></div></article></div>'
    )
    page.add_script_tag(content=(STATIC / "demo.js").read_text("utf-8"))
    sources = page.evaluate(
        """async (drawing) => {
            const old = document.querySelector(".old");
            old.src = URL.createObjectURL(new Blob([drawing], { type: "image/svg+xml" }));
            await old.decode();
            const drawn = Object.assign(document.createElement("div"), { className: "part" });
            drawn.append(document.createElement("img"));
            document.querySelector(".part").replaceWith(drawn);
            URL.revokeObjectURL(old.src);
            await new Promise(requestAnimationFrame);
            const picture = drawn.firstChild;
            await picture.decode();
            return [picture.src === old.src, picture.naturalWidth > 0];
        }""",
        shown,
    )
    assert sources == [True, True]


@pytest.mark.slow
def test_ctrl_c_ends_the_demo_with_exit_code_0_and_no_complaint(
    start: Callable[[], DemoProcess], tmp_path: Path
) -> None:
    demo = start()
    assert (tmp_path / "demo.db").exists()
    assert not (tmp_path / "discade.db").exists(), "the database that people play on is left alone"
    assert demo.interrupt() == 0
    demo.close()
    assert not [line for line in demo.log if "Traceback" in line or " ERROR " in line]


def choose_command(page: Page, name: str) -> None:
    page.get_by_label("Message", exact=True).press_sequentially(f"/{name}")
    page.get_by_role("option").filter(has_text=f"/{name}").first.click()


def send(page: Page) -> None:
    page.get_by_role("button", name="Send", exact=True).click()


def newest(page: Page) -> Locator:
    return page.locator("article.channel-message").last


def discs_on(board: Locator) -> int:
    """Return the loaded pictures; others show their name instead."""
    script = "found => found.filter(one => one.naturalWidth > 0).map(one => one.alt)"
    names: list[str] = board.locator("img.custom-emoji").evaluate_all(script)
    return sum(name in DISCS for name in names)


def expect_discs(board: Locator, number: int) -> None:
    deadline = time.monotonic() + PAGE_WAIT_SECONDS
    while discs_on(board) != number:
        assert time.monotonic() < deadline, board.inner_text()
        board.page.wait_for_timeout(100)
