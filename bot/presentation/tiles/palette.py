"""The colours of a game's tiles in each theme, derived from its spec."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from bot.domain.look import Theme
from bot.presentation.colour import BLACK, WHITE, Colour, contrast, middling, mixed, rgb
from engine.core import Player
from engine.games.spec import Distinction, GameSpec, Paint


class Kind(enum.StrEnum):
    """How an empty cell looks."""

    HOLES = "holes"
    """A dark hole in a bright board, into which a disc falls."""
    SQUARES = "squares"
    """A square between lines."""
    POINTS = "points"
    """A crossing of lines, on which a stone lies."""
    PAPER = "paper"
    """A dark cell with a written sign."""


class Shape(enum.StrEnum):
    DISC = "disc"
    DIAMOND = "diamond"
    CROSS = "cross"
    RING = "ring"


@dataclass(frozen=True, slots=True)
class Piece:
    """One side's piece. rim: its edge; accent: marks on it."""

    shape: Shape
    fill: Colour
    rim: Colour
    accent: Colour


@dataclass(frozen=True, slots=True)
class Palette:
    """All colours of a game's tiles in a theme; pairs by Player.

    board: the background; hole: of empty cells, if they differ from the board; line: between cells; frame,
    ink: of the coordinates. squares: the light and the dark ones of a board that has both.
    """

    kind: Kind
    board: Colour
    line: Colour
    hole: Colour | None
    pieces: tuple[Piece, Piece]
    frame: Colour
    ink: Colour = (236, 239, 244)
    squares: tuple[Colour, Colour] = (WHITE, BLACK)

    @property
    def ground(self) -> Colour:
        """The colour beneath a piece."""
        return self.board if self.hole is None else self.hole


_DARK_BOARD, _DARK_LINE, _DARK_HOLE, _DARK_FRAME = map(rgb, ("#292D38", "#838CA2", "#13151B", "#1B1E26"))
_DARK_FIRST = rgb("#A36EEA")
"""A dark disc would vanish on a dark board."""

_GREY, _GREY_HOLE, _GREY_FRAME, _SKY = map(rgb, ("#868C99", "#0E1116", "#4C515C", "#348EC6"))
_PALE_GREY = rgb("#C9CED8")
_BLUE, _YELLOW, _ORANGE, _PALE_BLUE = map(rgb, ("#0072B2", "#F0E442", "#E69F00", "#56B4E9"))
"""These differ in every common kind of colour blindness (Okabe and Ito, 2008)."""

_MIN_DIFFERENCE = 48
"""How much two accent colours of messages must differ in red, green or blue to be distinguishable."""

_MARK_RED, _MARK_DARK = rgb("#E5383F"), rgb("#1B1E24")


@lru_cache(maxsize=256)
def _cached(paint: Paint, distinguished_by: Distinction, theme: Theme) -> Palette:
    classic = _classic(paint, distinguished_by)
    match theme:
        case Theme.DARK:
            return _dark(classic, distinguished_by)
        case Theme.COLOUR_BLIND:
            found = _colour_blind(classic, distinguished_by)
            dark = _apart(_GREY, [piece.fill for piece in found.pieces])
            return replace(found, squares=(_PALE_GREY, dark))
        case Theme.SHAPES | Theme.LETTERS if distinguished_by is not Distinction.SHAPE:
            return _with(classic, Player.SECOND, shape=Shape.DIAMOND)
        case _:
            return classic


def palette_of(spec: GameSpec, theme: Theme = Theme.CLASSIC) -> Palette:
    """Return the colours of that game in that theme; the board is visible on every background."""
    return _cached(spec.look.paint, spec.look.distinguished_by, theme)


def bar_of(spec: GameSpec, player: Player, theme: Theme = Theme.CLASSIC) -> Colour:
    """Return the accent colour of a message while that side is to move, visible on all of Discord's
    backgrounds.

    It is the side's own; if both sides' would look alike, as with black and white, the board's for both.
    """
    palette = palette_of(spec, theme)
    first, second = (middling(piece.fill) for piece in palette.pieces)
    if max(abs(one - other) for one, other in zip(first, second, strict=True)) < _MIN_DIFFERENCE:
        return middling(rgb(spec.look.paint.board))
    return (first, second)[player]


def _kind(paint: Paint, distinguished_by: Distinction) -> Kind:
    if distinguished_by is Distinction.SHAPE:
        return Kind.PAPER
    if paint.hole is not None:
        return Kind.HOLES
    return Kind.POINTS if paint.on_points else Kind.SQUARES


def _classic(paint: Paint, distinguished_by: Distinction) -> Palette:
    board = middling(rgb(paint.board))
    kind = _kind(paint, distinguished_by)
    shapes = (Shape.CROSS, Shape.RING) if kind is Kind.PAPER else (Shape.DISC, Shape.DISC)
    hole = None if paint.hole is None else rgb(paint.hole)
    if kind is Kind.PAPER and hole is None:
        hole = mixed(board, BLACK, 0.8)
    fills, rims = tuple(map(rgb, paint.discs)), map(rgb, paint.rims)
    first, second = (
        Piece(shape, fill, rim, _accent(fill, rgb(paint.accent)))
        for shape, fill, rim in zip(shapes, fills, rims, strict=True)
    )
    frame = _readable(mixed(board, BLACK, 0.45))
    light, dark = map(rgb, paint.squares)
    squares = light, _apart(dark, fills)
    return Palette(kind, board, rgb(paint.edge), hole, (first, second), frame, squares=squares)


def _accent(fill: Colour, wished: Colour) -> Colour:
    """Return the wished colour if it is visible on the piece, else a red or dark one that is."""
    return max((wished, _MARK_RED, _MARK_DARK), key=lambda one: (contrast(one, fill) >= 3, one == wished))


def _apart(square: Colour, fills: Sequence[Colour]) -> Colour:
    """Return the shade of the square on which the less visible of both pieces is seen best."""
    shades = [mixed(square, end, step / 20) for end in (BLACK, WHITE) for step in range(15)]
    return max(shades, key=lambda shade: min(3.0, *(contrast(shade, fill) for fill in fills)))


def _readable(frame: Colour) -> Colour:
    """Return a shade on which white coordinates are readable."""
    while contrast(frame, (236, 239, 244)) < 5.5:
        frame = mixed(frame, BLACK, 0.1)
    return frame


def _dark(classic: Palette, distinguished_by: Distinction) -> Palette:
    hole = None if classic.hole is None else _DARK_HOLE
    if distinguished_by is Distinction.SHAPE:
        return replace(classic, board=_DARK_LINE, line=_DARK_LINE, hole=hole, frame=_DARK_FRAME)
    dark = replace(
        classic,
        board=_DARK_BOARD,
        line=_DARK_LINE,
        hole=hole,
        frame=_DARK_FRAME,
        squares=(_DARK_LINE, _DARK_BOARD),
    )
    if distinguished_by is Distinction.BRIGHTNESS:
        dark = _with(dark, Player.FIRST, fill=_DARK_FIRST, rim=mixed(_DARK_FIRST, BLACK, 0.3))
    return dark


def _colour_blind(classic: Palette, distinguished_by: Distinction) -> Palette:
    hole = None if classic.hole is None else _GREY_HOLE
    if distinguished_by is Distinction.BRIGHTNESS:
        board = _GREY if classic.kind is Kind.POINTS else _SKY
        line, frame = mixed(board, BLACK, 0.5), _readable(mixed(board, BLACK, 0.45))
        orange = replace(classic, board=board, line=line, hole=hole, frame=frame)
        return _with(orange, Player.FIRST, accent=_ORANGE)
    grey = replace(classic, board=_GREY, line=mixed(_GREY, BLACK, 0.5), hole=hole, frame=_GREY_FRAME)
    fills = (_ORANGE, _PALE_BLUE) if distinguished_by is Distinction.SHAPE else (_BLUE, _YELLOW)
    for player, fill in zip(Player, fills, strict=True):
        grey = _with(grey, player, fill=fill, rim=mixed(fill, BLACK, 0.25), accent=_accent(fill, WHITE))
    return grey


def _with(palette: Palette, player: Player, **changes: object) -> Palette:
    """Return the palette with that side's piece changed; marks on it stay visible."""
    piece = replace(palette.pieces[player], **changes)  # type: ignore[arg-type]
    if "fill" in changes and "accent" not in changes:
        piece = replace(piece, accent=_accent(piece.fill, piece.accent))
    first, second = palette.pieces
    pieces = (piece, second) if player is Player.FIRST else (first, piece)
    return replace(palette, pieces=pieces)
