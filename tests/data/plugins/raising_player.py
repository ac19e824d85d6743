"""Raises, from an ordinary error to leaving the interpreter."""

import sys


class Raising:
    def choose(self, state, limit):
        if state.ply == 0:
            return {}["no such key"]
        sys.exit("good bye")
