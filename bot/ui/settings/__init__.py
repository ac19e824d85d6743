"""Preferences, server settings and privacy."""
