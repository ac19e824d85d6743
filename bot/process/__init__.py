"""Services of the process: signals, log, metrics, compiling, registered commands, uploaded emoji."""
