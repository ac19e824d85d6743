"""The next step of a tournament: replays, the next round, or the end."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from bot.domain.tournament.model import DRAW, MIN_ENTRANTS, WIN, Pairing, Stage, System, Tournament
from bot.domain.tournament.pairing import Pair, SwissPlayer, berger_round, berger_rounds, bracket, swiss_round
from engine.core import Player

MIN_SWISS_ROUNDS = 3
"""Rounds of a Swiss tournament, unless the organiser chooses fewer."""

GAMES_OF_TIE = 2
"""Single elimination replays a draw once with swapped sides; after another, the better seed advances.

A side whose opponent has left by then advances without a game.
"""


def rounds_of(tournament: Tournament) -> int:
    """Return the number of rounds for the present number of entrants."""
    entrants = max(len(tournament.entrants), MIN_ENTRANTS)
    if tournament.system is System.ROUND_ROBIN:
        return berger_rounds(entrants) * (2 if tournament.is_twice else 1)
    if tournament.system is System.KNOCKOUT:
        return (entrants - 1).bit_length()
    usual = max(MIN_SWISS_ROUNDS, (entrants - 1).bit_length())
    return min(tournament.rounds or usual, berger_rounds(entrants))


def advance(tournament: Tournament) -> Tournament:
    """Return the tournament after its next step, or unchanged while it waits for a match.

    New pairings have no match yet. Entrants who did not appear in a round are not paired in the next.
    """
    if tournament.stage is not Stage.RUNNING:
        return tournament
    if tournament.round == 0:
        tournament = replace(tournament, rounds=rounds_of(tournament))
    if tournament.system is System.KNOCKOUT and (replays := tuple(_replays(tournament))):
        return tournament.paired(replays)
    if not tournament.is_round_over:
        return tournament
    after = tournament.without_absentees()
    for number in range(after.round + 1, after.rounds + 1):
        pairings = _round(after, number)
        if pairings:
            return after.paired(pairings)
        # Pairs of a round robin are fixed: a round of entrants who left may come before one with pairs.
        if after.system is not System.ROUND_ROBIN:
            break
    return after.ended()


def tie_winner(tournament: Tournament, number: int, table: int) -> int | None:
    """Return the entrant who advances in single elimination; None if that is open, or none does."""
    games = [pairing for pairing in tournament.of_round(number) if pairing.table == table]
    if not games:
        return None
    last = max(games, key=lambda pairing: pairing.game)
    halves = last.halves
    if halves is None or last.second is None:
        return None if halves is None else last.first
    if halves != (DRAW, DRAW):
        return last.first if halves[0] == WIN else last.second
    if last.game < GAMES_OF_TIE:  # a replay follows
        return None
    # Drawn to the end, the tie goes to the better seed, which has the lower number.
    return min(last.numbers, key=lambda entrant: tournament.entrant(entrant).seed or 0)


def _replays(tournament: Tournament) -> Iterable[Pairing]:
    """Return what follows the drawn ties: a replay, or the point of the side whose opponent has left."""
    pairings = sorted(tournament.of_round(tournament.round), key=lambda pairing: pairing.game)
    for last in {pairing.table: pairing for pairing in pairings}.values():
        if last.second is None or last.halves != (DRAW, DRAW):
            continue
        sides = last.second, last.first
        here = [number for number in sides if not tournament.entrant(number).is_out]
        following = Pairing(last.round, last.table, *sides, game=last.game + 1)
        if len(here) == 2 and last.game < GAMES_OF_TIE:
            yield following
        elif len(here) == 1 and tie_winner(tournament, last.round, last.table) != here[0]:
            yield replace(following, given=Player(sides.index(here[0])))


def _round(tournament: Tournament, number: int) -> tuple[Pairing, ...]:
    if tournament.system is System.KNOCKOUT:
        return tuple(_knockout(tournament, number))
    if tournament.system is System.ROUND_ROBIN:
        order = [entrant.number for entrant in tournament.seeded]
        return tuple(_tables(tournament, number, berger_round(order, number - 1)))
    players = _swiss_players(tournament)
    if len(players) < 2:
        return ()
    return tuple(_tables(tournament, number, swiss_round(players)))


def _tables(tournament: Tournament, number: int, pairs: Iterable[Pair]) -> Iterable[Pairing]:
    """Return the pairs as pairings. An entrant whose opponent has left gets the point."""
    table = 0
    for first, second in pairs:
        is_here = tuple(side is not None and not tournament.entrant(side).is_out for side in (first, second))
        if not any(is_here):
            continue
        table += 1
        if second is None:
            # In a round robin each entrant has one bye, which gives no points.
            if tournament.system is not System.ROUND_ROBIN:
                yield Pairing(number, table, first, None, given=Player.FIRST)
        elif all(is_here):
            yield Pairing(number, table, first, second)
        else:
            yield Pairing(number, table, first, second, given=Player.FIRST if is_here[0] else Player.SECOND)


def _swiss_players(tournament: Tournament) -> list[SwissPlayer]:
    players = {
        entrant.number: SwissPlayer(entrant.number) for entrant in tournament.seeded if not entrant.is_out
    }
    for pairing in sorted(tournament.pairings, key=lambda pairing: pairing.round):
        for side, number in enumerate(pairing.numbers):
            player = players.get(number)
            if player is None or pairing.halves is None:
                continue
            halves = pairing.halves[side]
            # A point without a match counts like a bye, so that the next bye goes to an entrant who had none.
            is_won_unplayed = not pairing.is_played and halves == WIN
            players[number] = replace(
                player,
                halves=player.halves + halves,
                met=(*player.met, *(other for other in pairing.numbers if other != number)),
                sides=(*player.sides, side == 0) if pairing.is_played else player.sides,
                byes=player.byes + is_won_unplayed,
            )
    return list(players.values())


def _knockout(tournament: Tournament, number: int) -> Iterable[Pairing]:
    slots = bracket([entrant.number for entrant in tournament.seeded])
    for played in range(1, number):
        slots = tuple(tie_winner(tournament, played, location + 1) for location in range(len(slots) // 2))
    for table, (one, other) in enumerate(zip(slots[::2], slots[1::2], strict=True), start=1):
        here = [slot for slot in (one, other) if slot is not None and not tournament.entrant(slot).is_out]
        if not here:
            continue
        if one is None or other is None:
            yield Pairing(number, table, here[0], None, given=Player.FIRST)
        elif len(here) == 1:
            absent = other if here[0] == one else one
            yield Pairing(number, table, here[0], absent, given=Player.FIRST)
        else:
            # The better seed begins the replay.
            better = min(here, key=lambda slot: tournament.entrant(slot).seed or 0)
            yield Pairing(number, table, other if better == one else one, better)
