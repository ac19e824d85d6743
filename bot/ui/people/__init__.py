"""People: profiles, leaderboards and achievements."""
