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
from engine.games.spec import Ink, Layout

LETTERS = "abcdefghijklmnopqrstuvwxyz"


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
    spec = spec_of(game.key)
    has_ranks = spec.look.layout is not Layout.COLUMNS
    outcome = state.outcome()
    line = outcome.line if outcome is not None else ()
    hinted = _hinted(game, state) if hints and has_ranks else frozenset()
    cells = state.cells()
    margin = "   " if has_ranks else ""
    text = Text(margin)
    for column in range(state.columns):
        text.append(f"{_column_name(column, has_ranks=has_ranks):^3}", style="" if as_text else "bold")
    for row in range(state.rows):
        text.append("\n")
        if has_ranks:
            text.append(f"{row + 1:>2} ", style="" if as_text else "bold")
        for cell in range(row * state.columns, (row + 1) * state.columns):
            frame = "[]" if cell in line else "()" if cell == last_cell else "  "
            text.append_text(
                _cell(cells[cell], frame, spec.look.ink, is_hinted=cell in hinted, as_text=as_text)
            )
    return text


def _column_name(column: int, *, has_ranks: bool) -> str:
    return LETTERS[column] if has_ranks else str(column + 1)


def _hinted(game: Game, state: State) -> frozenset[int | None]:
    return frozenset(game.cell_of(state, move) for move in state.legal_moves())


def _cell(holder: Player | None, frame: str, ink: Ink, *, is_hinted: bool, as_text: bool) -> Text:
    """Return the cell's text, three characters wide."""
    if as_text:
        mark = ("+" if is_hinted else ".") if holder is None else _PLAIN_MARKS[holder]
        return Text(f"{frame[0]}{mark}{frame[1]}")
    if holder is None:
        return Text(" + " if is_hinted else " · ", style=f"dim {ink.ground}".strip())
    cell = Text(style=ink.ground)
    cell.append(frame[0], style="bold bright_white")
    cell.append(ink.marks[holder], style=ink.styles[holder])
    cell.append(frame[1], style="bold bright_white")
    return cell


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
    if not spec.play.counts_discs:
        return sentence
    cells = state.cells()
    first, second = (cells.count(player) for player in Player)
    return f"{sentence} {_capital(spec.play.sides[0])} has {first}, {spec.play.sides[1]} {second}."


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def move_names(game: Game, state: State) -> str:
    """Return the legal moves as people write them: `1, 2, 4`."""
    return ", ".join(game.move_name(state, move) for move in state.legal_moves())
