"""Make docs/pictures/web*.png: the pages of `python -m bot web` on a wide screen and on a phone.

Run again after changing bot/web/static: python -m tools.make_web_screens
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory

from PIL import Image
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from tools.make_screens import FOLDER, installed_browser
from tools.picture_list import note

WIDE, PHONE = ViewportSize(width=1280, height=800), ViewportSize(width=390, height=800)
GAP, BETWEEN = 16, "#808080"
MATCH = {"game": "connect-four", "level": "mia", "first": "me"}
COLUMNS = "4453526"
"""Columns in the order in which the person plays them; a full one is skipped."""

RUNNING_MOVES, MOST_MOVES = 4, 21
MOVE_MS, REVIEW_MS = 1000, 60_000


@contextmanager
def website() -> Iterator[str]:
    """Serve the pages from an empty database, and give their address."""
    with TemporaryDirectory() as folder:
        environment = {key: value for key, value in os.environ.items() if not key.startswith("DISCADE_")}
        environment |= {"DATABASE_URL": f"sqlite+aiosqlite:///{folder}/discade.db"}
        command = (sys.executable, "-m", "bot", "web")
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
            try:
                yield next(line.strip() for line in process.stdout or () if line.startswith("http"))
            finally:
                process.terminate()


def played(page: Page, site: str, moves: int) -> str:
    """Play a new match for that many moves of the person or to its end; return its address."""
    begun = page.request.post(f"{site}api/matches", data=MATCH, headers={"Origin": site.rstrip("/")})
    page.goto(site.rstrip("/") + begun.json()["to"])
    for number in range(moves):
        page.locator(".cell[aria-label*='Enter']").first.wait_for(state="attached")
        order = COLUMNS[number % len(COLUMNS) :] + COLUMNS
        free = (page.locator(f".cell[aria-label*='column {one},'][aria-label*='Enter']") for one in order)
        next(cells for cells in free if cells.count()).first.click()
        page.wait_for_timeout(MOVE_MS)
        if page.locator(".status.over").count():
            page.locator(".moments button").first.wait_for(timeout=REVIEW_MS)
            break
    return page.url


def shot(browser: Browser, address: str, wide: str, phone: str) -> Image.Image:
    """Return the page on a wide screen and on a phone, side by side, in these colour schemes."""
    both = Image.new("RGB", (WIDE["width"] + GAP + PHONE["width"], WIDE["height"]), BETWEEN)
    for size, scheme, left in ((WIDE, wide, 0), (PHONE, phone, WIDE["width"] + GAP)):
        context = browser.new_context(viewport=size, color_scheme=scheme, locale="en")  # type: ignore[arg-type]
        page = context.new_page()
        page.goto(address)
        page.wait_for_timeout(2 * MOVE_MS)
        if page.locator(".moments button").count():
            page.locator(".moments button").first.click()
            page.wait_for_timeout(MOVE_MS)
        both.paste(Image.open(io.BytesIO(page.screenshot())), (left, 0))
        context.close()
    return both.quantize(128, dither=Image.Dither.NONE)


def save(picture: Image.Image, name: str) -> None:
    """Save the picture, and note it."""
    path = FOLDER / f"{name}.png"
    picture.save(path, optimize=True)
    note(path)
    print(f"{path.relative_to(FOLDER.parents[1])}: {path.stat().st_size} bytes")


def games(browser: Browser, site: str) -> Image.Image:
    """Return the part of the first page that has all games, on a wide screen."""
    page = browser.new_page(viewport=WIDE, color_scheme="dark", locale="en")
    page.goto(site, timeout=REVIEW_MS)  # the engines get ready meanwhile
    part = page.locator(".games")
    part.scroll_into_view_if_needed()
    page.wait_for_function("[...document.querySelectorAll('.tile img')].every((one) => one.naturalWidth)")
    return Image.open(io.BytesIO(part.screenshot())).convert("RGB").quantize(256, dither=Image.Dither.NONE)


def main() -> None:
    with website() as site, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=installed_browser(), args=["--no-sandbox"])
        save(games(browser, site), "web-games")
        for name, moves, schemes in (
            ("web", RUNNING_MOVES, ("dark", "light")),
            ("web-review", MOST_MOVES, ("light", "dark")),
        ):
            save(shot(browser, played(browser.new_page(locale="en"), site, moves), *schemes), name)
        browser.close()


if __name__ == "__main__":
    main()
