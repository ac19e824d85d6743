"""Starting a match: the panel and help."""
