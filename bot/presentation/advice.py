"""The coach's words about a turn that lost something, and about a trained opening."""

from __future__ import annotations

from bot.domain.match import Held, Match
from bot.i18n import Text
from bot.presentation import names, status
from bot.presentation.verdicts import move_words, opening_words
from engine.games.openings import left_line


def held_words(t: Text, match: Match, held: Held) -> str:
    """Return the loss of the person's turn in words, of the board as it lies."""
    name = status.name_of(match, match.to_move)
    if held.threat is None:
        played = move_words(t, match.game, match.states[held.ply], match.moves[held.ply])
        if held.won_in == 1:
            return t("coach_could_win")
        return t("coach_only_draw" if held.now == 0 else "coach_no_win", move=played, name=name)
    said = {"name": name, "move": move_words(t, match.game, match.state, held.threat)}
    if held.lost_in == 1:
        return t("coach_at_once", **said)
    key = "coach_draw_lost" if held.was == 0 else "coach_wins"
    return t(key, **said) if held.lost_in is None else t(f"{key}_in", n=held.lost_in, **said)


def better_words(t: Text, match: Match, held: Held) -> str:
    """Return the move that was better, and no more of its worth than is proved."""
    move = opening_words(t, match.game, match.states[held.ply], held.better)
    # A proved win comes first, with its length where that is known; then a draw that was thrown away.
    if held.was == 1 and held.won_in is not None and held.won_in > 1:
        return t("coach_still_wins_in", n=held.won_in, move=move)
    if held.was == 1 and (held.won_in == 1 or held.threat is None):
        return t("coach_won" if held.won_in == 1 else "coach_still_wins", move=move)
    if held.lost_in != 1 and held.was == 0:
        return t("coach_draws", move=move)
    # The move is only proved to stop the threat, or not even that.
    if held.is_stopped:
        return t("coach_stops", move=move)
    return t("coach_rather", move=move_words(t, match.game, match.states[held.ply], held.better))


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
    if leaver is mover:
        move = opening_words(t, match.game, before, match.moves[left.ply])
        return t("coach_line_left", move=move, opening=name, known=known)
    move = move_words(t, match.game, before, match.moves[left.ply])
    return t("coach_line_left_by", name=status.name_of(match, leaver), move=move, opening=name, known=known)
