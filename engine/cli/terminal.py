"""A state as coloured text for terminals, or in plain ASCII: discs, last move, winning line, labels.

Plain, after red (X) has won with the move to column 4; the last move is in round brackets, the winning line
in square ones::

     1  2  3  4  5  6  7
     .  .  .  .  .  .  .
     .  .  .  .  .  .  .
     .  .  .  .  .  .  .
     O  .  .  .  .  .  .
     O  .  .  .  .  .  .
     O [X][X][X][X] .  .
"""

from __future__ import annotations

from rich.text import Text

from engine.core import Game, Player, State
from engine.games import spec_of
from engine.games.drawing import empty_text, piece_text, sheet_of
from engine.games.spec import GameSpec, Layout

_PLAIN_MARKS = ("X", "O")


def side_name(game: Game, player: Player, *, as_text: bool = False) -> str:
    """Return `red`; in plain text `red X`."""
    name = spec_of(game.key).play.sides[player]
    mark = _PLAIN_MARKS[player]
    return f"{name} {mark}" if as_text and name != mark else name


def draw(
    game: Game, state: State, last_cell: int | None = None, *, hints: bool = False, as_text: bool = False
) -> Text:
    """Return the board with its labels, one line per row, without a final newline.

    last_cell: the index in `State.cells()` of the last move (see `Game.cell_of`), to mark it. hints: mark the
    cells that legal moves would fill, if moves name cells. as_text: ASCII without styles.
    """
    return draw_board(spec_of(game.key), state, last_cell, hints=hints, as_text=as_text)


def draw_board(
    spec: GameSpec, state: State, last_cell: int | None = None, *, hints: bool = False, as_text: bool = False
) -> Text:
    """Return the same for a game that may be in no registry."""
    board = _Board(spec, state, last_cell, hints=hints, as_text=as_text)
    sheet = board.sheet
    has_ranks = any(line.label for line in sheet.lines)
    bold = "" if as_text else "bold"
    text = Text("   " if has_ranks else "")
    if sheet.labels:
        # A shift counts half cells: each row of a Hex board begins half a cell further to the right.
        text.append(" " * (sheet.lines[0].shift * board.width // 2))
    for name in sheet.labels:
        text.append(board.padded(name), style=bold)
    for number, line in enumerate(sheet.lines):
        text.append("\n" if number or sheet.labels else "")
        if has_ranks:  # as wide as the space before the column labels
            text.append(f"{line.label:>2} ", style=bold)
        text.append(" " * (line.shift * board.width // 2))
        for cell in line.cells:
            text.append_text(Text(" " * board.width) if cell is None else board.cell(cell))
    return text


class _Board:
    """The cells of one drawing, each as wide as the widest piece needs."""

    def __init__(
        self, spec: GameSpec, state: State, last_cell: int | None, *, hints: bool, as_text: bool
    ) -> None:
        outcome = state.outcome()
        self.places = spec.places_under(state)
        self.sheet = sheet_of(self.places)
        self._pieces, self._ink, self._as_text = spec.pieces_of(state), spec.look.ink, as_text
        self._line = outcome.line if outcome is not None else ()
        self._last = last_cell
        has_hints = hints and spec.look.layout is not Layout.COLUMNS
        self._hinted = _hinted(spec.rules, state) if has_hints else frozenset()
        marks = _PLAIN_MARKS if as_text else self._ink.marks
        self._texts = {
            at: piece_text(self.sheet, self.places[at], piece, marks) for at, piece in self._pieces.items()
        }
        empties = [empty_text(self.sheet, place) for place in self.places]
        self.width = 2 + max(map(len, [*empties, *self._texts.values()]))

    def padded(self, text: str) -> str:
        return text.rjust(self.width - 1) + " "

    def cell(self, cell: int) -> Text:
        place, piece = self.places[cell], self._pieces.get(cell)
        ground = "" if place.shape in ("light", "dot") else self._ink.ground
        if piece is None:
            is_hinted = cell in self._hinted
            mark = "+" if is_hinted else empty_text(self.sheet, place)
            if self._as_text:
                return Text(self.padded(mark))
            return Text(self.padded(mark.replace(".", "·")), style=f"dim {ground}".strip())
        frame = "[]" if cell in self._line else "()" if cell == self._last else "  "
        mark = self._texts[cell].rjust(self.width - 2)
        if self._as_text:
            return Text(f"{frame[0]}{mark}{frame[1]}")
        text = Text(style=ground)
        text.append(frame[0], style="bold bright_white")
        text.append(mark, style="bold" if piece.owner is None else self._ink.styles[piece.owner])
        text.append(frame[1], style="bold bright_white")
        return text


def _hinted(game: Game, state: State) -> frozenset[int | None]:
    return frozenset(game.cell_of(state, move) for move in state.legal_moves())


def describe(game: Game, state: State, names: tuple[str, str], *, as_text: bool = False) -> str:
    """Return one sentence: the side to move, or how the game ended, with the counted discs if they decide."""
    sides = [f"{_capital(side_name(game, player, as_text=as_text))} ({names[player]})" for player in Player]
    outcome = state.outcome()
    if outcome is None:
        sentence = f"{sides[state.to_move]} to move."
    elif outcome.winner is None:
        sentence = "The game is drawn."
    else:
        sentence = f"{sides[outcome.winner]} wins."
    spec = spec_of(game.key)
    points = spec.points_of(state)
    if points is None:
        return sentence
    first, second = points
    return f"{sentence} {_capital(spec.play.sides[0])} has {first}, {spec.play.sides[1]} {second}."


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def move_names(game: Game, state: State) -> str:
    """Return the legal moves as people write them: `1, 2, 4`."""
    return ", ".join(game.move_name(state, move) for move in state.legal_moves())
