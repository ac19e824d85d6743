"""Grids of tiles: the rows of tiles of a position, and all tiles that a game can need."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any, TypeVar

from bot.domain.look import Look, Theme
from bot.presentation.position import Marks
from bot.presentation.tiles.palette import Kind, Palette, Shape, palette_of
from bot.presentation.tiles.tile import Cell, Ground, Icon, Label, Mark, Sign, Threatened, Tile
from engine.core import Player, State
from engine.games import SPECS
from engine.games.spec import GameSpec, Layout

T = TypeVar("T")

MAX_TILES = 10
"""Rows and columns of boards written in tiles: 121 of them with the frame take about 3,500 of a message's
4,000 characters. Larger boards are pictures."""

STAR_FROM = 9
"""The number of rows and columns from which on a board of points has stars."""


def grid_of(spec: GameSpec, theme: Theme, state: State, marks: Marks) -> list[list[Tile]]:
    """Return the board's rows, with its coordinates above, and on the left if cells have letters."""
    return _grid(spec, theme, state, marks, lambda tile: tile, {})


def _grid(
    spec: GameSpec, theme: Theme, state: State, marks: Marks, drawn: Callable[[Tile], T], made: dict[Any, T]
) -> list[list[T]]:
    """Return the same with each tile converted by `drawn`.

    made: the cache of converted tiles, for boards of one game, theme and size: creating and comparing tiles
    takes longer than everything else.
    """
    palette, cells = palette_of(spec, theme), state.cells()
    # Discs that fall also change places; only turned discs change sides.
    shown = marks if spec.play.counts_discs or not marks.turned else replace(marks, turned=())

    def cell(index: int, player: Player | None) -> T:
        key = _looks_like(palette, state, index, player, shown)
        if key not in made:
            made[key] = drawn(_cell(palette, state, index, player, shown))
        return made[key]

    def label(text: str = "", *, lit: bool = False) -> T:
        if (text, lit) not in made:
            made[text, lit] = drawn(_label(palette, text, lit=lit))
        return made[text, lit]

    usual: dict[Player | None, T] = {}
    unlike = _unlike(shown)
    found = []
    for index, player in enumerate(cells):
        if index in unlike or (player is None and palette.kind is Kind.POINTS):
            found.append(cell(index, player))
            continue
        if player not in usual:
            usual[player] = cell(index, player)
        found.append(usual[player])
    columns = state.columns
    rows = [found[start : start + columns] for start in range(0, len(found), columns)]
    lit_row, lit_column = (-1, -1) if marks.last is None else divmod(marks.last, columns)
    top = [label(name, lit=at == lit_column) for at, name in enumerate(_column_names(spec, columns))]
    if not _has_rows(spec):
        return [top, *rows]
    numbered = ([label(str(at + 1), lit=at == lit_row), *row] for at, row in enumerate(rows))
    return [[label(), *top], *numbered]


@lru_cache(maxsize=256)
def _tiles_for(key: _Key) -> tuple[Tile, ...]:
    spec, theme = key.spec, key.theme
    palette = palette_of(spec, theme)
    found: dict[Tile, None] = dict.fromkeys(map(Icon.of, palette.pieces))
    sizes = [(state.rows, state.columns) for state in map(spec.rules.start, spec.rules.boards)]
    small = [size for size in sizes if max(size) <= MAX_TILES and spec.look.places is None]
    if small:
        rows, columns = (max(sides) for sides in zip(*small, strict=True))
        found |= dict.fromkeys([*_cells(spec, palette, small), *_labels(spec, palette, rows, columns)])
    return tuple(found)


class _Key:
    """A hashable key of a game and a theme: the game's key and colours, because specs cannot be hashed."""

    def __init__(self, spec: GameSpec, theme: Theme) -> None:
        self.spec, self.theme = spec, theme
        self._parts = (spec.key, spec.look.paint, spec.look.distinguished_by, spec.look.layout, theme)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and self._parts == other._parts

    def __hash__(self) -> int:
        return hash(self._parts)


def tiles_for(spec: GameSpec, theme: Theme) -> tuple[Tile, ...]:
    """Return every tile of that game's boards in that theme and its pieces' icons, without duplicates."""
    return _tiles_for(_Key(spec, theme))


def all_tiles() -> tuple[Tile, ...]:
    """Return every tile of every game, without duplicates, the most useful first."""
    themes = (Theme.CLASSIC, Theme.COLOUR_BLIND, Theme.DARK, Theme.SHAPES)
    sets = (tiles_for(spec, theme) for theme in themes for spec in SPECS.values())
    return tuple(dict.fromkeys(tile for tiles in sets for tile in tiles))


def is_whole(spec: GameSpec, look: Look) -> bool:
    """Whether Discord has all tiles of that game and theme; boards never mix tiles and other emoji."""
    if not look.emoji or look.theme is Theme.LETTERS:
        return False
    key = "whole", spec.key, look.theme
    known: bool | None = look.emoji.found.get(key)
    if known is None:
        known = all(tile in look.emoji for tile in tiles_for(spec, look.theme))
        look.emoji.found[key] = known
    return known


def written(spec: GameSpec, look: Look, state: State, marks: Marks) -> list[str] | None:
    """Return the board's lines in tiles; None if Discord lacks some of them, or the board is too large."""
    is_other = spec.look.places is not None or max(state.rows, state.columns) > MAX_TILES
    if is_other or not is_whole(spec, look):
        return None
    key = "written", spec.key, look.theme, state.rows, state.columns
    made: dict[Any, str] = look.emoji.found.setdefault(key, {})
    shown = replace(marks, threats=()) if marks.threats else marks
    try:
        rows = _grid(spec, look.theme, state, shown, look.emoji.__getitem__, made)
    except KeyError:
        return None
    return ["".join(row) for row in rows]


def _has_rows(spec: GameSpec) -> bool:
    return spec.look.layout is not Layout.COLUMNS


def _column_names(spec: GameSpec, columns: int) -> Iterable[str]:
    if _has_rows(spec):
        return (chr(ord("a") + column) for column in range(columns))
    return (str(column + 1) for column in range(columns))


_SIGNS = (Shape.DISC, Shape.DIAMOND)
"""Shapes of threats, by Player; they have to be distinguishable without colours in every theme."""


def _label(palette: Palette, text: str = "", *, lit: bool = False) -> Label:
    return Label(palette.frame, palette.ink, text, lit)


def _ground(palette: Palette, arms: str = "", *, star: bool = False) -> Ground:
    return Ground(palette.kind, palette.board, palette.line, palette.hole, arms, star)


def _unlike(marks: Marks) -> set[int | None]:
    """Return the cells whose tiles may differ from most cells with the same piece, or with none."""
    threatened = (threat.cell for threat in marks.threats)
    return {marks.last, marks.best, *marks.line, *marks.hints, *marks.turned, *threatened}


def _looks_like(palette: Palette, state: State, index: int, player: Player | None, marks: Marks) -> Hashable:
    """Return a key that is equal for cells with the same tile, on boards of one game, theme and size."""
    if any(threat.cell == index for threat in marks.threats):
        return "threat", index
    if player is not None:
        return player, mark_of(index, marks)
    if index == marks.best:
        return Mark.GHOST, state.to_move
    if index in marks.hints:
        return Mark.LEGAL
    return index if palette.kind is Kind.POINTS else None


def threats_at(palette: Palette, index: int, marks: Marks) -> tuple[Sign, ...]:
    """Return the signs of the threats at that cell."""
    return tuple(
        Sign(_SIGNS[threat.side], palette.pieces[threat.side].fill, threat.comes_to_it)
        for threat in marks.threats
        if threat.cell == index
    )


def _cell(
    palette: Palette, state: State, index: int, player: Player | None, marks: Marks
) -> Cell | Threatened:
    signs = threats_at(palette, index, marks)
    if signs and index != marks.best:
        return Threatened(
            _empty_ground(palette, state.rows, state.columns, *divmod(index, state.columns)), signs
        )
    if player is None and index != marks.best and index not in marks.hints:
        return Cell(_empty_ground(palette, state.rows, state.columns, *divmod(index, state.columns)))
    ground = _ground(palette)
    if player is None:
        if index == marks.best:
            return Cell(ground, palette.pieces[state.to_move], Mark.GHOST)
        return Cell(ground, None, Mark.LEGAL)
    return Cell(ground, palette.pieces[player], mark_of(index, marks))


def empty_cell(palette: Palette) -> Cell:
    """Return the tile of a cell without a piece, inside the board."""
    return Cell(_ground(palette))


def mark_of(index: int, marks: Marks) -> Mark:
    """Return the mark of the piece on that cell."""
    if marks.line:
        return Mark.WON if index in marks.line else Mark.DIM
    if index == marks.last:
        return Mark.LAST
    return Mark.TURNED if index in marks.turned else Mark.PLAIN


def _empty_ground(palette: Palette, rows: int, columns: int, row: int, column: int) -> Ground:
    if palette.kind is not Kind.POINTS:
        return _ground(palette)
    arms = "".join(
        arm
        for arm, has_it in zip(
            "udlr", (row > 0, row < rows - 1, column > 0, column < columns - 1), strict=True
        )
        if has_it
    )
    return _ground(palette, arms, star=_is_star(rows, columns, row, column))


def _is_star(rows: int, columns: int, row: int, column: int) -> bool:
    """Whether a star belongs there: four near the corners, as on a Go board, and the centre of an odd one."""
    if min(rows, columns) < STAR_FROM:
        return False
    off = 3 if min(rows, columns) > STAR_FROM + 3 else 2
    is_middle = 2 * row == rows - 1 and 2 * column == columns - 1
    return is_middle or (row in (off, rows - 1 - off) and column in (off, columns - 1 - off))


def _cells(spec: GameSpec, palette: Palette, sizes: Collection[tuple[int, int]]) -> Iterator[Cell]:
    for rows, columns in sizes:
        for row in range(rows):
            for column in range(columns):
                yield Cell(_empty_ground(palette, rows, columns, row, column))
    ground = _ground(palette)
    yield Cell(ground, None, Mark.LEGAL)
    has_line = not spec.play.counts_discs
    marks = [Mark.PLAIN, Mark.LAST, Mark.GHOST, *((Mark.WON, Mark.DIM) if has_line else (Mark.TURNED,))]
    for piece in palette.pieces:
        for mark in marks:
            yield Cell(ground, piece, mark)


def _labels(spec: GameSpec, palette: Palette, rows: int, columns: int) -> Iterator[Label]:
    names = [*_column_names(spec, columns)]
    if _has_rows(spec):
        names += [str(row + 1) for row in range(rows)]
        yield _label(palette)
    for name in names:
        yield _label(palette, name)
        yield _label(palette, name, lit=True)
