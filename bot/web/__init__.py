"""The web front end: matches as pages that are watched and played live, with the same services as Discord."""
