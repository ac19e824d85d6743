"""Which tile goes where: a position as rows of tiles, and all the tiles that a game can need."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator
from dataclasses import replace
from functools import lru_cache

from bot.domain.look import Look, Theme
from bot.presentation.position import Marks
from bot.presentation.tiles.palette import Kind, Palette, Shape, palette_of
from bot.presentation.tiles.tile import Cell, Ground, Icon, Label, Mark, Sign, Threatened, Tile
from engine.core import Player, State
from engine.games import SPECS
from engine.games.spec import GameSpec, Layout

MOST_TILES = 10
"""Rows and columns up to which a board is written in tiles: 121 of them with the frame are about 3,500 of a
message's 4,000 characters. Larger ones are pictures."""

STAR_FROM = 9
"""Rows and columns from which a board of points has stars."""


def grid_of(spec: GameSpec, theme: Theme, state: State, marks: Marks) -> list[list[Tile]]:
    """The board row by row, with its coordinates above, and on the left where cells have letters."""
    palette, cells = palette_of(spec, theme), state.cells()
    # Discs that fall change places, and only those that are turned change sides.
    shown = marks if spec.counts_discs else replace(marks, turned=())
    lit_row, lit_column = (-1, -1) if marks.last is None else divmod(marks.last, state.columns)
    top: list[Tile] = [
        _label(palette, name, lit=column == lit_column)
        for column, name in enumerate(_column_names(spec, state.columns))
    ]
    rows = [top]
    made: dict[Hashable, Tile] = {}
    for row in range(state.rows):
        start = row * state.columns
        line: list[Tile] = []
        for index, player in enumerate(cells[start : start + state.columns], start):
            key = _looks_like(palette, index, player, shown)
            tile = made.get(key)
            if tile is None:
                tile = made[key] = _cell(palette, state, index, player, shown)
            line.append(tile)
        if _has_rows(spec):
            line.insert(0, _label(palette, str(row + 1), lit=row == lit_row))
        rows.append(line)
    if _has_rows(spec):
        top.insert(0, _label(palette))
    return rows


@lru_cache(maxsize=256)
def _tiles_for(key: _Key) -> tuple[Tile, ...]:
    spec, theme = key.spec, key.theme
    palette = palette_of(spec, theme)
    found: dict[Tile, None] = dict.fromkeys(map(Icon.of, palette.pieces))
    sizes = [(state.rows, state.columns) for state in map(spec.rules.start, spec.rules.boards)]
    small = [size for size in sizes if max(size) <= MOST_TILES]
    if small:
        rows, columns = (max(sides) for sides in zip(*small, strict=True))
        found |= dict.fromkeys([*_cells(spec, palette, small), *_labels(spec, palette, rows, columns)])
    return tuple(found)


class _Key:
    """A game and a theme, told apart from others by the game's key and colours: specs cannot be hashed."""

    def __init__(self, spec: GameSpec, theme: Theme) -> None:
        self.spec, self.theme = spec, theme
        self._parts = (spec.key, spec.paint, spec.told_by, spec.layout, theme)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and self._parts == other._parts

    def __hash__(self) -> int:
        return hash(self._parts)


def tiles_for(spec: GameSpec, theme: Theme) -> tuple[Tile, ...]:
    """Every tile that a board of that game in that theme can need, and the icons of its pieces, each once."""
    return _tiles_for(_Key(spec, theme))


def all_tiles() -> tuple[Tile, ...]:
    """Every tile of every game, each once, in the order in which they are worth having."""
    themes = (Theme.CLASSIC, Theme.COLOUR_BLIND, Theme.DARK, Theme.SHAPES)
    sets = (tiles_for(spec, theme) for theme in themes for spec in SPECS.values())
    return tuple(dict.fromkeys(tile for tiles in sets for tile in tiles))


def is_whole(spec: GameSpec, look: Look) -> bool:
    """Whether Discord has all tiles of that game and theme: boards never mix tiles and other emoji."""
    if not look.emoji or look.theme is Theme.LETTERS:
        return False
    known = look.is_whole.get(spec.key)
    if known is None:
        known = all(tile in look.emoji for tile in tiles_for(spec, look.theme))
        look.is_whole[spec.key] = known
    return known


def written(spec: GameSpec, look: Look, state: State, marks: Marks) -> list[str] | None:
    """The lines of the board in tiles; None where Discord has not all of them, or the board is too large."""
    if max(state.rows, state.columns) > MOST_TILES or not is_whole(spec, look):
        return None
    rows = grid_of(spec, look.theme, state, replace(marks, threats=()))
    # Cells that look alike are one tile, and there are few; to look one up takes longer than to make it.
    drawn = {id(tile): tile for row in rows for tile in row}
    names = {key: look.emoji.get(tile) for key, tile in drawn.items()}
    if None in names.values():
        return None
    return ["".join(names[id(tile)] or "" for tile in row) for row in rows]


def _has_rows(spec: GameSpec) -> bool:
    return spec.layout is not Layout.COLUMNS


def _column_names(spec: GameSpec, columns: int) -> Iterable[str]:
    if _has_rows(spec):
        return (chr(ord("a") + column) for column in range(columns))
    return (str(column + 1) for column in range(columns))


_SIGNS = (Shape.DISC, Shape.DIAMOND)
"""Of a threat, by Player: whose it is must be told apart without colours in every theme."""


def _label(palette: Palette, text: str = "", *, lit: bool = False) -> Label:
    return Label(palette.frame, palette.ink, text, lit)


def _ground(palette: Palette, arms: str = "", *, star: bool = False) -> Ground:
    return Ground(palette.kind, palette.board, palette.line, palette.hole, arms, star)


def _looks_like(palette: Palette, index: int, player: Player | None, marks: Marks) -> Hashable:
    """The same for cells of one board that are the same tile."""
    if player is not None and not marks.threats:
        return player, _mark(index, marks)
    if palette.kind is Kind.POINTS or marks.threats or index == marks.best or index in marks.hints:
        return index
    return None


def _cell(
    palette: Palette, state: State, index: int, player: Player | None, marks: Marks
) -> Cell | Threatened:
    signs = tuple(
        Sign(_SIGNS[threat.side], palette.pieces[threat.side].fill, threat.comes_to_it)
        for threat in marks.threats
        if threat.cell == index
    )
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
    return Cell(ground, palette.pieces[player], _mark(index, marks))


def _mark(index: int, marks: Marks) -> Mark:
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
    """Four from the corners, as on a Go board, and the middle of an odd one."""
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
    has_line = not spec.counts_discs
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
