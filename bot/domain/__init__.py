"""Matches, people and tournaments as values with pure transitions; no Discord, no database."""
