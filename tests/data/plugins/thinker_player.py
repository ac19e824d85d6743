"""Style `choose`: a move by chance, with what it "knows" about it; Connect Four only."""

import random

from engine.core import Choice, SearchInfo


class Base:
    games = ("connect-four",)

    def choose(self, state, limit):
        move = random.choice(state.legal_moves())
        return Choice(move, SearchInfo(score=0.5, depth=3, nodes=7, seconds=limit.seconds, pv=(move,)))


class Thinker(Base):
    pass
