"""The emoji that boards are written in, by game and theme.

The shape of a disc says what happened to it: a square was played last, a heart belongs to the winning
line (crosses and noughts are squared for both). Black and white ones are used nowhere: each vanishes on
some of Discord's backgrounds (see `twemoji.py`). So Othello is played with dark and light wood.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.domain.look import Theme


@dataclass(frozen=True, slots=True)
class Discs:
    """The emoji of one game; pairs are indexed by Player."""

    plain: tuple[str, str]
    last: tuple[str, str]
    line: tuple[str, str]
    empty: str
    hint: str
    has_letters: bool


_CONNECT_FOUR = Discs(("🔴", "🟡"), ("🟥", "🟨"), ("❤️", "💛"), "🟦", "🔹", has_letters=False)
_OTHELLO = Discs(("🟤", "🟡"), ("🟫", "🟨"), ("🤎", "💛"), "🟩", "🔹", has_letters=True)
_TIC_TAC_TOE = Discs(("❌", "⭕"), ("❎", "🅾️"), ("❎", "🅾️"), "🟦", "🔹", has_letters=True)
_OTHER = Discs(("🔴", "🟡"), ("🟥", "🟨"), ("❤️", "💛"), "🟦", "🔹", has_letters=True)
_CLASSIC = {"connect-four": _CONNECT_FOUR, "othello": _OTHELLO, "tic-tac-toe": _TIC_TAC_TOE}

_HOLE = "🌑"
"""The darkest cell that can be seen on a dark background."""

_LETTERS = Discs(("X", "O"), ("X", "O"), ("X", "O"), ".", "*", has_letters=True)
"""Marks go around the letters, see `text.py`."""


def discs(game_key: str, theme: Theme = Theme.CLASSIC) -> Discs:
    """The emoji of that game; a game without its own gets red and yellow, and letters around."""
    classic = _CLASSIC.get(game_key, _OTHER)
    match theme:
        case Theme.DARK:
            return _dark(game_key, classic)
        case Theme.COLOUR_BLIND:
            return _colour_blind(game_key, classic)
        case Theme.SHAPES:
            return _shapes(game_key, classic)
        case Theme.LETTERS:
            return replace(_LETTERS, has_letters=classic.has_letters)
        case Theme.CLASSIC:
            return classic


def _dark(game_key: str, classic: Discs) -> Discs:
    """Dark holes instead of a bright board; brown discs would be lost among them, so Othello's are purple."""
    if game_key == "othello":
        return replace(classic, plain=("🟣", "🟡"), last=("🟪", "🟨"), line=("💜", "💛"), empty=_HOLE)
    return replace(classic, empty=_HOLE)


def _colour_blind(game_key: str, classic: Discs) -> Discs:
    """Blue and orange are told apart in every common kind of colour blindness (Okabe and Ito, 2008)."""
    if game_key == "tic-tac-toe":
        return classic
    if game_key == "othello":
        return replace(classic, empty="🟦")
    return replace(classic, plain=("🔵", "🟠"), last=("🟦", "🟧"), line=("💙", "🧡"), empty=_HOLE, hint="🔺")


def _shapes(game_key: str, classic: Discs) -> Discs:
    """Two outlines that differ without any colour, also when marked."""
    if game_key == "tic-tac-toe":
        return classic
    return replace(classic, plain=("🔴", "🔷"), last=("🛑", "💠"), line=("❤️", "💎"), empty="🟨", hint="🔺")
