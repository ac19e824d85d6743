"""Openings: balanced ones, drawn for fair starts, and named ones, to train.

Balanced openings leave the game even. A file has one opening per line: its moves in the form of `notation`, a
score for the side to move, its source, and figures of the game's own. `4433 0 exact 2/7 3/7` is a proved
draw, kept by 2 of 7 moves, and after each of them by at most 3 of 7 replies; `f5d6c3d3c4f4e6b3 -1 depth-22`
is one disc behind according to a search of 22 plies.

Named openings are in `engine/data/names_GAME.txt`, one per line: moves and a name (`f5d6c3d3c4 Tiger`), or
instead of a name the proved result, seen by the first player (`4444 =`). A line of an opening is every
position on the way to it, however it came about and however the board is turned.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

from engine.core import Move, Player, replay, states_of
from engine.games import spec_of
from engine.games.notation import parse_moves
from engine.games.symmetry import Key, canonical
from engine.games.typed import SEPARATORS, fold


@dataclass(frozen=True, slots=True)
class Opening:
    """moves: from the start of the game's default board. figures: the rest of its line."""

    moves: tuple[Move, ...]
    figures: str


def balanced_openings(game_key: str, board: str | None = None) -> tuple[Opening, ...]:
    """Return the openings on that board (None: the default); () if there are none. Raises UnknownName."""
    rules = spec_of(game_key).rules
    return _openings(game_key) if board in (None, rules.boards[0]) else ()


def has_openings(game_key: str, board: str | None = None) -> bool:
    """Whether the game has a file of openings for that board; it is not read."""
    spec = spec_of(game_key)
    return spec.play.openings is not None and board in (None, spec.rules.boards[0])


@cache
def _openings(game_key: str) -> tuple[Opening, ...]:
    spec = spec_of(game_key)
    if spec.play.openings is None:
        return ()
    found = []
    for line in spec.play.openings.read_text("ascii").splitlines():
        moves, _, figures = line.partition(" ")
        found.append(Opening(parse_moves(spec.rules, None, moves), figures))
    return tuple(found)


RESULTS = {"+": Player.FIRST, "=": None, "-": Player.SECOND}
"""The winners of openings with a proved result."""


@dataclass(frozen=True, slots=True)
class NamedOpening:
    """moves: from the start of the default board. text: the moves as text. name: or a key of RESULTS."""

    moves: tuple[Move, ...]
    text: str
    name: str

    @property
    def has_name(self) -> bool:
        return self.name not in RESULTS


@cache
def named_openings(game_key: str) -> tuple[NamedOpening, ...]:
    """Return the openings to train; () if there are none. Raises UnknownName."""
    rules = spec_of(game_key).rules
    file = resources.files("engine.data") / f"names_{game_key.replace('-', '_')}.txt"
    if not file.is_file():
        return ()
    lines = (line.partition(" ") for line in file.read_text("ascii").splitlines())
    return tuple(NamedOpening(parse_moves(rules, None, text), text, name) for text, _, name in lines)


def opening_named(game_key: str, text: str) -> NamedOpening | None:
    """Return the opening with that name or with exactly these moves; None if there is none."""
    wanted = fold(text).strip(SEPARATORS)
    return next(
        (
            one
            for one in named_openings(game_key)
            if wanted.replace(" ", "") == one.text or (one.has_name and wanted == fold(one.name))
        ),
        None,
    )


@dataclass(frozen=True, slots=True)
class LeftLine:
    """Where a game left the lines of the named openings.

    ply: of the move that left. opening: the last one reached before it. known: the moves that stay on a
    line, with the opening that each reaches, None if it is only on the way to one.
    """

    ply: int
    opening: NamedOpening
    known: Mapping[Move, NamedOpening | None]


def opening_at(game_key: str, moves: Sequence[Move]) -> NamedOpening | None:
    """Return the opening that ends exactly after these moves, or others to the same position."""
    return _lines(game_key).get(canonical(replay(spec_of(game_key).rules.start(), moves)))


def left_line(game_key: str, moves: Sequence[Move], after: int) -> LeftLine | None:
    """Return where a game that began with an opening of so many moves left the lines.

    None if it is still on one, or began with no named opening. The game is one on the default board.
    """
    known = _lines(game_key)
    states = states_of(spec_of(game_key).rules.start(), moves)
    opening = known.get(canonical(states[after]))
    if opening is None:
        return None
    for ply in range(after, len(moves)):
        place = canonical(states[ply + 1])
        if place not in known:
            following = {move: canonical(states[ply].play(move)) for move in states[ply].legal_moves()}
            stays = {move: known[there] for move, there in following.items() if there in known}
            return LeftLine(ply, opening, stays)
        opening = known[place] or opening
    return None


@cache
def _lines(game_key: str) -> Mapping[Key, NamedOpening | None]:
    """Return every position on a line after the first move, with the opening that it is the end of."""
    found: dict[Key, NamedOpening | None] = {}
    for opening in named_openings(game_key):
        *way, end = states_of(spec_of(game_key).rules.start(), opening.moves)
        for state in way[1:]:
            found.setdefault(canonical(state), None)
        place = canonical(end)
        found[place] = found.get(place) or opening
    return found
