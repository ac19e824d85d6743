"""Boards as data for a web page: a description that never changes, and a position.

A page draws any board from these two, so it knows no game (docs/web.md).
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from statistics import fmean
from typing import Any

from bot.domain.look import Theme
from bot.domain.match import Match
from bot.i18n import Text
from bot.presentation import names, status
from bot.presentation.colour import Colour
from bot.presentation.position import Marks, marks_of
from bot.presentation.tiles.palette import palette_of
from engine.core import Move, Player, State, replay
from engine.games import spec_of
from engine.games.drawing import extent_of, label_spots, labels_of
from engine.games.spec import BoardCell, GameSpec, Layout, Piece

FORMAT = 1


@lru_cache(maxsize=64)
def description_of(game: str, board: str) -> Mapping[str, Any]:
    """Return everything about the board that no move changes; `digest` names its content."""
    return description(spec_of(game), board)


def game_part(t: Text, game: str, board: str) -> dict[str, Any]:
    """Return a document's part about the game, with the address of the board's description."""
    digest = description_of(game, board)["digest"]
    path = f"/boards/{game}/{board}.{digest}.json"
    return {"key": game, "title": names.game_title(t, game), "board": board, "description": path}


def description(spec: GameSpec, board: str) -> dict[str, Any]:
    """Return the same for a game that may be in no registry."""
    start, places = spec.rules.start(board), spec.places_of(board)
    found = {
        "format": FORMAT,
        "game": spec.key,
        "board": board,
        "sides": [{"name": name, "letter": name[:1].upper()} for name in spec.play.sides],
        "ground": palette_of(spec).kind.value,
        "size": [start.columns, start.rows],
        "box": _box(places),
        "entrance": "drop" if spec.look.layout is Layout.COLUMNS else "grow",
        "counts": spec.points_of(start) is not None,
        "cells": [_cell(place) for place in places],
        "labels": _labels(places),
        "borders": [
            {"side": int(border.owner), "points": [list(point) for point in border.points]}
            for border in spec.borders_of(board)
        ],
        "palettes": {theme.value: _palette(spec, theme) for theme in Theme},
    }
    near = _near(places, spec.pieces_of(start))
    if near is not None:
        found["near"] = int(near)
    digest = hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()[:16]
    return {**found, "digest": digest}


def _box(places: Sequence[BoardCell]) -> list[float]:
    """Return the left and upper edge, the width and the height of what the cells cover."""
    left, top, right, bottom = extent_of(places)
    return [left, top, right - left, bottom - top]


def _near(places: Sequence[BoardCell], pieces: Mapping[int, Piece]) -> Player | None:
    """Return the side whose pieces begin nearer to the lower edge; None if neither does."""
    heights = [[places[at].y for at, piece in pieces.items() if piece.owner is side] for side in Player]
    if not all(heights):
        return None
    first, second = map(fmean, heights)
    return None if math.isclose(first, second) else Player.FIRST if first > second else Player.SECOND


def _cell(place: BoardCell) -> dict[str, Any]:
    found: dict[str, Any] = {"x": place.x, "y": place.y, "row": place.row, "column": place.column}
    for key in ("name", "zone", "shape"):
        if getattr(place, key):
            found[key] = getattr(place, key)
    if (place.width, place.height) != (1, 1):
        found |= {"width": place.width, "height": place.height}
    return found


def _labels(places: Sequence[BoardCell]) -> list[dict[str, Any]]:
    """Return the coordinates. x, y: the upper and left edge of what they stand beside."""
    columns, rows = labels_of(places)
    spots = label_spots(places)
    return [
        {"text": text, "column": column, **_spot(spots[0][column])} for column, text in columns.items()
    ] + [{"text": text, "row": row, **_spot(spots[1][row])} for row, text in rows.items() if text]


def _spot(spot: tuple[float, float]) -> dict[str, float]:
    return {"x": round(spot[0], 3), "y": round(spot[1], 3)}


def _palette(spec: GameSpec, theme: Theme) -> dict[str, Any]:
    palette = palette_of(spec, theme)
    return {
        "board": _hex(palette.board),
        "line": _hex(palette.line),
        "hole": _hex(palette.ground),
        "frame": _hex(palette.frame),
        "ink": _hex(palette.ink),
        "squares": [_hex(colour) for colour in palette.squares],
        "letters": theme is Theme.LETTERS,
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


def position_of(match: Match, viewer: Player | None, t: Text | None = None) -> dict[str, Any]:
    """Return the position with its marks, and with the legal moves for the side that may move now.

    t: for the headings of moves that are offered apart; English without it.
    """
    can_move = viewer is match.to_move and not match.is_over
    return position_at(
        spec_of(match.game), match.state, status.marks(match), t, is_over=match.is_over, can_move=can_move
    )


def position_after(
    t: Text, game: str, board: str, line: Sequence[Move], *, can_move: bool = False
) -> dict[str, Any]:
    """Return the same for the position after these moves from the start. can_move: as in `position_at`."""
    spec, start = spec_of(game), spec_of(game).rules.start(board)
    state = replay(start, line)
    marks = marks_of(spec.rules, start, line, hints=can_move and spec.look.shows_legal_moves)
    return position_at(spec, state, marks, t, is_over=state.outcome() is not None, can_move=can_move)


def position_at(
    spec: GameSpec, state: State, marks: Marks, t: Text | None = None, *, is_over: bool, can_move: bool
) -> dict[str, Any]:
    """Return the same for a state outside of a match. can_move: whether the reader may move."""
    note = None if is_over else spec.play.note(state)
    found: dict[str, Any] = {
        "toMove": int(state.to_move),
        "puts": int(state.to_move if note is None else note.side),
        "pieces": [_piece(at, piece) for at, piece in sorted(spec.pieces_of(state).items())],
        "marks": {
            "last": [] if marks.last is None else [marks.last],
            "line": list(marks.line),
            "turned": list(marks.turned),
            "from": list(marks.left),
            "legal": list(marks.hints),
        },
    }
    if can_move:
        moves = state.legal_moves()
        found["moves"] = [_move(spec, state, move) for move in moves]
        found["groups"] = {
            group.key: _heading(t, spec, group.key, group.title)
            for group in spec.play.groups
            if any(group is spec.group_of(state, move) for move in moves)
        }
    return found


def _piece(at: int, piece: Piece) -> dict[str, Any]:
    found: dict[str, Any] = {"at": at}
    if piece.owner is not None:
        found["side"] = int(piece.owner)
    if piece.kind:
        found["kind"] = piece.kind
    if piece.label:
        found["label"] = piece.label
    if piece.count is not None:
        found["count"] = piece.count
    return found


def _move(spec: GameSpec, state: State, move: Move) -> dict[str, Any]:
    """Return the move with what one touches for it; the number alone stands for the cell of that number."""
    press, lands = spec.press_of(state, move), spec.rules.cell_of(state, move)
    if press == (lands,) == (move,):
        return {"move": move}
    found: dict[str, Any] = {"move": move, "name": spec.rules.move_name(state, move), "press": list(press)}
    if lands is not None:
        found["lands"] = lands
    group = spec.group_of(state, move)
    if group is not None:
        found |= {"group": group.key, "label": names.move_label(spec, state, move)}
    return found


def _heading(t: Text | None, spec: GameSpec, key: str, title: str) -> str:
    text = f"group_{spec.key}_{key}"
    return t(text) if t is not None and text in t else title
