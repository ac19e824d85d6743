"""The training of one's own mistakes in words, the same in Discord and on the web."""

from __future__ import annotations

from bot.domain.training import Mistake, TrainingDay
from bot.i18n import Text
from bot.presentation import names
from bot.presentation.puzzle_texts import Pieces
from bot.presentation.status import name_of
from bot.presentation.verdicts import move_words, opening_words, score_words, why_words
from bot.services.training import PosedMistake, Trained
from engine.games import spec_of

_FAULTS = {1: "fault_win", 0: "fault_draw"}


def mistake_title(t: Text, posed: PosedMistake) -> str:
    """Return which of today's positions it is."""
    return t("mistake_title", number=posed.number, total=max(1, posed.day.total))


def origin(t: Text, posed: PosedMistake) -> str:
    """Return the game that the position comes from."""
    mistake = posed.mistake
    said = {"game": names.game_title(t, mistake.game), "number": len(mistake.line) + 1}
    if posed.match is None:
        return t("mistake_from_game", **said)
    return t("mistake_from_match", **said, name=name_of(posed.match, mistake.player.other))


def mistake_task(t: Text, mistake: Mistake, pieces: Pieces) -> str:
    """Return whose move it is, and the person's move to improve on."""
    played = move_words(t, mistake.game, mistake.state, mistake.played)
    verdict = t("fault_worse" if mistake.goal is None else _FAULTS[mistake.goal])
    return t("mistake_task", disc=pieces[mistake.player], move=played, verdict=verdict)


def better_move(t: Text, mistake: Mistake) -> str:
    """Return the better move with its reason, of a position whose answer was asked for."""
    move = opening_words(t, mistake.game, mistake.state, mistake.best)
    why = why_words(t, mistake.game, mistake.state, mistake.best, mistake.played)
    return t("hint_move", move=move, why=why or t("why_quiet"))


def trained_lines(t: Text, trained: Trained, pieces: Pieces) -> tuple[str, ...]:
    """Return the result of an answer with its reason, and when the position comes again."""
    mistake, judged = trained.posed.mistake, trained.judged
    game, state, move = mistake.game, mistake.state, judged.move
    move_said = opening_words(t, game, state, move)
    key = "puzzle_right" if trained.is_right else "puzzle_wrong"
    said = [t(key, move=move_said, worth=score_words(t, game, judged.after.earlier()))]
    after = state.play(move)
    if trained.is_right:
        why = why_words(t, game, state, move, mistake.played)
        said.append(t("review_because", why=why) if why else "")
    elif trained.reply is not None and not spec_of(game).is_pass(after, trained.reply):
        reply, disc = move_words(t, game, after, trained.reply), pieces[after.to_move]
        why = why_words(t, game, after, trained.reply)
        told = t("coach_reply", name=disc, move=reply, why=why) if why else None
        said.append(told or t("puzzle_replied", disc=disc, moves=reply))
    again = comes_again(t, mistake) if trained.counts else t("mistake_practice")
    return (*filter(None, said), again)


def comes_again(t: Text, mistake: Mistake) -> str:
    """Return when a position that was answered comes again."""
    if mistake.due_on is None or mistake.answered_on is None:
        return t("mistake_over")
    if not mistake.rights:
        return t("mistake_tomorrow")
    again = t("mistake_again", n=(mistake.due_on - mistake.answered_on).days)
    return f"{t('mistake_learnt')} {again}" if mistake.is_learnt else again


def counts_line(t: Text, day: TrainingDay) -> str:
    """Return how many positions are learnt, and how many wait today."""
    return f"-# {t('mistakes_counts', learnt=day.learnt, n=len(day.waiting))}"


def day_lines(t: Text, day: TrainingDay) -> tuple[str, ...]:
    """Return how far the person has come today, and when it goes on."""
    if day.waiting:
        return (counts_line(t, day),)
    if day.following is not None:
        return (t("mistakes_next", day=t.day(day.following)), counts_line(t, day))
    return (counts_line(t, day),) if day.learnt else (t("mistakes_empty"),)
