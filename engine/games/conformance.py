"""Conformance checks of games, ours and installed ones; a failure says in words what is wrong."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from random import Random
from types import MappingProxyType

from engine.core import BoardError, EndReason, IllegalMove, Move, NotationError, State, replay
from engine.games.claims import LIMITS, refuted, truths
from engine.games.drawing import is_seen_only, piece_text, sheet_of
from engine.games.move_text import PASS
from engine.games.notation import format_of, parse_of, read_move
from engine.games.spec import OLD_RULE, SHAPES, GameSpec, Layout, MoveGroup, Press

PLAYOUTS = 20
MAX_PLIES = 1_000
"""The longest game allowed. The bot ends a match there as a draw, to bound its cost in time and memory."""

MAX_BOARD_SIDE, MAX_COLUMNS, MAX_BUTTONS_IN_A_ROW, MAX_MOVE = 15, 10, 5, 9_999
"""The limits of a Discord message: rows and columns, numbered columns, buttons in a row, digits of a move."""
_MOVE_TEXT_HINT = (
    'names such as a5a4 need move_text=MoveText(width=4), and such as swap MoveText(words=("swap",))'
)
MAX_TEXT = 4
"""Characters of a piece in a terminal."""

MAX_GROUP_SIZE = 10
"""Moves of a group: two rows of buttons."""

_KEY = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", re.ASCII)
_COLOUR = re.compile(r"#[0-9A-Fa-f]{6}", re.ASCII)


class Broken(Exception):
    """The game fails a check; the message describes the failure."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A check that a game fails on a board."""

    check: str
    board: str
    problem: str

    def __str__(self) -> str:
        return f"{self.check}, on {self.board}: {self.problem}"


Check = Callable[[GameSpec, str], None]


def failures(spec: GameSpec) -> Iterator[Failure]:
    """Yield every check that the game fails, as it is found; none for a correct game."""
    for board in spec.rules.boards:
        for name, check in CHECKS.items():
            try:
                check(spec, board)
            except Broken as error:
                yield Failure(name, board, str(error))
            except Exception as error:  # noqa: BLE001 - any error of a game is a failure to report
                yield Failure(name, board, f"raises {type(error).__name__}: {error}")


def playout(
    spec: GameSpec, board: str, rng: Random, group: MoveGroup | None = None
) -> list[tuple[State, Move]]:
    """Play a random game; return its states with the moves made. Raises Broken if it does not end.

    group: one of its moves is made as soon as one is legal.
    """
    state: State = spec.rules.start(board)
    played: list[tuple[State, Move]] = []
    while state.outcome() is None:
        moves = state.legal_moves()
        _hold(bool(moves), f"after {len(played)} moves nobody can move, and outcome() is None")
        _hold(len(played) < MAX_PLIES, f"a random game has not ended after {MAX_PLIES} moves")
        if group is not None and (held := _held(spec, state, group)):
            moves, group = held, None
        played.append((state, rng.choice(moves)))
        state = state.play(played[-1][1])
    return played


def _held(spec: GameSpec, state: State, group: MoveGroup) -> tuple[Move, ...]:
    """Return the legal moves of the group."""
    return tuple(move for move in state.legal_moves() if spec.group_of(state, move) is group)


def _hold(is_so: bool, problem: str) -> None:
    """Raise Broken with the problem unless the condition holds."""
    if not is_so:
        raise Broken(problem)


def _is_named(spec: GameSpec, board: str) -> None:
    _hold(_KEY.fullmatch(spec.key) is not None, f"the key {spec.key!r} is not like 'four-in-a-row'")
    _hold(bool(spec.title.strip()), "it has no title")
    _hold(spec.rules.start() == spec.rules.start(spec.rules.boards[0]), "start() is another board")
    for old in spec.play.old_boards:
        has_rule = old.endswith(OLD_RULE) and spec.board_now(old) in spec.rules.boards
        _hold(has_rule, f"the old board {old!r} is no offered board's name and {OLD_RULE!r}")
        _hold(old not in spec.rules.boards, f"the old board {old!r} is offered")
        spec.rules.start(old)
    size = spec.rules.start(board)
    if spec.look.places is None:
        _hold(len(size.cells()) == size.rows * size.columns, "cells() are not rows x columns")
    try:
        spec.rules.start("no such board")
    except BoardError:
        return
    raise Broken("start('no such board') does not raise BoardError")


def _games_end(spec: GameSpec, board: str) -> None:
    rng = Random(1)
    for _ in range(PLAYOUTS):
        played = playout(spec, board, rng)
        last, move = played[-1]
        state = last.play(move)
        again = replay(spec.rules.start(board), [move for _, move in played])
        _hold(again == state, "the same moves from the start lead to another state")
        _hold(hash(again) == hash(state), "equal states have different hashes")
        _hold(state.ply == len(played), f"ply is {state.ply} after {len(played)} moves")
        _hold(state.legal_moves() == (), "legal_moves() of a game that is over is not ()")


def _states_stay(spec: GameSpec, board: str) -> None:
    for state, move in playout(spec, board, Random(2)):
        before = (state.cells(), state.legal_moves(), state.to_move, state.ply, hash(state))
        state.play(move)
        after = (state.cells(), state.legal_moves(), state.to_move, state.ply, hash(state))
        _hold(before == after, "play() changes the state it is called on")


def _others_are_refused(spec: GameSpec, board: str) -> None:
    for state, _ in playout(spec, board, Random(3)):
        legal = state.legal_moves()
        _hold(list(legal) == sorted(set(legal)), f"legal_moves() do not ascend: {legal}")
        _hold(legal[0] >= 0 and legal[-1] <= MAX_MOVE, f"a move is not from 0 to {MAX_MOVE}")
        for move in range(-2, state.rows * state.columns + 3):
            if move not in legal:
                _is_refused(state, move)


def _the_end_is_the_end(spec: GameSpec, board: str) -> None:
    last, move = playout(spec, board, Random(4))[-1]
    over = last.play(move)
    for further in range(-1, over.rows * over.columns + 2):
        _is_refused(over, further)


def _is_refused(state: State, move: Move) -> None:
    try:
        state.play(move)
    except IllegalMove as error:
        _hold(error.move == move, f"IllegalMove for {move} says {error.move}")
        _hold(bool(error.reason) and str(error).endswith("."), f"{error!s} is no sentence with a reason")
        return
    raise Broken(f"play({move}) is not refused, though it is no legal move")


def _groups_are_small(spec: GameSpec, board: str) -> None:
    for state, _ in playout(spec, board, Random(9)):
        for group in spec.play.groups:
            held = _held(spec, state, group)
            _hold(len(held) <= MAX_GROUP_SIZE, f"{group.key} holds {len(held)} moves: {MAX_GROUP_SIZE} fit")
            for move in held:
                is_apart = spec.rules.cell_of(state, move) is None
                _hold(is_apart, f"{move} is offered apart in {group.key}, and cell_of names a cell for it")
                label = group.label(state, move) or spec.rules.move_name(state, move)
                _hold(0 < len(label) <= 40, f"the button of {move} says {label!r}")


def _cells_are_named(spec: GameSpec, board: str) -> None:
    for state, move in playout(spec, board, Random(5)):
        cell = spec.rules.cell_of(state, move)
        if cell is None:
            continue
        if spec.look.press is not None:
            _hold(0 <= cell < len(state.cells()), f"cell_of names {cell}, which is none of cells()")
            continue
        name = spec.rules.move_name(state, move)
        before, after = state.cells()[cell], state.play(move).cells()[cell]
        _hold(after is not None, f"the cell of {name} is empty after it")
        _hold(after is not before, f"the cell of {name} is held by the same side before and after it")


_WRITINGS = (
    lambda name: f" {name.upper()} ",
    lambda name: name.translate(_in_script("۰")),
    lambda name: name.translate(_in_script("०")),
    lambda name: "".join(chr(ord(mark) + 0xFEE0) if mark.isalnum() else mark for mark in name),
    lambda name: re.sub("-|(?<=[0-9])x(?=[0-9])", lambda mark: "–" if mark[0] == "-" else "×", name),
    lambda name: re.sub("(?<=[a-z])(?=[0-9])|(?<=[0-9])(?=[^0-9])|(?<=-)|(?<=[0-9]x)", "\u00a0", name),
    lambda name: f"12. {name}",
    lambda name: f"3… {name};",
    lambda name: f"\u200f“{name}”\u200c،",
)
"""What people make of the name of a move."""


def _in_script(zero: str) -> dict[int, str]:
    """Return the translation of our digits to those of a script."""
    return {ord(str(digit)): chr(ord(zero) + digit) for digit in range(10)}


def _typed(name: str, rng: Random) -> str:
    """Return the name as somebody may type it."""
    return rng.choice(_WRITINGS)(name)


def _names_are_read(spec: GameSpec, board: str) -> None:
    rng = Random(10)
    for state, _ in playout(spec, board, Random(6)):
        for move in state.legal_moves():
            name = spec.rules.move_name(state, move)
            for text in (name, _typed(name, rng)):
                found = read_move(spec.rules, state, text)
                _hold(found == move, f"{text!r} is read as another move than {name!r}")
    for nonsense in ("", "z99", "-1", "99999", "é", "²"):
        try:
            read_move(spec.rules, spec.rules.start(board), nonsense)
        except (NotationError, IllegalMove):
            continue
        raise Broken(f"{nonsense!r} is read as a move")


def _lines_are_the_winners(spec: GameSpec, board: str) -> None:
    rng = Random(7)
    for _ in range(PLAYOUTS):
        last, move = playout(spec, board, rng)[-1]
        state = last.play(move)
        outcome = state.outcome()
        if outcome is None:
            raise Broken("a state without legal moves has no outcome")
        line = outcome.line
        _hold(list(line) == sorted(set(line)), f"the line {line} does not ascend")
        _hold((outcome.reason is EndReason.LINE) == bool(line), "EndReason.LINE and `line` do not agree")
        holders = {state.cells()[cell] for cell in line}
        _hold(not line or holders == {outcome.winner}, "a winning line is not the winner's")


def _games_are_written(spec: GameSpec, board: str) -> None:
    rng = Random(8)
    for group in (None, None, None, *spec.play.groups):  # a rare move such as a swap, too
        moves = tuple(move for _, move in playout(spec, board, rng, group))
        text = format_of(spec, spec.rules.start(board), moves)
        try:
            found = parse_of(spec, board, text)
        except NotationError as error:
            raise Broken(f"{error} ({_MOVE_TEXT_HINT})") from error
        _hold(found == moves, f"{text} is read as another game ({_MOVE_TEXT_HINT})")
        text = _numbered(spec, board, moves, rng)
        _hold(parse_of(spec, board, text) == moves, f"{text} is read as another game")
    parse_of(spec, None, spec.play.text_example)


def _numbered(spec: GameSpec, board: str, moves: tuple[Move, ...], rng: Random) -> str:
    """Return the game as a person may write it down: `1. F5 d6 2. c3`."""
    words, state, write = [], spec.rules.start(board), rng.choice(_WRITINGS[:6])
    for ply, move in enumerate(moves):
        words += [f"{ply // 2 + 1}."] if ply % 2 == 0 else []
        written = PASS if spec.is_pass(state, move) else spec.play.move_text.write(spec.rules, state, move)
        words.append(write(written))
        state = state.play(move)
    return rng.choice(("\n", ", ", " ")).join(words)


def _it_fits(spec: GameSpec, board: str) -> None:
    state = spec.rules.start(board)
    widest = max(state.rows, state.columns)
    _hold(
        widest <= MAX_BOARD_SIDE,
        f"{state.rows} x {state.columns} is larger than {MAX_BOARD_SIDE} x {MAX_BOARD_SIDE}",
    )
    if spec.look.layout is Layout.COLUMNS:
        _hold(state.columns <= MAX_COLUMNS, f"there are numbers for {MAX_COLUMNS} columns")
    if spec.look.layout is Layout.GRID:
        _hold(widest <= MAX_BUTTONS_IN_A_ROW, "a board of buttons is 5 x 5 at most")
    paint = spec.look.paint
    colours = paint.board, paint.edge, paint.hole, *paint.discs, *paint.rims, paint.accent, *paint.squares
    for colour in colours:
        is_colour = colour is None or _COLOUR.fullmatch(colour) is not None
        _hold(is_colour, f"{colour!r} is no colour such as '#2563D6'")
    on_controls = (spec.look.icon, *spec.look.glyphs.plain, *(group.emoji for group in spec.play.groups))
    for text in filter(None, on_controls):
        _hold(_is_emoji(text), f"{text!r} is no emoji: Discord refuses messages with it on a button or menu")
    for name in spec.look.picture_moves.split():
        state = state.play(spec.rules.parse_move(state, name)) if board == spec.rules.boards[0] else state


def _is_emoji(text: str) -> bool:
    """Whether the text is drawn as an emoji everywhere.

    Such characters are wide symbols (Unicode Standard Annex 11, section 5; Technical Standard 51, property
    Emoji_Presentation); others need a variation selector, U+FE0F.
    """
    is_wide = unicodedata.east_asian_width(text[0]) == "W" and unicodedata.category(text[0]) == "So"
    return is_wide or text.endswith("\ufe0f")


def _is_drawn(spec: GameSpec, board: str) -> None:
    start, places = spec.rules.start(board), spec.places_of(board)
    _hold(len(places) >= len(start.cells()), "there are fewer places than cells()")
    _hold(
        list(spec.places_under(start)) == list(places),
        "a board of the same rows, columns and cells has other places",
    )
    spots = [(place.row, place.column) for place in places]
    _hold(len(set(spots)) == len(spots), "two places have the same row and column")
    for place in places:
        _hold(0 <= place.row < start.rows, f"row {place.row} of {place.name!r} is not below {start.rows}")
        is_inside = 0 <= place.column < start.columns
        _hold(is_inside, f"column {place.column} of {place.name!r} is not below {start.columns}")
        has_way = place.shape != "edge" or place.width != place.height
        _hold(has_way, f"the edge {place.name!r} is as wide as high: it lies across or upright")
        _hold(place.shape in SHAPES, f"{place.shape!r} is no shape: there are {', '.join(sorted(SHAPES))}")
    sheet = sheet_of(places)
    for state, move in playout(spec, board, Random(10)):
        pieces = spec.pieces_of(state.play(move))
        _hold(all(0 <= at < len(places) for at in pieces), "a piece lies on no place")
        texts = [piece_text(sheet, places[at], piece, ("X", "O")) for at, piece in pieces.items()]
        _hold(all(0 < len(text) <= MAX_TEXT for text in texts), f"a piece is not 1 to {MAX_TEXT} characters")


def _presses_reach_moves(spec: GameSpec, board: str) -> None:
    places = spec.places_of(board)
    parts: set[int | str] = {at for at, place in enumerate(places) if not is_seen_only(place)}
    parts |= {place.zone for place in places if place.zone}
    for state, _ in playout(spec, board, Random(11)):
        found: dict[Press, str] = {}
        for move in state.legal_moves():
            press, name = spec.press_of(state, move), spec.rules.move_name(state, move)
            if not press:
                continue
            _hold(parts.issuperset(press), f"{name} is made by {press}, and a part of it cannot be touched")
            for length in range(1, len(press) + 1):
                other = found.get(press[:length])
                _hold(other is None, f"{name} cannot be told from {other}: both begin with {press[:length]}")
            found[press] = name
        longer = {press[:length]: name for press, name in found.items() for length in range(1, len(press))}
        for press, name in found.items():
            _hold(press not in longer, f"{longer.get(press)} cannot be reached: {press} already plays {name}")


def _proofs_are_true(spec: GameSpec, board: str) -> None:
    oracle, make, rng = spec.search.oracle, spec.search.evaluator, Random(12)
    if oracle is None or make is None:
        return
    evaluator, known = make(), 0
    for _ in range(PLAYOUTS):
        played = playout(spec, board, rng)
        names = [spec.rules.move_name(state, move) for state, move in played]
        for ply in reversed(range(len(played))):
            state = played[ply][0]
            truth, after = truths(oracle, spec.rules, board, state, names[:ply])
            if truth is None:
                break
            known += 1
            for limit in LIMITS:
                wrong = next(refuted(evaluator, state, limit, truth, after), None)
                _hold(wrong is None, f"after {' '.join(names[:ply])}: {wrong}")
    _hold(known > 0, "the oracle knows no position at the end of a random game")


CHECKS: Mapping[str, Check] = MappingProxyType(
    {
        "it has a key, a title and its boards": _is_named,
        "random games end, and their moves lead there again": _games_end,
        "states never change": _states_stay,
        "legal moves ascend, and every other is refused with a reason": _others_are_refused,
        "a game that is over refuses every move": _the_end_is_the_end,
        "a move takes the cell that cell_of names": _cells_are_named,
        "moves that are offered apart fit into two rows of buttons": _groups_are_small,
        "names of moves are read back": _names_are_read,
        "a winning line is the winner's": _lines_are_the_winners,
        "whole games are written and read back": _games_are_written,
        "it fits into a message": _it_fits,
        "its pieces lie on its places": _is_drawn,
        "each legal move is reached by exactly one sequence of presses": _presses_reach_moves,
        "whatever its evaluator proves is true": _proofs_are_true,
    }
)
"""The checks, by description."""
