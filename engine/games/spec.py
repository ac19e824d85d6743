"""GameSpec: everything the rest of the code needs to know about a game, with defaults that work for any game.

No code outside a game's own folder asks which game it has; it asks the game's spec. A spec knows neither
Discord nor pictures: colours are `#RRGGBB`, discs are emoji, and texts are English, used where a catalogue of
translations has none for this game.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources.abc import Traversable
from string import ascii_lowercase
from typing import TYPE_CHECKING, TypeVar

from engine.core import Agent, Game, Limit, Move, Player, State
from engine.games.claims import Oracle
from engine.games.move_text import MoveText
from engine.games.puzzle_themes import PuzzleTheme
from engine.games.reasons import Reason, Threat
from engine.score import Evaluator

if TYPE_CHECKING:
    from engine.games.search_board import SearchBoard

Options = Mapping[str, int]
Ranges = Mapping[str, tuple[int, int]]
BestOf = Callable[[State], Move]
"""Returns the best move of a solved position: the fastest win, or the longest resistance."""

MakeAgent = Callable[[str, int], Agent]
"""Makes an agent from a name and a seed; see `engine.agents.make_agent`."""


class Layout(enum.Enum):
    """How the moves of a game are offered as buttons."""

    SQUARES = enum.auto()
    """A button for each legal move; if there are too many, first the column, then the square. The board has
    letters and numbers at its edges."""
    COLUMNS = enum.auto()
    """A button for each column, numbered from 1: a move is the index of its column."""
    GRID = enum.auto()
    """The buttons are the board: a move is the index of its cell."""
    ROWS = enum.auto()
    """A button for each cell of the mover's row, as they lie: a side has one row. A move is the index of its
    cell."""


class Distinction(enum.Enum):
    """The difference between the two sides' pieces, which a theme has to change."""

    COLOUR = enum.auto()
    BRIGHTNESS = enum.auto()
    """One side is dark, the other light."""
    SHAPE = enum.auto()


def _no_label(_state: State, _move: Move) -> None:
    return None


@dataclass(frozen=True, slots=True)
class MoveGroup:
    """Moves that are offered under a heading of their own, so that they are not mistaken for ordinary ones.

    key: `group_GAME_KEY` in the catalogues is the heading, `made_GAME_KEY` the sentence about such a move.
    title: the heading in English, the fallback for catalogues. emoji: on each of its buttons. holds: whether
    a legal move belongs to the group. label: the text on the move's button; None: the move's name.
    """

    key: str
    title: str
    emoji: str
    holds: Callable[[State, Move], bool]
    label: Callable[[State, Move], str | None] = _no_label


@dataclass(frozen=True, slots=True)
class Note:
    """A remark about a state, displayed besides whose turn it is.

    key: `note_GAME_KEY` in the catalogues. text: the same in English, the fallback. side: whose disc is
    displayed with it.
    """

    key: str
    text: str
    side: Player


@dataclass(frozen=True, slots=True)
class OwnLevel:
    """A level for this game alone; it becomes an `engine.agents.levels.Level`."""

    key: str
    name: str
    character: str
    agent: str
    limit: Limit
    is_deep: bool = False


@dataclass(frozen=True, slots=True)
class Glyphs:
    """The emoji of a board; pairs by Player.

    plain: discs. last: the disc that was played last. line: the discs of a winning line. hint: a legal move.
    kinds: pairs for pieces of these kinds. shapes: empty cells of these shapes; "" is a gap.
    """

    plain: tuple[str, str] = ("🔴", "🟡")
    last: tuple[str, str] = ("🟥", "🟨")
    line: tuple[str, str] = ("❤️", "💛")
    empty: str = "🟦"
    hint: str = "🔹"
    kinds: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    shapes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Paint:
    """The colours of a drawn board, `#RRGGBB`; pairs by Player.

    edge: between cells. hole: under empty cells, None for a board without holes. rims: around discs. accent:
    marks on a disc. on_points: pieces lie on the crossings of the lines instead of between them. squares: the
    light and the dark squares of a board that has both.
    """

    board: str = "#3F82E8"
    edge: str = "#2A5CB8"
    hole: str | None = "#0D1B42"
    discs: tuple[str, str] = ("#DE3A42", "#FFD142")
    rims: tuple[str, str] = ("#A8232C", "#CF9C14")
    accent: str = "#FFFFFF"
    on_points: bool = False
    squares: tuple[str, str] = ("#E0C49A", "#7D5327")


OLD_RULE = "-old"
"""The end of the name of a board that only reads stored matches, see `PlaySpec.old_boards`."""

CLAIMED_DRAWS = "-claimed"
"""The end of the name of a board that only reads records, see `PlaySpec.record_boards`."""

STONES = Paint(hole=None, discs=("#1A1D23", "#F8F8F3"), rims=("#08090C", "#C6CBC6"), accent="#E5383F")
"""Black and white stones; a game adds the colours of its board."""

STONE_GLYPHS = Glyphs(plain=("🟤", "🟡"), last=("🟫", "🟨"), line=("🤎", "💛"), empty="🟩")
"""The emoji nearest to black and white that are visible on all of Discord's backgrounds."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece on a cell. owner: None for a piece of neither side.

    kind: "" for a side's usual piece; `king` has a crown, `bar` is a drawn edge, `claim` a taken box, `seeds`
    are their number; any other is drawn as the usual piece. label: written on it. count: how many lie there;
    None for one.
    """

    kind: str = ""
    owner: Player | None = None
    label: str = ""
    count: int | None = None


@dataclass(frozen=True, slots=True)
class BoardCell:
    """A cell of a board as people see and touch it; the unit of length is the side of a square.

    x, y: its middle, from the upper left corner. row, column: where arrow keys find it. name: what people
    call it; a cell without a name is only seen, unless it has a zone. zone: presses on the cell count for the
    zone of this name, such as a column. shape: "" for the usual square, else `dark`, `light`, `hexagon` (one
    unit wide, with corners above and below), `edge`, `pit`, `store`, `box` or `dot`. width, height: of what
    is touched.
    """

    x: float
    y: float
    row: int
    column: int
    name: str = ""
    zone: str = ""
    shape: str = ""
    width: float = 1
    height: float = 1


@dataclass(frozen=True, slots=True)
class Border:
    """A line through these points of the plane, in the colour of the side that has to reach it."""

    owner: Player
    points: tuple[tuple[float, float], ...]


SHAPES = frozenset(("", "dark", "light", "hexagon", "edge", "pit", "store", "box", "dot"))
"""The shapes of a `BoardCell`."""

Press = tuple[int | str, ...]
"""The parts to touch for a move, in order: numbers of cells, names of zones; () for a button of its own."""


@dataclass(frozen=True, slots=True)
class Ink:
    """The board in a terminal: a mark and a `rich` style for each Player, and the style of the ground."""

    marks: tuple[str, str] = ("X", "O")
    styles: tuple[str, str] = ("bold bright_red", "bold bright_cyan")
    ground: str = ""


@dataclass(frozen=True, slots=True)
class OwnAgent:
    """An agent for this game alone.

    key: its name in `make_agent`. make: builds it from a seed, checked options, and a factory of other
    agents to fall back on. options: name -> (least, most). kernels: modules of compiled code it needs
    besides the game's.
    """

    key: str
    title: str
    summary: str
    make: Callable[[int, Options, MakeAgent], Agent]
    options: Ranges = field(default_factory=dict)
    kernels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlaySpec:
    """How the game is played and written down.

    about: the rules for people, in English. sides: the names of the players' colours. can_pass: whether a
    move may leave the board unchanged. counts_discs: more discs at the end win, and scores are differences
    of discs. points: those of both sides so far, in games that points decide; see `GameSpec.points_of`.
    unit: their name in the catalogues' `worth_won_by_UNIT` and `worth_lost_by_UNIT`.
    line_length: how many in a row win on the named board; None if the game has no lines.
    board_example: a board that people may name although it is not offered; "" if there is none. groups:
    moves that are offered apart; a move belongs to the first group that holds it. note: a remark about a
    state, besides whose turn it is.

    move_text: how a move is written in the text of a whole game. text_example: a few moves in that form.
    formats: of `engine.records`, in which the game's field writes games, the usual one first; by the format's
    key the game's name there, such as 11 for SGF's `GM[11]`.
    read_board: reads a state from a drawing of its board, raises NotationError. write_board: the
    reverse. board_marks: the beginnings of such a drawing; no list of
    moves has them. record_boards: by board the one for records that it refuses, since over the board a draw
    has to be claimed; nothing is played on it. openings: the file of balanced openings, see
    `engine.games.openings`; None if there is none. boards_of_people: those on which matches between
    people are rated; the levels are measured on the first board alone, and rated there. has_swap: whether
    the rules on the named board have a swap, so that the pie rule is not offered. old_boards: boards whose
    rule was mended after matches were stored; these keep it. Each is an offered board's name and OLD_RULE,
    `start` knows it, and nothing new begins on it.
    """

    about: str = ""
    sides: tuple[str, str] = ("X", "O")
    can_pass: bool = True
    counts_discs: bool = False
    points: Callable[[State], tuple[int, int]] | None = None
    unit: str = "points"
    line_length: Callable[[str], int | None] = lambda _board: None
    board_example: str = ""
    groups: tuple[MoveGroup, ...] = ()
    note: Callable[[State], Note | None] = lambda _state: None
    move_text: MoveText = field(default_factory=MoveText)
    text_example: str = ""
    formats: Mapping[str, str] = field(default_factory=dict)
    read_board: Callable[[str], State] | None = None
    write_board: Callable[[State], str] | None = None
    board_marks: tuple[str, ...] = ()
    record_boards: Mapping[str, str] = field(default_factory=dict)
    openings: Traversable | None = None
    boards_of_people: tuple[str, ...] = ()
    has_swap: Callable[[str], bool] = lambda _board: False
    old_boards: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LookSpec:
    """How the board is displayed: as emoji, in pictures, in a terminal, and as buttons.

    icon: a standard emoji beside the game's title, its own; "" for the first player's disc.
    shows_legal_moves: mark them on the board, because they are hard to see. picture_moves: move names,
    separated by spaces, from the start to a typical position.

    places: the cells of a board by its name, first those of `State.cells()`; None: a lattice of squares.
    pieces: what lies on the cells; None: the sides' discs. press: what one touches for a move; None: its
    cell or its column. borders: the coloured sides of a board.
    """

    icon: str = ""
    glyphs: Glyphs = field(default_factory=Glyphs)
    paint: Paint = field(default_factory=Paint)
    ink: Ink = field(default_factory=Ink)
    distinguished_by: Distinction = Distinction.COLOUR
    layout: Layout = Layout.SQUARES
    shows_legal_moves: bool = False
    picture_moves: str = ""
    places: Callable[[str], Sequence[BoardCell]] | None = None
    pieces: Callable[[State], Mapping[int, Piece]] | None = None
    press: Callable[[State, Move], Press] | None = None
    borders: Callable[[str], Sequence[Border]] = lambda _board: ()


@dataclass(frozen=True, slots=True)
class SearchSpec:
    """How the game is searched and evaluated, and which agents and levels play it.

    heuristic: the value of a state for the player who has just moved. board: converts a state for the
    compiled searches. kernels, tree_kernels: modules of compiled code that they need, alpha-beta and Monte
    Carlo tree search. ply_cost: what these searches subtract from the value of a win for each ply until
    then. opening_margin: how far apart the values of two moves in the opening may be for a varied agent to
    consider them equal. keeps_ended: perft counts a game that ended early as one line at every greater
    depth. count_lines: a fast perft of (state, depth).

    agents: agents for this game alone. levels: levels for this game alone. ladder: the keys of all its
    levels, weakest first. boards_of_level: the boards a level is limited to. opening_plies: random moves at
    the start of the games that measure levels; None: one per ten cells. elo_table: the measured ladder that
    `tools.rate_levels` wrote; None: one in `engine/data`, if any.

    evaluator: makes the evaluator of its positions; None: playouts are all there is. evaluator_kind: the
    agent whose compiled code the evaluator needs. oracle: true values of positions, by code that shares
    nothing with the evaluator, which the conformance checks hold against them; None: there is none.
    """

    heuristic: Callable[[State, Player], float] | None = None
    board: Callable[[State], SearchBoard] | None = None
    kernels: tuple[str, ...] = ()
    tree_kernels: tuple[str, ...] = ()
    ply_cost: int = 1
    opening_margin: int = 0
    keeps_ended: bool = False
    count_lines: Callable[[State, int], int] | None = None
    agents: tuple[OwnAgent, ...] = ()
    levels: tuple[OwnLevel, ...] = ()
    ladder: tuple[str, ...] = ("pip", "otto", "luca", "vera")
    boards_of_level: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    opening_plies: int | None = None
    elo_table: Traversable | None = None
    evaluator: Callable[[], Evaluator] | None = None
    evaluator_kind: str = ""
    oracle: Oracle | None = None


@dataclass(frozen=True, slots=True)
class TeachSpec:
    """How the game is taught: puzzles, explanations, threats and achievements.

    puzzle_depths: the greatest depth of each grade of puzzles but the hardest; () if there are no puzzles.
    A depth is the number of moves the winner still makes, or of empty squares if discs are counted.
    puzzle_depth: the depth of a position, in a unit of the game's own. puzzles: the file of its puzzles, see
    `engine.analysis.puzzles`; None: one in `engine/data`, if any. themes: of a puzzle, from its state and its
    one winning move. tree_empties: up to this number of empty cells, the whole game tree fits on a picture;
    None: it never does. reasons: the visible merits of a move, other than winning. differences: the merits of
    a move over a worse one. threats: cells that would win, for pictures. rewards_corners: there are
    achievements for holding corners.
    """

    puzzle_depths: tuple[int, ...] = ()
    puzzle_depth: Callable[[State], int] | None = None
    puzzles: Traversable | None = None
    themes: Callable[[State, Move, BestOf], Sequence[PuzzleTheme]] = lambda _state, _best, _best_of: ()
    tree_empties: int | None = None
    reasons: Callable[[State, Move], Sequence[Reason]] = lambda _state, _move: ()
    differences: Callable[[State, Move, Move], Sequence[Reason]] = lambda _state, _move, _other: ()
    threats: Callable[[State], Sequence[Threat]] = lambda _state: ()
    rewards_corners: bool = False


@dataclass(frozen=True, slots=True)
class GameSpec:
    """A game. Only `rules` is required."""

    rules: Game
    play: PlaySpec = field(default_factory=PlaySpec)
    look: LookSpec = field(default_factory=LookSpec)
    search: SearchSpec = field(default_factory=SearchSpec)
    teach: TeachSpec = field(default_factory=TeachSpec)

    @property
    def key(self) -> str:
        return self.rules.key

    @property
    def title(self) -> str:
        return self.rules.title

    def is_pass(self, state: State, move: Move) -> bool:
        """Whether the legal move leaves the board unchanged and only passes the turn."""
        if (
            not self.play.can_pass
            or self.group_of(state, move) is not None
            or self.rules.cell_of(state, move) is not None
        ):
            return False
        return state.play(move).cells() == state.cells()

    def is_old(self, board: str) -> bool:
        """Whether only stored matches are on that board, see `PlaySpec.old_boards`."""
        return board in self.play.old_boards

    def board_now(self, board: str) -> str:
        """Return the board on which a new match begins: another one instead of an old or a record's board."""
        if self.is_old(board):
            return board.removesuffix(OLD_RULE)
        return next((usual for usual, other in self.play.record_boards.items() if other == board), board)

    def group_of(self, state: State, move: Move) -> MoveGroup | None:
        """Return the group the move is offered in; None for an ordinary move."""
        return next((group for group in self.play.groups if group.holds(state, move)), None)

    def points_of(self, state: State) -> tuple[int, int] | None:
        """Return the points of both sides, which are discs if these are counted; None in other games."""
        if self.play.counts_discs:
            cells = state.cells()
            return cells.count(Player.FIRST), cells.count(Player.SECOND)
        return None if self.play.points is None else self.play.points(state)

    def places_of(self, board: str) -> Sequence[BoardCell]:
        """Return the cells of the board as people see and touch them."""
        if self.look.places is not None:
            return _found(self.look.places, board)
        start = self.rules.start(board)
        return _lattice(start.rows, start.columns, has_zones=self.look.layout is Layout.COLUMNS)

    def places_under(self, state: State) -> Sequence[BoardCell]:
        """Return the cells of the state's board."""
        if self.look.places is None:
            return _lattice(state.rows, state.columns, has_zones=self.look.layout is Layout.COLUMNS)
        return self.places_of(self._board_of(state))

    def borders_of(self, board: str) -> Sequence[Border]:
        """Return the coloured sides of the board."""
        return _found(self.look.borders, board)

    def borders_under(self, state: State) -> Sequence[Border]:
        """Return the coloured sides of the state's board."""
        return self.borders_of(self._board_of(state))

    def _board_of(self, state: State) -> str:
        """Return a board with as many rows, columns and cells: only those decide how it looks."""
        for board in self.rules.boards:
            start = self.rules.start(board)
            if (start.rows, start.columns, len(start.cells())) == (
                state.rows,
                state.columns,
                len(state.cells()),
            ):
                return board
        return f"{state.rows}x{state.columns}"

    def pieces_of(self, state: State) -> Mapping[int, Piece]:
        """Return the pieces on the cells, by their numbers in `places_of`."""
        if self.look.pieces is not None:
            return self.look.pieces(state)
        return {cell: _DISCS[owner] for cell, owner in enumerate(state.cells()) if owner is not None}

    def press_of(self, state: State, move: Move) -> Press:
        """Return the parts to touch for the legal move; () if it has a button of its own."""
        if self.look.press is not None:
            return self.look.press(state, move)
        cell = self.rules.cell_of(state, move)
        if cell is None or self.group_of(state, move) is not None:
            return ()
        return (str(cell % state.columns + 1),) if self.look.layout is Layout.COLUMNS else (cell,)


_Part = TypeVar("_Part", BoardCell, Border)

_DISCS = tuple(Piece(owner=player) for player in Player)


@lru_cache(maxsize=64)
def _lattice(rows: int, columns: int, *, has_zones: bool) -> Sequence[BoardCell]:
    return tuple(
        BoardCell(
            column + 0.5,
            row + 0.5,
            row,
            column,
            name="" if has_zones else f"{ascii_lowercase[column]}{row + 1}",
            zone=str(column + 1) if has_zones else "",
        )
        for row in range(rows)
        for column in range(columns)
    )


@lru_cache(maxsize=128)
def _found(parts: Callable[[str], Sequence[_Part]], board: str) -> Sequence[_Part]:
    return tuple(parts(board))
