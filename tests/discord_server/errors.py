"""Errors of the local Discord: refusals of requests, and things that people cannot do or get no answer to."""

from __future__ import annotations

from typing import Any


class Refused(Exception):
    """A request that Discord refuses. code: Discord's own number, in its documentation "JSON Error Codes"."""

    def __init__(self, status: int, code: int, message: str) -> None:
        super().__init__(f"{status} {code} {message}")
        self.status = status
        self.body: dict[str, Any] = {"code": code, "message": message}


class ClientRefused(AssertionError):
    """Discord's own app would not let a person do this: press a disabled button, leave out an option."""


class NoResponse(AssertionError):
    """The bot did not answer an interaction in time."""


def unknown(thing: str) -> Refused:
    """Return the refusal of something that does not exist."""
    codes = {
        "Channel": 10003, "Guild": 10004, "Member": 10007, "Message": 10008, "Role": 10011, "User": 10013,
        "Emoji": 10014, "Webhook": 10015, "Interaction": 10062, "Guild Scheduled Event": 10070,
    }  # fmt: skip
    return Refused(404, codes[thing], f"Unknown {thing}")


def invalid(problem: str) -> Refused:
    """Return the refusal of a malformed body."""
    return Refused(400, 50035, f"Invalid Form Body: {problem}")
