"""Visits every screen of the demo in a real browser, as two people who play, and keeps a picture of each.

Each is taken at 1280 and at 390 pixels of width, in the light and in the dark theme; then they are put side
by side on sheets, to be looked at. Run after changing texts or views, for one language or more:

    python -m tools.tour FOLDER en de fa

TOUR_PARTS names the parts of `tools.tour_walk` to visit, if not all. What could not be reached is told.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random

from PIL import Image
from playwright.async_api import Browser, async_playwright

from bot.app import Discade, drawings
from bot.config import Settings
from bot.demo.simulated import SimulatedDiscord
from bot.domain.look import Size, Theme
from bot.process.emoji_sync import names_for
from tools.make_screens import BROWSERS
from tools.tour_page import TALL, Tour, decide, wish
from tools.tour_walk import PARTS

SHEET, GAP, GREY = (1568, 1900), 8, (128, 128, 160)
WIDEST = 760
"""Of a picture on a sheet: messages are no wider, and what is right of them is empty."""


@asynccontextmanager
async def opened(browser: Browser, folder: Path, language: str) -> AsyncIterator[Tour]:
    """A demo of its own in that language, and a browser's page on it."""
    settings = Settings(
        database_url=f"sqlite+aiosqlite:///{folder / language}.db", backups=0, greets=False, shard_count=1
    )
    bot = Discade(settings, rng=Random(7), pace_seconds=0.3, is_warm=True)
    wanted = drawings()
    emoji = {name: one.draw for name, one in zip(names_for(wanted, {}), wanted, strict=True)}
    async with SimulatedDiscord(bot, port=0, emoji=emoji) as simulated:
        served = asyncio.create_task(simulated.run())
        page = await browser.new_page(viewport={"width": 1280, "height": TALL}, bypass_csp=True)
        await page.goto(simulated.url)
        await asyncio.sleep(2)
        tour = Tour(bot, simulated, page, folder, language)
        await wish(tour, Theme.CLASSIC, Size.NORMAL)
        await decide(tour)
        yield tour
        await page.close()
        served.cancel()
        await asyncio.gather(served, return_exceptions=True)


def put_on_sheets(folder: Path) -> None:
    """All pictures of one language, width and theme side by side, on as few sheets as they need."""
    kinds: dict[str, list[Path]] = {}
    for path in sorted(folder.glob("[0-9]*.png")):
        kinds.setdefault("-".join(path.stem.split("-")[-3:]), []).append(path)
    for kind, paths in kinds.items():
        sheet, number = Image.new("RGB", SHEET, GREY), 0
        x, y, widest = 0, 0, 0
        for path in paths:
            with Image.open(path) as opened_picture:
                shot = opened_picture.convert("RGB").crop(
                    (0, 0, min(opened_picture.width, WIDEST), opened_picture.height)
                )
            if y + shot.height > SHEET[1]:
                x, y, widest = x + widest + GAP, 0, 0
            if x + shot.width > SHEET[0]:
                sheet.save(folder / f"sheet-{kind}-{number}.png")
                sheet, number = Image.new("RGB", SHEET, GREY), number + 1
                x, y, widest = 0, 0, 0
            sheet.paste(shot, (x, y))
            y, widest = y + shot.height + GAP, max(widest, shot.width)
        sheet.save(folder / f"sheet-{kind}-{number}.png")


async def main(folder: Path, languages: Sequence[str], wanted: Sequence[str]) -> None:
    """wanted: the parts to visit; all where none is named."""
    browser_path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser_path is None:
        sys.exit("This needs chromium or Chrome on the PATH; on Debian: apt-get install chromium")
    folder.mkdir(parents=True, exist_ok=True)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
        for language in languages:
            async with opened(browser, folder, language) as tour:
                for part in PARTS:
                    if not wanted or part.__name__ in wanted:
                        await tour.part(part)
        await browser.close()
    put_on_sheets(folder)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit("usage: python -m tools.tour FOLDER LANGUAGE …")
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2:], os.environ.get("TOUR_PARTS", "").split()))
