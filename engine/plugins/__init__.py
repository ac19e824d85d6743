"""Other people's agents: their discovery, and the process of its own in which each runs."""
