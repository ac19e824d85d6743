"""Rows to values and back: the only place that knows both the tables and the dataclasses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from bot.domain.challenge import Challenge, ChallengeStatus, First
from bot.domain.match import End, Match, Place, Result, Seat, Turn
from bot.domain.rating import Record
from engine.core import Player, replay
from engine.games import game as game_of

Values = dict[str, Any]


def match_values(match: Match) -> Values:
    """The columns of `matches`, without the id."""
    result = match.result
    return {
        "game": match.game,
        "board": match.board,
        **_seat_values("first", match.seats[Player.FIRST]),
        **_seat_values("second", match.seats[Player.SECOND]),
        **_place_values(match.place),
        "rated": match.rated,
        "clock_seconds": match.clock_seconds,
        "draw_offer": match.draw_offer,
        "undo_request": match.undo_request,
        "warned_turn": match.warned_turn,
        "winner": None if result is None else result.winner,
        "end": None if result is None else result.end.value,
        "turn": match.turn,
        "version": match.version,
        "rematch_of": match.rematch_of,
        "opening": match.opening,
        "created_at": match.created_at,
        "turn_started_at": match.turn_started_at,
        "touched_at": match.touched_at,
        "due_at": match.due_at,
    }


def turn_values(match_id: int, ply: int, turn: Turn) -> Values:
    return {"match_id": match_id, "ply": ply, "move": turn.move, "seconds": turn.seconds, "at": turn.at}


def match_of(row: sa.Row[Any], turn_rows: Sequence[sa.Row[Any]]) -> Match:
    """The match of a row and its moves, in order of ply; the position is replayed from them."""
    turns = tuple(Turn(turn.move, turn.seconds, turn.at) for turn in turn_rows)
    start = game_of(row.game).start(row.board)
    return Match(
        id=row.id,
        game=row.game,
        board=row.board,
        seats=(
            Seat(row.first_name, row.first_user, row.first_level),
            Seat(row.second_name, row.second_user, row.second_level),
        ),
        place=_place_of(row),
        created_at=row.created_at,
        turn_started_at=row.turn_started_at,
        touched_at=row.touched_at,
        state=replay(start, [turn.move for turn in turns]),
        turns=turns,
        rated=row.rated,
        clock_seconds=row.clock_seconds,
        draw_offer=_player_of(row.draw_offer),
        undo_request=_player_of(row.undo_request),
        warned_turn=row.warned_turn,
        result=None if row.end is None else Result(_player_of(row.winner), End(row.end)),
        turn=row.turn,
        version=row.version,
        rematch_of=row.rematch_of,
        opening=row.opening,
    )


def challenge_values(challenge: Challenge) -> Values:
    """The columns of `challenges`, without the id."""
    opponent = challenge.opponent
    return {
        "challenger_user": challenge.challenger.user_id,
        "challenger_name": challenge.challenger.name,
        "opponent_user": None if opponent is None else opponent.user_id,
        "opponent_name": None if opponent is None else opponent.name,
        "game": challenge.game,
        "board": challenge.board,
        "first": challenge.first.value,
        **_place_values(challenge.place),
        "rated": challenge.rated,
        "clock_seconds": challenge.clock_seconds,
        "status": challenge.status.value,
        "rematch_of": challenge.rematch_of,
        "match_id": challenge.match_id,
        "version": challenge.version,
        "created_at": challenge.created_at,
        "expires_at": challenge.expires_at,
    }


def challenge_of(row: sa.Row[Any]) -> Challenge:
    return Challenge(
        id=row.id,
        challenger=Seat(row.challenger_name, row.challenger_user),
        opponent=None if row.opponent_user is None else Seat(row.opponent_name, row.opponent_user),
        game=row.game,
        board=row.board,
        first=First(row.first),
        place=_place_of(row),
        created_at=row.created_at,
        expires_at=row.expires_at,
        rated=row.rated,
        clock_seconds=row.clock_seconds,
        status=ChallengeStatus(row.status),
        rematch_of=row.rematch_of,
        match_id=row.match_id,
        version=row.version,
    )


def record_values(record: Record) -> Values:
    """The columns of `records` that are not its key."""
    return {
        "mu": record.mu,
        "sigma": record.sigma,
        "points": record.points,
        "wins": record.wins,
        "draws": record.draws,
        "losses": record.losses,
        "streak": record.streak,
        "best_streak": record.best_streak,
    }


def record_of(row: sa.Row[Any]) -> Record:
    return Record(row.mu, row.sigma, row.wins, row.draws, row.losses, row.streak, row.best_streak)


def player_key(seat: Seat) -> tuple[bool, str]:
    """(is_agent, player): the key under which a seat is rated and named."""
    return (True, seat.level) if seat.level is not None else (False, str(seat.user_id))


def _seat_values(side: str, seat: Seat) -> Values:
    return {f"{side}_user": seat.user_id, f"{side}_level": seat.level, f"{side}_name": seat.name}


def _place_values(place: Place) -> Values:
    return {
        "guild_id": place.guild_id,
        "channel_id": place.channel_id,
        "message_id": place.message_id,
        "locale": place.locale,
    }


def _place_of(row: sa.Row[Any]) -> Place:
    return Place(row.channel_id, row.guild_id, row.message_id, row.locale)


def _player_of(value: int | None) -> Player | None:
    return None if value is None else Player(value)
