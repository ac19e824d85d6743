"""Ends its own process: quietly at the first move, by a fault of memory at the second, then plays."""

import ctypes
import os


class Crashing:
    def choose(self, state, limit):
        if state.ply == 0:
            os._exit(0)
        if state.ply == 1:
            ctypes.string_at(0)
        return state.legal_moves()[0]
