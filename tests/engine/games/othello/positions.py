"""Positions for the Othello tests, and a slow twin of the endgame search."""

from __future__ import annotations

import random
from functools import cache

from engine.core import Player
from engine.games.othello import OthelloState
from tests.engine.kernels.kernel_twins import OthelloTwin

START = OthelloTwin(8, frozenset({28, 35}), frozenset({27, 36}))


def random_twin(size: int, rng: random.Random, empties: int) -> OthelloTwin:
    """A position of a random game with that many empty squares, in which the side to move has a move."""
    while True:
        twin = OthelloTwin(size, START.own, START.other)
        while len(twin.own | twin.other) < size * size - empties and twin.moves():
            twin = twin.play(rng.choice(twin.moves()))
        if len(twin.own | twin.other) == size * size - empties and twin.placements():
            return twin


def bits(squares: frozenset[int] | set[int]) -> int:
    return sum(1 << square for square in squares)


def state_of(twin: OthelloTwin, to_move: Player = Player.FIRST) -> OthelloState:
    return OthelloState(twin.size, bits(twin.own), bits(twin.other), to_move)


def read_board(text: str) -> OthelloState:
    """64 squares from a1, X black, O white, then the side to move."""
    black = sum(1 << i for i, mark in enumerate(text[:64]) if mark == "X")
    white = sum(1 << i for i, mark in enumerate(text[:64]) if mark == "O")
    if text.split()[1] == "X":
        return OthelloState(8, black, white, Player.FIRST)
    return OthelloState(8, white, black, Player.SECOND)


@cache
def solved(twin: OthelloTwin) -> int:
    """The difference of discs with best play, by looking at everything."""
    moves = twin.moves()
    if not moves:
        margin = twin.margin()
        empty = twin.size**2 - len(twin.own | twin.other)
        return margin + (empty if margin > 0 else -empty if margin < 0 else 0)
    return max(-solved(twin.play(move)) for move in moves)
