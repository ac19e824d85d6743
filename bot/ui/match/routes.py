"""What can be pressed on boards and invitations, as custom_ids say it."""

from __future__ import annotations

import enum

from bot.domain.match import Pace
from bot.ui.routing import FORM, ID, MOVE, TURN, USER, MoveRoutes, Part, route

BOARD = "match"
"""The family of what stands under a board."""


class Action(enum.StrEnum):
    """What can be pressed under a board besides a move."""

    RESIGN = "resign"
    RESIGN_NOW = "resign-now"
    STAY = "stay"
    DRAW = "draw"
    DRAW_YES = "draw-yes"
    DRAW_NO = "draw-no"
    UNDO = "undo"
    UNDO_YES = "undo-yes"
    UNDO_NO = "undo-no"
    REMATCH = "rematch"
    HINT = "hint"
    MORE = "more"
    SWAP = "swap"
    STOP = "stop"
    WATCH_AGAIN = "watch-again"


PLAY = MoveRoutes("m", "s", "mc", TURN, family=BOARD)
"""Subject: the match. At: the turn that the move is made against."""

ACTION = route("a", ID, TURN, Part("|".join(Action), Action), family=BOARD)

PACE = route("p", ID, Part("|".join(Pace), Pace), family=BOARD)
"""A match between agents, and how fast it is to go on."""

CHALLENGE = route(
    "c", ID, Part("accept|decline", "accept".__eq__, lambda yes: "accept" if yes else "decline")
)
"""An invitation, and whether it is accepted; declining one's own withdraws it."""

CHALLENGE_FORM = route("cf", USER, family=FORM)
"""The form that challenges that person; its fields are called by these names."""

FORM_BOARD, FORM_FIRST, FORM_CLOCK, FORM_START = "board", "first", "clock", "start"

TAKE_BACK = route("tb", ID, MOVE)
"""Match, ply of the person's move that the coach has spoken of."""

MOMENTS = route("km", ID, family=BOARD)
"""The key moments of a coached match that is over."""

MOMENT = route("kp", ID, MOVE)
"""Match, ply of the person's move that is to be found again."""

MOMENT_ANSWER = MoveRoutes("ka", "ks", "kc", MOVE)
"""Subject: the match. At: the ply of the move to replace."""
