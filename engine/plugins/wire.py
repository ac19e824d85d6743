"""The messages between the program and a plug-in's worker process, and the validation of replies.

Questions are pickled, because only this program writes them. Replies are JSON and untrusted: any code in the
worker may have written them. They are short, every part is type-checked, and text is safe for logs and
terminals.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, TypeVar

from engine.agents import EVERY_GAME
from engine.agents.levels import ENGINE, PLUGIN
from engine.core import History, Limit, Move, SearchInfo, State

MAX_BYTES = 1 << 20
MAX_NAME, MAX_CHARACTER = 32, 100
MAX_FAULT, MAX_TRACE, MAX_PRINTED = 300, 4_000, 2_000
MAX_ENTRIES = 1_000
MAX_NUMBER = (1 << 63) - 1

_LENGTH_BYTES = 4
T = TypeVar("T")


class Malformed(Exception):
    """The message is not a valid reply."""


@dataclass(frozen=True, slots=True)
class Source:
    """The origin of a plug-in: a file of the folder, or an entry point such as `package.module:Class`.

    settings: the host's, by name. is_imported: another file of the folder imports this one, so that it may be
    a helper module. kind: of its level, PLUGIN or ENGINE.
    """

    name: str
    file: Path | None = None
    entry_point: str | None = None
    settings: Mapping[str, object] = field(default_factory=dict)
    is_imported: bool = False
    kind: str = PLUGIN

    @property
    def title(self) -> str:
        """The name of that kind for people."""
        return "engine" if self.kind == ENGINE else "plug-in"

    def __str__(self) -> str:
        return f"{self.name} ({self.file.name if self.file else self.entry_point})"


@dataclass(frozen=True, slots=True)
class Load:
    """The first question: load the plug-in and describe it."""

    source: Source


@dataclass(frozen=True, slots=True)
class Ask:
    """A request for a move. agent: its number, which identifies its player. seed: of this agent.

    history: how the match came to the state. ended: numbers of agents whose matches are over, so that their
    players can be dropped.
    """

    agent: int
    state: State
    limit: Limit
    seed: int
    history: History
    ended: tuple[int, ...] = ()


Question = Load | Ask


@dataclass(frozen=True, slots=True)
class Description:
    """A plug-in's self-description. boards: those that it plays; () for all."""

    name: str
    character: str
    games: tuple[str, ...]
    boards: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to a question. fault: why there is none; trace: the plug-in's traceback, for the log.

    resigns: instead of moving; engines only.
    """

    printed: str = ""
    fault: str | None = None
    trace: str = ""
    description: Description | None = None
    move: Move | None = None
    info: SearchInfo | None = None
    resigns: bool = False


def send(pipe: BinaryIO, data: bytes) -> None:
    """Write one message; raises OSError if the pipe is closed."""
    pipe.write(len(data).to_bytes(_LENGTH_BYTES, "big") + data)
    pipe.flush()


def receive(pipe: BinaryIO, most: int = MAX_BYTES) -> bytes | None:
    """Return the next message; None at the end, or for a message that is too long."""
    header = pipe.read(_LENGTH_BYTES)
    length = int.from_bytes(header, "big")
    if len(header) < _LENGTH_BYTES or length > most:
        return None
    data = pipe.read(length)
    return data if len(data) == length else None


def question_bytes(question: Question) -> bytes:
    return pickle.dumps(question)


def question_of(data: bytes) -> Question:
    """Unpickle a question; only for the worker, whose parent is this program."""
    question = pickle.loads(data)
    if not isinstance(question, Load | Ask):
        raise TypeError(f"{type(question).__name__} is no question")
    return question


def reply_bytes(reply: Reply) -> bytes:
    """Encode a reply for `reply_of`; the worker has made its numbers plain and its lists short."""
    description, info = reply.description, reply.info
    return json.dumps(
        {
            "printed": reply.printed[:MAX_PRINTED],
            "fault": None if reply.fault is None else reply.fault[:MAX_FAULT],
            "trace": reply.trace[-MAX_TRACE:],
            "description": None
            if description is None
            else [description.name, description.character, description.games, description.boards],
            "move": reply.move,
            "info": None
            if info is None
            else [info.score, info.proven, info.depth, info.nodes, info.pv, info.move_scores, info.visits],
        }
    ).encode("ascii")


def reply_of(data: bytes) -> Reply:
    """Decode and validate a reply; raises Malformed."""
    try:
        parts = json.loads(data)
        return Reply(
            printed=shown(_typed(parts["printed"], str))[:MAX_PRINTED],
            fault=None if parts["fault"] is None else in_line(_typed(parts["fault"], str), MAX_FAULT),
            trace=shown(_typed(parts["trace"], str))[-MAX_TRACE:],
            description=None if parts["description"] is None else _description(*parts["description"]),
            move=None if parts["move"] is None else _typed(parts["move"], int),
            info=None if parts["info"] is None else _info(*parts["info"]),
        )
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise Malformed(str(error)[:MAX_FAULT]) from None


def shown(text: str) -> str:
    """Replace every character that a terminal would interpret or cannot display."""
    return "".join(
        char if char.isprintable() or char == "\n" else "\N{REPLACEMENT CHARACTER}" for char in text
    )


def in_line(text: str, most: int) -> str:
    """Return the text as one line of at most `most` characters."""
    return shown(" ".join(text.split()))[:most]


def _typed(value: object, kind: type[T]) -> T:
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise TypeError(f"expected {kind.__name__}, not {type(value).__name__}")
    return value


def _description(name: object, character: object, games: object, boards: object) -> Description:
    known = tuple(game for game in EVERY_GAME if game in _typed(games, list))
    if not known:
        raise ValueError("it names no game")
    return Description(
        in_line(_typed(name, str), MAX_NAME),
        in_line(_typed(character, str), MAX_CHARACTER),
        known,
        tuple(in_line(_typed(board, str), MAX_NAME) for board in _typed(boards, list)),
    )


def _info(
    score: object, proven: object, depth: object, nodes: object, pv: object, scores: object, visits: object
) -> SearchInfo:
    return SearchInfo(
        score=None if score is None else _typed(score, float),
        proven=_typed(proven, bool),
        depth=_typed(depth, int),
        nodes=_typed(nodes, int),
        pv=tuple(_typed(move, int) for move in _typed(pv, list)),
        move_scores=tuple((_typed(move, int), _typed(score, float)) for move, score in _pairs(scores)),
        visits=tuple((_typed(move, int), _typed(count, int)) for move, count in _pairs(visits)),
    )


def _pairs(value: object) -> Iterable[tuple[object, object]]:
    return ((first, second) for first, second in _typed(value, list))
