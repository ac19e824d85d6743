"""The colours of Discord's backgrounds, and those in which it draws the emoji of boards.

Discord shows Twemoji everywhere, so what a Unicode board looks like is known. A reading of 3 is what WCAG 2.2
(success criterion 1.4.11) asks of anything that must be seen to be understood; no disc reaches it on all four
backgrounds, brown ones alone excepted.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

BACKGROUNDS: Mapping[str, str] = MappingProxyType(
    {"light": "#FBFBFB", "ash": "#323339", "dark": "#1A1A1E", "onyx": "#070709"}
)
"""Of a chat in each of Discord's themes."""

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
"""The colour of most of each glyph, as in the files of Twemoji 15."""
