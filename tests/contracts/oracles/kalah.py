"""Kalah: the last seeds, by the plain rules that other tests use as well."""

from __future__ import annotations

from collections.abc import Sequence

from engine.score import Score
from tests.engine.games.kalah import plain_kalah as plain

MOST_SEEDS = 11


def truth(board: str, moves: Sequence[str], most_seeds: int = MOST_SEEDS) -> Score | None:
    pits, seeds = map(int, board.split("x"))
    here, mover = plain.start(pits, seeds), 0
    for name in moves:
        pit = "abcdefghijklmnop".index(name) - mover * pits
        here, goes_on = plain.made(here, pit)
        if not goes_on:
            own, store, theirs, their_store = here
            here, mover = (theirs, their_store, own, store), 1 - mover
    own, store, theirs, their_store = here
    if sum(own) + sum(theirs) > most_seeds:
        return None
    return Score.by_discs(store - their_store + plain.lead(own, theirs))
