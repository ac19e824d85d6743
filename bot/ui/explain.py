"""How the agent of a match thinks: what its search said of each move when it is asked again, as bars."""

from __future__ import annotations

from bot.errors import MatchError
from bot.i18n import Text, plain
from bot.match import Match
from bot.render import draw_text, marks_of
from bot.ui.layout import box, lines
from bot.ui.press import Press, own_text
from bot.ui.review import move_words, worth_words
from engine.agents.levels import Level
from engine.analysis import Worth, states_of
from engine.core import Choice, Move, State, UnknownName
from engine.games import game as game_of

BAR = 12
MOST_ROWS = 12
COMPARED_DEPTH = 4
"""Deep enough to show what pruning saves, and quick without it."""

TREES = frozenset({"alphabeta", "minimax", "overlooking"})
KNOWN = frozenset({"random", "corner", "one-step", "mcts", "perfect", "pattern"}) | TREES


async def explain(press: Press, match: Match) -> None:
    """Answers privately about the agent's last move in the match; raises MatchError."""
    ply = _last_agent_ply(match)
    if not match.is_over and match.rated:
        raise MatchError("explain_in_rated")
    if not match.is_over:
        await press.client.service.check_help(match.id)
    if ply is None:
        raise MatchError("nothing_to_explain")
    t = own_text(press)
    await press.response.send_message(view=box(lines(t("explain_thinking"))), ephemeral=True)
    state = states_of(game_of(match.game).start(match.board), match.moves)[ply]
    seat = match.seats[state.to_move]
    try:
        level = press.client.roster.level(seat.level or "")
    except UnknownName:  # a plug-in that is no longer installed
        raise MatchError("nothing_to_explain") from None
    rows, notes = await _thoughts(press, t, match, state, level)
    rules = game_of(match.game)
    marks = marks_of(rules, rules.start(match.board), match.moves[:ply])
    kind = _kind(level)
    how = t(f"thinks_{kind}") if kind in KNOWN else t("thinks_other")
    view = box(
        lines(f"### {t('explain_title', name=plain(seat.name), number=ply + 1)}", how),
        lines(draw_text(match.game, state, marks)),
        lines(*rows, *notes, t("explain_played", move=move_words(t, match.game, state, match.moves[ply]))),
    )
    await press.edit_original_response(view=view)


def _last_agent_ply(match: Match) -> int | None:
    states = states_of(game_of(match.game).start(match.board), match.moves)
    plies = (ply for ply in range(len(match.moves) - 1, -1, -1) if match.seats[states[ply].to_move].is_agent)
    return next(plies, None)


def _kind(level: Level) -> str:
    return level.agent.partition(":")[0]


async def _thoughts(
    press: Press, t: Text, match: Match, state: State, level: Level
) -> tuple[list[str], list[str]]:
    """(a line for each move, further lines)."""
    kind, reviews, roster = _kind(level), press.client.reviews, press.client.roster
    if kind in ("perfect", "pattern"):
        return _worth_rows(t, match, state, await reviews.value_moves(match, state)), []
    choice = await reviews.ask(match, state, lambda: roster.make(level.key, 0), level.limit, kind)
    rows = (
        _visit_rows(t, match, state, choice) if choice.info.visits else _score_rows(t, match, state, choice)
    )
    notes = [t("explain_nodes", n=choice.info.nodes)] if choice.info.nodes else []
    if kind in TREES:
        pruned, full = await reviews.compare(match, state, COMPARED_DEPTH)
        notes.append(t("explain_pruning", depth=COMPARED_DEPTH, pruned=pruned, full=full))
    return rows, notes


def _visit_rows(t: Text, match: Match, state: State, choice: Choice) -> list[str]:
    visits = sorted(choice.info.visits, key=lambda pair: -pair[1])[:MOST_ROWS]
    means, most = dict(choice.info.move_scores), max(1, visits[0][1])
    return [
        t(
            "explain_visits",
            bar=_bar(count / most),
            move=_name(match, state, move),
            n=count,
            rate=f"{(1 + means.get(move, -1.0)) / 2:.0%}",
        )
        for move, count in visits
    ]


def _score_rows(t: Text, match: Match, state: State, choice: Choice) -> list[str]:
    scores = sorted(choice.info.move_scores, key=lambda pair: -pair[1])[:MOST_ROWS]
    if not scores:
        return []
    low, high = scores[-1][1], scores[0][1]
    return [
        t(
            "explain_score",
            bar=_bar((score - low) / (high - low) if high > low else 1.0),
            move=_name(match, state, move),
            score=f"{score:,.0f}",
        )
        for move, score in scores
    ]


def _worth_rows(t: Text, match: Match, state: State, worths: tuple[tuple[Move, Worth], ...]) -> list[str]:
    ordered = sorted(worths, key=lambda pair: -_height(pair[1]))[:MOST_ROWS]
    return [
        t(
            "explain_worth",
            bar=_bar((1 + _height(worth)) / 2),
            move=_name(match, state, move),
            worth=worth_words(t, worth),
        )
        for move, worth in ordered
    ]


def _height(worth: Worth) -> float:
    """For ordering and for bars: results first, then quick wins and late losses."""
    sooner = 0.0 if worth.moves is None else worth.moves / 50
    if worth.discs is not None and worth.exact:
        return worth.discs / 64
    return worth.expectation * (1 - sooner)


def _name(match: Match, state: State, move: Move) -> str:
    return game_of(match.game).move_name(state, move)


def _bar(share: float) -> str:
    filled = max(0, min(BAR, round(share * BAR)))
    return "█" * filled + "░" * (BAR - filled)
