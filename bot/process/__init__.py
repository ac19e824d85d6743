"""What a process of the bot needs besides its parts: signals, log, figures, compiling, commands."""
