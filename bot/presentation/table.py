"""The standings of a tournament as a PNG: ranks, names, each round's results, points and tie-breaks.

Colours are from Okabe and Ito, "Color Universal Design"; the text in the cells says the same.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from bot.presentation.canvas import EMPTY, FAINT, INK, PAGE, PANEL, Canvas
from bot.presentation.colour import Colour

_PAD, _HEAD, _ROW = 16, 30, 42
_RANK, _NAME, _NUMBER = 48, 210, 62
_WIDE_CELL, _NARROW_CELL = 48, 34
_MANY_ROUNDS = 11
_NAME_LENGTH = 18

_WON: Colour = (0, 158, 115)
_DRAWN: Colour = (120, 126, 140)
_LOST: Colour = (213, 94, 0)
_MEDALS: tuple[Colour, ...] = ((240, 194, 64), (190, 198, 208), (198, 132, 80))
_DARK: Colour = (24, 26, 32)


@dataclass(frozen=True, slots=True)
class ResultCell:
    """One round of one row. halves: half points, None while it is played. is_played: by both sides.

    opponent: the row of the opponent, from 1; None for a bye.
    """

    halves: int | None
    opponent: int | None
    is_played: bool


@dataclass(frozen=True, slots=True)
class TableRow:
    """One entrant. number: replaces a name whose letters the font lacks.

    cells: by round; none, one, or more after a drawn tie. figures: points and tie-breaks, in ASCII.
    has_medal: the entrant has won a match, so the first ranks get a medal.
    """

    rank: int
    name: str
    number: int
    cells: Sequence[Sequence[ResultCell]]
    figures: Sequence[str]
    has_medal: bool = True


def draw_table(rows: Sequence[TableRow], heads: Sequence[str]) -> bytes:
    """Return a PNG. heads: the column heads of the figures, in Latin letters."""
    rounds = max((len(row.cells) for row in rows), default=0)
    cell = _NARROW_CELL if rounds >= _MANY_ROUNDS else _WIDE_CELL
    width = 2 * _PAD + _RANK + _NAME + rounds * cell + len(heads) * _NUMBER
    canvas = Canvas(width, 2 * _PAD + _HEAD + len(rows) * _ROW)
    left = _PAD + _RANK + _NAME
    for index in range(rounds):
        canvas.text(left + (index + 0.5) * cell, _PAD + _HEAD / 2, str(index + 1), 13, FAINT)
    for index, head in enumerate(heads):
        x = left + rounds * cell + (index + 1) * _NUMBER - 8
        canvas.text(x, _PAD + _HEAD / 2, head, 13, FAINT, anchor="rm")
    for index, row in enumerate(rows):
        top = _PAD + _HEAD + index * _ROW
        canvas.panel((_PAD, top + 2, width - _PAD, top + _ROW - 2), PANEL if index % 2 == 0 else PAGE, 8)
        _draw_rank(canvas, _PAD + _RANK / 2, top + _ROW / 2, row.rank, has_medal=row.has_medal)
        canvas.text(_PAD + _RANK, top + _ROW / 2, _name(row), 16, anchor="lm")
        for number, cells in enumerate(row.cells):
            # A drawn tie has several matches, which share the width of their round.
            for part, own in enumerate(cells):
                size = cell / len(cells)
                middle = left + number * cell + (part + 0.5) * size
                _draw_cell(canvas, middle, top + _ROW / 2, size - 4, own)
        for place, figure in enumerate(row.figures):
            x = left + rounds * cell + (place + 1) * _NUMBER - 8
            canvas.text(
                x, top + _ROW / 2, figure, 17 if place == 0 else 14, INK if place == 0 else FAINT, anchor="rm"
            )
    return canvas.png()


def _draw_rank(canvas: Canvas, x: float, y: float, rank: int, *, has_medal: bool) -> None:
    is_medal = has_medal and rank <= len(_MEDALS)
    if is_medal:
        canvas.disc(x, y, 14, _MEDALS[rank - 1])
    canvas.text(x, y, str(rank), 15, _DARK if is_medal else INK)


def _draw_cell(canvas: Canvas, x: float, y: float, width: float, cell: ResultCell) -> None:
    """Draw the result, with the opponent's row next to it; without a background for an unplayed match."""
    box = (x - width / 2, y - 15, x + width / 2, y + 15)
    if cell.halves is None:
        canvas.panel(box, EMPTY, 6)
        canvas.text(x, y, "...", 15)
        return
    colour = (_LOST, _DRAWN, _WON)[cell.halves]
    if cell.is_played:
        canvas.panel(box, colour, 6)
        sign, ink = ("0", "=", "1")[cell.halves], INK
    else:
        sign, ink = ("-", "=", "+")[cell.halves], colour
    is_beside = cell.opponent is not None and width >= 30
    size = 16 if cell.is_played else 22
    canvas.text(x - (width / 6 if is_beside else 0), y, sign, size, ink)
    if is_beside:
        canvas.text(x + width / 4, y + 6, str(cell.opponent), 10, ink)


def _name(row: TableRow) -> str:
    """Return a name in ASCII, as Pillow's font requires: without accents, or a number for other scripts."""
    bare = "".join(
        part for part in unicodedata.normalize("NFKD", row.name) if not unicodedata.combining(part)
    )
    name = bare if bare.isascii() and bare.strip() else f"#{row.number}"
    return name if len(name) <= _NAME_LENGTH else name[: _NAME_LENGTH - 2].rstrip() + ".."
