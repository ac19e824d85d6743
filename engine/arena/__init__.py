"""Matches between agents: arenas with swapped colours, Elo with error bars, measured ladders."""
