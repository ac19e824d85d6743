"""`engines.toml`: the programs of other languages that a host offers as opponents.

    [rapfi]
    name = "Rapfi"
    protocol = "gomocup"
    command = ["~/engines/rapfi/pbrain-rapfi"]
    seconds = 4

A command comes from this file alone, never from a person who plays, and no shell reads it.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from engine.agents.levels import ENGINE
from engine.core import UnknownName
from engine.plugins.folder import ENGINES_FILE, Remark
from engine.plugins.limits import MEMORY_BYTES
from engine.plugins.protocols import gomocup, gtp, htp, nboard
from engine.plugins.protocols.engine import USUAL_SECONDS, Client, Engine, EngineProcess
from engine.plugins.protocols.lines import Lines
from engine.plugins.running import Worker
from engine.plugins.wire import MAX_CHARACTER, Source, in_line

LOAD_SECONDS = 20.0
"""The time in which an engine answers its greeting."""

MOST_SECONDS, MOST_THREADS = 60.0, 64
MAX_ENGINE_NAME = 22
"""With ` (engine)` a level's name has no more than usual."""

_SIZE = re.compile(r"([0-9]{1,6}) ?([MG])i?B", re.ASCII)


@dataclass(frozen=True, slots=True)
class Spoken:
    """A protocol. newline: the end of the lines that we write."""

    game: str
    boards: tuple[str, ...]
    client: Callable[[Lines, Engine], Client]
    newline: str = "\n"


PROTOCOLS: Mapping[str, Spoken] = {
    "gomocup": Spoken(gomocup.GAME, gomocup.BOARDS, gomocup.Gomocup, "\r\n"),
    "nboard": Spoken(nboard.GAME, nboard.BOARDS, nboard.NBoard),
    "gtp": Spoken(gtp.GAME, gtp.BOARDS, gtp.Gtp),
    "htp": Spoken(htp.GAME, htp.BOARDS, htp.Htp),
}


class Unusable(Exception):
    """A table of the file cannot be used; the message says why."""


def worker_of(source: Source, engine: Engine, load_seconds: float = LOAD_SECONDS) -> Worker:
    """Return the worker of an engine: one process for all matches that it plays.

    In a crowd an engine is told less time, but not ended sooner: not every protocol can tell the time.
    """
    spoken = PROTOCOLS[engine.protocol]
    return Worker(
        source,
        load_seconds,
        lambda: EngineProcess(engine, spoken.client, spoken.newline),
        seconds=engine.seconds,
    )


def engines_in(folder: Path) -> tuple[list[tuple[Source, Engine]], list[Remark]]:
    """Return the engines of the folder's file, and why others are left out. No program is started."""
    file = folder.resolve() / ENGINES_FILE
    try:
        told = tomllib.loads(file.read_text("utf-8"))
    except FileNotFoundError:
        return [], []
    except (ValueError, OSError, RecursionError) as error:
        return [], [Remark(logging.ERROR, ENGINES_FILE, f"is ignored: {error}", title="file")]
    engines, remarks = [], []
    for key, table in told.items():
        source = Source(key, file, kind=ENGINE)
        try:
            engines.append((source, engine_of(key, table, folder)))
        # Paths with ~ of an unknown user, or too long for the system, raise on their own.
        except (Unusable, OSError, RuntimeError) as reason:
            remarks.append(Remark(logging.ERROR, str(source), f"is left out: {reason}", title=source.title))
    return engines, remarks


KEYS = (
    "name", "game", "protocol", "command", "folder", "seconds", "memory", "threads", "boards", "options",
    "character",
)  # fmt: skip


def engine_of(key: str, table: object, folder: Path) -> Engine:
    """Return the engine of a table; folder: of the file. Raises Unusable."""
    if not isinstance(table, dict):
        raise Unusable(f"it stands outside a table: begin one with the engine's name, as in [{key}]")
    if not hasattr(os, "killpg"):  # its children could not be killed with it
        raise Unusable("engines need Linux or macOS")
    for name in table:
        if name not in KEYS:
            raise Unusable(_unknown(f"it has no setting {name!r}; there are {', '.join(KEYS)}", name, KEYS))
    protocol = _text(table, "protocol", "")
    if protocol not in PROTOCOLS:
        wrong = f"{protocol!r} is no protocol that is spoken here" if protocol else "it names no protocol"
        raise Unusable(_unknown(f"{wrong}; there are {', '.join(PROTOCOLS)}", protocol, PROTOCOLS))
    spoken = PROTOCOLS[protocol]
    if (game := _text(table, "game", spoken.game)) != spoken.game:
        raise Unusable(f"{protocol} is a protocol for {spoken.game}, not for {game}")
    boards = _texts(table, "boards") or spoken.boards
    for board in boards:
        if board not in spoken.boards:
            raise Unusable(f"{protocol} plays on {', '.join(spoken.boards)}, not on {board}")
    command, works_in = _command(table, folder)
    return Engine(
        key,
        in_line(_text(table, "name", ""), MAX_ENGINE_NAME) or key.capitalize(),
        spoken.game,
        protocol,
        command,
        works_in,
        _number(table, "seconds", USUAL_SECONDS, 0.1, MOST_SECONDS),
        _bytes(table, "memory", MEMORY_BYTES),
        int(_number(table, "threads", 1, 1, MOST_THREADS)),
        boards,
        _texts(table, "options"),
        in_line(_text(table, "character", f"speaks {protocol}"), MAX_CHARACTER),
    )


def _command(table: Mapping[str, object], home: Path) -> tuple[tuple[str, ...], Path]:
    """Return the command with the program's whole path, and the folder where it works."""
    if isinstance(table.get("command"), str):
        raise Unusable('command is a list, such as ["/path/to/engine", "argument"]: no shell reads it')
    words = [str(Path(word).expanduser()) if word[:1] == "~" else word for word in _texts(table, "command")]
    if not words:
        raise Unusable("it names no command")
    program, *arguments = words
    works_in = Path(_text(table, "folder", "")).expanduser() if "folder" in table else None
    if works_in is not None and not (works_in := home.resolve() / works_in).is_dir():
        raise Unusable(f"there is no folder {works_in}")
    # A bare name is looked for in the PATH, as a shell does; any other one in its folder, and nowhere else.
    if "/" not in program and "\\" not in program:
        path = shutil.which(program)
        if path is None:
            raise Unusable(f"there is no program {program!r} in the PATH: write where it is")
        works_in = works_in or home.resolve()
    elif not Path(program).is_absolute() and works_in is None:
        raise Unusable(f"{program} is relative: name its folder, or write the whole path")
    else:
        path = str((works_in or home) / program)
        if not Path(path).is_file():
            raise Unusable(f"there is no program {path}")
        if shutil.which(path) is None:
            raise Unusable(f"{path} cannot be executed: chmod +x makes it a program")
    return (path, *arguments), works_in or Path(path).parent


def _unknown(message: str, name: str, known: Iterable[str]) -> str:
    return str(UnknownName(message, name, known))


def _text(table: Mapping[str, object], key: str, usual: str) -> str:
    value = table.get(key, usual)
    if not isinstance(value, str):
        raise Unusable(f"{key} is a text in quotes, not {value!r}")
    return value


def _texts(table: Mapping[str, object], key: str) -> tuple[str, ...]:
    value = table.get(key, [])
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise Unusable(f'{key} is a list of texts, as in ["one", "two"], not {value!r}')
    return tuple(value)


def _number(table: Mapping[str, object], key: str, usual: float, least: float, most: float) -> float:
    value = table.get(key, usual)
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise Unusable(f"{key} is a number from {least:g} to {most:g}, not {value!r}")
    return value


def _bytes(table: Mapping[str, object], key: str, usual: int) -> int:
    if key not in table:
        return usual
    match = _SIZE.fullmatch(_text(table, key, ""))
    if match is None or not int(match[1]):
        raise Unusable(f'{key} is a size such as "512 MiB" or "2 GiB", not {table[key]!r}')
    return int(match[1]) << (20 if match[2] == "M" else 30)
