"""Explanations of an agent's move from its search, in lines of text and as a picture."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import discord
from discord import ui

from bot.domain.match import Match
from bot.i18n import Text, plain, plain_line, shortened
from bot.presentation import Look, Theme, marks_of
from bot.presentation.status import MOST_OF_REASON
from bot.presentation.thought_pictures import Leaf, draw_boards, draw_tree, draw_whole_tree, number
from bot.presentation.tournament_texts import forfeit_line
from bot.presentation.verdicts import move_words, score_words, why_words
from bot.services.reviews import Reviews
from bot.ui.board import board_with_threats
from bot.ui.layout import Item, box, gallery, lines
from engine.agents.levels import Level
from engine.agents.roster import Roster
from engine.analysis.game_tree import fits_whole, search_score, tree_top, whole_tree
from engine.core import Choice, Move, State
from engine.games import game as game_of
from engine.games import spec_of
from engine.score import Score

BAR = 12
MOST_ROWS = 12
MOST_SAID = 800
COMPARED_DEPTH = 4
"""Deep enough to show what pruning saves, and quick without it."""

TREES = frozenset({"alphabeta", "minimax", "overlooking"})


@dataclass(frozen=True, slots=True)
class Explanation:
    """lines: of the message. listed: lines that the picture replaces once it is drawn.

    draw: makes the PNG, slowly. description: its alternative text. scores: of the listed moves; higher is
    better. varied: why the agent played one with a lower score.
    """

    lines: tuple[str, ...]
    listed: tuple[str, ...] = ()
    draw: Callable[[], bytes] | None = None
    description: str = ""
    scores: Mapping[Move, float] = field(default_factory=dict)
    varied: str | None = None


@dataclass(frozen=True, slots=True)
class ExplainedMove:
    """A move of an agent. state: before the move. theme: of its pictures."""

    match: Match
    ply: int
    state: State
    theme: Theme

    @property
    def played(self) -> Move:
        return self.match.moves[self.ply]

    def name(self, move: Move) -> str:
        return game_of(self.match.game).move_name(self.state, move)


def explanation_view(
    t: Text,
    asked: ExplainedMove,
    level: Level,
    explanation: Explanation,
    look: Look,
    files: tuple[discord.File, ...] = (),
) -> ui.LayoutView:
    """Return the message; files: the pictures, once they are drawn."""
    match, ply = asked.match, asked.ply
    rules = game_of(match.game)
    marks = marks_of(rules, match.states[0], match.moves[:ply])
    how = t(f"thinks_{level.kind}") if f"thinks_{level.kind}" in t else t("thinks_other")
    misses = t("thinks_but_misses") if level.misses_moves and level.kind != "overlooking" else None
    name = plain(match.seats[asked.state.to_move].name)
    move = move_words(t, match.game, asked.state, asked.played)
    why = why_words(t, match.game, asked.state, asked.played)
    played = t("hint_move", move=move, why=why) if why else t("explain_played", move=move)
    parts: list[Item] = [
        lines(f"### {t('explain_title', name=name, number=ply + 1)}", how, misses),
        *board_with_threats(t, match.game, asked.state, marks, look),
        lines(*(() if files else explanation.listed), *explanation.lines, played, explanation.varied),
    ]
    if files:
        parts.append(gallery(*files))
    return box(*parts)


async def explain_search(
    reviews: Reviews, roster: Roster, t: Text, asked: ExplainedMove, level: Level
) -> Explanation:
    """Search the position again as the level does, and explain the result."""
    found = await _search_again(reviews, roster, t, asked, level)
    return replace(found, varied=varied_line(t, asked.played, level, found.scores))


def varied_line(t: Text, played: Move, level: Level, scores: Mapping[Move, float]) -> str | None:
    """Return why a level that varies its moves played one with a lower score; None if it did not."""
    is_lower = played in scores and scores[played] < max(scores.values())
    return t("explain_varies") if is_lower and "spread=" in level.agent else None


async def _search_again(
    reviews: Reviews, roster: Roster, t: Text, asked: ExplainedMove, level: Level
) -> Explanation:
    kind, match, state = level.kind, asked.match, asked.state
    if kind == "perfect":
        return _evaluated(t, asked, await reviews.score_moves(match, state))
    choice = await reviews.ask(match, state, roster, level, asked.played)
    if kind == "pattern":
        # Its search values the best move only, so a short search values every move.
        return _evaluated(t, asked, await reviews.score_moves(match, state), _reached(t, choice))
    if choice.info.visits:
        return _visits(t, asked, choice)
    # A tree in plain Python would take minutes.
    if kind in TREES and spec_of(match.game).search.board is not None:
        pruned, full = await reviews.compare(match, state, COMPARED_DEPTH)
        said = t("explain_pruning", depth=COMPARED_DEPTH, pruned=pruned, full=full)
        return _tree(t, asked, choice, said, prunes=kind != "minimax")
    found = _scores(t, asked, choice)
    return replace(found, lines=(*_failed(t, asked, choice), *_printed(t, choice), *found.lines))


async def whole_tree_of(asked: ExplainedMove, t: Text) -> Explanation | None:
    """Return a drawing of the whole game tree of the position, where it is small enough."""
    if not fits_whole(asked.state):
        return None
    levels = await asyncio.to_thread(whole_tree, asked.state)
    count = sum(map(len, levels))
    said = t("explain_whole_tree", n=count)
    draw = partial(draw_whole_tree, asked.match.game, levels, asked.theme)
    return Explanation((said,), draw=draw, description=said)


def _visits(t: Text, asked: ExplainedMove, choice: Choice) -> Explanation:
    visits = sorted(choice.info.visits, key=lambda pair: -pair[1])[:MOST_ROWS]
    means, most = dict(choice.info.move_scores), max(1, visits[0][1])
    rows = [(move, count, (1 + means.get(move, -1.0)) / 2) for move, count in visits if count]
    said = [
        t("explain_visits", bar=_bar(count / most), move=asked.name(move), n=count, rate=t.percent(rate))
        for move, count, rate in rows
    ]
    return Explanation((*said, *_nodes(t, choice)), scores=dict(visits))


def _evaluated(
    t: Text, asked: ExplainedMove, scores: Mapping[Move, Score], reached: Sequence[str] = ()
) -> Explanation:
    ordered = sorted(scores.items(), key=lambda pair: -_height(pair[1]))[:MOST_ROWS]
    said = [
        t(
            "explain_worth",
            bar=_bar((1 + _height(score)) / 2),
            move=asked.name(move),
            worth=score_words(t, asked.match.game, score),
        )
        for move, score in ordered
    ]
    heights = {move: _height(score) for move, score in scores.items()}
    return Explanation((*said, *reached), scores=heights)


def _scores(t: Text, asked: ExplainedMove, choice: Choice) -> Explanation:
    scores = sorted(choice.info.move_scores, key=lambda pair: -pair[1])[:MOST_ROWS]
    if not scores:
        return Explanation(())
    rules = game_of(asked.match.game)
    leaves = [
        Leaf(
            asked.name(move),
            asked.state.play(move),
            marks_of(rules, asked.state, (move,)),
            number(_at_a_glance(asked, move, score)),
            move == asked.played,
        )
        for move, score in scores
    ]
    said = ", ".join(
        f"{asked.name(move)}: {_in_words(t, asked.match.game, _at_a_glance(asked, move, score))}"
        for move, score in scores
    )
    return Explanation(
        (*_nodes(t, choice), t("explain_boards_legend")),
        tuple(_score_lines(t, asked, scores, _at_a_glance)),
        partial(draw_boards, asked.match.game, leaves, asked.theme),
        t("explain_boards_described", moves=said),
    )


def _tree(t: Text, asked: ExplainedMove, choice: Choice, pruning: str, *, prunes: bool) -> Explanation:
    scores = sorted(choice.info.move_scores, key=lambda pair: -pair[1])[:MOST_ROWS]
    listed = _score_lines(t, asked, scores, lambda asked, _move, value: search_score(asked.state, value))
    said = (*listed, *_nodes(t, choice), pruning, t("explain_tree_legend"))
    described = t(
        "explain_tree_described", depth=COMPARED_DEPTH, moves=", ".join(map(asked.name, _moves(asked)))
    )
    return Explanation(said, draw=partial(_draw_tree, asked, prunes), description=described)


def _draw_tree(asked: ExplainedMove, prunes: bool) -> bytes:
    """Search and draw the tree; slow, so it runs in a thread."""
    rules = game_of(asked.match.game)
    branches = tree_top(asked.state, COMPARED_DEPTH, prunes=prunes)
    shown = [branch for branch in branches if branch.move in _moves(asked)]
    top = []
    for branch in shown:
        after = asked.state.play(branch.move)
        names = [rules.move_name(after, reply.move) for reply in branch.replies]
        top.append((asked.name(branch.move), branch, names))
    return draw_tree(top, [branch.move for branch in shown].index(asked.played))


def _moves(asked: ExplainedMove) -> tuple[Move, ...]:
    """Return the legal moves, as many as fit, with the played one among them."""
    legal = asked.state.legal_moves()
    others = [move for move in legal if move != asked.played][: MOST_ROWS - 1]
    return tuple(move for move in legal if move == asked.played or move in others)


def _at_a_glance(asked: ExplainedMove, move: Move, value: float) -> Score:
    """Return the value of an agent that looks one move ahead: a win, or points in its own unit."""
    outcome = asked.state.play(move).outcome()
    has_won = outcome is not None and outcome.winner is asked.state.to_move
    return Score.won(1) if has_won else Score.guess(value)


def _score_lines(
    t: Text,
    asked: ExplainedMove,
    scores: Sequence[tuple[Move, float]],
    meant: Callable[[ExplainedMove, Move, float], Score],
) -> list[str]:
    """Return a line for each move. meant: converts a move's value to a score."""
    if not scores:
        return []
    low, high = scores[-1][1], scores[0][1]
    return [
        t(
            "explain_score",
            bar=_bar((score - low) / (high - low) if high > low else 1.0),
            move=asked.name(move),
            score=_in_words(t, asked.match.game, meant(asked, move, score)),
        )
        for move, score in scores
    ]


def _in_words(t: Text, game: str, score: Score) -> str:
    """Return a result with its distance, or points, whose unit differs between agents."""
    if score.moves is not None:
        return score_words(t, game, score)
    return t("explain_points", n=round(abs(score.heuristic or 0.0)), points=number(score))


def _failed(t: Text, asked: ExplainedMove, choice: Choice) -> tuple[str, ...]:
    """Return why the agent gives no move here, or how often it gave none in the match, if it did."""
    name, own = plain(asked.match.seats[asked.state.to_move].name), asked.match.forfeits[asked.state.to_move]
    if not choice.info.forfeit:
        return (forfeit_line(name, own, t),) if own.count else ()
    return (t("played_at_random", name=name, reason=plain_line(choice.info.forfeit, MOST_OF_REASON)),)


def _printed(t: Text, choice: Choice) -> tuple[str, ...]:
    """Return the output of a plug-in in a code block, where Markdown and mentions have no effect."""
    said = choice.info.said.strip("\n").replace("`", "'")
    return (t("explain_said"), f"```text\n{shortened(said, MOST_SAID)}\n```") if said.strip() else ()


def _nodes(t: Text, choice: Choice) -> tuple[str, ...]:
    return (t("explain_nodes", n=choice.info.nodes),) if choice.info.nodes else ()


def _reached(t: Text, choice: Choice) -> tuple[str, ...]:
    """Return how deep the search went; nothing for a forced move."""
    if choice.info.depth:
        return (t("explain_depth", n=choice.info.nodes, depth=choice.info.depth),)
    return (t("explain_book"),) if choice.info.move_scores else ()


def _height(score: Score) -> float:
    """Return the length of a score's bar, from -1 to 1: results outweigh estimates, quick wins late ones."""
    if score.discs is not None and score.exact:
        return score.discs / 64
    return score.expectation * (1 - (score.moves or 0) / 50)


def _bar(share: float) -> str:
    filled = max(0, min(BAR, round(share * BAR)))
    return "█" * filled + "░" * (BAR - filled)
