"""Standings of a tournament: points, then tie-breaks.

Buchholz is the sum of the opponents' points. Sonneborn-Berger is the points of the opponents beaten, and half
the points of those drawn with. Source of both: FIDE Handbook, C.07. In a Swiss tournament, a round that was
paired but not played (a bye, a walkover, an absent opponent) counts as one against an opponent with one's own
points. Entrants who are equal in everything share a place.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from bot.domain.tournament.model import DRAW, WIN, Entrant, Pairing, System, Tournament
from bot.domain.tournament.rounds import tie_winner


class TieBreak(enum.StrEnum):
    BUCHHOLZ = "buchholz"
    SONNEBORN_BERGER = "sonneborn-berger"
    WINS = "wins"


TIE_BREAKS: Mapping[System, tuple[TieBreak, ...]] = MappingProxyType(
    {
        System.SWISS: (TieBreak.BUCHHOLZ, TieBreak.SONNEBORN_BERGER, TieBreak.WINS),
        System.ROUND_ROBIN: (TieBreak.SONNEBORN_BERGER, TieBreak.WINS),
        System.KNOCKOUT: (),
    }
)
"""Tie-breaks, the most important first."""


@dataclass(frozen=True, slots=True)
class RoundResult:
    """One pairing of an entrant. halves: None while it is played. opponent: None for a bye."""

    round: int
    opponent: int | None
    halves: int | None
    is_played: bool


@dataclass(frozen=True, slots=True)
class Standing:
    """One entrant's place.

    rank: from 1; equal entrants share one. halves: half points; in single elimination two for each tie won.
    tie_breaks: in points, in the order of TIE_BREAKS. wins, draws, losses: of matches that both sides played.
    """

    rank: int
    entrant: Entrant
    halves: int
    tie_breaks: tuple[float, ...]
    wins: int
    draws: int
    losses: int
    outcomes: tuple[RoundResult, ...]

    @property
    def points(self) -> float:
        return self.halves / 2


def standings(tournament: Tournament) -> tuple[Standing, ...]:
    """Return all entrants by place, equal ones by seed."""
    outcomes = {
        entrant.number: tuple(_outcome(pairing, entrant.number) for pairing in _of(tournament, entrant))
        for entrant in tournament.entrants
    }
    halves = {number: sum(outcome.halves or 0 for outcome in own) for number, own in outcomes.items()}
    if tournament.system is System.KNOCKOUT:
        halves = _ties_won(tournament)
    breaks = {
        number: tuple(
            _tie_break(rule, tournament.system, own, halves, number) for rule in TIE_BREAKS[tournament.system]
        )
        for number, own in outcomes.items()
    }
    keys = {number: (halves[number], *breaks[number]) for number in outcomes}
    ordered = sorted(tournament.seeded, key=lambda entrant: keys[entrant.number], reverse=True)
    found: list[Standing] = []
    for place, entrant in enumerate(ordered, start=1):
        number = entrant.number
        is_equal = bool(found) and keys[found[-1].entrant.number] == keys[number]
        played = [outcome.halves for outcome in outcomes[number] if outcome.is_played]
        found.append(
            Standing(
                rank=found[-1].rank if is_equal else place,
                entrant=entrant,
                halves=halves[number],
                tie_breaks=breaks[number],
                wins=played.count(WIN),
                draws=played.count(DRAW),
                losses=played.count(0),
                outcomes=outcomes[number],
            )
        )
    return tuple(found)


def champions(tournament: Tournament) -> tuple[Entrant, ...]:
    """Return the entrants in first place; none if no match was played to a win."""
    places = standings(tournament)
    if not any(place.wins for place in places):
        return ()
    return tuple(place.entrant for place in places if place.rank == 1)


def _of(tournament: Tournament, entrant: Entrant) -> list[Pairing]:
    own = [pairing for pairing in tournament.pairings if entrant.number in pairing.numbers]
    return sorted(own, key=lambda pairing: (pairing.round, pairing.game))


def _outcome(pairing: Pairing, number: int) -> RoundResult:
    opponent = next((other for other in pairing.numbers if other != number), None)
    halves = None if pairing.halves is None else pairing.halves[pairing.numbers.index(number)]
    return RoundResult(pairing.round, opponent, halves, pairing.is_played)


def _ties_won(tournament: Tournament) -> dict[int, int]:
    won = dict.fromkeys((entrant.number for entrant in tournament.entrants), 0)
    for number, table in {(pairing.round, pairing.table) for pairing in tournament.pairings}:
        winner = tie_winner(tournament, number, table)
        if winner is not None:
            won[winner] += WIN
    return won


def _tie_break(
    rule: TieBreak, system: System, own: tuple[RoundResult, ...], halves: Mapping[int, int], number: int
) -> float:
    settled = [outcome for outcome in own if outcome.halves is not None]
    if rule is TieBreak.WINS:
        return float(sum(outcome.is_played and outcome.halves == WIN for outcome in settled))
    total = 0.0
    for outcome in settled:
        # FIDE counts an unplayed round as one against oneself: see the top of this file.
        is_against_oneself = system is System.SWISS and not outcome.is_played
        other = number if is_against_oneself or outcome.opponent is None else outcome.opponent
        weight = 1.0 if rule is TieBreak.BUCHHOLZ else (outcome.halves or 0) / WIN
        total += weight * halves[other] / 2
    return total
