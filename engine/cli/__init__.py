"""The verbs of `python -m engine`, one file each."""
