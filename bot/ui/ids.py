"""The words that custom_ids are made of; anything else in them is not ours."""

PREFIX = "d1"
"""Raised when a custom_id's meaning changes, so that old messages are not misread."""

MATCH = r"(?P<match>[1-9][0-9]{0,17})"
TURN = r"(?P<turn>[0-9]{1,6})"
