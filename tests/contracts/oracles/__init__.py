"""Oracles: the true values of positions, found by playing everything out in plain Python.

They have rules of their own and share no code with the engine but `Score`, in which they answer; see `Oracle`
in `engine.games.claims`. Most say nothing about positions that are too far from the end.
"""
