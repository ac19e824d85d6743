"""Every action of a user, an agent or a clock, from the press to the stored change."""
