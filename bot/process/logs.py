"""The log: one line a record on stderr, as text or JSON, without the token and needless tracebacks."""

from __future__ import annotations

import json
import logging
import re
import threading
import time
from collections.abc import Callable

from bot.config import Settings
from bot.domain.errors import Unavailable
from bot.domain.lru_dict import LruDict

WRONG_FORM = 50035
"""Discord's code for invalid choices, which are a bug of ours."""

OUR_PACKAGES = ("bot", "engine")

_MATCH = re.compile(r"\bmatch (\d+)\b")


class Redact(logging.Filter):
    """Removes the secret from all records and tracebacks; keeps the message without its values as `event`."""

    def __init__(self, secret: str) -> None:
        super().__init__()
        self._secret = secret

    def filter(self, record: logging.LogRecord) -> bool:
        record.event = self._without(str(record.msg))
        record.msg, record.args = self._without(record.getMessage()), None
        if record.exc_info and not record.exc_text:
            # Formatters print this text instead of making it from the exception.
            record.exc_text = logging.Formatter().formatException(record.exc_info)
        if record.exc_text:
            record.exc_text = self._without(record.exc_text)
        return True

    def _without(self, text: str) -> str:
        return text.replace(self._secret, "[token]")


class Reconnects(logging.Filter):
    """Shortens the record of a reconnection, which happens every day, to one line."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.exc_info and record.getMessage().startswith("Attempting a reconnect"):
            error = record.exc_info[1]
            record.msg, record.args = f"{record.getMessage()} after {type(error).__name__}: {error}", None
            record.exc_info = record.exc_text = None
        return True


class LateChoices(logging.Filter):
    """Shortens the record of autocomplete choices that came too late to one line."""

    def filter(self, record: logging.LogRecord) -> bool:
        # Discord is not loaded where nothing is sent to it.
        from bot.ui.discord_errors import DISCORD_ERRORS

        error = record.exc_info[1] if record.exc_info else None
        is_of_choices = record.getMessage().startswith("Ignoring exception in autocomplete")
        # Discord may have the choices already, after a request that it answered by an error.
        is_expected = isinstance(error, (*DISCORD_ERRORS, Unavailable))
        if is_of_choices and is_expected and getattr(error, "code", None) != WRONG_FORM:
            record.levelno, record.levelname = logging.WARNING, "WARNING"
            record.msg, record.args = f"no choices could be offered: {type(error).__name__}: {error}", None
            record.exc_info = record.exc_text = None
        return True


class Repeats(logging.Filter):
    """Lets a few records of one kind pass each minute, and then logs the number of the others.

    With a full disk or a lost database every job logs errors several times a second, for hours, perhaps to
    the same disk. Records of one kind differ only in their values. Those with `extra={"is_asked_for": True}`
    always pass: a person has been told their reference.
    """

    MOST = 5
    SECONDS = 60.0
    KINDS = 1_000
    """Kinds of lines that are counted; beyond that, the kind logged least recently is forgotten."""

    def __init__(self, time: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._time = time
        self._kinds: LruDict[tuple[str, str], tuple[float, int]] = LruDict(self.KINDS)
        self._lock = threading.Lock()  # every thread logs

    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno < logging.WARNING or getattr(record, "is_asked_for", False):
            return True
        now = self._time()
        kind = record.name, getattr(record, "event", str(record.msg))
        with self._lock:
            since, count = self._kinds.get(kind, (now, 0))
            is_new = now - since >= self.SECONDS
            self._kinds[kind] = (now, 1) if is_new else (since, count + 1)
        if not is_new:
            return count < self.MOST
        if count > self.MOST:
            more = f" (and {count - self.MOST} more like it in the {now - since:.0f} s before)"
            record.msg, record.args = record.getMessage() + more, None
        return True


class TextLines(logging.Formatter):
    """`2026-11-22T03:21:00.123Z WARNING bot.app: message`, followed by a traceback if there is one."""

    converter = time.gmtime  # type: ignore[assignment]

    def __init__(self) -> None:
        super().__init__(
            "%(asctime)s.%(msecs)03dZ %(levelname)-7s %(name)s: %(message)s", "%Y-%m-%dT%H:%M:%S"
        )


class JsonLines(logging.Formatter):
    """A JSON object for each record: time, level, logger, event, message, and perhaps match and error.

    event: the message without its values, the same for all records of one kind.
    """

    converter = time.gmtime  # type: ignore[assignment]

    def format(self, record: logging.LogRecord) -> str:
        message = record.getMessage()
        line: dict[str, object] = {
            "time": f"{self.formatTime(record, '%Y-%m-%dT%H:%M:%S')}.{int(record.msecs):03d}Z",
            "level": record.levelname,
            "logger": record.name,
            "event": getattr(record, "event", str(record.msg)),
            "message": message,
        }
        if found := _MATCH.search(message):
            line["match"] = int(found[1])
        if record.exc_info and not record.exc_text:
            record.exc_text = self.formatException(record.exc_info)
        if record.exc_text:
            line["error"] = record.exc_text
        return json.dumps(line, ensure_ascii=False)


def log_to_stderr(settings: Settings) -> None:
    """Log records of our packages from the configured level on to stderr, of others from INFO on at most.

    Others' DEBUG records hold people's names and messages, and tokens that answer interactions.
    """
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines() if settings.log_format == "json" else TextLines())
    if settings.token is not None:
        handler.addFilter(Redact(settings.token))
    handler.addFilter(Reconnects())
    handler.addFilter(LateChoices())
    handler.addFilter(Repeats())
    level = logging.getLevelNamesMapping()[settings.log_level]
    logging.basicConfig(level=max(level, logging.INFO), handlers=[handler])
    for package in OUR_PACKAGES:
        logging.getLogger(package).setLevel(level)
    logging.getLogger("alembic").setLevel(logging.WARNING)  # it logs each step of every start
