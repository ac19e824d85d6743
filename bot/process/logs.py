"""The log: one line a record on stderr, as text or JSON, without the token and needless tracebacks."""

from __future__ import annotations

import json
import logging
import re
import time

from bot.config import Settings

_MATCH = re.compile(r"\bmatch (\d+)\b")


class Redact(logging.Filter):
    """Takes the secret out of whatever is logged, tracebacks included; keeps the text without its values."""

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
    """Says in one line that the connection is made again, which happens every day and is no bug of ours."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.exc_info and record.getMessage().startswith("Attempting a reconnect"):
            error = record.exc_info[1]
            record.msg, record.args = f"{record.getMessage()} after {type(error).__name__}: {error}", None
            record.exc_info = record.exc_text = None
        return True


class TextLines(logging.Formatter):
    """`2026-11-22T03:21:00.123Z WARNING bot.app: what happened`, and a traceback below where there is one."""

    converter = time.gmtime  # type: ignore[assignment]

    def __init__(self) -> None:
        super().__init__(
            "%(asctime)s.%(msecs)03dZ %(levelname)-7s %(name)s: %(message)s", "%Y-%m-%dT%H:%M:%S"
        )


class JsonLines(logging.Formatter):
    """One object a line: time, level, logger, event, message; match and error where there are any.

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
    """Everything from that level on, of discord.py and other packages, too."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines() if settings.log_format == "json" else TextLines())
    if settings.token is not None:
        handler.addFilter(Redact(settings.token))
    handler.addFilter(Reconnects())
    logging.basicConfig(level=settings.log_level, handlers=[handler])
    logging.getLogger("alembic").setLevel(logging.WARNING)  # it tells each step of every start
