"""A position as text: one emoji per cell, so that columns line up in any font, or letters.

The emoji are our own tiles if Discord has all of them, else standard ones.

Letters are for screen readers and for people who cannot distinguish the discs: a block of fixed width, row by
row, with [X] for the last move, (X) for the winning line and * for a legal move. On boards of more than ten
columns, cells share the space between them, so that a row fits on a phone.
"""

from __future__ import annotations

from collections.abc import Sequence

from bot.domain.look import CLASSIC, Look, Size, Theme
from bot.presentation.discs import Discs, discs
from bot.presentation.position import Marks
from bot.presentation.tiles.grid import is_whole, written
from bot.presentation.tiles.palette import palette_of
from bot.presentation.tiles.tile import Icon
from engine.core import Player, State
from engine.games import spec_of

KEYCAPS = ("1️⃣", "2️⃣", "3️⃣", "4️⃣", "5️⃣", "6️⃣", "7️⃣", "8️⃣", "9️⃣", "🔟")
"""Column and row numbers. There is no keycap for eleven, so larger boards number their rows in digits."""

LETTERS = tuple(chr(ord("🇦") + index) for index in range(26))
"""Regional indicators. Two adjacent ones would become a flag, so a zero-width space goes between them."""

ZERO_WIDTH_SPACE = "\u200b"
CORNER = "▪️"


_SMALL_PRINT = "-# "
"""Discord draws emoji as large as their line. Headings would be larger, but have gaps between lines; so the
large size is a picture (see `picture.py`)."""


def draw_text(game_key: str, state: State, marks: Marks | None = None, look: Look = CLASSIC) -> str:
    """Return the lines of the board with its coordinates, without a final line break."""
    emoji = discs(game_key, look.theme)
    marked = marks or Marks()
    if look.theme is Theme.LETTERS:
        return _in_letters(emoji, state, marked)
    lines = written(spec_of(game_key), look, state, marked) or _in_emoji(emoji, state, marked)
    prefix = _SMALL_PRINT if look.size is Size.SMALL or is_wide(state) else ""
    return "\n".join(prefix + line for line in lines)


def icon(game_key: str, player: Player, look: Look = CLASSIC) -> str:
    """Return that side's piece, for text or a button, in the same emoji as the board."""
    spec = spec_of(game_key)
    if is_whole(spec, look):
        return look.emoji[Icon.of(palette_of(spec, look.theme).pieces[player])]
    return discs(game_key, look.theme).plain[player]


def is_wide(state: State) -> bool:
    """Whether the board's rows fit on a phone only in small print: sixteen emoji of 17 pixels."""
    return state.columns > len(KEYCAPS)


def _in_emoji(emoji: Discs, state: State, marks: Marks) -> list[str]:
    cells = [_cell(emoji, index, player, marks) for index, player in enumerate(state.cells())]
    lines = ["".join(cells[start : start + state.columns]) for start in range(0, len(cells), state.columns)]
    if not emoji.has_letters:
        return ["".join(KEYCAPS[: state.columns]), *lines]
    letters = ZERO_WIDTH_SPACE.join(LETTERS[: state.columns])
    if state.rows > len(KEYCAPS):
        return [f"`--`{letters}", *(f"`{row:02}`{line}" for row, line in enumerate(lines, 1))]
    return [CORNER + letters, *(KEYCAPS[row] + line for row, line in enumerate(lines))]


def _cell(emoji: Discs, index: int, player: Player | None, marks: Marks) -> str:
    if player is None:
        return emoji.hint if index in marks.hints or index == marks.best else emoji.empty
    if index in marks.line:
        return emoji.line[player]
    return emoji.last[player] if index == marks.last else emoji.plain[player]


def _in_letters(letters: Discs, state: State, marks: Marks) -> str:
    """Return a code block; all cells have the same width, so that marks do not move the rest."""
    names = [
        chr(ord("a") + column) if letters.has_letters else str(column + 1) for column in range(state.columns)
    ]
    width = 2 if is_wide(state) else 3
    lines = ["   " + "".join(f"{name:^{width}}" for name in names).rstrip()]
    cells = [
        _bracketed(_cell(letters, index, player, marks), index, marks)
        for index, player in enumerate(state.cells())
    ]
    if width == 2:
        lines[0] = "   " + "".join(f" {name}" for name in names)
    for row in range(state.rows):
        start = row * state.columns
        number = str(row + 1 if letters.has_letters else state.rows - row)
        row_cells = cells[start : start + state.columns]
        drawn = "".join(row_cells) if width == 3 else _overlapping(row_cells)
        lines.append(f"{number:>2} " + drawn.rstrip())
    return "\n".join(("```", *lines, "```"))


def _overlapping(cells: Sequence[str]) -> str:
    """Join cells of three characters that share the one between them; a bracket replaces a space."""
    drawn = ""
    for cell in cells:
        opening = drawn[-1:] if cell[0] == " " else cell[0]
        drawn = drawn[:-1] + (opening or " ") + cell[1:]
    return drawn


def _bracketed(letter: str, index: int, marks: Marks) -> str:
    if index in marks.line:
        return f"({letter})"
    return f"[{letter}]" if index == marks.last else f" {letter} "
