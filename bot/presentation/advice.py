"""The coach's words about a move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.domain.match import Match
from bot.i18n import Text
from bot.presentation import names, status
from bot.presentation.verdicts import move_words, opening_words, why_words
from bot.services.reviews import Advice
from engine.analysis.review import Mark, Reviewed
from engine.core import State
from engine.games.openings import left_line

HOPELESS_BELOW = -0.5
"""Expectation before a move below which the coach is silent: the position was lost anyway."""


@dataclass(frozen=True, slots=True)
class CoachWords:
    """The coach's words about a move. ply: of the move that they advise to take back, None if they do not.

    states: the positions that they tell about.
    """

    lines: tuple[str, ...]
    ply: int | None
    states: Sequence[State]


def coach_words(t: Text, match: Match, advice: Advice | None) -> CoachWords | None:
    """Return the words about a mistake, or about the end of the trained opening; None for other moves."""
    line = line_words(t, match)
    bad = advice if advice is not None and is_worth_telling(advice.judged) else None
    said = (*(() if line is None else (line,)), *(() if bad is None else advice_lines(t, match, bad)))
    if not said:
        return None
    states = match.states
    return CoachWords(said, None if bad is None else bad.ply, states[-2 if line is None else -3 :])


def is_worth_telling(judged: Reviewed) -> bool:
    """Return whether the move gave away much of a position that was not lost anyway."""
    before, after = judged.before, judged.after
    has_kept_result = before.result is not None and before.result == after.result
    is_bad = judged.mark in (Mark.MISTAKE, Mark.BLUNDER)
    return is_bad and not has_kept_result and before.expectation > HOPELESS_BELOW


def advice_lines(t: Text, match: Match, advice: Advice) -> tuple[str, ...]:
    """Return what the move has cost, the opponent's best reply, and the better move."""
    judged, before, after = advice.judged, advice.before, advice.after
    said = [t(_verdict(judged), move=opening_words(t, match.game, before, judged.move))]
    best = move_words(t, match.game, before, judged.best)
    why = why_words(t, match.game, before, judged.best, judged.move)
    if advice.reply is not None and (reply_why := why_words(t, match.game, after, advice.reply)):
        reply = move_words(t, match.game, after, advice.reply)
        said.append(t("coach_reply", name=status.name_of(match, after.to_move), move=reply, why=reply_why))
        if reply == best:
            return (*said, t("coach_yourself", move=best))
    said.append(t("coach_better_why", move=best, why=why) if why else t("coach_better", move=best))
    return tuple(said)


def line_words(t: Text, match: Match) -> str | None:
    """Return that the line of the trained opening was left, by the last move or the answer to the one before.

    None where it was left earlier, or not yet, or the match began with no named opening.
    """
    left = (
        None if status.trained_opening(match) is None else left_line(match.game, match.moves, match.opening)
    )
    if left is None:
        return None
    states = match.states
    last = len(match.moves) - 1
    mover, leaver = states[last].to_move, states[left.ply].to_move
    if any(state.to_move is mover for state in states[left.ply + 1 : last]) or (
        leaver is mover and left.ply != last
    ):
        return None
    name, before = names.opening_name(left.opening), states[left.ply]
    if not left.known:
        return t("coach_line_over", opening=name)
    known = t.listed(
        f"**{move_words(t, match.game, before, move)}**" + (f" ({reached.name})" if reached else "")
        for move, reached in left.known.items()
    )
    move = opening_words(t, match.game, before, match.moves[left.ply])
    if leaver is mover:
        return t("coach_line_left", move=move, opening=name, known=known)
    return t("coach_line_left_by", name=status.name_of(match, leaver), move=move, opening=name, known=known)


def _verdict(judged: Reviewed) -> str:
    was_won, now = judged.before.result == 1, judged.after.result
    if now == -1:
        return "coach_won_lost" if was_won else "coach_loses"
    return "coach_won_drawn" if was_won and now == 0 else "coach_worse"
