"""Boards and invitations: routes, views, handlers, display."""
