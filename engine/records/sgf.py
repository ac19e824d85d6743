"""SGF of Othello, Gomoku and Hex.

A game is the first branch of its tree. Programs differ in more than the specification says: squares are `f5`
or, as in Go, `fe`; the side that passes may be left out; after a swap in Hex either the stone lies on its
mirror image, as here, or it stays and White moves again (HexGui, Benzene), so that all later squares are
mirrored and the colours exchanged. Sources: red-bean.com/sgf (FF[4], "Hex"), dashstofsk.net/sgf.html.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from string import ascii_lowercase

from engine.core import Move, Player, State
from engine.games.move_text import PASS, Word
from engine.games.spec import GameSpec
from engine.records.record import DRAWN, FIRST_WON, SECOND_WON, About, Format, RawGame, Record, RecordError
from engine.records.stones import stones_of

DEEPEST = 2_000
"""Brackets within brackets."""

_NODES_A_LINE = 12
_BEGIN = re.compile(r"\(\s*;")
_NAME = re.compile(r"[A-Za-z]+")
_AFTER_VALUE = re.compile(r"\s*(?:[\[;()A-Z]|\Z)")
_SQUARE = re.compile(r"([a-z])([0-9]{1,2})")
_POINT = re.compile(r"[a-z]{2}")
_PASSES = ("", "pa", "pass", "tt")
_SWAPS = ("swap", "swap-pieces", "swap-sides")
_ENDS = ("resign", "forfeit")
_SIDES = {"B": Player.FIRST, "W": Player.SECOND}
_OTHER_GAMES = {
    "1": "Go",
    "3": "chess",
    "6": "backgammon",
    "7": "Chinese chess",
    "8": "shogi",
    "9": "Lines of Action",
    "18": "Amazons",
}

Node = dict[str, list[str]]


def games_of(text: str) -> Iterator[list[Node]]:
    """Yield the nodes of the first branch of each game; raises RecordError.

    Nothing recursive: only the depth is counted, and branches after the first are skipped.
    """
    nodes, depth, skip, closed, at, name, begin = list[Node](), 0, 0, 0, 0, "", 0
    while at < len(text):
        sign = text[at]
        if sign == "(":
            if not depth:
                begin = at
            depth += 1
            if depth > DEEPEST:
                raise RecordError.of_bracket(text, at, f"more than {DEEPEST:,} brackets within brackets")
            if not skip and closed:
                skip = depth  # a branch after the first
        elif sign == ")":
            if not depth:
                raise RecordError.of_bracket(text, at, "this bracket closes nothing")
            depth -= 1
            if skip > depth:
                skip = 0
            closed = depth
            if not depth:
                yield nodes
                nodes, closed = [], 0
        elif not depth:
            pass  # between games, such as GGF's counts
        elif sign == ";":
            if not (skip or closed):
                nodes.append({})
        elif sign == "[":
            end = _end_of_value(text, at + 1)
            if end < 0:
                raise RecordError.of_bracket(text, at, "the value that begins here is not closed")
            if not skip and nodes and name:
                value = text[at + 1 : end]
                nodes[-1].setdefault(name, []).append(re.sub(r"\\([\]\\:])", r"\1", value))
            at = end
        elif match := _NAME.match(text, at):
            # Old files have lower-case letters in names: `Black` is B.
            name, at = re.sub("[a-z]", "", match[0]) or match[0].upper(), match.end() - 1
        at += 1
    if depth:
        raise RecordError.of_bracket(text, begin, "the game that begins here ends in the middle")


def _end_of_value(text: str, at: int) -> int:
    """Return the index of the bracket that closes the value; -1 if none does.

    Little Golem escapes no brackets in names: one that nothing of SGF follows belongs to the value.
    """
    while True:
        end = text.find("]", at)
        if end < 0:
            return -1
        before = end
        while before > at and text[before - 1] == "\\":
            before -= 1
        if (end - before) % 2 == 0 and _AFTER_VALUE.match(text, end + 1):
            return end
        at = end + 1


def read(text: str) -> Iterator[RawGame]:
    """Yield the games; raises RecordError."""
    for nodes in games_of(text):
        yield raw_game(nodes)


def raw_game(nodes: Sequence[Node]) -> RawGame:
    root = nodes[0] if nodes else {}

    def value(name: str) -> str:
        return root.get(name, [""])[0].strip()

    number, size, said = value("GM"), value("SZ").partition(":"), value("RE")
    board = f"{size[2] or size[0]}x{size[0]}" if size[0] else ""
    return RawGame(
        words=partial(_words, nodes, has_sides=bool(number)),
        game=number or None,
        title=_OTHER_GAMES.get(number, f"SGF's number {number}"),
        board=board,
        start=_drawing(nodes, size[0]),
        names={"first": value("PB"), "second": value("PW")},
        about=About(event=value("EV"), date=value("DT"), result=_result(said), said=said, rules=value("RU")),
    )


def _drawing(nodes: Sequence[Node], size: str) -> str:
    """Return the stones that the root puts on the board, and the side to move; "" without such stones.

    One outside the board is left out here, and refused once the position is known.
    """
    root = nodes[0] if nodes else {}
    stones = {
        _square(text.strip().lower()): mark
        for name, mark in (("AB", "*"), ("AW", "O"))
        for text in root.get(name, ())
    }
    if not stones:
        return ""
    first = next((name for node in nodes for name in node if name in _SIDES), "B")
    side = root.get("PL", [first])[0].strip().upper()[:1]
    length = int(size) if size in ("6", "8") else 8
    squares = (f"{column}{row}" for row in range(1, length + 1) for column in ascii_lowercase[:length])
    return f"{''.join(stones.get(square, '-') for square in squares)} {'O' if side in ('W', '2') else '*'}"


def _result(said: str) -> str:
    sign = said[:1].upper()
    return {"B": FIRST_WON, "W": SECOND_WON, "0": DRAWN, "D": DRAWN, "J": DRAWN}.get(sign, "")


def _words(nodes: Sequence[Node], spec: GameSpec, state: State, *, has_sides: bool) -> Iterator[Word]:
    """has_sides: whether the colours mean anything; Little Golem's files, without GM, exchange them."""
    number, first, swapped = 0, "", False
    swapper: Player | None = None
    for node in nodes:
        _check_stones(node, spec, state, has_moves=number > 0)
        move = next(((name, values[0]) for name, values in node.items() if name in _SIDES), None)
        if move is None:
            continue
        side, text = _SIDES[move[0]], move[1].strip().lower()
        if text in _ENDS:
            return
        number += 1
        where, quoted = f"Move {number}", repr(move[1].strip())
        square = _square(text)
        if number == 1:
            first = square
        elif (number == 2 and text in _SWAPS) or first in node.get("AE", ()):
            # Sabaki takes the first stone away and puts the mirrored one.
            swapper = side
            yield Word("swap", 0, quoted, where)
            continue
        elif number == 3 and swapper is side and has_sides:
            swapped = True  # the stone stayed, and this side moves again
        if swapped:
            side, square = side.other, mirrored(square)
        yield Word(square, 0, quoted, where, side if has_sides else None)


def _square(text: str) -> str:
    if text in _PASSES:
        return PASS
    return f"{text[0]}{ascii_lowercase.index(text[1]) + 1}" if _POINT.fullmatch(text) else text


def mirrored(square: str) -> str:
    """Return the square with its column and row exchanged; other words as they are."""
    match = _SQUARE.fullmatch(square)
    if match is None or not 1 <= int(match[2]) <= len(ascii_lowercase):
        return square
    return f"{ascii_lowercase[int(match[2]) - 1]}{ascii_lowercase.index(match[1]) + 1}"


def _check_stones(node: Node, spec: GameSpec, state: State, *, has_moves: bool) -> None:
    """Refuse stones that are put on the board, unless they are those that the game begins with."""
    put = {
        side: {_square(text.strip().lower()) for text in node.get(f"A{name}", ())}
        for name, side in _SIDES.items()
    }
    if not any(put.values()):
        return
    owners = {cell.name: owner for cell, owner in zip(spec.places_under(state), state.cells(), strict=False)}
    there = {side: {name for name, owner in owners.items() if owner is side} for side in Player}
    if has_moves or put != there:
        message = f"This game begins with stones on the board. {spec.title} has no such start here."
        raise RecordError(message, reason="from_position")


def write(record: Record) -> str:
    """Return the game: points as in Go in games on crossings, else names of squares; stones, never a swap.

    Raises RecordError if it doesn't begin at the usual start.
    """
    spec, about = record.spec, record.about
    if record.start is not None:
        raise RecordError("A game from a position of its own cannot be written as SGF.")
    size, names = record.states[0].rows, about.players
    if spec.play.can_pass:
        moves = [(state.to_move, spec.rules.cell_of(state, move)) for state, move in _plies(record)]
    else:
        stones, names = stones_of(record)
        moves = [(Player(number % 2), stone) for number, stone in enumerate(stones)]
    result = about.result
    if names != about.players:  # the colours are exchanged with the names
        result = {FIRST_WON: SECOND_WON, SECOND_WON: FIRST_WON}.get(result, result)
    tags = {
        "FF": "4",
        "GM": spec.play.formats[FORMAT.key],
        "CA": "UTF-8",
        "AP": "Discade",
        "SZ": str(size),
        "EV": about.event,
        "DT": about.date.replace(".", "-"),
        "PB": names[0],
        "PW": names[1],
        "RU": about.rules,
        "RE": {FIRST_WON: "B+", SECOND_WON: "W+", DRAWN: "0"}.get(result, ""),
    }
    root = "".join(f"{name}[{_escaped(value)}]" for name, value in tags.items() if value)
    is_point = spec.look.paint.on_points
    nodes = [f";{'BW'[side]}[{_name(cell, size, is_point=is_point)}]" for side, cell in moves]
    lines = ["".join(nodes[at : at + _NODES_A_LINE]) for at in range(0, len(nodes), _NODES_A_LINE)]
    return "\n".join([f"(;{root}", *lines]) + ")\n"


def _plies(record: Record) -> Iterator[tuple[State, Move]]:
    return zip(record.states, record.moves, strict=False)


def _name(cell: int | None, size: int, *, is_point: bool) -> str:
    if cell is None:
        return ""
    row, column = divmod(cell, size)
    return f"{ascii_lowercase[column]}{ascii_lowercase[row] if is_point else row + 1}"


def _escaped(value: str) -> str:
    return re.sub(r"([]\\])", r"\\\1", value)


FORMAT = Format("sgf", "SGF", ".sgf", lambda text: _BEGIN.match(text) is not None, read, write)
