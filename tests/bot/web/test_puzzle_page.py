"""The page of puzzles in Chromium, with the real server."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from bot.domain.puzzle import daily, number_of
from engine.analysis.puzzles import Puzzle
from tests.bot.sittings import Clock
from tests.bot.web.test_page import PHONE, PLAYABLE, SMALL_PHONE, chromium, pytestmark
from tests.bot.web.test_puzzles import lost_chance
from tests.bot.web.visitors import web_site

__all__ = ["pytestmark"]


def day_of(game: str, *, at_once: bool) -> tuple[Clock, Puzzle]:
    """A clock at noon of a day whose puzzle is of that game, won at once or later."""
    clock = Clock()
    clock.now = datetime(2026, 1, 5, 12, tzinfo=UTC)
    while (found := daily(clock.now.date())).game != game or (found.depth == 1) is not at_once:
        clock.now += timedelta(days=1)
    return clock, found


def cell_of(puzzle: Puzzle, *, is_right: bool) -> int:
    return next(move for move in puzzle.state.legal_moves() if (move == puzzle.best) is is_right)


async def said(page: Page, text: str) -> None:
    await expect(page.locator(".puzzle")).to_contain_text(text)


@pytest.mark.slow
async def test_a_wrong_answer_is_answered_on_the_board_then_solved_again_by_keyboard(tmp_path: Path) -> None:
    clock, puzzle = day_of("tic-tac-toe", at_once=True)
    async with (
        web_site(tmp_path / "discade.db", clock=clock) as site,
        chromium(site.url, reduced_motion="reduce", **PHONE) as context,
    ):
        page = await context.new_page()
        await page.goto("/")
        await page.get_by_role("link", name="Today’s puzzle").tap()
        await said(page, "Only one move wins at once: which?")
        before = await page.locator(".board .piece").count()
        await page.locator(".cell").nth(cell_of(puzzle, is_right=False)).tap()
        await said(page, "is wrong")
        assert await page.locator(".board .piece").count() > before
        assert await page.locator(PLAYABLE).count() == 0
        await context.grant_permissions(["clipboard-read", "clipboard-write"])
        await page.get_by_role("button", name="Copy the result").tap()
        await expect(page.locator(".panel > .note")).to_have_text("Copied")
        copied = await page.evaluate("navigator.clipboard.readText()")
        assert copied == f"Daily {number_of(clock.now.date())} · Tic-tac-toe · 🟥 · not today"
        await page.get_by_role("button", name="Solution").tap()
        await said(page, "was right")
        await page.get_by_role("button", name="Try again").tap()
        await said(page, "Only one move wins at once: which?")
        await expect(page.locator(".board .piece")).to_have_count(before)
        await page.locator(".cell").first.focus()
        for key, steps in zip(("ArrowDown", "ArrowRight"), divmod(puzzle.best, 3), strict=True):
            for _ in range(steps):
                await page.keyboard.press(key)
        await page.keyboard.press("Enter")
        await said(page, "Solved!")
        await page.reload()  # the day's first try is the one that counts
        await said(page, "first try")
        await page.get_by_role("button", name="Next puzzle").first.tap()
        await page.locator(PLAYABLE).first.wait_for(state="attached")


@pytest.mark.slow
async def test_the_reply_and_the_next_move_follow_a_right_answer(tmp_path: Path) -> None:
    clock, puzzle = day_of("connect-four", at_once=False)
    async with (
        web_site(tmp_path / "discade.db", clock=clock) as site,
        chromium(site.url) as context,
    ):
        page = await context.new_page()
        await page.goto("/puzzle")
        before = await page.locator(".board .piece").count()
        await page.locator(".cell").nth(cell_of(puzzle, is_right=True)).click()
        await said(page, "is right")
        await expect(page.locator(".board .piece")).to_have_count(before + 2)
        await page.locator(PLAYABLE).first.wait_for(state="attached")
        assert await page.locator(".puzzle [role=img]").first.get_attribute("aria-label") in ("🔴", "🟡")


@pytest.mark.slow
async def test_in_persian_the_page_reads_from_right_to_left_and_the_board_does_not(tmp_path: Path) -> None:
    clock, puzzle = day_of("tic-tac-toe", at_once=True)
    async with (
        web_site(tmp_path / "discade.db", clock=clock) as site,
        chromium(site.url, locale="fa", color_scheme="dark", **SMALL_PHONE) as context,
    ):
        page = await context.new_page()
        await page.goto("/puzzle")
        assert await page.evaluate("document.dir") == "rtl"
        boxes = [await page.locator(".cell").nth(at).bounding_box() for at in (0, 2)]
        left, right = (box for box in boxes if box is not None)
        assert left["x"] < right["x"]
        await page.locator("summary").tap()
        await page.locator(".cell").nth(cell_of(puzzle, is_right=True)).tap()
        await said(page, "🎉")
        widths = await page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert widths[0] <= widths[1]


@pytest.mark.slow
async def test_the_review_of_a_match_leads_to_its_mistakes(tmp_path: Path) -> None:
    async with (
        web_site(tmp_path / "discade.db") as site,
        chromium(site.url, reduced_motion="reduce", **PHONE) as context,
    ):
        page = await context.new_page()
        await page.goto(f"/m/{await lost_chance(site)}")
        await page.get_by_role("link", name="Train my mistakes").tap()
        await expect(page.locator("h1")).to_contain_text("Position 1 of 1")
        await page.locator(PLAYABLE).first.tap()
        await page.get_by_role("button", name="Next position").first.wait_for()
