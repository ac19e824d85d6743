"""Which review messages somebody has turned to another ply, so that better values do not turn them back."""

from __future__ import annotations

from collections import OrderedDict


class ManuallyTurned:
    """The last messages turned, by id. most: how many are remembered."""

    def __init__(self, most: int = 500) -> None:
        self._most = most
        self._messages: OrderedDict[int, None] = OrderedDict()

    def add(self, message_id: int) -> None:
        self._messages[message_id] = None
        while len(self._messages) > self._most:
            self._messages.popitem(last=False)

    def __contains__(self, message_id: int) -> bool:
        return message_id in self._messages
