"""Rules of accessibility that a browser can check by itself, on every page in both themes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from bot.domain.match import Match
from tests.bot.web.test_page import PHONE, PLAYABLE, SMALL_PHONE, chromium, pytestmark, turn
from tests.bot.web.visitors import GUEST, WebSite, web_site

__all__ = ["pytestmark"]

CHECK = r"""
() => {
  const found = [];
  const say = (rule, element) => found.push(`${rule}: ${element.outerHTML.slice(0, 100)}`);
  const isSeen = (one) => one.checkVisibility({ visibilityProperty: true }) && one.getClientRects().length;
  const textOf = (one) => (one.closest('label') ?? one).textContent;
  const nameOf = (one) => (one.getAttribute('aria-label') ?? textOf(one)).trim();
  const named = 'button, a, select, input, [role=img], [role=gridcell], [role=timer]';
  for (const one of document.querySelectorAll(named)) {
    if (isSeen(one) && !nameOf(one)) say('no name', one);
  }
  for (const one of document.querySelectorAll('button, a, select, input')) {
    const target = one.type === 'checkbox' ? one.closest('label') : one;
    const { width, height } = target.getBoundingClientRect();
    if (isSeen(one) && Math.min(width, height) < 44) say(`target of ${width} by ${height}`, one);
  }
  for (const [rule, query] of [['h1', 'h1'], ['main', 'main']]) {
    if (document.querySelectorAll(query).length !== 1) found.push(`not one ${rule}`);
  }
  if (!document.documentElement.lang || !document.title) found.push('no language or no title');
  for (const one of document.querySelectorAll('*')) {
    const canScroll = one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX === 'auto';
    if (canScroll && one.tabIndex < 0 && !one.querySelector('button, a')) say('scrolls by touch alone', one);
  }
  const canvas = Object.assign(document.createElement('canvas'), { width: 1, height: 1 });
  const context = canvas.getContext('2d', { willReadFrequently: true });
  const light = (...colours) => {
    context.clearRect(0, 0, 1, 1);
    for (const colour of colours) { context.fillStyle = colour; context.fillRect(0, 0, 1, 1); }
    const [r, g, b] = [...context.getImageData(0, 0, 1, 1).data].slice(0, 3)
      .map((value) => value / 255)
      .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const one = texts.currentNode.parentElement;
    const isExempt = one.closest('svg, script, .told, :disabled, option') || !isSeen(one);
    if (isExempt || !texts.currentNode.data.trim()) continue;
    const under = [];
    for (let part = one; part; part = part.parentElement) {
      under.unshift(getComputedStyle(part).backgroundColor);
    }
    const [text, ground] = [light(...under, getComputedStyle(one).color), light(...under)];
    const contrast = (Math.max(text, ground) + 0.05) / (Math.min(text, ground) + 0.05);
    if (contrast < 4.5) say(`contrast of ${contrast.toFixed(2)}`, one);
  }
  return found;
}
"""
"""Names, targets, landmarks, scrolling and contrast. Disabled controls are exempt from contrast."""


async def pages(site: WebSite) -> list[str]:
    """Home, puzzle, a game from elsewhere, privacy, none, a running match with a clock, a finished one."""
    services = site.process.services
    _, running = await site.begin(clock_seconds=300)
    match, finished = await site.begin("othello")
    match = await services.playing.play(match.id, GUEST, match.state.legal_moves()[0])
    await site.process.match(match)
    await services.playing.resign(match.id, GUEST)
    return ["/", "/puzzle", "/review", "/privacy", "/m/nothing", f"/m/{running}", f"/m/{finished}"]


async def faults_of(page: Page, path: str) -> Sequence[str]:
    await page.goto(path)
    await page.wait_for_load_state("networkidle")
    if await page.locator(".status.over").count():
        await page.locator("svg.plot").wait_for()
    faults: list[str] = await page.evaluate(CHECK)
    return [f"{path[:8]} {fault}" for fault in faults]


@pytest.mark.slow
@pytest.mark.parametrize(("scheme", "language"), [("light", "en"), ("dark", "fa")])
async def test_every_page_keeps_the_rules_that_a_browser_can_check(
    tmp_path: Path, scheme: str, language: str
) -> None:
    async with (
        web_site(tmp_path / "discade.db", contact="ada@example.org") as site,
        chromium(site.url, **PHONE, color_scheme=scheme, locale=language) as context,
    ):
        page = await context.new_page()
        faults = [fault for path in await pages(site) for fault in await faults_of(page, path)]
        assert faults == []


@pytest.mark.slow
async def test_the_focus_is_seen_wherever_the_keyboard_leads(tmp_path: Path) -> None:
    async with (
        web_site(tmp_path / "discade.db", contact="ada@example.org") as site,
        chromium(site.url) as context,
    ):
        page = await context.new_page()
        for path in await pages(site):
            await page.goto(path)
            await page.locator("h1").wait_for()
            for _ in range(25):
                await page.keyboard.press("Tab")
                seen = await page.evaluate(
                    """() => { const one = document.activeElement, style = getComputedStyle(one);
                    const isRinged = parseFloat(style.outlineWidth) >= 2 && style.outlineStyle !== 'none';
                    return one === document.body || isRinged ? '' : one.outerHTML.slice(0, 100); }"""
                )
                assert seen == "", path


@pytest.mark.slow
async def test_a_move_is_said_once_and_politely(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db") as site, chromium(site.url) as context:
        match, key = await site.begin()
        assert isinstance(match, Match)
        page = await context.new_page()
        await page.goto(f"/m/{key}")
        await turn(page)
        await page.locator(PLAYABLE).first.click()
        said = page.locator("[role=status]")
        await expect(said).to_have_count(1)
        await expect(said).to_contain_text("Pip played")
        assert await page.locator("[role=timer][aria-live]").count() == 0


BROKEN_WORDS = r"""
() => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const broken = [], range = new Range();
  while (texts.nextNode()) {
    const text = texts.currentNode, isSeen = text.parentElement.checkVisibility();
    if (!isSeen || text.parentElement.closest('svg, script, .told, option')) continue;
    for (const word of text.data.matchAll(/[\p{L}\p{N}]+/gu)) {
      range.setStart(text, word.index);
      range.setEnd(text, word.index + word[0].length);
      const parts = [...range.getClientRects()].filter((one) => one.width > 1);
      if (new Set(parts.map((one) => Math.round(one.top))).size > 1) broken.push(word[0]);
    }
  }
  return broken;
}
"""


@pytest.mark.slow
async def test_no_word_breaks_within_on_a_small_phone_in_any_language(tmp_path: Path) -> None:
    async with (
        web_site(tmp_path / "discade.db", contact="ada@example.org") as site,
        chromium(site.url, **SMALL_PHONE) as context,
    ):
        await site.begin("tic-tac-toe")  # its tile says whose turn it is
        page = await context.new_page()
        for language in ("en", "de", "es", "fr", "pt-BR", "fa"):
            await page.set_extra_http_headers({"Accept-Language": language})
            for path in ("/", "/terms", "/privacy", "/review", "/puzzle"):
                await page.goto(path)
                await page.locator("h1").wait_for()
                assert await page.evaluate(BROKEN_WORDS) == [], f"{language} {path}"
