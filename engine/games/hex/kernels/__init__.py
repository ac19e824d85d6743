"""Compiled search of Hex."""
