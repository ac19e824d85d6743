"""An engine: what its host says of it, and its process, which answers the questions that plug-ins answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from engine.core import EngineError, Move, SearchInfo
from engine.plugins.limits import MEMORY_BYTES
from engine.plugins.protocols import Refused, Resigned
from engine.plugins.protocols.lines import Lines
from engine.plugins.wire import MAX_FAULT, Ask, Description, Question, Reply, in_line

USUAL_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Engine:
    """A program of the host's. command: absolute path and arguments; folder: where it works.

    seconds: the most for a move. threads: that it may compute in. boards: that it plays. options: lines for
    it, in its protocol. character: one line of its own words, for menus.
    """

    key: str
    name: str
    game: str
    protocol: str
    command: tuple[str, ...]
    folder: Path
    seconds: float = USUAL_SECONDS
    memory_bytes: int = MEMORY_BYTES
    threads: int = 1
    boards: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    character: str = ""


class Client(Protocol):
    """Speaks one protocol with one process."""

    def greet(self) -> None:
        """Make it ready; raises Refused, and what `Lines.next` raises."""
        ...

    def move(self, ask: Ask) -> Move:
        """Return its move; raises Refused, Resigned, EngineError for no legal move, and as `greet`."""
        ...


class EngineProcess(Lines):
    """A process that is asked as a plug-in's worker is. Not thread-safe."""

    def __init__(
        self, engine: Engine, client: Callable[[Lines, Engine], Client], newline: str = "\n"
    ) -> None:
        super().__init__(engine.command, engine.folder, engine.memory_bytes, engine.threads, newline)
        self._engine, self._client = engine, client(self, engine)

    def await_start(self, is_unwanted: Callable[[], bool]) -> None:
        """An engine waits for its greeting, which is the first question."""

    def ask(self, question: Question, seconds: float, is_unwanted: Callable[[], bool]) -> Reply:
        """Return the reply.

        Raises TimeoutError, Unwanted, ProcessEnded and Malformed; then the process must be killed.
        """
        self.begin(seconds, is_unwanted)
        try:
            if not isinstance(question, Ask):
                self._client.greet()
                engine = self._engine
                return Reply(
                    description=Description(engine.name, engine.character, (engine.game,), engine.boards)
                )
            legal = question.state.legal_moves()
            # A forced move needs no question; so no protocol is asked for a pass.
            return Reply(move=legal[0] if len(legal) == 1 else self._client.move(question), info=SearchInfo())
        except Resigned:
            return Reply(resigns=True)
        except Refused as refusal:
            return Reply(fault=in_line(str(refusal), MAX_FAULT))
        except EngineError as error:
            return Reply(fault=in_line(f"answered no legal move: {error}", MAX_FAULT))
        finally:
            self.end()
