"""Tournaments as values: entrants, pairings and standings."""
