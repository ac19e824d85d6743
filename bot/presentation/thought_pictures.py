"""Pictures of agents' searches: boards side by side, the top of a tree, a whole tree.

They contain numbers and coordinates only; words are in the message. A won game is written as in chess, #5 for
a win with the fifth move from now, -#5 for a loss.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.domain.look import Theme
from bot.presentation.canvas import FAINT, GRID, INK, PAGE, PANEL, Canvas
from bot.presentation.colour import Colour
from bot.presentation.picture import draw_cells, draw_large
from bot.presentation.position import Marks
from engine.analysis.game_tree import Branch, Node
from engine.core import State
from engine.score import Score

GOOD: Colour = (0, 158, 115)
BAD: Colour = (213, 94, 0)
EVEN: Colour = (120, 126, 140)
CHOSEN: Colour = (240, 228, 66)
"""These differ in every common kind of colour blindness (Okabe and Ito, 2008)."""

_GAP = 14


@dataclass(frozen=True, slots=True)
class Leaf:
    """A move with the board it leads to, its score as text, and whether it was chosen."""

    name: str
    state: State
    marks: Marks
    score: str
    is_chosen: bool


def draw_boards(game_key: str, leaves: Sequence[Leaf], theme: Theme = Theme.CLASSIC) -> bytes:
    """Draw the boards in rows of four, each with its move above and its score below."""
    columns = min(4, len(leaves))
    rows = -(-len(leaves) // columns)
    width, height = 190, 236
    canvas = Canvas(columns * width + _GAP, rows * height + _GAP)
    for index, leaf in enumerate(leaves):
        left = _GAP + index % columns * width
        top = _GAP + index // columns * height
        box = (left, top, left + width - _GAP, top + height - _GAP)
        if leaf.is_chosen:
            canvas.panel((box[0] - 4, box[1] - 4, box[2] + 4, box[3] + 4), CHOSEN, 14)
        canvas.panel(box)
        middle = (box[0] + box[2]) / 2
        canvas.text(middle, top + 16, leaf.name, 17)
        picture = draw_large(game_key, leaf.state, leaf.marks, theme)
        canvas.picture(picture, middle, top + 110, width - 2 * _GAP - 4, 150)
        canvas.text(middle, box[3] - 16, leaf.score, 16, FAINT)
    return canvas.png()


def draw_tree(top: Sequence[tuple[str, Branch, Sequence[str]]], chosen: int) -> bytes:
    """Draw the root on the left, a row for each of its moves, and behind it the replies in search order.

    top: (name, branch, names of its replies) each. chosen: the index of the played move. A cut reply is
    crossed out, and its branch has a line through it.
    """
    row, reply_width, most = 62, 62, 8
    longest = min(most, max((len(branch.replies) for _, branch, _ in top), default=0))
    canvas = Canvas(232 + max(2, longest) * reply_width, len(top) * row + 2 * _GAP)
    root = (44.0, canvas.size[1] / 2)
    best = max((branch.value for _, branch, _ in top if branch.value is not None), default=Score())
    for place, (name, branch, names) in enumerate(top):
        y = _GAP + (place + 0.5) * row
        is_chosen = place == chosen
        canvas.line(
            [(root[0] + 20, root[1]), (126, y)], CHOSEN if is_chosen else GRID, 3.5 if is_chosen else 1.5
        )
        for index, reply in enumerate(branch.replies[:most]):
            x = 224 + (index + 0.5) * reply_width
            is_line = not reply.is_cut and reply.value == branch.value
            canvas.line([(x - reply_width + 28, y), (x - 28, y)], EVEN if is_line else GRID, 1.5)
            _draw_reply(canvas, x, y, names[index], reply, is_line=is_line)
        if len(branch.replies) > most:
            canvas.text(canvas.size[0] - 4, y + 24, f"+{len(branch.replies) - most}", 11, FAINT, anchor="rm")
        _draw_move(canvas, 160, y, name, branch, is_chosen=is_chosen)
    canvas.disc(*root, 26, CHOSEN)
    canvas.text(*root, number(best), 16, PAGE)
    return canvas.png()


def _draw_move(canvas: Canvas, x: float, y: float, name: str, branch: Branch, *, is_chosen: bool) -> None:
    if is_chosen:
        canvas.panel((x - 37, y - 27, x + 37, y + 27), CHOSEN, 10)
    canvas.panel((x - 34, y - 24, x + 34, y + 24), PANEL, 8)
    canvas.text(x, y - 10, name, 17)
    if branch.value is not None:
        # After a cut, the value is only an upper bound.
        is_bound = any(reply.is_cut for reply in branch.replies)
        canvas.text(x, y + 11, ("<= " if is_bound else "") + number(branch.value), 14, FAINT)


def _draw_reply(canvas: Canvas, x: float, y: float, name: str, reply: Branch, *, is_line: bool) -> None:
    if reply.is_cut:
        canvas.text(x, y, name, 14, GRID)
        canvas.line([(x - 12, y - 12), (x + 12, y + 12)], BAD, 2)
        canvas.line([(x - 12, y + 12), (x + 12, y - 12)], BAD, 2)
        return
    if is_line:
        canvas.panel((x - 27, y - 23, x + 27, y + 23), EVEN, 7)
    canvas.panel((x - 25, y - 21, x + 25, y + 21), PANEL, 6)
    canvas.text(x, y - 9, name, 14, FAINT)
    canvas.text(x, y + 10, number(reply.value or Score()), 14, INK)


def draw_whole_tree(game_key: str, levels: Sequence[Sequence[Node]], theme: Theme = Theme.CLASSIC) -> bytes:
    """Draw every position once, level by level.

    Frames and lines are green if the side that moves at the root wins, orange if it loses, grey for a draw;
    thick lines are best play.
    """
    cell, space = 58, 120
    width = max(300, max(len(level) for level in levels) * cell + 2 * _GAP)
    canvas = Canvas(width, (len(levels) - 1) * space + cell + 3 * _GAP)
    spots = [
        [
            (width * (index + 0.5) / len(level), _GAP * 1.5 + cell / 2 + row * space)
            for index in range(len(level))
        ]
        for row, level in enumerate(levels)
    ]
    for row, level in enumerate(levels[:-1]):
        for spot, node in zip(spots[row], level, strict=True):
            for place in sorted(node.followers, key=node.best.__contains__):
                x, y = spots[row + 1][place]
                is_best = place in node.best
                colour = _side(levels[row + 1][place].value) if is_best else GRID
                canvas.line([(spot[0], spot[1] + cell / 2), (x, y - cell / 2)], colour, 2.5 if is_best else 1)
    for row, level in enumerate(levels):
        for (x, y), node in zip(spots[row], level, strict=True):
            half = cell / 2 - 3
            canvas.panel((x - half, y - half, x + half, y + half), _side(node.value), 6)
            outcome = node.state.outcome()
            marks = Marks(line=outcome.line if outcome is not None else ())
            canvas.picture(draw_cells(game_key, node.state, marks, theme), x, y, cell - 12, cell - 12)
    return canvas.png()


def number(score: Score) -> str:
    """Return a score short enough for a picture: `#5` wins with the fifth move, `1.2k` is about 1,200."""
    sign = "-" if score < Score() else ""
    if score.moves is not None:
        return f"{sign}#{score.moves}"
    size = abs(score.heuristic or 0.0)
    if size >= 1000:
        return f"{sign}{size / 1000:.1f}k"
    return f"{sign}{size:.0f}"


def _side(value: int) -> Colour:
    return GOOD if value > 0 else BAD if value < 0 else EVEN
