"""Routes of boards and invitations."""

from __future__ import annotations

import enum
from typing import Any

from discord import ui

from bot.domain.match import Match, Pace
from bot.domain.prediction import Pick
from bot.i18n import Text
from bot.ui.routing import FORM, ID, MOVE, TURN, USER, IdPart, MoveRoutes, either, route

BOARD = "match"
"""The family of the controls of a board."""


class Action(enum.StrEnum):
    """The buttons of a board besides moves."""

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
    NEVER_MEET = "never-meet"
    REPORT_NAME = "report-name"
    HINT = "hint"
    MORE = "more"
    SWAP = "swap"
    STOP = "stop"
    END = "end"
    END_NOW = "end-now"
    END_AND_REMOVE = "end-remove"
    KEEP = "keep"
    BRING_BACK = "bring-back"
    WATCH_AGAIN = "watch-again"
    WEB = "web"
    WEB_STOP = "web-stop"
    WEB_PLAY = "web-play"
    WEB_END = "web-end"
    OPEN = "open-board"
    COACH = "coach"
    SHOW_BETTER = "show-better"
    TAKE_BACK = "take-back"
    PLAY_ON = "play-on"
    PLAY_BETTER = "play-better"
    END_VOTE = "end-vote"
    MY_VOTES = "my-votes"


PLAY = MoveRoutes("m", "s", "mc", TURN, family=BOARD)
"""Subject: the match. At: the turn that the move is made against."""

VOTE = MoveRoutes("vm", "vs", "vc", TURN, family=BOARD)
"""The same, of a vote for a move."""

ACTION = route("a", ID, TURN, IdPart("|".join(Action), Action), family=BOARD)


def web_button(t: Text, match: Match) -> ui.Button[Any]:
    """Return the button that shares the match on the web."""
    return ui.Button(label=t("button_web"), emoji="🌐", custom_id=ACTION(match.id, match.turn, Action.WEB))


MIRROR = route("mi", ID, family=BOARD)
"""Match that is to be shown in the chosen channel, too."""

PACE = route("p", ID, IdPart("|".join(Pace), Pace), family=BOARD)
"""Match between agents, its new speed."""

PREDICT = route("pg", ID, IdPart("[0-2]", lambda text: Pick(int(text)), lambda pick: str(pick.value)))
"""Match, and the guess of its end."""

CHALLENGE = route("c", ID, either("accept", "decline"))
"""Invitation, whether it is accepted; declining one's own withdraws it."""


class TablePress(enum.StrEnum):
    """The buttons of an open table in another server."""

    SIT = "sit"
    NOT_HERE = "not-here"
    """It is not wanted there, or declined by the person whom it invites."""

    REPORT = "report"


TABLE = route("ta", ID, IdPart("|".join(TablePress), TablePress))
"""Invitation that is open in other servers."""

CHALLENGE_FORM = route("cf", USER, family=FORM)
"""The form that challenges that person, with these fields."""

FORM_BOARD, FORM_FIRST, FORM_CLOCK, FORM_START = "board", "first", "clock", "start"

PLAY_HINT = route("hp", ID, TURN, MOVE)
"""Match, the turn that the hint is for, the move that it proposes."""

HINT_WORTH = route("hw", ID, TURN)
"""The same hint with its value and distance."""
