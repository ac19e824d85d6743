"""What people and servers may choose: preferences, settings, privacy."""
