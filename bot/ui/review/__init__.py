"""Reviews and replays of finished matches, and matches from their positions."""
