"""What an agent's search said, as lines of text and as a picture: a pair for each kind of agent."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from bot.domain.match import Match
from bot.i18n import Text, shortened
from bot.presentation import Theme, marks_of
from bot.presentation.thought_pictures import Leaf, draw_boards, draw_tree, draw_whole_tree, number
from bot.presentation.verdicts import score_words
from bot.ui.client import Interaction
from engine.agents.levels import Level
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
class Thoughts:
    """lines: of the message. listed: what the picture shows, too, in words until it is there.

    draw: makes the PNG, slowly; described: what it shows, in words.
    """

    lines: tuple[str, ...]
    listed: tuple[str, ...] = ()
    draw: Callable[[], bytes] | None = None
    described: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """A position that an agent has moved from: the match, how many moves before, what it played."""

    match: Match
    ply: int
    state: State
    theme: Theme

    @property
    def played(self) -> Move:
        return self.match.moves[self.ply]

    def name(self, move: Move) -> str:
        return game_of(self.match.game).move_name(self.state, move)


async def thoughts_of(interaction: Interaction, t: Text, asked: Asked, level: Level) -> Thoughts:
    """What the level says when it is asked about the position again."""
    kind, reviews, roster = (
        level.kind,
        interaction.client.services.reviews,
        interaction.client.services.roster,
    )
    match, state = asked.match, asked.state
    if kind == "perfect":
        return _evaluated(t, asked, await reviews.score_moves(match, state))
    choice = await reviews.ask(match, state, roster, level, asked.played)
    if kind == "pattern":
        # It values its best move only, so every move is valued by the same search for a moment.
        return _evaluated(t, asked, await reviews.score_moves(match, state), _reached(t, choice))
    if choice.info.visits:
        return _visits(t, asked, choice)
    # A tree in plain Python would take minutes.
    if kind in TREES and spec_of(match.game).search.board is not None:
        pruned, full = await reviews.compare(match, state, COMPARED_DEPTH)
        said = t("explain_pruning", depth=COMPARED_DEPTH, pruned=pruned, full=full)
        return _tree(t, asked, choice, said, prunes=kind != "minimax")
    thoughts = _scores(t, asked, choice)
    return replace(thoughts, lines=(*_said(t, choice), *thoughts.lines))


async def whole_tree_of(asked: Asked, t: Text) -> Thoughts | None:
    """The whole tree from the position, where it is small enough."""
    if not fits_whole(asked.state):
        return None
    levels = await asyncio.to_thread(whole_tree, asked.state)
    count = sum(map(len, levels))
    said = t("explain_whole_tree", n=count)
    draw = partial(draw_whole_tree, asked.match.game, levels, asked.theme)
    return Thoughts((said,), draw=draw, described=said)


def _visits(t: Text, asked: Asked, choice: Choice) -> Thoughts:
    visits = sorted(choice.info.visits, key=lambda pair: -pair[1])[:MOST_ROWS]
    means, most = dict(choice.info.move_scores), max(1, visits[0][1])
    rows = [(move, count, (1 + means.get(move, -1.0)) / 2) for move, count in visits]
    lines = [
        t("explain_visits", bar=_bar(count / most), move=asked.name(move), n=count, rate=t.percent(rate))
        for move, count, rate in rows
    ]
    return Thoughts((*lines, *_nodes(t, choice)))


def _evaluated(t: Text, asked: Asked, scores: Mapping[Move, Score], reached: Sequence[str] = ()) -> Thoughts:
    ordered = sorted(scores.items(), key=lambda pair: -_height(pair[1]))[:MOST_ROWS]
    lines = [
        t(
            "explain_worth",
            bar=_bar((1 + _height(score)) / 2),
            move=asked.name(move),
            worth=score_words(t, score),
        )
        for move, score in ordered
    ]
    return Thoughts((*lines, *reached))


def _scores(t: Text, asked: Asked, choice: Choice) -> Thoughts:
    scores = sorted(choice.info.move_scores, key=lambda pair: -pair[1])[:MOST_ROWS]
    if not scores:
        return Thoughts(())
    rules, start = game_of(asked.match.game), game_of(asked.match.game).start(asked.match.board)
    before = asked.match.moves[: asked.ply]
    leaves = [
        Leaf(
            asked.name(move),
            asked.state.play(move),
            marks_of(rules, start, (*before, move)),
            number(_at_a_glance(asked, move, score)),
            move == asked.played,
        )
        for move, score in scores
    ]
    said = ", ".join(
        f"{asked.name(move)}: {_in_words(t, _at_a_glance(asked, move, score))}" for move, score in scores
    )
    return Thoughts(
        (*_nodes(t, choice), t("explain_boards_legend")),
        tuple(_score_lines(t, asked, scores, _at_a_glance)),
        partial(draw_boards, asked.match.game, leaves, asked.theme),
        t("explain_boards_described", moves=said),
    )


def _tree(t: Text, asked: Asked, choice: Choice, pruning: str, *, prunes: bool) -> Thoughts:
    scores = sorted(choice.info.move_scores, key=lambda pair: -pair[1])[:MOST_ROWS]
    listed = _score_lines(t, asked, scores, lambda asked, _move, value: search_score(asked.state, value))
    lines = (*listed, *_nodes(t, choice), pruning, t("explain_tree_legend"))
    described = t(
        "explain_tree_described", depth=COMPARED_DEPTH, moves=", ".join(map(asked.name, _moves(asked)))
    )
    return Thoughts(lines, draw=partial(_draw_tree, asked, prunes), described=described)


def _draw_tree(asked: Asked, prunes: bool) -> bytes:
    """Searches and draws; to be run in a thread."""
    rules = game_of(asked.match.game)
    branches = tree_top(asked.state, COMPARED_DEPTH, prunes=prunes)
    shown = [branch for branch in branches if branch.move in _moves(asked)]
    top = []
    for branch in shown:
        after = asked.state.play(branch.move)
        names = [rules.move_name(after, reply.move) for reply in branch.replies]
        top.append((asked.name(branch.move), branch, names))
    return draw_tree(top, [branch.move for branch in shown].index(asked.played))


def _moves(asked: Asked) -> tuple[Move, ...]:
    """As many of the legal moves as fit, the one that was played among them."""
    legal = asked.state.legal_moves()
    others = [move for move in legal if move != asked.played][: MOST_ROWS - 1]
    return tuple(move for move in legal if move == asked.played or move in others)


def _at_a_glance(asked: Asked, move: Move, value: float) -> Score:
    """What somebody who looks no further than one move says of it, in a unit of their own."""
    outcome = asked.state.play(move).outcome()
    has_won = outcome is not None and outcome.winner is asked.state.to_move
    return Score.won(1) if has_won else Score.guess(value)


def _score_lines(
    t: Text,
    asked: Asked,
    scores: Sequence[tuple[Move, float]],
    meant: Callable[[Asked, Move, float], Score],
) -> list[str]:
    """A line for each move; meant: what its value says."""
    if not scores:
        return []
    low, high = scores[-1][1], scores[0][1]
    return [
        t(
            "explain_score",
            bar=_bar((score - low) / (high - low) if high > low else 1.0),
            move=asked.name(move),
            score=_in_words(t, meant(asked, move, score)),
        )
        for move, score in scores
    ]


def _in_words(t: Text, score: Score) -> str:
    """A result with its moves, and any other score as points, which every agent counts in its own way."""
    if score.moves is not None:
        return score_words(t, score)
    return t("explain_points", n=round(abs(score.heuristic or 0.0)), points=number(score))


def _said(t: Text, choice: Choice) -> tuple[str, ...]:
    """What a plug-in printed, as it stands; within its block nothing of it is Markdown or a mention."""
    said = choice.info.said.strip("\n").replace("`", "'")
    return (t("explain_said"), f"```text\n{shortened(said, MOST_SAID)}\n```") if said.strip() else ()


def _nodes(t: Text, choice: Choice) -> tuple[str, ...]:
    return (t("explain_nodes", n=choice.info.nodes),) if choice.info.nodes else ()


def _reached(t: Text, choice: Choice) -> tuple[str, ...]:
    """How deep it looked; nothing where there was only one move to make."""
    if choice.info.depth:
        return (t("explain_depth", n=choice.info.nodes, depth=choice.info.depth),)
    return (t("explain_book"),) if choice.info.move_scores else ()


def _height(score: Score) -> float:
    """For ordering and for bars, -1 to 1: results first, then quick wins and late losses."""
    if score.discs is not None and score.exact:
        return score.discs / 64
    return score.expectation * (1 - (score.moves or 0) / 50)


def _bar(share: float) -> str:
    filled = max(0, min(BAR, round(share * BAR)))
    return "█" * filled + "░" * (BAR - filled)
