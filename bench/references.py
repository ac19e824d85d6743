"""Other Connect Four references to compare ours with: BitBully and its database, if they are installed.

`pip install -e '.[bench]'` installs both (bitbully is AGPL and only run here; the database is MIT).
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.core import Move

PLY = 12
"""Ply of every position in the database."""

HOW_TO_INSTALL = "pip install -e '.[bench]' installs it"

Words = npt.NDArray[np.int64]


def is_installed(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


@dataclass(frozen=True, slots=True)
class Database:
    """Positions after 12 plies that are not over and cannot be won at once, one of each two mirror images.

    own, mask: the stones of the side to move (the first player) and all; scores: as ConnectFourSolver's.
    """

    own: Words
    mask: Words
    scores: Words


def database() -> Database:
    """Return all 4,200,899 positions of bitbully-databases; raise ModuleNotFoundError if it is missing.

    Each entry has five bytes: a big-endian word of columns from the left and stones from the bottom (10: a
    stone of the first player, 11: of the second, 0: the end of a column); then 0 for a draw, 100 minus the
    plies to the win, or the plies to the loss minus 100.
    """
    module = importlib.import_module("bitbully_databases")
    path = Path(module.BitBullyDatabases.get_database_path("12-ply-dist"))
    entries = np.frombuffer(path.read_bytes(), np.dtype([("code", ">u4"), ("value", "i1")]))
    code, value = entries["code"].astype(np.int64), entries["value"].astype(np.int64)
    own, mask = np.zeros_like(code), np.zeros_like(code)
    square, left, bit = np.zeros_like(code), np.full_like(code, 7), np.full_like(code, 31)
    for _ in range(PLY + 7):  # twelve stones and seven ends of columns
        is_stone = (code >> bit & 1) == 1
        is_second = (code >> bit - 1 & 1) == 1
        stone = np.where(is_stone, 1 << square, 0)
        mask |= stone
        own |= np.where(is_second, 0, stone)
        left = np.where(is_stone, left, left - 1)
        square = np.where(is_stone, square + 1, 7 * (7 - left))
        bit -= np.where(is_stone, 2, 1)
        bit = np.maximum(bit, 1)
    # The stone that ends the game in d plies is the one played after 12 + d - 1 others.
    plies = 100 - np.abs(value)
    scores = np.where(value == 0, 0, np.sign(value) * ((43 - (PLY + plies - 1)) >> 1))
    return Database(own, mask, scores)


class BitBully:
    """BitBully through its binding: moves go in, scores come out."""

    def __init__(self, book: str | None = None) -> None:
        """book: `default` is its 12-ply book, None no book. Raises ModuleNotFoundError."""
        core: Any = importlib.import_module("bitbully.bitbully_core")
        self._board = core.BoardCore
        if book is None:
            self._solver = core.BitBullyCore()
        else:
            databases: Any = importlib.import_module("bitbully_databases").BitBullyDatabases
            self._solver = core.BitBullyCore(Path(databases.get_database_path(book)))

    def position(self, moves: Sequence[Move]) -> Any:
        """Return BitBully's own board after the moves."""
        board = self._board()
        if not board.play(list(moves)):
            raise ValueError(f"BitBully refuses {moves}")
        return board

    def null_window(self, position: Any) -> int:
        return int(self._solver.nullWindow(position))

    def mtdf(self, position: Any) -> int:
        return int(self._solver.mtdf(position, first_guess=0))

    def forget(self) -> None:
        self._solver.resetTranspositionTable()
