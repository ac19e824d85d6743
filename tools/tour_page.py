"""One walk through the demo in a browser: how people act in it, and how what they see is kept."""

from __future__ import annotations

import asyncio
import re
import traceback
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Any, Literal

from playwright.async_api import Locator, Page
from simcord.components import walk_components
from simcord.results import ResponseMessage

from bot.app import Discade
from bot.demo.simulated import SimulatedDiscord
from bot.domain.look import Size, Theme
from bot.domain.preferences import Preferences, ServerSettings

WIDTHS = (1280, 390)
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
TALL = 1800
"""Pixels of the window: a message is taken whole, and nothing scrolls."""

BUTTON = 2

ALONE = """name => {
  const style = document.querySelector("#alone") ?? document.createElement("style");
  document.head.append(style);
  style.id = "alone";
  style.textContent = `article.channel-message:not(${name}) { display: none }`;
}"""
"""Hides the other messages: a page with fifty pictures takes its time."""

IS_DRAWN = """([name, width, scheme]) => {
  if (innerWidth !== width || !matchMedia(`(prefers-color-scheme: ${scheme})`).matches) return false;
  const pictures = [...document.querySelector(name)?.querySelectorAll("img") ?? []];
  return pictures.every(one => one.complete && one.naturalWidth > 0);
}"""
"""A busy machine lays the page out and changes its theme after it was asked to.

Not asynchronous: a promise would count as true at once.
"""


class Tour:
    """One language's walk: Ada and Ben act, and what they see is taken."""

    def __init__(self, bot: Discade, simulated: SimulatedDiscord, page: Page, folder: Path, language: str):
        self.bot, self.simulated, self.page, self.language = bot, simulated, page, language
        self.games = simulated.channel
        self.ada, self.ben = simulated.people
        self.t = bot.services.texts.of(language)
        self._folder, self._number = folder, 0
        self.viewer = "Ada"

    async def slash(self, name: str, person: Any = None, **options: Any) -> Any:
        """The message that answers."""
        asked = await (person or self.ada).slash(self.games, name, **options)
        return await _answer(asked)

    async def menu(self, name: str, target: Any) -> Any:
        """What answers Ada's entry of the menu on somebody."""
        return await _answer(await self.ada.context_menu(self.games, name, target))

    async def press(self, message: Any, pattern: str, person: Any = None, value: Any = None) -> Any:
        """Presses or chooses what has such a custom_id; returns the message that answers."""
        for _ in range(50):
            there = [part for part in parts_of(self.now(message)) if "custom_id" in part]
            found = [part for part in there if re.search(pattern, part["custom_id"])]
            found = [part for part in found if not part.get("disabled")]
            if found:
                break
            await asyncio.sleep(0.1)
        if not found:
            raise LookupError(f"{pattern} is not among {[part['custom_id'] for part in there]}")
        person, name = person or self.ada, found[0]["custom_id"]
        message = ResponseMessage(self.simulated.env, self.now(message))
        if found[0]["type"] == BUTTON:
            return await _answer(await person.click(message, custom_id=name)) or message
        if isinstance(value, int):
            value = found[0]["options"][value]["value"]
        return await _answer(await person.select(message, [value], custom_id=name)) or message

    def now(self, message: Any) -> Any:
        """The message as it is now."""
        return self.simulated.env.backend.get_message(self.games.id, message.id)

    def last(self) -> Any:
        return max(self.simulated.env.backend.messages[self.games.id].values(), key=lambda one: one.id)

    def board(self, match_id: int) -> Any:
        """The newest message under which that match is played or was."""
        pattern = rf"^d1:(m|s|mc|a|r):{match_id}(:|$)"
        every = self.simulated.env.backend.messages[self.games.id].values()
        return max(
            (
                one
                for one in every
                if any(re.search(pattern, part.get("custom_id", "")) for part in parts_of(one))
            ),
            key=lambda one: one.id,
        )

    async def move(self, match_id: int, names: Iterable[str]) -> None:
        """Whoever is to move makes these moves by /move, as long as it is one of the two."""
        for name in names:
            match = await self.bot.services.matches.match(match_id)
            if match.is_over:
                return
            person = next(one for one in (self.ada, self.ben) if one.id == match.seat_to_move.user_id)
            await self.slash("move", person, to=name, match=str(match_id))

    async def until_mine(self, match_id: int) -> None:
        """Waits for the agent."""
        for _ in range(200):
            match = await self.bot.services.matches.match(match_id)
            if match.is_over or match.seat_to_move.user_id is not None:
                return
            await asyncio.sleep(0.1)

    async def newest_match(self) -> int:
        matches = self.bot.parts.stores.matches
        found = [*await matches.running(self.ada.id), *await matches.finished(self.ada.id, 50)]
        return max(match.id for match in found)

    async def shot(self, name: str, message: Any, seconds: float = 0.9) -> None:
        """Takes the message at every width and in every theme."""
        await asyncio.sleep(seconds)
        name_of = f'article[data-message-id="{message.id}"]'
        article = self.page.locator(name_of)
        if await article.count() == 0:  # the page keeps to what it shows when more comes than fits
            await self.page.goto("about:blank")
            await self.page.goto(self.simulated.url)
            await asyncio.sleep(1.5)
            await self.view_as(self.viewer)
        await self.page.evaluate(ALONE, name_of)
        await self._take(name, article, name_of)
        await self.page.evaluate(ALONE, "*")

    async def _take(self, name: str, part: Locator, drawn: str = "body") -> None:
        """That part of the page, at every width, in every theme, once all pictures in `drawn` are there."""
        self._number += 1
        for width in WIDTHS:
            await self.page.set_viewport_size({"width": width, "height": TALL})
            await self.page.wait_for_timeout(300)  # the page lays itself out a little later
            for scheme in SCHEMES:
                await self.page.emulate_media(color_scheme=scheme)
                await self.page.wait_for_function(IS_DRAWN, arg=[drawn, width, scheme], timeout=20_000)
                await self.page.wait_for_timeout(60)
                path = self._folder / f"{self._number:03}-{name}-{self.language}-{width}-{scheme}.png"
                await part.screenshot(path=path, timeout=10_000)

    async def screen(self, name: str, asked: Any, seconds: float = 0.9) -> Any:
        """Takes what that coroutine answers; a screen that fails is told at the end and stops no other."""
        try:
            message = await asked
            await self.shot(name, message, seconds)
        except Exception as error:  # noqa: BLE001
            self.fail(name, error)
            return None
        return message

    async def form(self, name: str, asked: Awaitable[Any]) -> Any:
        """Takes the form that opens; what opens it on Discord is a menu that the page has not."""
        opened = await asked
        preview = self.simulated._preview
        if preview is None:
            raise LookupError("no page is served")
        for page in preview._pages.values():
            page.modal, page.modal_handle = opened, f"m_{opened._interaction.id}"
        await preview.refresh()
        await asyncio.sleep(1)
        await self._take(name, self.page.locator("#modal-root > *").first)
        for page in preview._pages.values():
            page.modal = page.modal_handle = None
        await preview.refresh()
        return opened

    async def resign(self, number: int, person: Any = None) -> None:
        asked = await self.slash("resign", person, match=str(number))
        await self.press(asked, ":resign-now", person)

    async def part(self, part: Callable[[Tour], Awaitable[None]]) -> None:
        """A part of the walk; one that fails is told and stops no other."""
        try:
            await part(self)
        except Exception as error:  # noqa: BLE001
            self.fail(part.__name__, error)

    def fail(self, name: str, error: Exception) -> None:
        where = traceback.extract_tb(error.__traceback__)
        lines = [frame.lineno for frame in where if "tour" in frame.filename]
        print(f"{self.language} {name}: {str(error)[:500]} {type(error).__name__} {lines}", flush=True)

    async def view_as(self, name: str) -> None:
        self.viewer = name
        await self.page.locator("#viewer-picker").select_option(label=name)
        await asyncio.sleep(1)


def parts_of(message: Any) -> list[dict[str, Any]]:
    return list(walk_components(message.components))


async def wish(tour: Tour, theme: Theme, size: Size) -> None:
    """Both see boards like this, and read the walk's language."""
    for person in (tour.ada, tour.ben):
        await tour.bot.services.settings.prefer(person.id, Preferences(theme, size, tour.language))


async def decide(tour: Tour) -> None:
    """What everybody sees is in the walk's language."""
    guild = tour.games.guild
    if guild is None:
        raise LookupError("the demo's channel stands in no server")
    await tour.bot.services.settings.save(guild.id, ServerSettings(language=tour.language))


async def said(message: Any) -> Any:
    return message


async def pair(tour: Tour, **options: Any) -> int:
    chosen = {"game": "connect-four", "opponent": tour.ben, "first": "me", "rated": False, **options}
    invitation = await tour.slash("challenge", **chosen)
    await tour.press(invitation, "c:[0-9]+:accept", tour.ben)
    return await tour.newest_match()


async def shared(tour: Tour, name: str, message: Any) -> None:
    """What everybody sees once it is shared, and what asking twice is answered."""
    await tour.press(message, "^d1:sx:")
    await asyncio.sleep(2)
    await tour.screen(f"shared-{name}", said(tour.last()))
    if name == "review":
        await tour.screen("shared-twice", tour.press(message, "^d1:sx:"), 2)


async def _answer(result: Any) -> Any:
    """The message that answers; waits for one that was promised."""
    for _ in range(100):
        response = result.response
        if response is not None and not result._interaction.loading:
            return response
        if result.acknowledged and not result.deferred and response is None:
            return None
        await asyncio.sleep(0.05)
    return result.response
