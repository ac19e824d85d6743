"""Tournaments as values: who takes part, who meets whom, who stands where."""
