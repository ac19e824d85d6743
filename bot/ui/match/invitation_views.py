"""The invitation message: a challenge to a person, or a seat that anyone may take."""

from __future__ import annotations

from typing import Any

import discord
from discord import ui

from bot.domain.challenge import Challenge, ChallengeStatus
from bot.domain.terms import Fair, First
from bot.i18n import Text, plain
from bot.presentation.names import board_title, clock_name, game_title
from bot.ui.layout import Item, box, lines
from bot.ui.match.routes import CHALLENGE


def invitation_view(challenge: Challenge, t: Text) -> ui.LayoutView:
    """Build the invitation: with buttons while it is open, with its outcome afterwards."""
    parts: list[Item] = [
        lines(
            f"### {game_title(t, challenge.terms.game)}",
            _sentence(challenge, t),
            f"-# {terms_line(challenge, t)}",
        )
    ]
    if challenge.is_open:
        parts.append(lines(closing_line(challenge, t)))
        parts.append(_buttons(challenge, t))
    return box(*parts)


def closing_line(challenge: Challenge, t: Text) -> str:
    """Return when an open invitation expires."""
    return t("invitation_expires", when=f"<t:{int(challenge.expires_at.timestamp())}:R>")


def _sentence(challenge: Challenge, t: Text) -> str:
    names = {
        "name": plain(challenge.challenger.name),
        "other": t("anyone") if challenge.opponent is None else plain(challenge.opponent.name),
    }
    if challenge.status is not ChallengeStatus.OPEN:
        return t(f"invitation_{challenge.status}", **names)
    if challenge.opponent is None:
        return t("invitation_anyone", **names)
    # People of other servers are not mentioned: not even their number crosses.
    mention = names["other"] if challenge.is_table else f"<@{challenge.opponent.user_id}>"
    return t("invitation_rematch" if challenge.rematch_of else "invitation_person", mention=mention, **names)


def terms_line(challenge: Challenge, t: Text) -> str:
    """Return the board, the clock and who begins."""
    name, terms = plain(challenge.challenger.name), challenge.terms
    other = t("anyone_else") if challenge.opponent is None else plain(challenge.opponent.name)
    if terms.are_colours_drawn:
        first = t("begins_in_turn")
    elif terms.first is First.RANDOM:
        first = t("begins_random")
    else:
        first = t("begins", name=name if terms.first is First.ME else other)
    return " · ".join(
        (
            board_title(t, terms.board),
            t("rated") if terms.rated else t("casual"),
            *(() if terms.fair is Fair.USUAL else (t(f"fair_{terms.fair}"),)),
            clock_name(t, terms.clock_seconds),
            first,
        )
    )


def _buttons(challenge: Challenge, t: Text) -> ui.ActionRow[Any]:
    is_seat = challenge.opponent is None
    return ui.ActionRow(
        ui.Button(
            label=t("button_take_seat" if is_seat else "button_accept"),
            style=discord.ButtonStyle.success,
            custom_id=CHALLENGE(challenge.id, True),
        ),
        ui.Button(
            label=t("button_withdraw" if is_seat else "button_decline"),
            custom_id=CHALLENGE(challenge.id, False),
        ),
    )
