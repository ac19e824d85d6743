"""What the rest of the code asks of Tic-tac-toe."""

from __future__ import annotations

from engine.games.spec import GameSpec, Glyphs, Layout, Paint, Told
from engine.games.tic_tac_toe.rules import TicTacToe
from engine.games.written import Written

SPEC = GameSpec(
    TicTacToe(),
    about=(
        "Put your mark into an empty cell. Whoever first has three of theirs in a row wins; a full board"
        " without such a row is a draw."
    ),
    can_pass=False,
    line_length=lambda _board: 3,
    glyphs=Glyphs(plain=("❌", "⭕"), last=("❎", "🅾️"), line=("❎", "🅾️")),
    paint=Paint(
        board="#F6F1E6",
        edge="#7A7468",
        hole=None,
        discs=("#D63E3E", "#2C68BE"),
        rims=("#D63E3E", "#2C68BE"),
        accent="#FFDE80",
    ),
    told_by=Told.SHAPE,
    layout=Layout.GRID,
    written=Written(width=2),
    opening="b2a1",
    picture="b2 b1 a2 c2 a1 a3 c3",
    puzzle_depths=(1, 2, 3),
    tree_empties=5,
)
