"""Compiled search of Kalah."""
