"""Games written down elsewhere: read, played by the rules, and written in the formats of their field."""
