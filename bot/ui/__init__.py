"""The user interface on Discord: a folder for each feature, and their common ground floor."""
