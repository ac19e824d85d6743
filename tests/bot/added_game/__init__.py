"""The bot with one more game in it: run in a process of its own, see tests/added_game.py."""
