"""Animations of matches, drawn one at a time and kept while there is room: the same moves look the same."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from bot.domain.lru_dict import LruDict
from bot.presentation import Theme
from bot.presentation.replay import draw_replay
from engine.core import Move
from engine.games import game as game_of

KEPT = 64
"""Animations; each has a few hundred kilobytes at most."""

_Key = tuple[str, str, tuple[Move, ...], Theme]


class Replays:
    """One for each process; lives on the event loop."""

    def __init__(self) -> None:
        self._known: LruDict[_Key, bytes] = LruDict(KEPT)
        self._drawing = asyncio.Lock()

    async def of(self, game: str, board: str, moves: Sequence[Move], theme: Theme) -> bytes:
        """The bytes of a GIF, as `draw_replay` makes them, in a thread."""
        key = (game, board, tuple(moves), theme)
        if key not in self._known:
            # Whoever waits here for the same one finds it drawn.
            async with self._drawing:
                if key not in self._known:
                    rules = game_of(game)
                    start = rules.start(board)
                    self._known[key] = await asyncio.to_thread(draw_replay, rules, start, moves, theme)
        self._known[key] = gif = self._known[key]
        return gif
