"""Colours of Discord's backgrounds, and of the emoji on boards.

Discord shows Twemoji everywhere, so the look of a Unicode board is known. WCAG 2.2 (success criterion 1.4.11)
requires a contrast of 3 for essential graphics. Only brown discs reach it on all four backgrounds.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

BACKGROUNDS: Mapping[str, str] = MappingProxyType(
    {"light": "#FBFBFB", "ash": "#323339", "dark": "#1A1A1E", "onyx": "#070709"}
)
"""Chat background in each of Discord's themes."""

_GLYPHS = {
    "#DD2E44": "🔴 🟥 ❤️ 🛑 ❌ ⭕ 🅾️",
    "#F4900C": "🟠 🟧 🧡 🔶 🔸",
    "#FDCB58": "🟡 🟨 💛",
    "#77B255": "❎",
    "#78B159": "🟢 🟩 💚",
    "#55ACEE": "🔵 🟦 🔷 🔹 💠",
    "#5DADEC": "💙 💎",
    "#AA8ED6": "🟣 🟪 💜",
    "#C1694F": "🟤 🟫 🤎",
    "#66757F": "🌑",
    "#E75A70": "🔺",
    "#E6E7E8": "⚪ ⬜ 🤍 ▫️",
    "#31373D": "⚫ ⬛ 🖤 ▪️",
}

COLOURS: Mapping[str, str] = MappingProxyType(
    {glyph: colour for colour, glyphs in _GLYPHS.items() for glyph in glyphs.split()}
)
"""Main colour of each glyph, from the files of Twemoji 15."""
