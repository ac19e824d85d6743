"""Starting: new matches, against agents or between them, and rematches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from random import Random

from bot.domain.challenge import Challenge, seated
from bot.domain.errors import MatchError, SetupError
from bot.domain.even_match import RESULTS, even_elo
from bot.domain.imported import STRANGER
from bot.domain.location import Location, Web
from bot.domain.match import Match, Pace
from bot.domain.outgoing import Handover
from bot.domain.person import Person
from bot.domain.seat import BY_VOTES, Seat
from bot.domain.terms import Fair, First, Terms, are_drawn, is_rated_on
from bot.domain.vote import USUAL_VOTE_SECONDS, VOTE_SECONDS
from bot.services.allowed_help import AllowedHelp
from bot.services.challenges import Challenges
from bot.services.changes import Changes
from bot.services.checked_terms import (
    board_again,
    checked_board,
    checked_clock,
    checked_fair,
    checked_game,
    checked_opening,
    has_echo,
    highest_elo,
    opening_for,
    usual_level,
)
from bot.services.match_limits import check_leaving, most_running
from bot.services.open_levels import OpenLevels
from bot.store.shared import Conflict
from bot.store.stores import Stores
from engine.agents.algorithms import is_algorithm
from engine.agents.echo import ECHO, echo, is_echo
from engine.agents.levels import Level
from engine.core import Game, Player, replay, states_of
from engine.games import game as game_of
from engine.games.notation import format_moves

MAX_WATCHED = 2
"""Matches between agents that may run at once in a channel, or on the web of one person; by votes, too."""


class Starting:
    """One per process. clock: the current UTC time. rng: draws who begins."""

    def __init__(
        self,
        stores: Stores,
        levels: OpenLevels,
        changes: Changes,
        challenges: Challenges,
        allowed_help: AllowedHelp,
        *,
        clock: Callable[[], datetime],
        rng: Random,
    ) -> None:
        self._stores = stores
        self._levels = levels
        self._changes = changes
        self._challenges = challenges
        self._allowed_help = allowed_help
        self._clock = clock
        self._rng = rng

    async def start(
        self,
        person: Person,
        terms: Terms,
        level: str,
        location: Location,
        *,
        position: str | None = None,
        is_coached: bool = False,
    ) -> Match:
        """A match of the person against an agent; raises SetupError and HelpBarred.

        position: moves to begin after. Such a match is not rated, nor is one with a coach or against an
        algorithm.
        """
        rules = checked_game(terms.game)
        board = checked_board(rules, terms.board)
        opening = checked_opening(rules, board, position)
        fair = checked_fair(rules, board, terms.fair, position)
        agent = await self.opponent(person, rules, board, level, location)
        if opening:
            states = states_of(rules.start(board), opening)
            await self._allowed_help.check_positions(person, rules.key, board, states)
        is_usual = is_rated_on(rules.key, board, has_agent=True) and not opening
        rated = terms.rated and agent.is_rated and is_usual and not is_coached
        if rated:
            await check_leaving(self._stores, person, self._clock())
        opening = opening or opening_for(rules, board, fair, self._rng)
        first = First.RANDOM if are_drawn(rated=rated, fair=fair) else terms.first
        seats = seated(person.seat, Seat(agent.name, level=agent.key), first, self._rng)
        if replay(rules.start(board), opening).to_move is Player.SECOND:
            seats = seats[1], seats[0]
        match = Match.begin(
            rules.key, board, seats, location, self._clock(),
            rated=rated, clock_seconds=checked_clock(terms.clock_seconds, rated=rated, has_agent=True),
            opening=opening, is_coached=is_coached, fair=fair,
        )  # fmt: skip
        return self._begun(await self._stores.matches.add(match, most=most_running(location)))

    async def opponent(self, person: Person, rules: Game, board: str, key: str, location: Location) -> Level:
        """Return the level that plays; raises SetupError.

        Echo is as strong as the person by the rating that is known best there, and as the server's levels at
        most.
        """
        if not has_echo(rules.key, key):
            return self._levels.checked(location.guild_id, rules, board, key)
        seats = person.seat, Seat("", level=key)
        match = Match.begin(rules.key, board, seats, location, self._clock())
        known = (await self._stores.ratings.of_match(match))[0], (await self._changes.stakes(match))[0].record
        own = min(known, key=lambda record: record.deviation)
        results = await self._stores.matches.echo_results(person.user_id, rules.key, RESULTS)
        allowed = self._levels.of(location.guild_id, rules.key, board)
        return echo(even_elo(rules.key, own, results, highest_elo(rules.key, allowed)))

    async def watch(
        self,
        person: Person,
        game: str,
        first_level: str,
        second_level: str,
        location: Location,
        *,
        board: str | None = None,
        pace: Pace = Pace.NORMAL,
    ) -> Match:
        """An unrated match between two agents, which the person may stop; raises as `start` does."""
        rules = checked_game(game)
        board = checked_board(rules, board)
        keys = first_level, second_level
        levels = [self._levels.checked(location.guild_id, rules, board, key) for key in keys]
        first, second = (Seat(level.name, level=level.key) for level in levels)
        match = Match.begin(
            rules.key, board, (first, second), location, self._clock(),
            rated=False, pace=pace, begun_by=person.user_id,
        )  # fmt: skip
        return self._begun(await self._stores.tournaments.add_watched(match, most=MAX_WATCHED))

    async def vote(
        self, person: Person, terms: Terms, level: str | None, location: Location, names: Sequence[str]
    ) -> Match:
        """A casual match of a channel by votes, which the person may end; raises as `start` does.

        level: of the agent that it plays against; None for two halves. names: of the seats of the channel.
        """
        rules = checked_game(terms.game)
        board = checked_board(rules, terms.board)
        clock = terms.clock_seconds or USUAL_VOTE_SECONDS
        if clock not in VOTE_SECONDS:
            raise SetupError("bad_clock")
        channel, *others = (Seat(name, level=BY_VOTES) for name in names)
        if level is None:
            seats = channel, others[0]
        else:
            agent = await self.opponent(person, rules, board, level, location)
            seats = seated(channel, Seat(agent.name, level=agent.key), terms.first, self._rng)
        match = Match.begin(
            rules.key, board, seats, location, self._clock(),
            rated=False, clock_seconds=clock, begun_by=person.user_id,
        )  # fmt: skip
        return self._begun(await self._stores.tournaments.add_watched(match, most=MAX_WATCHED))

    async def watch_again(self, match_id: int, person: Person, location: Location) -> Match:
        """The same two agents with sides swapped, after a match that the person watched; raises Refusal."""
        old = await self._changes.match(match_id)
        if not old.is_watched:
            raise MatchError("not_watched")
        if not old.is_over:
            raise MatchError("not_over")
        board = board_again(old.game, old.board, old.moves[: old.opening])
        for seat in old.seats:
            self._levels.checked(location.guild_id, game_of(old.game), board, seat.level or "")
        if await self._stores.matches.rematch_of(old.id) is not None:
            raise MatchError("already_watched_again")
        match = Match.begin(
            old.game, board, (old.seats[1], old.seats[0]), location, self._clock(),
            rated=False, rematch_of=old.id, opening=old.moves[: old.opening], fair=old.fair,
            pace=old.pace, begun_by=person.user_id,
        )  # fmt: skip
        try:
            return self._begun(await self._stores.tournaments.add_watched(match, most=MAX_WATCHED))
        except Conflict:
            raise MatchError("already_watched_again") from None

    async def play_from(self, old: Match, ply: int, person: Person, location: Location) -> Match:
        """A casual match against an agent from a position of a finished one; raises Refusal.

        old: a match that is not hidden from the person.

        A player of the old match keeps their side; other people make the next move. The agent is that of the
        old match where it may still be played, else the usual one.
        """
        if not old.is_over:
            raise MatchError("not_over")
        if old.is_set_up:  # a match is stored as moves from its board's usual start
            raise MatchError("set_up_reviewed")
        rules, moves = game_of(old.game), old.moves[:ply]
        board = board_again(old.game, old.board, moves)
        sides = old.players_of(person.user_id)
        # A player may have had both sides, in a match against oneself: then every move there is theirs.
        is_mine = not sides or replay(rules.start(board), moves).to_move in sides
        open_levels = self._levels.of(location.guild_id, old.game, board)
        keys = [seat.level for seat in old.seats if seat.level is not None]
        again = [level.key for level in open_levels if level.key in keys]
        again += [ECHO for key in keys if is_echo(key)]
        # An algorithm has no place on the ladder that a server's limit could be compared with.
        if not self._levels.are_limited(location.guild_id):
            again += [key for key in keys if is_algorithm(key)]
        level = again[0] if again else usual_level(old.game, open_levels).key
        terms = Terms(old.game, board, First.ME if is_mine else First.OPPONENT, rated=False)
        return await self.start(person, terms, level, location, position=format_moves(rules, board, moves))

    async def rematch(
        self, match_id: int, person: Person, location: Location, handover: Handover | None = None
    ) -> Match | Challenge:
        """The same again with colours swapped: at once against an agent, else an invitation.

        In a rated match the two go on taking turns, which swaps them unless the last match was given up.

        Pressed by the second person while the first one's invitation is open, it accepts that.
        handover: of a match between servers (`Lobby.rematch`). Raises MatchError, and SetupError instead of
        an invitation on the web.
        """
        old = await self._changes.match(match_id)
        self._levels.check(location.guild_id, old.game, (seat.level for seat in old.seats))
        player = old.player_of(person.user_id)
        if not old.is_over:
            raise MatchError("not_over")
        if (again := await self._stores.matches.rematch_of(old.id)) is not None:
            raise MatchError("already_rematched", again.id)
        opening = () if old.fair is Fair.PIE else old.moves[: old.opening]
        board = board_again(old.game, old.board, opening)
        other = old.seats[player.other]
        if old.is_between and handover is None:
            raise MatchError("no_rematch_between")
        if other.is_agent:
            if old.rated:
                await check_leaving(self._stores, person, self._clock())
            if is_echo(other.level):
                level = await self.opponent(person, game_of(old.game), board, ECHO, location)
                other = Seat(level.name, level=level.key)
            seats = (old.seats[player], other) if player is Player.SECOND else (other, old.seats[player])
            match = Match.begin(
                old.game, board, seats, location, self._clock(),
                rated=old.rated,
                clock_seconds=checked_clock(old.clock_seconds, rated=old.rated, has_agent=True),
                rematch_of=old.id, opening=opening, is_coached=old.is_coached, fair=old.fair,
            )  # fmt: skip
            try:
                return self._begun(await self._stores.matches.add(match, most=most_running(location)))
            except Conflict:
                raise MatchError("already_rematched") from None
        if other.user_id is None:
            raise MatchError("no_rematch_watch")
        if other.user_id <= STRANGER:  # of an imported game, or the pseudonym of a deleted person
            raise MatchError("no_rematch_gone")
        if isinstance(location, Web):
            raise SetupError("strange_channel")  # invitations stand in channels
        account = await self._stores.players.name_of(other.user_id)
        first = First.OPPONENT if player is Player.FIRST else First.ME
        terms = Terms(old.game, board, first, old.rated, old.clock_seconds, old.fair)
        opponent = Person(other.user_id, other.name, account)
        asked = await self._challenges.send(
            person, opponent, terms, location,
            rematch_of=old.id, is_table=old.is_between, handover=handover,
        )  # fmt: skip
        return asked if asked.match_id is None else await self._changes.match(asked.match_id)

    def _begun(self, match: Match) -> Match:
        self._changes.publish(None, match)
        return match
