"""The players of the terminal: levels, plug-ins and agents, and the folder of plug-ins."""

from __future__ import annotations

import argparse
import os
from dataclasses import replace
from pathlib import Path

from dotenv import dotenv_values, find_dotenv

from engine.agents import AGENTS, make_agent
from engine.agents.levels import LEVELS, kind_of
from engine.agents.roster import Roster
from engine.arena.matches import Contender
from engine.core import Game, Limit, UnknownName
from engine.plugins.discovery import discover

_FOLDER = "DISCADE_AGENTS"

PLAYERS = (*(level.key for level in LEVELS), *AGENTS)
"""The names of all built-in players."""

AGENT_LIMIT = Limit(seconds=1.0)
"""For agents that are not levels, which have no limit of their own."""


def add_folder(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--agents-folder",
        type=Path,
        metavar="FOLDER",
        default=_usual_folder(),
        help=f"where the files of agents lie (default: {_FOLDER} of the environment or of .env)",
    )


def _usual_folder() -> str | None:
    """Return the bot's folder, from the environment or the same .env; nothing else in that file is read."""
    folder = os.environ.get(_FOLDER)
    if folder is None:
        try:
            folder = dotenv_values(find_dotenv(usecwd=True)).get(_FOLDER) or ""
        except (ValueError, OSError):
            # An unreadable file counts as an empty setting.
            folder = ""
    return folder.strip() or None


def open_roster(options: argparse.Namespace) -> Roster:
    """Open the levels and the folder's plug-ins, for the caller to close; raises UnknownName."""
    return Roster(discover(folder_of(options)))


def folder_of(options: argparse.Namespace) -> Path | None:
    """Return the folder of plug-ins, if there is one; raises UnknownName if it does not exist."""
    folder: Path | None = options.agents_folder
    if folder is not None:
        folder = folder.expanduser()
        if not folder.is_dir():
            raise UnknownName(f"there is no folder {folder} to take agents from")
    return folder


def agents_of(rules: Game) -> list[str]:
    """Return the names of the agents that play the game."""
    return [key for key, spec in AGENTS.items() if rules.key in spec.games]


def contender_of(
    roster: Roster,
    name: str,
    rules: Game,
    board: str | None,
    seconds: float | None = None,
    most_seconds: float | None = None,
) -> Contender:
    """Return a level or an agent that plays the game on that board; raises UnknownName with the known ones.

    seconds: instead of the level's own; most_seconds: the maximum.
    """
    levels = {level.key: level for level in roster.levels_of(rules.key, board or rules.boards[0])}
    if name in levels:
        contender = Contender(name, lambda seed: roster.make(name, seed), levels[name].limit)
    elif kind_of(name) in agents_of(rules):
        make_agent(name)  # raises now if its options are wrong
        contender = Contender(name, lambda seed: make_agent(name, seed), AGENT_LIMIT)
    else:
        where = rules.key if board is None else f"{rules.key} on {board}"
        known = f"levels {', '.join(levels)}; agents {', '.join(agents_of(rules))}"
        message = f"nobody called {name!r} plays {where}; there are {known}"
        raise UnknownName(message, name, [*levels, *agents_of(rules)])
    own = contender.limit.seconds
    if most_seconds is not None:
        seconds = most_seconds if own is None else min(own, most_seconds)
    return (
        contender if seconds is None else replace(contender, limit=replace(contender.limit, seconds=seconds))
    )
