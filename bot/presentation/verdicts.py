"""The texts of a review: pure functions of the match and its review."""

from __future__ import annotations

from bot.domain.match import Match
from bot.i18n import Text, shortened
from bot.presentation import CLASSIC, Look, names, status
from bot.services.allowed_help import MAX_HINTS
from engine.analysis.explanation import reasons
from engine.analysis.review import Mark, Review, Reviewed
from engine.core import Move, Player, State
from engine.games import spec_of
from engine.games.spec import Layout
from engine.score import Evaluation, Score

MOST_REASONS = 2
MAX_KEY_MOMENTS = 3
MARKS = {Mark.BEST: "✅", Mark.GOOD: "👍", Mark.MISTAKE: "⚠️", Mark.BLUNDER: "❌"}


def losing_move(match: Match, review: Review) -> Reviewed | None:
    """Return the loser's move that lost the match, whether on the board, on time or by resignation."""
    if match.result is None or match.result.winner is None:
        return None
    return review.losing_move(match.result.winner.other)


def set_up_line(t: Text, match: Match) -> str | None:
    """Return why the match can only be reviewed, if it begins from a position of its own."""
    return t("set_up_reviewed") if match.is_set_up else None


def is_draw(match: Match) -> bool:
    """Whether it was drawn, on the board or by agreement; an abandoned match is not a draw."""
    return match.result is not None and match.result.winner is None and match.result.counts


def last_chances(review: Review) -> list[Reviewed]:
    """Return each side's last move that gave away a win, in order."""
    found = (review.last_chance(player) for player in Player)
    return sorted((move for move in found if move is not None), key=lambda move: move.ply)


def losing_line(t: Text, match: Match, review: Review, look: Look = CLASSIC) -> str | None:
    """Return the losing move; in a draw, each side's last missed win, or that there was none.

    None while it is unknown.
    """
    if review.share < 1:
        return None
    if is_draw(match):
        return "\n".join(
            t("review_last_chance", fault=_fault(t, match, review, move, look))
            for move in last_chances(review)
        ) or t("review_no_chance")
    move = losing_move(match, review)
    if move is None:
        return t("review_no_losing_move")
    return t("review_losing_move", fault=_fault(t, match, review, move, look))


def _fault(t: Text, match: Match, review: Review, move: Reviewed, look: Look) -> str:
    """`Ada’s move 14, column 3 threw away a win; column 5 won`."""
    return t(
        "review_fault",
        **_named(t, match, review, move, look),
        better=t(_kept(move), move=move_title(t, match, review, move.ply, move.best)),
    )


def _named(t: Text, match: Match, review: Review, move: Reviewed, look: Look) -> dict[str, object]:
    """Return the fields of a text about a bad move: whose it was, and what it gave away."""
    return {
        "number": move.ply + 1,
        "disc": status.disc_of(match, move.player, look),
        "name": status.name_of(match, move.player),
        "move": move_title(t, match, review, move.ply, move.move),
        "verdict": t(fault_of(move)),
    }


def fault_of(move: Reviewed) -> str:
    """Return the key of the words for what the move gave away."""
    before, after = move.before.result, move.after.result
    if before == 1 and after != 1:
        return "fault_win"
    return "fault_draw" if before == 0 and after == -1 else "fault_worse"


def key_moments(match: Match, review: Review) -> list[Reviewed]:
    """Return the losing move and the worst mistakes of both sides, at most three, in order."""
    losing = losing_move(match, review)
    faults = [move for move in review.reviewed if move and move.mark in (Mark.MISTAKE, Mark.BLUNDER)]
    worst = sorted(faults, key=lambda move: (move != losing, -move.given))[:MAX_KEY_MOMENTS]
    return sorted(worst, key=lambda move: move.ply)


def moment_line(t: Text, match: Match, review: Review, move: Reviewed, look: Look) -> str:
    """Return `Move 14, Ada: column 3 threw away a win.`"""
    return t("review_moment", **_named(t, match, review, move, look))


def _kept(move: Reviewed) -> str:
    result = move.before.result
    if result is None or result < 0:
        return "review_was_better"
    return "review_won" if result > 0 else "review_drew"


def move_line(t: Text, match: Match, review: Review, ply: int, look: Look) -> str:
    """Return the verdict about the last move on the displayed board."""
    if ply == 0:
        return t("review_start", worth=_start_words(t, match, review))
    if ply <= match.opening:
        return t("review_opening", number=ply)
    move, number = review.reviewed[ply - 1], ply
    if move is None:
        return t("review_unjudged" if review.is_unjudged(ply - 1) else "review_unknown", number=number)
    title = move_title(t, match, review, move.ply, move.move)
    verdict = t("mark_forced") if move.is_forced else t(f"mark_{move.mark}")
    said = t(
        "review_move",
        mark=MARKS[move.mark],
        number=number,
        disc=status.disc_of(match, move.player, look),
        name=status.name_of(match, move.player),
        move=title,
        verdict=verdict,
        after=score_words(t, match.game, move.after),
    )
    if move.mark is Mark.BEST:
        return said
    better = move_title(t, match, review, move.ply, move.best)
    return "\n".join(
        (
            said,
            *_punished(t, match, review, move),
            t("review_better", move=better, before=score_words(t, match.game, move.before)),
            *because(t, match, review, move),
        )
    )


def _punished(t: Text, match: Match, review: Review, move: Reviewed) -> list[str]:
    """Return the other side's best answer to a bad move, if there is something to say about it."""
    following = review.evaluations[move.ply + 1]
    if move.mark is Mark.GOOD or following is None or following.best is None:
        return []
    state = review.states[move.ply + 1]
    why = why_words(t, match.game, state, following.best)
    answer, name = (
        move_title(t, match, review, move.ply + 1, following.best),
        status.name_of(match, state.to_move),
    )
    return [t("coach_reply", name=name, move=answer, why=why)] if why else []


def because(t: Text, match: Match, review: Review, move: Reviewed) -> list[str]:
    """Return why the better move was better; the text before it names the move."""
    why = why_words(t, match.game, review.states[move.ply], move.best, move.move)
    return [t("review_because", why=why)] if why else []


def _start_words(t: Text, match: Match, review: Review) -> str:
    entry = review.evaluations[0]
    return "?" if entry is None else score_words(t, match.game, entry.score)


def score_words(t: Text, game: str, score: Score) -> str:
    """Return the score in words, for one side: `winning in 7 moves`, `a draw`, `about 62 %`."""
    if not score.is_proved:
        return t("worth_about", percent=t.percent((1 + score.expectation) / 2))
    if score.result == 0:
        return t("worth_drawn")
    is_won = score.result == 1
    if score.exact and score.discs is not None:
        side, unit = "won" if is_won else "lost", spec_of(game).play.unit
        # A game of a plug-in may count in a unit that the texts do not name.
        unit = unit if f"worth_{side}_by_{unit}" in t else "points"
        return t(f"worth_{side}_by_{unit}", n=abs(score.discs))
    if score.moves:
        return t("worth_won_in" if is_won else "worth_lost_in", n=score.moves)
    return t("worth_won" if is_won else "worth_lost")


def move_title(t: Text, match: Match, review: Review, ply: int, move: int) -> str:
    return move_words(t, match.game, review.states[ply], move)


def opening_words(t: Text, game: str, state: State, move: Move) -> str:
    """As `move_words`, at the start of a sentence: `Column 3`, but `d3`."""
    words = move_words(t, game, state, move)
    is_name = words == names.move_label(spec_of(game), state, move)
    return words if is_name else words[:1].upper() + words[1:]


def move_words(t: Text, game: str, state: State, move: Move) -> str:
    """Return `column 3` in games with columns, else the square; the catalogue's words for the other moves."""
    spec = spec_of(game)
    if spec.is_pass(state, move):
        return t("button_pass")
    group, name = spec.group_of(state, move), names.move_label(spec, state, move)
    if group is not None:
        is_told = f"words_{game}_{group.key}" in t
        return t(f"words_{game}_{group.key}", move=name) if is_told else name
    return t("move_column", column=name) if spec.look.layout is Layout.COLUMNS else name


def why_words(t: Text, game: str, state: State, move: Move, instead_of: Move | None = None) -> str:
    """Return the strongest reasons for the move, in one sentence; "" if there are none.

    instead_of: a worse move that was played.
    """
    said = [
        t(f"why_{reason.why}", n=reason.number, square=names.square_words(t, game, state, reason.cell))
        for reason in reasons(state, move, instead_of)[:MOST_REASONS]
    ]
    return t("hint_and").join(said)


def accuracy_line(t: Text, match: Match, review: Review, player: Player, look: Look) -> str:
    """Return how well the side chose, once no proof can change the figure any more."""
    disc, name = status.disc_of(match, player, look), status.name_of(match, player)
    if not review.is_final:
        return t("review_accuracy_later", disc=disc, name=name)
    found = review.accuracy(player)
    percent = "–" if found is None else t.percent(found)
    return t("review_accuracy", disc=disc, name=name, percent=percent)


def certainty(t: Text, review: Review) -> str:
    """Return which values are proved, and whether more of them are being proved."""
    if review.share < 1:
        return t("review_progress", percent=t.percent(review.share))
    first = review.exact_from
    if not review.is_final and first != 0:
        return t("review_proving", percent=t.percent(_proved_share(review)))
    if first is None or 0 < first == len(review.moves):
        return t("review_estimated")
    return t("review_exact") if first == 0 else t("review_exact_from", number=first + 1)


def _proved_share(review: Review) -> float:
    """Return the share of the moves whose values are proved, of those from the end on."""
    first = review.exact_from
    return 0.0 if first is None else (len(review.moves) - first) / len(review.moves)


def described(t: Text, match: Match, review: Review) -> str:
    """Return the alternative text of the plot: which side was ahead, from which move to which."""
    spans: list[tuple[int, int, int]] = []
    for ply in range(1, len(review.states)):
        value = review.expectation(ply) or 0.0
        side = 1 if value > 0.2 else -1 if value < -0.2 else 0
        if spans and spans[-1][0] == side:
            spans[-1] = (side, spans[-1][1], ply)
        else:
            spans.append((side, ply, ply))
    names = {1: match.seats[0].name, -1: match.seats[1].name}
    parts = [_span(t, names.get(side), first, last) for side, first, last in spans]
    legend = t("plot_legend", first=names[1])
    return shortened(f"{t('plot_described', spans='; '.join(parts))} {legend}", 1000)


def _span(t: Text, leader: str | None, first: int, last: int) -> str:
    """Return which side was ahead after these moves; leader: None for neither."""
    if leader is None:
        return t("plot_even_once", first=first) if first == last else t("plot_even", first=first, last=last)
    if first == last:
        return t("plot_ahead_once", name=leader, first=first)
    return t("plot_ahead", name=leader, first=first, last=last)


def plot_legend(t: Text, match: Match) -> str:
    """Return the legend of the plot's direction and marks."""
    return t("plot_legend", first=status.name_of(match, Player.FIRST))


def hint_lines(
    t: Text, match: Match, found: Evaluation, number: int, *, has_worth: bool = False
) -> tuple[str, ...]:
    """Return a title, the proposed move with its reason, and its result unless the move ends the match.

    has_worth: with its value and distance, which only people who ask for it want to know.
    """
    if found.best is None:
        raise ValueError(f"match {match.id} has no move to hint at")
    move = opening_words(t, match.game, match.state, found.best)
    why = why_words(t, match.game, match.state, found.best)
    said = (
        f"### 💡 {t('hint_title', game=status.title(t, match), number=number, limit=MAX_HINTS)}",
        t("hint_move", move=move, why=why or t("why_quiet")),
    )
    if match.state.play(found.best).outcome() is not None:
        return said  # the move ends the match, so its score is plain
    if has_worth:
        return (*said, f"-# {t('hint_worth', worth=score_words(t, match.game, found.score))}")
    if found.score.result is None:
        return said
    return (*said, f"-# {t(_result_key(found.score))}")


def _result_key(score: Score) -> str:
    """Return the key of the words for a proved result of a hint; a loss says what is proved of it."""
    if score.result != -1:
        return "hint_wins" if score.result else "hint_draws"
    if not score.exact:
        return "hint_lost"
    return "hint_loses" if score.plies is not None else "hint_loses_least"
