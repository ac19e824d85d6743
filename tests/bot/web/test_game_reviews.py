"""The page that takes a game from elsewhere: its form, its refusals, and the review for its owner alone."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import FilePayload, expect

from bot.domain.guest import GUEST_IDS, LOCAL_USER
from bot.domain.person import Person
from bot.domain.web_page import WebPage
from bot.web.documents import Visitor
from bot.web.game_reviews import may_review
from engine.core import Player
from engine.records.record import PERSON
from tests.bot.services.test_imports import WORDS, read_on
from tests.bot.web.test_guests import sign_in
from tests.bot.web.test_page import PHONE, chromium
from tests.bot.web.visitors import Browser, WebSite, web_site

MOVES = "f5 d6 c3 d3 c4 f4"
TWO = '[Black "Anna"]\n11-15 23-19 0-1\n\n[Black "Cem"]\n9-14 22-18 1-0\n'


async def bring(browser: Browser, content: str | bytes, **asked: object) -> tuple[int, dict[str, Any]]:
    """The answer to the form's request."""
    body = io.BytesIO(content.encode() if isinstance(content, str) else content)
    headers = {"Origin": browser.origin, "Content-Type": "application/octet-stream"}
    query = {key: str(value) for key, value in asked.items()}
    url = f"{browser.url}/api/games"
    async with browser.http.post(url, params=query, data=body, headers=headers) as answer:
        return answer.status, json.loads(await answer.text())


@pytest.mark.slow
async def test_a_game_gets_a_page_with_its_review_for_its_owner_alone(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db") as site, site.browser() as browser:
        status, answer = await bring(browser, MOVES, side="second")
        assert status == 200
        key = answer["to"].removeprefix("/m/")
        document = await browser.first(key)
        assert document["game"]["key"] == "othello"
        assert document["viewer"] == {"seat": 1, "may": ["review"]}
        assert "rating" not in document["seats"][1]
        page = await browser.watch(key)
        review = (await page.next("review"))["review"]
        assert len(review["verdicts"]) == 6
        assert (await browser.get(f"/api/matches/{key}/file"))[0] == 200
        unseated = (await bring(browser, MOVES, side="none"))[1]["to"]
        reader = await browser.watch(unseated.removeprefix("/m/"))
        assert (await reader.next("presence"))["watching"] == 0
        other = await site.process.services.imports.add(
            Person(7, "Ben"), await read_on(site.process.services, MOVES), Player.FIRST, WORDS
        )
        for path in ("/m/{}", "/api/matches/{}", "/api/matches/{}/replay", "/api/matches/{}/file"):
            hidden = await browser.get(path.format(WebPage.of_imported(other.id).key))
            assert hidden[0] == 404, path


@pytest.mark.slow
async def test_a_game_from_a_position_is_reviewed_from_there_without_training(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db") as site, site.browser() as browser:
        _, answer = await bring(browser, '[FEN "B:W31,K9:B1,K20"] 1. 1-6 9x2', side="first")
        key = answer["to"].removeprefix("/m/")
        review = (await (await browser.watch(key)).next("review"))["review"]
        assert (len(review["verdicts"]), "train" in review) == (2, False)
        assert any("begins from a position of its own" in line for line in review["lines"])
        _, _, replay = await browser.get(f"/api/matches/{key}/replay")
        assert [len(one["pieces"]) for one in json.loads(replay)["positions"]] == [4, 4, 3]
        assert '[FEN "B:WK9,31:B1,K20"]' in (await browser.get(f"/api/matches/{key}/file"))[2]


async def test_several_games_and_several_kinds_are_asked_for(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db") as site, site.browser() as browser:
        _, asked = await bring(browser, TWO, name="two.pdn")
        assert (asked["ask"], [one for one, _ in asked["choices"]]) == ("number", ["1", "2"])
        assert asked["choices"][1][1] == "2. Cem – ?, Draughts, 2 moves, 1-0"
        assert (await bring(browser, TWO, number=2))[1]["to"].startswith("/m/review")
        _, asked = await bring(browser, "b2a1")
        assert asked["ask"] == "game"
        assert ["hex", "Hex"] in asked["choices"]
        assert "to" in (await bring(browser, "b2a1", game="hex"))[1]


async def test_games_are_named_by_their_day_without_its_time(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db") as site, site.browser() as browser:
        with_time = "(;GM[2]DT[2026.11.27_19:20:00.GMT];B[f5])"
        _, asked = await bring(browser, with_time * 2, name="two.sgf")
        assert asked["choices"][0][1] == "1. Othello, 1 move, 2026.11.27"


@pytest.mark.parametrize(
    ("content", "asked", "said"),
    [
        ("f5 d6 c3 d9", {}, "as far as move 4"),
        ("", {}, "attach its file"),
        (b"x" * (PERSON.bytes + 1), {}, "too large"),
        (MOVES, {"number": "0"}, "no number of a game"),
        (MOVES, {"side": "third"}, ""),
        (MOVES, {"game": "chess"}, ""),
        (MOVES, {"game": "othello 9x9"}, ""),
        (b"\xff\xd8\x00", {"name": "a.jpg"}, "no text"),
    ],
)
async def test_a_refusal_says_why(
    tmp_path: Path, content: str | bytes, asked: dict[str, str], said: str
) -> None:
    async with web_site(tmp_path / "discade.db") as site, site.browser() as browser:
        status, answer = await bring(browser, content, **asked)
        assert status in (400, 409)
        assert said in answer["text"]


async def test_guests_strangers_and_other_sites_get_nothing(tmp_path: Path) -> None:
    async with web_site(tmp_path / "a.db", is_local=False, has_guests=True) as site:
        async with site.browser() as browser:
            assert (await browser.get("/review"))[0] == 404
            assert (await bring(browser, MOVES))[0] == 404
            guest = Visitor(site.process.services.texts.of("en"), "address", GUEST_IDS.start)
            assert not may_review(guest)
        async with (
            site.browser("https://example.org") as foreign,
            foreign.http.post(
                f"{site.url}/api/games", data=MOVES, headers={"Origin": foreign.origin}
            ) as answer,
        ):
            assert answer.status == 403
        assert not await site.process.services.imports.of(Person(LOCAL_USER, "?"), 9)


async def test_people_who_are_signed_in_bring_games_which_no_other_person_opens(
    tmp_path: Path,
) -> None:
    async with web_site(tmp_path / "a.db", is_local=False) as site, site.browser() as browser:
        await sign_in(site, browser)
        assert (await browser.get("/review"))[0] == 200
        own = (await bring(browser, MOVES))[1]["to"]
        assert (await browser.get(own))[0] == 200
        async with site.browser() as stranger:
            assert (await stranger.get(own))[0] == 404
            assert (await stranger.get(f"/api/matches/{own[3:]}"))[0] == 404


async def test_a_crowd_of_files_is_slowed_down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.web.security.WORK_A_SECOND", 0.001)
    async with web_site(tmp_path / "discade.db") as site, site.browser() as browser:
        answers = [(await bring(browser, MOVES))[0] for _ in range(8)]
        assert answers[0] == 200
        assert 429 in answers


async def review_by_keyboard(site: WebSite, **options: Any) -> None:
    """From the home to the review of a dropped file, with the keyboard alone where that is possible."""
    async with chromium(site.url, **options) as context:
        page = await context.new_page()
        await page.goto("/")
        await page.get_by_role("link", name="Review a game of yours").press("Enter")
        await page.get_by_label("Or its file").set_input_files(
            {"name": "two.pdn", "mimeType": "text/plain", "buffer": TWO.encode()}
        )
        await page.get_by_label("Which side were you?").select_option("first")
        await page.keyboard.press("Tab")
        await page.get_by_role("button", name="Review it").press("Enter")
        await expect(page.get_by_role("button", name="1. Anna")).to_be_focused()
        await page.get_by_role("button", name="2. Cem").press("Enter")
        await page.locator("svg.plot").wait_for()
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.slow
@pytest.mark.parametrize("options", [PHONE, {"viewport": {"width": 1280, "height": 800}}])
async def test_a_person_brings_a_file_and_reads_its_review(tmp_path: Path, options: dict[str, Any]) -> None:
    async with web_site(tmp_path / "discade.db") as site:
        await review_by_keyboard(site, **options)


@pytest.mark.slow
async def test_pasted_moves_and_a_dropped_file_and_of_both_the_last_one(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db") as site, chromium(site.url) as context:
        page = await context.new_page()
        await page.goto("/review")
        await page.get_by_label("The game’s moves").fill("f5 d6 c3 d9")
        await page.get_by_role("button", name="Review it").click()
        await expect(page.get_by_role("alert")).to_contain_text("“d9” isn’t possible there")
        await page.evaluate(
            """() => { const data = new DataTransfer();
            data.items.add(new File(["f5d6c3d3c4"], "game.txt"));
            dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true })); }"""
        )
        await page.get_by_role("button", name="Review it").click()
        await page.wait_for_url("**/m/review*")
        await page.goto("/review")
        unfit: FilePayload = {"name": "a.png", "mimeType": "image/png", "buffer": b"\x89PNG\x00"}
        await page.get_by_label("Or its file").set_input_files(unfit)
        await page.get_by_role("button", name="Review it").click()
        await expect(page.get_by_role("alert")).to_contain_text("no text")
        huge: FilePayload = {"name": "a.wtb", "mimeType": "text/plain", "buffer": b"x" * (PERSON.bytes + 1)}
        await page.get_by_label("Or its file").set_input_files(huge)
        await page.get_by_role("button", name="Review it").click()
        await expect(page.get_by_role("alert")).to_contain_text("That’s too large")
        await page.get_by_label("The game’s moves").fill("f5d6c3d3c4")
        await page.get_by_role("button", name="Review it").click()
        await page.wait_for_url("**/m/review*")
