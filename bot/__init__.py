"""The Discord bot: matches between people and agents, stored, rated and shown as messages."""
