"""Finished matches looked at again: reviews, replays, and playing on from any position."""
