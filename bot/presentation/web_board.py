"""Boards as data for a web page: a description that never changes, and a position.

A page draws any board from these two, so it knows no game (docs/web.md).
"""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache
from typing import Any

from bot.domain.look import Theme
from bot.domain.match import Match
from bot.presentation import status
from bot.presentation.colour import Colour
from bot.presentation.tiles.palette import Kind, palette_of
from engine.core import Move, Player, State
from engine.games import game as game_of
from engine.games import spec_of
from engine.games.spec import GameSpec, Layout

FORMAT = 1

_SHAPES = {Kind.HOLES: "hole", Kind.SQUARES: "square", Kind.POINTS: "point", Kind.PAPER: "square"}


@lru_cache(maxsize=64)
def description_of(game: str, board: str) -> dict[str, Any]:
    """Return everything about the board that no move changes; `digest` names its content."""
    spec, start = spec_of(game), game_of(game).start(board)
    kind = palette_of(spec).kind
    found = {
        "format": FORMAT,
        "game": game,
        "board": board,
        "sides": [{"name": name, "letter": name[:1].upper()} for name in spec.play.sides],
        "ground": kind.value,
        "size": [start.columns, start.rows],
        "entrance": "drop" if spec.look.layout is Layout.COLUMNS else "grow",
        "counts": spec.play.counts_discs,
        "cells": [_cell(spec, start, cell, _SHAPES[kind]) for cell in range(start.rows * start.columns)],
        "palettes": {theme.value: _palette(spec, theme) for theme in Theme},
    }
    digest = hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()[:16]
    return {**found, "digest": digest}


def _cell(spec: GameSpec, start: State, cell: int, shape: str) -> dict[str, Any]:
    row, column = divmod(cell, start.columns)
    found = {"x": column + 0.5, "y": row + 0.5, "shape": shape, "nav": [row, column]}
    if spec.look.layout is Layout.COLUMNS:
        return {**found, "zone": f"column {column + 1}"}
    return found


def _palette(spec: GameSpec, theme: Theme) -> dict[str, Any]:
    palette = palette_of(spec, theme)
    return {
        "board": _hex(palette.board),
        "line": _hex(palette.line),
        "hole": _hex(palette.ground),
        "frame": _hex(palette.frame),
        "pieces": [
            {
                "shape": piece.shape.value,
                "fill": _hex(piece.fill),
                "rim": _hex(piece.rim),
                "accent": _hex(piece.accent),
            }
            for piece in palette.pieces
        ],
    }


def _hex(colour: Colour) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)


def position_of(match: Match, viewer: Player | None) -> dict[str, Any]:
    """Return the position with its marks, and with the legal moves for the side that may move now."""
    marks = status.marks(match)
    found: dict[str, Any] = {
        "toMove": int(match.to_move),
        "pieces": [
            {"at": cell, "kind": "disc", "side": int(side)}
            for cell, side in enumerate(match.state.cells())
            if side is not None
        ],
        "marks": {
            "last": [] if marks.last is None else [marks.last],
            "line": list(marks.line),
            "turned": list(marks.turned),
            "legal": list(marks.hints),
        },
    }
    if viewer is match.to_move and not match.is_over:
        spec = spec_of(match.game)
        found["moves"] = [_move(spec, match.state, move) for move in match.state.legal_moves()]
    return found


def _move(spec: GameSpec, state: State, move: Move) -> dict[str, Any]:
    group, cell = spec.group_of(state, move), spec.rules.cell_of(state, move)
    named = {"move": move, "name": spec.rules.move_name(state, move)}
    if group is not None:
        return {**named, "press": [], "group": group.key}
    if cell is None:
        return {**named, "press": [], "group": "pass"}
    if spec.look.layout is Layout.COLUMNS:
        return {**named, "press": [f"column {move + 1}"], "lands": cell}
    return {"move": move} if move == cell else {**named, "press": [cell], "lands": cell}
