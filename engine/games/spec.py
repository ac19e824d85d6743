"""GameSpec: everything that the rest of the code asks of a game, each with a default that works for any game.

Nothing outside a game's own folder asks which game it has before it; it asks the game's spec. Knows neither
Discord nor pictures: colours are `#RRGGBB`, discs are emoji, texts are English and stand in for a catalogue
that has none of its own.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING

from engine.core import Agent, Game, Limit, Move, Player, State
from engine.games.move_text import Written
from engine.games.puzzle_themes import PuzzleTheme
from engine.games.reasons import Reason, Threat
from engine.score import Evaluator

if TYPE_CHECKING:
    from engine.games.search_board import Board

Options = Mapping[str, int]
Ranges = Mapping[str, tuple[int, int]]
BestOf = Callable[[State], Move]
"""The best move of a position by proof: it wins soonest, or resists longest."""

MakeAgent = Callable[[str, int], Agent]
"""Makes an agent of a name and a seed; see `engine.agents.make_agent`."""


class Layout(enum.Enum):
    """How the moves of a game are offered to be pressed."""

    SQUARES = enum.auto()
    """A button for each legal move; where they are many first the column, then the square. Letters and
    numbers stand around the board."""
    COLUMNS = enum.auto()
    """A button for each column, numbered from 1: a move is the column's place from 0."""
    GRID = enum.auto()
    """The buttons are the board: a move is the place of its cell."""


class Told(enum.Enum):
    """By what one tells the two sides' pieces apart, and so what a look has to change for whom."""

    COLOUR = enum.auto()
    BRIGHTNESS = enum.auto()
    """One is dark, the other light."""
    SHAPE = enum.auto()


def _named_by_the_rules(_state: State, _move: Move) -> None:
    return None


@dataclass(frozen=True, slots=True)
class MoveGroup:
    """Moves that are offered apart from the others, so that nobody takes them for those.

    key: of its heading, `group_GAME_KEY` in the catalogues, and of what is said of such a move,
    `made_GAME_KEY`. title: the heading in English, where a catalogue has none. emoji: stands on each of its
    buttons. holds: whether the legal move is one of them. label: what its button says; None: the move's
    name.
    """

    key: str
    title: str
    emoji: str
    holds: Callable[[State, Move], bool]
    label: Callable[[State, Move], str | None] = _named_by_the_rules


@dataclass(frozen=True, slots=True)
class Note:
    """What people are told of a state besides whose turn it is.

    key: of the text, `note_GAME_KEY` in the catalogues. text: the same in English, where a catalogue has
    none. side: whose disc stands in it.
    """

    key: str
    text: str
    side: Player


def _nothing_to_note(_state: State) -> None:
    return None


@dataclass(frozen=True, slots=True)
class OwnLevel:
    """A level that plays this game alone; see `engine.agents.levels.Level`, which it becomes."""

    key: str
    name: str
    character: str
    agent: str
    limit: Limit
    is_deep: bool = False


@dataclass(frozen=True, slots=True)
class Glyphs:
    """The emoji that a board is written in; pairs by Player.

    plain: discs; last: the one that was played last; line: those that won. hint: a cell that may be played.
    """

    plain: tuple[str, str] = ("🔴", "🟡")
    last: tuple[str, str] = ("🟥", "🟨")
    line: tuple[str, str] = ("❤️", "💛")
    empty: str = "🟦"
    hint: str = "🔹"


@dataclass(frozen=True, slots=True)
class Paint:
    """The colours that a board is painted in, `#RRGGBB`; pairs by Player.

    edge: between cells. hole: under empty cells, None for a board without holes. rims: around discs. accent:
    of what is marked on a disc. on_points: pieces lie where the lines cross, and not between them.
    """

    board: str = "#3F82E8"
    edge: str = "#2A5CB8"
    hole: str | None = "#0D1B42"
    discs: tuple[str, str] = ("#DE3A42", "#FFD142")
    rims: tuple[str, str] = ("#A8232C", "#CF9C14")
    accent: str = "#FFFFFF"
    on_points: bool = False


STONES = Paint(hole=None, discs=("#1A1D23", "#F8F8F3"), rims=("#08090C", "#C6CBC6"), accent="#E5383F")
"""Black and white ones, for a game that says the colours of its board."""

STONE_GLYPHS = Glyphs(plain=("🟤", "🟡"), last=("🟫", "🟨"), line=("🤎", "💛"), empty="🟩")
"""As near to them as emoji are seen on all of Discord's grounds."""


@dataclass(frozen=True, slots=True)
class Ink:
    """How a terminal writes the board: a mark and one of rich's styles for each Player, and the ground's."""

    marks: tuple[str, str] = ("X", "O")
    styles: tuple[str, str] = ("bold bright_red", "bold bright_cyan")
    ground: str = ""


@dataclass(frozen=True, slots=True)
class OwnAgent:
    """An agent that plays this game alone.

    key: its name in `make_agent`. make: of a seed, of options that are checked already, and of what makes
    other agents, which it may fall back upon. options: name -> (least, most). kernels: modules of compiled
    code that it needs besides the game's.
    """

    key: str
    title: str
    summary: str
    make: Callable[[int, Options, MakeAgent], Agent]
    options: Ranges = field(default_factory=dict)
    kernels: tuple[str, ...] = ()


def _no_difference(_state: State, _move: Move, _other: Move) -> Sequence[Reason]:
    return ()


def _no_threats(_state: State) -> Sequence[Threat]:
    return ()


def _no_themes(_state: State, _best: Move, _best_of: BestOf) -> Sequence[PuzzleTheme]:
    return ()


def _nothing_striking(_state: State, _move: Move) -> Sequence[Reason]:
    return ()


@dataclass(frozen=True, slots=True)
class GameSpec:
    """One game. Only `rules` must be given.

    about: how it is played, in English. sides: what the players' colours are called. can_pass: whether a move
    may leave the board as it is. board_to_name: one of the boards that may be named without being offered; ""
    where there are none. line_length: how many in a row win on a board of that name; None where no
    line does, or where it is not told. counts_discs: whoever has more discs at the end wins, and values are
    differences of discs.

    glyphs, paint, ink: its colours, as emoji, in pictures and in a terminal. told_by, layout: see there.
    groups: moves that are offered apart; a move belongs to the first that holds it. note: what is
    told of a state besides whose turn it is.
    shows_legal_moves: they are marked on the board, being hard to see. picture: moves by name, from the start
    to a telling position.

    written: how a move stands in the text of a whole game. opening: the text of a few moves, as an example.

    prizes_corners: achievements are given for holding corners. puzzle_depths: the greatest depth of each
    grade of puzzles but the hardest; () for no puzzles. A depth is how many moves the winner still makes, or
    where discs are counted how many squares are empty. tree_empties: up to so many empty cells the whole tree
    of the game fits on a picture. reasons: what a move does that strikes the eye, winning aside.
    differences: what it does better than another move, which is asked only where it is the better one.
    threats: the cells that would win, to be marked on a picture.
    themes: what a puzzle is about, of its state and the one winning move.

    keeps_ended: counts of lines of play keep those that ended sooner. count_lines: (state, depth), counted
    fast. heuristic: how a state looks to the player who has just moved. search_board: the state for the
    compiled searches; kernels: modules of compiled code that this needs; search_ply: what they take off the
    value of a won game for each ply until then; search_margin: in the opening, moves whose values or
    heuristics differ by so much are as good as each other. agents: those that play this game alone; levels:
    opponents that are offered in this game alone. ladder: the keys of its levels, weakest first, its own
    among them; boards_of_level: on which of its boards one plays, where not on all.

    opening_plies: random moves with which games begin by which levels are measured; None: one for every ten
    cells. elo_table: the measured ladder, as `tools.rate_levels` writes it; None: one of ours, or none.

    openings: the file of its balanced openings, see `engine.games.openings`; None: there are none.

    evaluator: makes what finds out what its states are worth; None: nothing but playouts. evaluator_kind: the
    agent whose compiled code that needs. read_board: a state from a drawing of its board, raises
    NotationError; board_marks: what such a drawing begins with, and no list of moves does.
    """

    rules: Game
    about: str = ""
    sides: tuple[str, str] = ("X", "O")
    glyphs: Glyphs = field(default_factory=Glyphs)
    paint: Paint = field(default_factory=Paint)
    ink: Ink = field(default_factory=Ink)
    told_by: Told = Told.COLOUR
    layout: Layout = Layout.SQUARES
    groups: tuple[MoveGroup, ...] = ()
    note: Callable[[State], Note | None] = _nothing_to_note
    can_pass: bool = True
    board_to_name: str = ""
    line_length: Callable[[str], int | None] = lambda _board: None
    shows_legal_moves: bool = False
    counts_discs: bool = False
    prizes_corners: bool = False
    written: Written = field(default_factory=Written)
    opening: str = ""
    picture: str = ""
    puzzle_depths: tuple[int, ...] = ()
    tree_empties: int = 0
    reasons: Callable[[State, Move], Sequence[Reason]] = _nothing_striking
    differences: Callable[[State, Move, Move], Sequence[Reason]] = _no_difference
    threats: Callable[[State], Sequence[Threat]] = _no_threats
    themes: Callable[[State, Move, BestOf], Sequence[PuzzleTheme]] = _no_themes
    keeps_ended: bool = False
    count_lines: Callable[[State, int], int] | None = None
    heuristic: Callable[[State, Player], float] | None = None
    search_ply: int = 1
    search_margin: int = 0
    search_board: Callable[[State], Board] | None = None
    kernels: tuple[str, ...] = ()
    tree_kernels: tuple[str, ...] = ()
    agents: tuple[OwnAgent, ...] = ()
    levels: tuple[OwnLevel, ...] = ()
    ladder: tuple[str, ...] = ("pip", "otto", "luca", "vera")
    boards_of_level: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    opening_plies: int | None = None
    elo_table: Traversable | None = None
    openings: Traversable | None = None
    evaluator: Callable[[], Evaluator] | None = None
    evaluator_kind: str = ""
    read_board: Callable[[str], State] | None = None
    board_marks: str = ""

    @property
    def key(self) -> str:
        return self.rules.key

    @property
    def title(self) -> str:
        return self.rules.title

    def is_pass(self, state: State, move: Move) -> bool:
        """Whether the legal move leaves the board as it is and only gives the turn away."""
        if (
            not self.can_pass
            or self.group_of(state, move) is not None
            or self.rules.cell_of(state, move) is not None
        ):
            return False
        return state.play(move).cells() == state.cells()

    def group_of(self, state: State, move: Move) -> MoveGroup | None:
        """The group in which the move is offered; None: among the usual ones."""
        return next((group for group in self.groups if group.holds(state, move)), None)
