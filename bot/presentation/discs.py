"""The standard emoji of boards, by game and theme.

They are used if Discord lacks some of our own tiles (see `tiles/`). The shape of a disc has a meaning: a
square was played last, a heart belongs to the winning line (crosses and noughts are squared there, and look
the same when played last). No disc is black or white: each vanishes on some of Discord's backgrounds (see
`tools/twemoji.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from bot.domain.look import Theme
from engine.games import spec_of
from engine.games.spec import Distinction, GameSpec, Layout


@dataclass(frozen=True, slots=True)
class Discs:
    """The emoji of one game; pairs are indexed by Player. kinds, shapes: see `Glyphs`."""

    plain: tuple[str, str]
    last: tuple[str, str]
    line: tuple[str, str]
    empty: str
    hint: str
    has_letters: bool
    kinds: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    shapes: Mapping[str, str] = field(default_factory=dict)


_HOLE = "🌑"
"""The darkest cell that is visible on a dark background."""

_SHAPES = {"light": "⬜", "dot": "▪️", "edge": "▫️", "box": "◻️", "pit": "0️⃣", "store": "0️⃣"}
"""Empty cells that are not the usual squares."""

_LETTERS = Discs(("X", "O"), ("X", "O"), ("X", "O"), ".", "*", has_letters=True)
"""Marks surround the letters, see `text.py`."""


def discs(game_key: str, theme: Theme = Theme.CLASSIC) -> Discs:
    """Return the emoji of that game; raises UnknownName."""
    return discs_of(spec_of(game_key), theme)


def discs_of(spec: GameSpec, theme: Theme = Theme.CLASSIC) -> Discs:
    """Return the game's emoji, adapted to the theme."""
    glyphs, has_letters = spec.look.glyphs, spec.look.layout is not Layout.COLUMNS
    classic = Discs(
        glyphs.plain,
        glyphs.last,
        glyphs.line,
        glyphs.empty,
        glyphs.hint,
        has_letters,
        glyphs.kinds,
        _SHAPES | dict(glyphs.shapes),
    )
    match theme:
        case Theme.DARK:
            return _dark(spec.look.distinguished_by, classic)
        case Theme.COLOUR_BLIND:
            return _colour_blind(spec.look.distinguished_by, classic)
        case Theme.SHAPES:
            return _shapes(spec.look.distinguished_by, classic)
        case Theme.LETTERS:
            return replace(_LETTERS, has_letters=has_letters)
        case Theme.CLASSIC:
            return classic


def _dark(distinguished_by: Distinction, classic: Discs) -> Discs:
    """Dark holes instead of a bright board; dark discs would vanish there, so those are purple."""
    if distinguished_by is Distinction.BRIGHTNESS:
        return replace(classic, plain=("🟣", "🟡"), last=("🟪", "🟨"), line=("💜", "💛"), empty=_HOLE)
    return replace(classic, empty=_HOLE)


def _colour_blind(distinguished_by: Distinction, classic: Discs) -> Discs:
    """Blue and yellow, which differ in every common kind of colour blindness (Okabe and Ito, 2008)."""
    match distinguished_by:
        case Distinction.SHAPE:
            return classic
        case Distinction.BRIGHTNESS:
            return replace(classic, empty="🟦")
        case Distinction.COLOUR:
            return replace(
                classic, plain=("🔵", "🟡"), last=("🟦", "🟨"), line=("💙", "💛"), empty=_HOLE, hint="🔺"
            )


def _shapes(distinguished_by: Distinction, classic: Discs) -> Discs:
    """Two outlines that differ without colour, even when marked."""
    if distinguished_by is Distinction.SHAPE:
        return classic
    return replace(classic, plain=("🔴", "🔷"), last=("🛑", "💠"), line=("❤️", "💎"), empty="🟨", hint="🔺")
