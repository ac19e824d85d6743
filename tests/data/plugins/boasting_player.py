"""Answers a legal move with numbers that cannot be true, others at every ply; then what is no move."""

from engine.core import Choice, SearchInfo

NAN, INF = float("nan"), float("inf")
HUGE = 10**100_000


class Boasting:
    def choose(self, state, limit):
        move = state.legal_moves()[0]
        infos = (
            SearchInfo(score=NAN, seconds=NAN, proven=True),
            SearchInfo(score=INF, seconds=INF, depth=HUGE, nodes=HUGE),
            SearchInfo(score=-1e300, seconds=-5.0, depth=-3, nodes=-1, pv=(99, HUGE)),
            SearchInfo(score=2.0, seconds=0.0, pv=(move,) * 1000, visits=((move, HUGE), (99, 1))),
            SearchInfo(score=1.0, move_scores=((move, NAN), (99, 1.0), (HUGE, 1.0))),
            SearchInfo(score="much", nodes=None),
        )
        if state.ply < len(infos):
            return Choice(move, infos[state.ply])
        return (HUGE, -HUGE, 1.0, Choice(HUGE, SearchInfo()), Choice(move, None))[state.ply - len(infos)]
