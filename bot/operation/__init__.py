"""Operation of the bot by its host: going online, verbs without Discord, health."""
