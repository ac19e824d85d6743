"""A position as emoji text: one emoji for every cell, so that columns line up in any font.

The shape of a disc says what happened to it: a square was played last, a heart belongs to the winning
line (crosses and noughts are squared for both). Empty cells are coloured squares where they can be,
because black and white ones vanish on one of Discord's themes.
"""

from __future__ import annotations

from dataclasses import dataclass

from bot.render.position import Marks
from engine.core import Player, State

KEYCAPS = ("1️⃣", "2️⃣", "3️⃣", "4️⃣", "5️⃣", "6️⃣", "7️⃣", "8️⃣", "9️⃣", "🔟")
"""Column and row numbers. There is no keycap for eleven, so boards are offered up to ten wide."""

LETTERS = tuple(chr(ord("🇦") + index) for index in range(26))
"""Regional indicators. Two that touch are drawn as a flag, so a zero-width space goes between them."""

ZERO_WIDTH_SPACE = "\u200b"
CORNER = "▪️"


@dataclass(frozen=True, slots=True)
class Discs:
    """The emoji of one game; pairs are indexed by Player."""

    plain: tuple[str, str]
    last: tuple[str, str]
    line: tuple[str, str]
    empty: str
    hint: str
    has_letters: bool


_CONNECT_FOUR = Discs(("🔴", "🟡"), ("🟥", "🟨"), ("❤️", "💛"), "🟦", "🔹", has_letters=False)
_OTHELLO = Discs(("⚫", "⚪"), ("⬛", "⬜"), ("🖤", "🤍"), "🟩", "🔸", has_letters=True)
_TIC_TAC_TOE = Discs(("❌", "⭕"), ("❎", "🅾️"), ("❎", "🅾️"), "⬜", "🔹", has_letters=True)
_OTHER = Discs(("🔴", "🟡"), ("🟥", "🟨"), ("❤️", "💛"), "⬜", "🔹", has_letters=True)

_DISCS = {"connect-four": _CONNECT_FOUR, "othello": _OTHELLO, "tic-tac-toe": _TIC_TAC_TOE}


def discs(game_key: str) -> Discs:
    """The emoji of that game; a game without its own gets red and yellow, and letters around."""
    return _DISCS.get(game_key, _OTHER)


def draw_text(game_key: str, state: State, marks: Marks | None = None) -> str:
    """The board in lines of emoji, its coordinates around it, without a line break at the end."""
    emoji = discs(game_key)
    marked = marks or Marks()
    cells = [_cell(emoji, index, player, marked) for index, player in enumerate(state.cells())]
    lines = [cells[start : start + state.columns] for start in range(0, len(cells), state.columns)]
    if emoji.has_letters:
        header = CORNER + ZERO_WIDTH_SPACE.join(LETTERS[: state.columns])
        numbered = (KEYCAPS[row] + "".join(line) for row, line in enumerate(lines))
        return "\n".join((header, *numbered))
    return "\n".join(("".join(KEYCAPS[: state.columns]), *("".join(line) for line in lines)))


def _cell(emoji: Discs, index: int, player: Player | None, marks: Marks) -> str:
    if player is None:
        return emoji.hint if index in marks.hints else emoji.empty
    if index in marks.line:
        return emoji.line[player]
    return emoji.last[player] if index == marks.last else emoji.plain[player]
