"""Helpers for tests of tournaments: entrants, random results, and whole tournaments without a database."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random

from bot.domain.location import Channel
from bot.domain.names import clean
from bot.domain.result import End, Result
from bot.domain.seat import Seat
from bot.domain.tournament.model import Pairing, System, Tournament
from bot.domain.tournament.rounds import advance
from engine.core import Player

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
HERE = Channel(channel_id=10, guild_id=20)

Referee = Callable[[Tournament, Pairing], tuple[Result, int]]
"""The result of a pairing's match, and its number of moves."""


def signed_up(system: System, entrants: int, *, rounds: int = 0, is_twice: bool = False) -> Tournament:
    """People and agents by turns."""
    tournament = Tournament(
        1, clean("Spring"), 1, "tic-tac-toe", "3x3x3", system, HERE, NOW, NOW + timedelta(hours=1), 3600,
        rounds=rounds, is_twice=is_twice,
    )  # fmt: skip
    for number in range(1, entrants + 1):
        seat = Seat(f"P{number}", number) if number % 2 else Seat(f"A{number}", level=f"agent{number}")
        tournament = tournament.join(seat, NOW)
    return tournament


def started(tournament: Tournament) -> Tournament:
    """Seeded in the order of signing up, with its first round paired."""
    return advance(tournament.start({entrant.number: entrant.number for entrant in tournament.entrants}))


def with_results(tournament: Tournament, referee: Referee) -> Tournament:
    """Every match that runs, ended."""
    pairings = []
    for index, pairing in enumerate(tournament.pairings):
        if pairing.is_settled:
            pairings.append(pairing)
        else:
            result, turn = referee(tournament, pairing)
            pairings.append(replace(pairing, match_id=index + 1, result=result, turn=turn))
    return replace(tournament, pairings=tuple(pairings))


def by_lot(seed: int, *, draws: float = 0.3) -> Referee:
    rng = Random(seed)

    def decide(_tournament: Tournament, _pairing: Pairing) -> tuple[Result, int]:
        if rng.random() < draws:
            return Result(None, End.BOARD_FULL), 9
        return Result(rng.choice(tuple(Player)), End.LINE), 7

    return decide


def better_seed_wins(_tournament: Tournament, pairing: Pairing) -> tuple[Result, int]:
    if pairing.second is None:
        raise ValueError("a bye has no match")
    return Result(Player.FIRST if pairing.first < pairing.second else Player.SECOND, End.LINE), 7


def played_out(tournament: Tournament, referee: Referee) -> Tournament:
    """Until it is over; fails when it does not come to an end."""
    for _ in range(200):
        tournament = advance(with_results(tournament, referee))
        if not tournament.is_active:
            return tournament
    raise AssertionError("the tournament does not end")
