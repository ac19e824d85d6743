"""Answers what is no move, another thing at every ply."""

from engine.core import Choice, SearchInfo


class Nonsense:
    def choose(self, state, limit):
        answers = ("a3", None, True, 99, -1, Choice(0, SearchInfo(pv=("x",))), object())
        return answers[state.ply % len(answers)]
