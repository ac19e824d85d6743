"""OpenLevels: the levels of agents that people may choose, as their server's settings allow."""

from __future__ import annotations

from collections.abc import Iterable

from bot.domain.errors import SetupError
from bot.domain.preferences import TENTHS, UP_TO
from bot.domain.strengths import strengths
from bot.services.checked_terms import checked_algorithm, checked_game, has_echo, usual_level
from bot.services.settings import SettingsCache
from engine.agents.algorithms import is_algorithm
from engine.agents.echo import ECHO
from engine.agents.levels import STRENGTHS, Level, levels_of, strength_of
from engine.agents.roster import Roster
from engine.core import Game
from engine.games import GAMES
from engine.games.typed import fold


class OpenLevels:
    """One per process. guild_id: of the server; None outside servers, where every level is open."""

    def __init__(self, roster: Roster, settings: SettingsCache) -> None:
        self._roster = roster
        self._settings = settings

    def are_limited(self, guild_id: int | None) -> bool:
        """Return whether the server has a highest level.

        Such a server allows no plug-ins and no algorithms, because their strength is unknown.
        """
        return self._settings.server(guild_id).highest_level is not None

    def of(self, guild_id: int | None, game: str, board: str | None = None) -> tuple[Level, ...]:
        """Return the levels of the game (on that board) that people may choose, weakest first."""
        levels = self._roster.levels_of(game, board)
        highest = self._settings.server(guild_id).highest_level
        if highest is None:
            return levels
        open_keys = _up_to(game, highest)
        return tuple(level for level in levels if level.key in open_keys)

    def check(self, guild_id: int | None, game: str, keys: Iterable[str | None]) -> None:
        """Refuse levels that the server has closed; None and unknown levels pass.

        Raises SetupError.
        """
        if not self.are_limited(guild_id):
            return
        allowed = self.of(guild_id, game)
        closed = {level.key: level.name for level in self._roster.levels_of(game) if level not in allowed}
        for key in keys:
            if key is not None and (key in closed or is_algorithm(key)):
                names = ", ".join(level.name for level in allowed)
                raise SetupError("level_closed", level=closed.get(key, key), allowed=names)

    def checked(self, guild_id: int | None, rules: Game, board: str, key: str) -> Level:
        """Return the level, if it is open and plays that game on that board; raises SetupError."""
        self.check(guild_id, rules.key, (key,))
        levels = self._roster.levels_of(rules.key, board)
        for level in levels:
            if level.key == key:
                return level
        if is_algorithm(key):
            return checked_algorithm(rules.key, key)
        allowed = ", ".join(level.name for level in levels)
        for level in self._roster.levels_of(rules.key):
            if level.key == key:
                raise SetupError("level_not_for_board", level=level.name, board=board, allowed=allowed)
        raise SetupError("unknown_level", level=key, allowed=allowed)

    def named(self, guild_id: int | None, game: str, text: str | None, *, above: int = 0) -> Level:
        """Return the level that `text` names, by key, name or strength, open or not; raises SetupError.

        Without a text an open one that beginners can beat, or the one `above` levels higher. Echo is a choice
        in games with a measured ladder.
        """
        checked_game(game)
        if has_echo(game, text):
            return self._roster.level(ECHO)
        allowed = self.of(guild_id, game)
        if text is None:
            return usual_level(game, allowed, above=above)
        for level in self._roster.levels_of(game):
            if fold(text) in (fold(level.key), fold(level.name)):
                return level
        for word, level in strengths(game, GAMES[game].boards[0], allowed).items():
            if fold(text) == word:
                return level
        if is_algorithm(text):
            return checked_algorithm(game, text)
        raise SetupError("unknown_level", level=text, allowed=", ".join(level.name for level in allowed))


def _up_to(game: str, highest: int) -> set[str]:
    """Return the keys of the levels that a server with that highest level opens."""
    ladder = levels_of(game)
    if highest <= TENTHS:
        return {level.key for level in ladder if strength_of(game, level.key) in STRENGTHS[:highest]}
    words = strengths(game, GAMES[game].boards[0], ladder)
    top = next((words[word] for word, number in UP_TO.items() if number == highest and word in words), None)
    # A ladder too short for the word ends below it.
    return {level.key for level in ladder[: len(ladder) if top is None else ladder.index(top) + 1]}
