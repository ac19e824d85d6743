"""Faults on the way to Discord and back: lost answers, errors, delays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from typing import Any


@dataclass
class Fault:
    """A fault of the next `times` requests that match.

    status: the error that is answered; None tears the connection.
    after_effect: the request is carried out before its answer is lost.
    seconds: how long the request is delayed; a delay alone loses no answer.
    """

    method: str
    path: str
    times: int = 1
    status: int | None = None
    after_effect: bool = False
    seconds: float = 0.0
    retry_after: float | None = None
    body: Mapping[str, Any] | None = None

    @property
    def is_delay(self) -> bool:
        return self.seconds > 0


class Faults:
    """The faults that are still to come, the oldest first. Paths are globs without `/api/v10`."""

    def __init__(self) -> None:
        self._planned: list[Fault] = []

    def disconnect(self, method: str, path: str, *, times: int = 1, after_effect: bool = False) -> None:
        """Close the connection in place of an answer."""
        self._planned.append(Fault(method, path, times, after_effect=after_effect))

    def status(
        self,
        method: str,
        path: str,
        status: int = 502,
        *,
        times: int = 1,
        after_effect: bool = False,
        body: Mapping[str, Any] | None = None,
    ) -> None:
        """Answer with that error; a 429 comes without a time, as from the network before Discord.

        body: Discord's own, with its code; None: a text, as from that network.
        """
        self._planned.append(Fault(method, path, times, status, after_effect, body=body))

    def rate_limit(self, method: str, path: str, retry_after: float, *, times: int = 1) -> None:
        """Answer 429 with the seconds to wait."""
        self._planned.append(Fault(method, path, times, 429, retry_after=retry_after))

    def delay(self, method: str, path: str, seconds: float, *, times: int = 1) -> None:
        """Carry the request out later."""
        self._planned.append(Fault(method, path, times, seconds=seconds))

    def clear(self) -> None:
        self._planned.clear()

    def take(self, method: str, path: str) -> Fault | None:
        """Return the fault that this request meets, and count it."""
        for fault in self._planned:
            if fault.method == method and fnmatch(path, fault.path):
                fault.times -= 1
                if fault.times <= 0:
                    self._planned.remove(fault)
                return fault
        return None
