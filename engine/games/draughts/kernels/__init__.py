"""Compiled code of draughts."""
