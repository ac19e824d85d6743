"""Compiled search of Dots and Boxes."""
