"""What the rest of the code asks of Othello."""

from __future__ import annotations

from engine.games.othello.rules import Othello
from engine.games.spec import GameSpec, Glyphs, Ink, Paint, Told
from engine.games.written import Written

SPEC = GameSpec(
    Othello(),
    about=(
        "Dark begins. Put a disc so that it traps a straight line of the other colour between itself and"
        " another disc of yours: every disc it traps turns over. If you have no such move you pass. When"
        " neither side can move, whoever has more discs wins."
    ),
    sides=("black", "white"),
    glyphs=Glyphs(plain=("🟤", "🟡"), last=("🟫", "🟨"), line=("🤎", "💛"), empty="🟩"),
    paint=Paint(
        board="#1F8052",
        edge="#145C3A",
        hole=None,
        discs=("#1C1E22", "#F4F5F0"),
        rims=("#08090B", "#CCCEC6"),
        accent="#F04E46",
    ),
    ink=Ink(("●", "●"), ("black", "bright_white"), "on green"),
    told_by=Told.BRIGHTNESS,
    shows_legal_moves=True,
    counts_discs=True,
    prizes_corners=True,
    written=Written(width=2),
    opening="f5d6c3",
    picture="d3 c3 f5 d2 d1 e1 f1 e3 e2 f3 c2 c1 b1 c5 f4 f2 c4 c6 g1 b4 g3 g4 d6 h2",
    puzzle_depths=(6, 8, 10, 12),
)
