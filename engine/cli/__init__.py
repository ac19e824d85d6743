"""The verbs of `python -m engine`, a file each."""
