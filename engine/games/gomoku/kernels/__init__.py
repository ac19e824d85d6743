"""Compiled search of Gomoku."""
