"""The texts of a channel's votes: until when, which move leads, and the last one played."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bot.domain.match import MAX_EXTENSIONS, Match
from bot.domain.vote import OwnVotes, Poll, Polls, VoterScore
from bot.i18n import Text
from bot.presentation import CLASSIC, Look, names, status
from engine.core import Move
from engine.games import spec_of

MOST_NAMED = 4
"""Moves of a tie that are named; a crowd can vote for more."""


def open_vote(t: Text, match: Match, poll: Poll, look: Look = CLASSIC) -> list[str]:
    """Return the lines of the vote that goes on."""
    if match.deadline is None:
        return []
    at, side = int(match.deadline.timestamp()), match.to_move
    until = {"time": f"<t:{at}:{'t' if (match.clock_seconds or 0) < 86_400 else 'f'}>", "when": f"<t:{at}:R>"}
    disc, name = status.disc_of(match, side, look), status.name_of(match, side)
    said = [t("vote_until", disc=disc, name=name, **until), _standing(t, match, poll)]
    if match.extensions:
        said.append(t("vote_extended", times=match.extensions, most=MAX_EXTENSIONS))
    key = "vote_rules" if match.has_agent else "vote_rules_halves"
    return [*said, f"-# {t(key)}"]


def last_vote(t: Text, match: Match, polls: Polls) -> str | None:
    """Return which move the channel played last and how many wanted it; None before the first one."""
    ply, poll = match.last_vote, polls.last
    if ply is None:
        return None
    state, move = match.states[ply], match.moves[ply]
    said = {"name": status.name_of(match, match.movers[ply]), "move": _named(match, ply, move)}
    if spec_of(match.game).is_pass(state, move):
        return t("had_to_pass", name=said["name"])
    if not poll.total:
        return t("played", time="", **said)
    said |= {"votes": str(poll.counts.get(move, 0)), "all": str(poll.total)}
    return t("vote_played_by_lot" if len(poll.leaders) > 1 else "vote_played", **said)


def moved(t: Text, match: Match, polls: Polls) -> Iterable[str | None]:
    """Return the channel's last move with its votes, then the answer to it, if there is one."""
    yield last_vote(t, match, polls)
    if match.last_vote != len(match.timed_moves) - 1:
        yield status.last_move(t, match)


def result(t: Text, match: Match, people: int, scores: Sequence[VoterScore]) -> Iterable[str]:
    """Return how it ended, how many people voted, and the best of them by name.

    A mention shows the name that the reader's own app knows, so that none is stored for this.
    """
    yield status.result(t, match)
    yield t("vote_people", n=people)
    best = [
        t("vote_scored", name=f"<@{score.user_id}>", best=score.best, all=score.total)
        for score in scores
        if score.best
    ]
    if best:
        yield t("vote_best", people=" · ".join(best))


def own(t: Text, match: Match, votes: OwnVotes | None) -> Iterable[str]:
    """Return how good a person's votes were, and where the channel knew better. votes: None without any."""
    if votes is None or not votes.score.total:
        yield t("vote_mine_absent" if votes is None else "vote_mine_none")
        return
    yield t("vote_mine", best=votes.score.best, all=votes.score.total)
    if votes.outvoted is not None:
        turn, move = votes.outvoted.turn, votes.outvoted.move
        yield t(
            "vote_mine_outvoted",
            number=turn + 1,
            move=_named(match, turn, move),
            against=votes.against,
            agreed=votes.agreed,
        )


def _standing(t: Text, match: Match, poll: Poll) -> str:
    """Return how many have voted, and which move leads or which are level."""
    total = t("vote_count", n=poll.total)
    if not poll.total:
        return total
    leaders = [f"**{_named(match, len(match.timed_moves), move)}**" for move in poll.leaders]
    if len(leaders) > MOST_NAMED:
        return f"{total} {t('vote_many_tied', moves=len(leaders))}"
    if len(leaders) > 1:
        return f"{total} {t('vote_tied', moves=t.listed(leaders))}"
    return f"{total} {t('vote_leads', move=leaders[0], n=poll.lead)}"


def _named(match: Match, ply: int, move: Move) -> str:
    return names.move_label(spec_of(match.game), match.states[ply], move)
