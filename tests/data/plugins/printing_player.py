"""Prints at every even ply, on one stream or the other, more than any pipe holds."""

import sys


class Printing:
    def choose(self, state, limit):
        if state.ply % 2 == 0:
            print("thinking aloud " * 10_000, file=sys.stdout if state.ply == 0 else sys.stderr)
        return state.legal_moves()[-1]
