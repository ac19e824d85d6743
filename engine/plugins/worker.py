"""The code inside a plug-in's worker process: answers the parent's questions until the parent ends.

Objects of the plug-in's own types never leave the process: answers are converted to plain numbers and text
here, and validated again in the process of the matches.
"""

from __future__ import annotations

import io
import os
import queue
import random
import reprlib
import signal
import sys
import threading
import traceback
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import numpy as np

from engine.core import Choice, Move, SearchInfo
from engine.plugins.limits import limit_this_process
from engine.plugins.players import Players
from engine.plugins.shapes import UnfitPlugin
from engine.plugins.wire import (
    MAX_ENTRIES,
    MAX_NUMBER,
    MAX_PRINTED,
    MAX_TRACE,
    Ask,
    Load,
    Question,
    Reply,
    question_of,
    receive,
    reply_bytes,
    send,
)

_LONGEST_QUESTION = 1 << 24


def serve(memory_bytes: int) -> None:
    """Run the process; never returns. When the parent ends, all child processes end as well."""
    questions, replies = _private_pipes()
    limit_this_process(memory_bytes)
    inbox: queue.SimpleQueue[Question] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(questions, inbox), daemon=True).start()
    desk = QuestionHandler()
    send(replies, reply_bytes(Reply()))  # ready
    while True:
        send(replies, reply_bytes(desk.reply(inbox.get())))


def _private_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Move the parent's pipes out of the plug-in's reach; low-level writes to stdout are discarded."""
    questions, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    os.close(nothing)
    return questions, replies


def _read(questions: BinaryIO, inbox: queue.SimpleQueue[Question]) -> None:
    """Read questions in a thread, so that the parent's end is noticed while a plug-in thinks."""
    while (data := receive(questions, _LONGEST_QUESTION)) is not None:
        inbox.put(question_of(data))
    if hasattr(os, "killpg") and os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


class QuestionHandler:
    """Answers questions; the first one names the plug-in."""

    def __init__(self) -> None:
        self._players: Players | None = None
        self._folder: Path | None = None
        self._tape = _Tape()

    def reply(self, question: Question) -> Reply:
        """Return the reply to the question; never raises, whatever the plug-in does."""
        # Always the same stream: a plug-in may keep a reference to it, as logging handlers do.
        sys.stdout = sys.stderr = self._tape
        what = "could not be loaded" if isinstance(question, Load) else "raised"
        try:
            reply = self._loaded(question) if isinstance(question, Load) else self._asked(question)
        except UnfitPlugin as error:
            reply = Reply(fault=str(error))
        except BaseException as error:  # noqa: BLE001 (any exception of a plug-in is its fault)
            reply = _raised(what, error, self._folder)
        return replace(reply, printed=self._tape.take())

    def _loaded(self, question: Load) -> Reply:
        self._players = None
        self._folder = None if question.source.file is None else question.source.file.parent
        players = Players(question.source)
        self._players = players
        return Reply(description=players.description)

    def _asked(self, question: Ask) -> Reply:
        if self._players is None:
            raise UnfitPlugin("was never loaded")
        for agent in question.ended:
            self._players.forget(agent)
        random.seed(f"{question.seed} {question.state.ply}")
        np.random.seed(random.getrandbits(32))
        move, info = _weighed(self._players.answer(question))
        return Reply(move=move, info=info)


class _Tape(io.TextIOBase):
    """A replacement of stdout and stderr that keeps only the beginning of the output."""

    def __init__(self) -> None:
        self._text = ""

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return "utf-8"

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if len(self._text) < MAX_PRINTED:
            self._text += text[: MAX_PRINTED - len(self._text)]
        return len(text)

    def take(self) -> str:
        """Return the output since the last call."""
        text, self._text = self._text, ""
        return text


def _raised(what: str, error: BaseException, folder: Path | None) -> Reply:
    if isinstance(error, EOFError):
        return Reply(fault="reads from the keyboard, and there is none here")
    try:
        reason = traceback.format_exception_only(error)[-1].strip() + _place(error, folder)
        trace = "".join(traceback.format_exception(error))
    except Exception:  # noqa: BLE001 (formatting a plug-in's exception may raise as well)
        reason, trace = type(error).__name__, ""
    return Reply(fault=f"{what}: {reason}", trace=trace[-MAX_TRACE:])


def _place(error: BaseException, folder: Path | None) -> str:
    """Return the line of the plug-in's own code at which it was raised; "" if there is none."""
    if isinstance(error, SyntaxError):
        places = [(error.filename or "", error.lineno)]
    else:
        places = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    own = [(Path(name), line) for name, line in places if Path(name).parent == folder]
    return f" ({own[-1][0].name}, line {own[-1][1]})" if own else ""


def _weighed(answer: object) -> tuple[Move, SearchInfo]:
    """Convert the answer to plain types of bounded size; the receiver validates the values."""
    if isinstance(answer, Choice):
        return _number(answer.move), _plain(answer.info)
    return _number(answer), SearchInfo()


def _number(value: object) -> Move:
    # bool is an int, but True is not a move; numpy's integers are not int, but valid moves.
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool):
        raise UnfitPlugin(f"answered {reprlib.repr(value)}, which is no move")
    if not -MAX_NUMBER <= value <= MAX_NUMBER:
        raise UnfitPlugin("answered a number beyond any move's")  # str() may refuse to format it
    return int(value)


def _plain(info: object) -> SearchInfo:
    """Return the info without objects of the plug-in's own types, and of bounded size."""
    if not isinstance(info, SearchInfo):
        raise UnfitPlugin(f"answered with the info {reprlib.repr(info)}, which is no SearchInfo")
    try:
        return SearchInfo(
            score=None if info.score is None else _real(info.score),
            proven=bool(info.proven),
            depth=_count(info.depth),
            nodes=_count(info.nodes),
            pv=tuple(_count(move) for move in islice(info.pv, MAX_ENTRIES)),
            move_scores=tuple(
                (_count(move), _real(score)) for move, score in islice(info.move_scores, MAX_ENTRIES)
            ),
            visits=tuple((_count(move), _count(visits)) for move, visits in islice(info.visits, MAX_ENTRIES)),
        )
    except (TypeError, ValueError, OverflowError) as error:
        raise UnfitPlugin(f"answered with a broken SearchInfo: {error}") from None


def _real(value: object) -> float:
    """Return it as a plain float, including numpy's kinds; raises TypeError, ValueError or OverflowError."""
    return float(value) + 0.0  # type: ignore[arg-type]


def _count(value: object) -> int:
    """Return it as a bounded int; raises TypeError, ValueError or OverflowError."""
    number = int(value)  # type: ignore[call-overload]
    return int(min(max(number, -MAX_NUMBER), MAX_NUMBER))
