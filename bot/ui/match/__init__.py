"""Boards of matches: what they show, what their buttons do, how they reach Discord."""
