"""GGF, in which Othello servers and NBoard write games (Michael Buro, "Generic Game Format").

A game is one node, `(;GM[Othello]…BO[8 … *]B[f5/1.2/3]W[d6];)`: after a move follow its evaluation and its
time. There are no escapes. A number before a game counts the games of its line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial

from engine.core import Player, State
from engine.games import spec_of_state
from engine.games.move_text import PASS, Word
from engine.games.spec import GameSpec
from engine.records.record import DRAWN, FIRST_WON, SECOND_WON, About, Format, RawGame, Record, RecordError

_BEGIN = re.compile(r"(?:[0-9]+\s*)?\(\s*;\s*GM\[[A-Za-z]", re.IGNORECASE)
_GAME = re.compile(r"\(\s*;(.*?)(;\s*\)|\Z)", re.DOTALL)
# From the first letter of a name alone: a long word without a bracket would be searched from each.
_PROPERTY = re.compile(r"(?<![A-Za-z])([A-Za-z]+)\[([^\]]*)(\]|\Z)")
_SIDES = {"B": Player.FIRST, "W": Player.SECOND}


def read(text: str) -> Iterator[RawGame]:
    """Yield the games; raises RecordError for one without an end."""
    for match in _GAME.finditer(text):
        if not match[2]:
            raise RecordError.of_bracket(text, match.start(), "the game that begins here ends in the middle")
        parts = [(name.upper(), value.strip()) for name, value, _ in _PROPERTY.findall(match[1])]
        yield _raw_game(parts)


def _raw_game(parts: Sequence[tuple[str, str]]) -> RawGame:
    tags = dict(reversed(parts))
    size, _, start = tags.get("BO", "").partition(" ")
    said = tags.get("RE", "").strip()
    margin = re.match(r"[+-]?[0-9.]+", said)
    game = tags.get("GM", "")
    return RawGame(
        words=partial(_words, parts),
        game=game.lower(),
        title=game,
        board=f"{size}x{size}" if size else "",
        start=start,
        names={"first": tags.get("PB", ""), "second": tags.get("PW", "")},
        about=About(
            event=tags.get("PC", ""),
            date=tags.get("DT", ""),
            result="" if margin is None else _result(margin[0]),
            said="" if said == "?" else said,
        ),
    )


def _result(margin: str) -> str:
    """Return the result of discs from black's view."""
    if not margin.strip("+-0."):
        return DRAWN
    return SECOND_WON if margin.startswith("-") else FIRST_WON


def _words(parts: Sequence[tuple[str, str]], _spec: GameSpec, _state: State) -> Iterator[Word]:
    number = 0
    for name, value in parts:
        if name in ("KB", "KW"):
            message = "The sides of this game were bid for (komi). Such games are not read."
            raise RecordError(message, reason="komi")
        if name in _SIDES:
            number += 1
            square = value.partition("/")[0].strip()
            text = PASS if square.lower() in ("pa", "pass") else square.lower()
            yield Word(text, 0, repr(square), f"Move {number}", _SIDES[name])


def write_board(state: State) -> str:
    """Return the value of `BO`: the size, the squares from a1 on, and the side to move."""
    write_squares = spec_of_state(state).play.write_board
    return f"{state.rows} {write_squares(state) if write_squares else ''}"


def write(record: Record) -> str:
    """Return the game on one line."""
    spec, states, about = record.spec, record.states, record.about
    start, last = states[0], states[-1]
    moves = [
        f"{'BW'[state.to_move]}[{'PA' if spec.is_pass(state, move) else spec.rules.move_name(state, move)}]"
        for state, move in zip(states, record.moves, strict=False)
    ]
    points = spec.points_of(last)
    if last.outcome() is not None and points is not None:
        margin = f"{points[0] - points[1]:+d}.000"
    else:
        margin = {FIRST_WON: "+64.000:r", SECOND_WON: "-64.000:r", DRAWN: "0.000"}.get(about.result, "?")
    tags = {
        "GM": spec.title,
        "PC": about.event or "Discade",
        "DT": about.date,
        "PB": about.players[0],
        "PW": about.players[1],
        "RE": margin,
        "TI": "0",
        "TY": str(start.rows),
        "BO": write_board(start),
    }
    parts = [f"{name}[{re.sub(r'[][;]', ' ', value)}]" for name, value in tags.items() if value]
    return f"(;{''.join(parts)}{''.join(moves)};)\n"


FORMAT = Format("ggf", "GGF", ".ggf", lambda text: _BEGIN.match(text) is not None, read, write)
