"""A game of Pop Out as long as wanted: people who play into each other's hands need never end one."""

from __future__ import annotations

import random

from engine.core import Move
from engine.games import game

_FULL = 12
"""Discs on the board from which on one is taken out rather than dropped, so that no line is made."""


def long_game(plies: int) -> tuple[Move, ...]:
    """Return the moves of a game that is not over after so many plies, always the same ones."""
    rng, states, moves = random.Random(0), [game("pop-out").start()], list[Move]()
    while len(moves) < plies:
        state = states[-1]
        legal = rng.sample(state.legal_moves(), len(state.legal_moves()))
        if sum(cell is not None for cell in state.cells()) > _FULL:
            legal.sort(key=lambda move: move < state.columns)
        following = ((move, state.play(move)) for move in legal)
        found = next(((move, after) for move, after in following if after.outcome() is None), None)
        if found is None:  # every move ends the game: go back some plies
            back = rng.randrange(1, min(30, len(moves)) + 1)
            del states[-back:], moves[-back:]
            continue
        moves.append(found[0])
        states.append(found[1])
    return tuple(moves)
