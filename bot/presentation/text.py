"""A position as text: one emoji per cell, so that columns line up in any font, or letters.

The emoji are our own tiles if Discord has all of them, else standard ones.

Letters are for screen readers and for people who cannot distinguish the discs: a block of fixed width, row by
row, with [X] for the last move, (X) for the winning line and * for a legal move. On boards of more than ten
columns, cells share the space between them, so that a row fits on a phone.
"""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_lowercase

from bot.domain.look import CLASSIC, Look, Size, Theme
from bot.presentation.discs import Discs, discs, discs_of
from bot.presentation.position import Marks
from bot.presentation.tiles.grid import empty_cell, is_whole, written
from bot.presentation.tiles.palette import palette_of
from bot.presentation.tiles.tile import Icon
from engine.core import Player, State
from engine.games import spec_of
from engine.games.drawing import empty_text, piece_text, sheet_of
from engine.games.spec import BoardCell, GameSpec, Piece

KEYCAPS = ("1️⃣", "2️⃣", "3️⃣", "4️⃣", "5️⃣", "6️⃣", "7️⃣", "8️⃣", "9️⃣", "🔟")
"""Column and row numbers. There is no keycap for eleven, so larger boards number their rows in digits."""

LETTERS = tuple(chr(ord("🇦") + index) for index in range(26))
"""Regional indicators. Two adjacent ones would become a flag, so a zero-width space goes between them."""

ZERO_WIDTH_SPACE = "\u200b"
CORNER = "▪️"

_HALF_GAP = "\u2002\u2006"
"""About half as wide as an emoji in Discord's font."""
_GAP = 2 * _HALF_GAP

_NEUTRAL = ("⚪", "⚪")

_SMALL_PRINT = "-# "
"""Discord draws emoji as large as their line. Headings would be larger, but have gaps between lines; so the
large size is a picture (see `picture.py`)."""


def draw_text(game_key: str, state: State, marks: Marks | None = None, look: Look = CLASSIC) -> str:
    """Return the lines of the board with its coordinates, without a final line break."""
    return draw_board(spec_of(game_key), state, marks, look)


def draw_board(spec: GameSpec, state: State, marks: Marks | None = None, look: Look = CLASSIC) -> str:
    """Return the same for a game that may be in no registry."""
    emoji = discs_of(spec, look.theme)
    marked = marks or Marks()
    if look.theme is Theme.LETTERS:
        return _in_letters(spec, emoji, state, marked)
    lines = written(spec, look, state, marked) or _in_emoji(spec, emoji, state, marked)
    prefix = _SMALL_PRINT if look.size is Size.SMALL or is_wide(state) else ""
    return "\n".join(prefix + line for line in lines)


def icon(game_key: str, player: Player, look: Look = CLASSIC) -> str:
    """Return that side's piece, for text or a button, in the same emoji as the board."""
    spec = spec_of(game_key)
    if is_whole(spec, look):
        return look.emoji[Icon.of(palette_of(spec, look.theme).pieces[player])]
    return discs(game_key, look.theme).plain[player]


def icons(game_key: str, look: Look = CLASSIC) -> tuple[str, str]:
    """Return the pieces of both sides, by Player."""
    first, second = (icon(game_key, player, look) for player in Player)
    return first, second


def empty_icon(game_key: str, look: Look = CLASSIC) -> str:
    """Return an empty cell, for a button, in the same emoji as the board."""
    spec = spec_of(game_key)
    if is_whole(spec, look):
        return look.emoji[empty_cell(palette_of(spec, look.theme))]
    return discs(game_key, look.theme).empty


def is_wide(state: State) -> bool:
    """Whether the board's rows fit on a phone only in small print: sixteen emoji of 17 pixels."""
    return state.columns > len(KEYCAPS)


def _in_emoji(spec: GameSpec, emoji: Discs, state: State, marks: Marks) -> list[str]:
    places, pieces = spec.places_under(state), spec.pieces_of(state)
    sheet = sheet_of(places)
    lines = [
        _HALF_GAP * line.shift
        + "".join(
            _GAP if cell is None else _cell(emoji, cell, places[cell], pieces.get(cell), marks)
            for cell in line.cells
        )
        for line in sheet.lines
    ]
    if not sheet.labels:
        return lines
    head = _HALF_GAP * sheet.lines[0].shift
    rows = [line.label for line in sheet.lines]
    if not any(rows):
        return [head + "".join(map(_number_label, sheet.labels)), *lines]
    head += ZERO_WIDTH_SPACE.join(map(_letter_label, sheet.labels))
    if len(rows) > len(KEYCAPS):
        return [f"`--`{head}", *(f"`{row:>02}`{line}" for row, line in zip(rows, lines, strict=True))]
    return [CORNER + head, *(_number_label(row) + line for row, line in zip(rows, lines, strict=True))]


def _number_label(name: str) -> str:
    return KEYCAPS[int(name) - 1] if name else _GAP


def _letter_label(name: str) -> str:
    return LETTERS[ascii_lowercase.index(name)] if name else _GAP


def _cell(emoji: Discs, index: int, place: BoardCell, piece: Piece | None, marks: Marks) -> str:
    if piece is None:
        if index in marks.hints or index == marks.best:
            return emoji.hint
        return (emoji.shapes.get(place.shape, emoji.empty)) or _GAP
    # A number or a kind cannot show the last move as well: there is one emoji for each.
    if piece.count is not None:
        return _number(piece.count)
    if piece.kind in emoji.kinds or piece.owner is None:
        return emoji.kinds.get(piece.kind, _NEUTRAL)[piece.owner or Player.FIRST]
    if index in marks.line:  # before the last move, which is often a part of it
        return emoji.line[piece.owner]
    return emoji.last[piece.owner] if index == marks.last else emoji.plain[piece.owner]


def _number(count: int) -> str:
    return f"`{count}`" if count > len(KEYCAPS) else KEYCAPS[count - 1] if count else "0️⃣"


def _in_letters(spec: GameSpec, letters: Discs, state: State, marks: Marks) -> str:
    """Return a code block; all cells have the same width, so that marks do not move the rest."""
    places, pieces = spec.places_under(state), spec.pieces_of(state)
    sheet = sheet_of(places)
    texts = {at: piece_text(sheet, places[at], piece, letters.plain) for at, piece in pieces.items()}
    empties = [empty_text(sheet, place) for place in places]
    inner = max(map(len, [*empties, *texts.values()]))
    # Neighbours share the space between them only if every mark is one letter and the rows are not shifted.
    is_tight = is_wide(state) and inner == 1 and not any(line.shift for line in sheet.lines)
    width = 2 if is_tight else 2 + inner

    def cell(index: int) -> str:
        is_hinted = index in marks.hints or index == marks.best
        empty = letters.hint if is_hinted else empties[index]
        return _bracketed(texts.get(index, empty).rjust(inner), index, marks)

    has_ranks = any(line.label for line in sheet.lines)
    lines = []
    if sheet.labels:
        names = "".join(f" {name}" if is_tight else f"{name.rjust(width - 1)} " for name in sheet.labels)
        lines.append("   " + " " * (sheet.lines[0].shift * width // 2) + names.rstrip())
    for row, line in enumerate(sheet.lines):
        number = line.label if has_ranks else str(len(sheet.lines) - row) if sheet.labels else ""
        row_cells = [" " * (2 + inner) if index is None else cell(index) for index in line.cells]
        drawn = _overlapping(row_cells) if is_tight else "".join(row_cells)
        beside = f"{number:>2} " if sheet.has_coordinates else ""
        lines.append(beside + " " * (line.shift * width // 2) + drawn.rstrip())
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
