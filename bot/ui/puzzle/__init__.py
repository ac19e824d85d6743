"""Puzzles: their boards, their buttons, the daily one, their standings."""
