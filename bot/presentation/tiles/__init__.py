"""Boards of our own tiles: a cell and its piece in one square picture, which join to a board without gaps."""

from bot.presentation.tiles.grid import MOST_TILES, all_tiles, grid_of, is_whole, tiles_for, written
from bot.presentation.tiles.palette import Palette, bar_of, palette_of
from bot.presentation.tiles.tile import Cell, Icon, Label, Tile

__all__ = [
    "MOST_TILES",
    "Cell",
    "Icon",
    "Label",
    "Palette",
    "Tile",
    "all_tiles",
    "bar_of",
    "grid_of",
    "is_whole",
    "palette_of",
    "tiles_for",
    "written",
]
