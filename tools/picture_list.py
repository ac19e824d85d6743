"""The list beside docs/pictures of what each picture was made with, so that a test sees which one is too old.

The programs that make pictures note each one as they save it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from bot.domain.look import Theme
from engine.games import GAMES

MADE_WITH = Path(__file__).parents[1] / "docs" / "pictures" / "made_with.json"

LANGUAGE = "en"
"""Of every picture."""

ALL_GAMES, ALL_LOOKS = ("boards", "looks", "web-games"), ("looks",)
"""The pictures, by their names without ending, that show every game, and every look that is drawn."""

OTHERS: Mapping[str, Sequence[str]] = {"profile": tuple(GAMES)[:3]}
"""Games of pictures that show some; the others show Connect Four."""

Facts = Mapping[str, Sequence[str]]


def shown_now(name: str) -> Facts:
    """Return the games, looks and languages that the picture shows if it is made now."""
    games = tuple(GAMES) if name in ALL_GAMES else OTHERS.get(name, ("connect-four",))
    # Letters are text, and so in no picture.
    looks = tuple(theme for theme in Theme if theme is not Theme.LETTERS)
    return {
        "games": list(games),
        "looks": [theme.value for theme in (looks if name in ALL_LOOKS else looks[:1])],
        "languages": [LANGUAGE],
    }


def listed() -> dict[str, Facts]:
    """Return what each picture was made with, by its file's name."""
    made: dict[str, Facts] = json.loads(MADE_WITH.read_text("utf-8")) if MADE_WITH.exists() else {}
    return made


def note(picture: Path) -> None:
    """Note that the picture was made now."""
    made = listed() | {picture.name: shown_now(picture.stem)}
    text = json.dumps(dict(sorted(made.items())), indent=1)
    MADE_WITH.write_text(f"{text}\n", "utf-8")
