"""Matches that a page begins: their choices, a draft that is not stored yet, and the start itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.domain.errors import Refusal, SetupError
from bot.domain.guest import is_guest
from bot.domain.location import Location, Web
from bot.domain.match import Match
from bot.domain.person import Person
from bot.domain.seat import Seat
from bot.domain.strengths import PlainStrength, strengths
from bot.domain.terms import First, Terms
from bot.i18n import Text
from bot.parts import Services
from bot.presentation import names
from bot.presentation.web_match import Reader, match_document
from bot.services.checked_terms import (
    checked_board,
    checked_game,
    checked_opening,
    echo_of,
    named_opening,
    usual_level,
)
from bot.web.documents import Visitor, for_guests
from bot.web.security import Limits
from engine.agents.algorithms import algorithm, algorithms_of, is_algorithm
from engine.agents.levels import Level
from engine.agents.warm import needed
from engine.arena.elo_table import rated_levels
from engine.core import Game, IllegalMove
from engine.games import GAMES
from engine.games.openings import named_openings


def offered_games(services: Services, t: Text, guild_id: int | None = None) -> list[dict[str, Any]]:
    """Return the games and their choices in that server, or outside servers."""
    return [_offered_game(services, t, game, guild_id) for game in GAMES.values()]


def _offered_game(services: Services, t: Text, game: Game, guild_id: int | None) -> dict[str, Any]:
    """Return the choices. openings: to train, on the first board. usual: the key of the usual level."""
    levels = services.levels.of(guild_id, game.key)
    return {
        "key": game.key,
        "title": names.game_title(t, game.key),
        "boards": _boards(t, game),
        "usual": usual_level(game.key, levels).key,
        "levels": [
            {
                "key": level.key,
                "name": names.level_name(t, game.key, level),
                "character": names.character_of(t, level),
                "boards": list(level.boards),
            }
            for level in (*echo_of(services.roster, game.key), *levels)
        ],
        "algorithms": _algorithms(
            t, () if services.levels.are_limited(guild_id) else algorithms_of(game.key)
        ),
        "openings": _openings(t, game),
    }


def _boards(t: Text, game: Game) -> list[dict[str, str]]:
    return [{"key": board, "title": names.board_title(t, board)} for board in game.boards]


def _openings(t: Text, game: Game) -> list[dict[str, str]]:
    return [
        {"name": names.opening_name(one), "title": names.opening_offer(t, one)}
        for one in named_openings(game.key)
    ]


@dataclass(frozen=True, slots=True)
class Draft:
    """A match that is shown and not stored: its first move begins it.

    position: of the opening, as asked. levels: that may be chosen. easy: the one that is meant for a first
    match; another one takes its place while it is being compiled.
    """

    match: Match
    position: str
    person: Person
    levels: Sequence[Level]
    easy: Level

    @classmethod
    def of(
        cls, services: Services, person: Person, asked: Mapping[str, Any], *, is_for_guests: bool = False
    ) -> Draft:
        """Return the draft of the asked game, and perhaps board and opening; raises Refusal."""
        rules = checked_game(str(asked.get("game") or next(iter(GAMES))))
        board = checked_board(rules, str(asked.get("board") or rules.boards[0]))
        position = str(asked.get("position") or "").strip()
        opening = checked_opening(rules, board, position or None)
        levels, now = services.levels.of(None, rules.key, board), services.clock()
        if is_for_guests:
            levels = for_guests(rules.key, board, levels)
        easy = easiest(rules.key, board, levels)
        first = easy
        if services.search.readiness.lacks(easy.kind, rules.key):
            first = _in_place_of(easy, rules.key, levels, is_for_guests=is_for_guests)
            levels = levels if first in levels else (first, *levels)
        seats = person.seat, Seat(first.name, level=first.key)
        match = Match.begin(rules.key, board, seats, Web(), now, rated=False, opening=opening)
        if match.to_move is not match.player_of(person.user_id):
            match = Match.begin(rules.key, board, seats[::-1], Web(), now, rated=False, opening=opening)
        return cls(match, position, person, levels, easy)

    @property
    def usual(self) -> Level:
        """The level that plays unless another one is asked for."""
        seat = self.match.player_of(self.person.user_id).other
        return next(one for one in self.levels if one.key == self.match.seats[seat].level)

    def check_move(self, move: object) -> int:
        """Return the first move, if it is legal; raises Refusal."""
        if not isinstance(move, int) or isinstance(move, bool):
            raise Refusal("web_bad_message")
        try:
            self.match.state.play(move)
        except IllegalMove:
            raise Refusal("web_bad_message") from None
        return move

    def choices(self, services: Services) -> tuple[Level, ...]:
        """Return the levels and, unless the person is a guest, Echo before them."""
        echo = () if is_guest(self.person.user_id) else echo_of(services.roster, self.match.game)
        return *echo, *self.levels

    def asked_level(self, services: Services, key: str) -> Level:
        """Return the level or algorithm with that key, if it may be chosen; raises SetupError."""
        choices = self.choices(services)
        for one in choices:
            if one.key == key:
                return one
        if not is_guest(self.person.user_id):  # the reason may be the board; guests' levels are fewer anyway
            return services.levels.checked(None, GAMES[self.match.game], self.match.board, key)
        raise SetupError("unknown_level", level=key, allowed=", ".join(level.name for level in choices))

    def algorithms(self, asked: Level | None) -> tuple[Level, ...]:
        """Return those to choose, also one that is asked for with a depth of its own; guests have none."""
        if is_guest(self.person.user_id):
            return ()
        own = () if asked is None or not is_algorithm(asked.key) else (asked,)
        found = {one.key: one for one in (*algorithms_of(self.match.game), *own)}
        keys = {level.key for level in self.levels}  # an algorithm may stand in for Easy
        return tuple(one for one in found.values() if one.key not in keys)

    def document(self, services: Services, t: Text, asked: Level | None = None) -> dict[str, Any]:
        """Return the document of a match without a key, with the choices. asked: the level, if one is."""
        match, levels = self.match, self.levels
        seat = match.player_of(self.person.user_id)
        found = match_document(t, match, "", Reader(seat), match.turn_started_at, services.roster)
        found["title"] = found["game"]["title"]
        found["viewer"]["may"] = ["play"]
        waits = services.search.readiness.seconds_left(self.easy.kind, match.game)
        rules = GAMES[match.game]
        words = strengths(match.game, match.board, levels)
        is_of_guest = is_guest(self.person.user_id)
        if is_of_guest:  # the strongest of theirs is not the best there is
            words = {word: one for word, one in _words(services, match).items() if one in levels}
        found["start"] = {
            "strengths": [{"word": names.strength(t, word), "level": one.key} for word, one in words.items()],
            "usual": self.usual.key,
            "waits": None
            if waits is None or self.usual is self.easy
            else t("page_stands_in", name=self.easy.name, seconds=waits, other=self.usual.name),
            "levels": _levels(t, match.game, self.choices(services)),
            "algorithms": _algorithms(t, self.algorithms(asked)),
            "asked": None if asked is None else asked.key,
            "boards": _boards(t, rules),
            "openings": _openings(t, rules) if match.board == rules.boards[0] and not is_of_guest else [],
            "position": self.position,
            "coach": None if is_of_guest else t("start_mode_coach"),
        }
        return found


def _in_place_of(easy: Level, game: str, levels: Sequence[Level], *, is_for_guests: bool) -> Level:
    """Return the level nearest in strength that needs no compiled code; the same where there is none."""
    elo = {row.key: row.elo for row in rated_levels(game)}
    rated = [one for one in levels if needed(one.kind, game) is None and one.key in elo]
    if rated:
        return min(rated, key=lambda one: abs(elo[one.key] - elo[easy.key]))
    # No level of the ladder, but every game has the look-ahead of one move, though not rated.
    return easy if is_for_guests else algorithm("one-step")


def _words(services: Services, match: Match) -> Mapping[PlainStrength, Level]:
    return strengths(match.game, match.board, services.levels.of(None, match.game, match.board))


def easiest(game: str, board: str, levels: Sequence[Level]) -> Level:
    """Return the level that a first match is against: Easy, or the weakest where none has that word."""
    return strengths(game, board, levels).get(PlainStrength.EASY, levels[0])


def _levels(t: Text, game: str, levels: Sequence[Level]) -> list[dict[str, Any]]:
    elo = {row.key: row.elo for row in rated_levels(game)}
    return [
        {
            "key": level.key,
            "name": level.name,
            "character": names.character_of(t, level),
            "rating": elo.get(level.key),
        }
        for level in levels
    ]


def _algorithms(t: Text, algorithms: Sequence[Level]) -> dict[str, Any]:
    """Return the algorithms for a menu, and its words."""
    return {
        "title": t("label_algorithm"),
        "pick": t("start_pick_algorithm"),
        "levels": [
            {"key": one.key, "name": one.name, "character": names.character_of(t, one)} for one in algorithms
        ],
    }


async def asked_match(
    services: Services,
    limits: Limits,
    visitor: Visitor,
    person: Person,
    asked: Mapping[str, Any],
    location: Location,
) -> Match:
    """Start the match that the page asks for, with its first move if there is one; raises Refusal."""
    first = str(asked.get("first", First.RANDOM))
    has_move = asked.get("move") is not None
    if first not in set(First) or (has_move and first != First.ME):
        raise Refusal("web_bad_message")
    draft = Draft.of(services, person, asked)
    move = draft.check_move(asked["move"]) if has_move else None
    limits.start(visitor.who, is_guest=is_guest(person.user_id))
    rules, position = GAMES[draft.match.game], draft.position or None
    match = await services.starting.start(
        person,
        Terms(rules.key, draft.match.board, First(first), rated=asked.get("rated") is True),
        str(asked.get("level") or draft.usual.key),
        location,
        position=position,
        is_coached=asked.get("coach") is True
        or named_opening(rules, draft.match.board, position) is not None,
    )
    if move is None:
        return match
    return await services.playing.play(match.id, person, move, turn=match.turn)
