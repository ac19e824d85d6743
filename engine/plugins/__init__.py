"""Other people's agents: how they are found, and the process of their own in which each thinks."""
