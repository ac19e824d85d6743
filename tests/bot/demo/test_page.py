"""The demo's page: our words and icon on simcord's page, and the first message."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urldefrag

import aiohttp
import discord
import pytest
import simcord.preview
from discord.ext import commands

from bot.demo.page import CHOICES, HIDDEN, STYLE, WORDS, branded
from bot.demo.simulated import SimulatedDiscord
from bot.presentation.colour import contrast, rgb
from tools.twemoji import BACKGROUNDS

INDEX = Path(simcord.preview.__file__).with_name("static") / "index.html"


def test_every_replaced_text_is_on_simcords_page() -> None:
    page = branded(INDEX.read_text("utf-8"))
    assert "<title>Discade</title>" in page
    assert "SimCord" not in page.partition('<aside id="inspector-panel"')[0]
    for ours in WORDS.values():
        assert ours in page
    assert "offered.set" in branded(INDEX.with_name("selects.js").read_text("utf-8"), CHOICES)


def test_a_changed_page_is_an_error_and_not_half_replaced() -> None:
    with pytest.raises(ValueError, match="has changed"):
        branded("<title>SimCord</title>")


def test_light_texts_of_simcord_are_dark_in_the_light_theme() -> None:
    static, light = INDEX.parent, STYLE.partition("(prefers-color-scheme: light)")[2]
    css = re.sub(r"/\*.*?\*/", "", (static / "preview.css").read_text("utf-8"), flags=re.DOTALL)
    unreadable = []
    for selectors, rules in re.findall(r"([^{}]+)\{([^{}]*)\}", css):
        colour = re.search(r"(?<![\w-])color:\s*#([0-9a-f]{3}|[0-9a-f]{6})\b", rules)
        has_own_ground = "background" in rules and "rgba(" not in rules
        if colour is None or has_own_ground:
            continue
        digits = colour[1] if len(colour[1]) == 6 else "".join(2 * digit for digit in colour[1])
        if contrast(rgb(f"#{digits}"), rgb(BACKGROUNDS["light"])) < 4.5:
            unreadable += [one for one in map(str.strip, selectors.split(",")) if one not in light]
    # We use no polls, programs or inspector; buttons and ticks have their own backgrounds.
    apart = re.compile(
        r"\.(hljs|poll|diagnostic|required-marker|spoiler|modal-choice-glyph|component-button|button-(primary|secondary)$)"
    )
    assert [one for one in unreadable if not apart.match(one)] == []


def quiet_bot() -> discord.Client:
    return commands.Bot("!", intents=discord.Intents(guilds=True))


@pytest.mark.parametrize("is_inspected", [False, True])
async def test_controls_for_testing_bots_appear_only_on_request(is_inspected: bool) -> None:
    async with (
        SimulatedDiscord(quiet_bot(), port=0, is_inspected=is_inspected) as simulated,
        aiohttp.ClientSession() as session,
    ):
        address, _ = urldefrag(simulated.url)
        found = {}
        for path in ("", "preview.css", "icon.svg", "demo.js"):
            async with session.get(f"{address}{path}") as answer:
                assert answer.status == 200
                assert "default-src 'self'" in answer.headers["Content-Security-Policy"]
                found[path] = await answer.text()
    assert "<title>Discade</title>" in found[""]
    assert found["icon.svg"].startswith("<svg")
    assert (HIDDEN in found["preview.css"]) is not is_inspected
