"""Tournaments: sign-up, rounds and standings as messages, and their buttons."""
