"""A profile as a PNG: ratings through time, results, accuracy, streaks, medals and achievements.

Each number has a label in the reader's language, if the font has its letters. Colours are from Okabe and Ito,
"Color Universal Design", and can be distinguished with any colour vision.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from bot.presentation.canvas import EMPTY, FAINT, GRID, INK, PANEL, Box, Canvas
from bot.presentation.colour import Colour
from bot.presentation.lettering import letters
from bot.presentation.picture import draw_icon
from engine.games import GAMES

WIDTH = 900
_PAD = 16
_MIN_HEIGHT, _ROW, _LEGEND = 314, 84, 40
"""The height of the upper half: at least the first, more for many games, with a row each and their legend."""

_TILE = 132
_PLOT, _GAMES = (16, 566), (582, 884)
_AXES = (74, 532)
_SMALL = 15
_DOTTED, _MIDDLE_FROM = 40, 8
"""The maximum of matches drawn as dots; the minimum for a date in the middle of the axis."""


_WON: Colour = (0, 158, 115)
_DRAWN: Colour = (120, 126, 140)
_LOST: Colour = (213, 94, 0)
_MEDALS: tuple[Colour, Colour, Colour] = ((240, 194, 64), (190, 198, 208), (198, 132, 80))
_ACCURACY: Colour = (86, 180, 233)
_LINES: tuple[Colour, ...] = (
    *((86, 180, 233), (0, 158, 115), (230, 159, 0)),
    *((204, 121, 167), (240, 228, 66)),
)
_OTHER_LINE: Colour = (213, 94, 0)


def line_colour(game: str) -> Colour:
    """Return the colour of that game's ratings; the first games have their own, in the order of the menus."""
    place = tuple(GAMES).index(game) if game in GAMES else len(_LINES)
    return _LINES[place] if place < len(_LINES) else _OTHER_LINE


@dataclass(frozen=True, slots=True)
class RatingPoint:
    """The rating after one match."""

    game: str
    points: int
    day: date


@dataclass(frozen=True, slots=True)
class Results:
    """A game's rating and rated results, as text: its title, the rating with its margin, the rank.

    is_favourite: the game played most.
    """

    game: str
    title: str
    rating: str
    rank: str
    wins: int
    draws: int
    losses: int
    is_favourite: bool = False


@dataclass(frozen=True, slots=True)
class Words:
    """The labels of the picture. now, best: of the streak."""

    ratings: str
    won: str
    drawn: str
    lost: str
    favourite: str
    accuracy: str
    streak: str
    now: str
    best: str
    medals: str
    achievements: str
    between: str


@dataclass(frozen=True, slots=True)
class ProfileChart:
    """The numbers of the picture.

    steps: in order of time. newcomers: by game, the rating at the start of its line, if the steps go back to
    the start. accuracy: 0 to 1, or None. streak: wins in a row now, negative for losses, in the game played
    last. medals: the numbers of first, second and third places in seasons. earned, earnable: achievements.
    between: wins, draws and losses against the viewer, or None.
    """

    steps: Sequence[RatingPoint]
    newcomers: Mapping[str, int]
    results: Sequence[Results]
    accuracy: float | None
    streak: int
    best_streak: int
    medals: tuple[int, int, int]
    earned: int
    earnable: int
    between: tuple[int, int, int] | None = None


def draw_profile(chart: ProfileChart, words: Words) -> bytes:
    """Return a PNG, WIDTH pixels wide."""
    upper = max(_MIN_HEIGHT, len(chart.results) * _ROW + _LEGEND)
    canvas = Canvas(WIDTH, upper + _TILE + 3 * _PAD, letters)
    _draw_plot(canvas, chart, words, _PAD + upper)
    _draw_games(canvas, chart.results, words, _PAD + upper)
    captions = [words.accuracy, words.streak, words.medals, words.achievements]
    if chart.between:
        captions.append(words.between)
    tiles, top = len(captions), upper + 2 * _PAD
    width = (WIDTH - _PAD * (tiles + 1)) / tiles
    boxes = []
    for index, caption in enumerate(captions):
        left = _PAD + index * (width + _PAD)
        canvas.panel((left, top, left + width, top + _TILE))
        canvas.fitted(left + width / 2, top + _TILE - 17, caption, _SMALL, width - 16, FAINT)
        boxes.append((left, float(top), left + width, top + _TILE - 24.0))
    _draw_accuracy(canvas, boxes[0], chart.accuracy)
    _draw_streak(canvas, boxes[1], chart, words)
    _draw_medals(canvas, boxes[2], chart.medals)
    _draw_trophy(canvas, boxes[3], chart.earned, chart.earnable)
    if chart.between:
        _draw_between(canvas, boxes[4], chart.between)
    return canvas.png()


def _draw_plot(canvas: Canvas, chart: ProfileChart, words: Words, bottom: float) -> None:
    """Draw a line per game; every rated match is one step to the right."""
    left, right = _PLOT
    canvas.panel((left, _PAD, right, bottom))
    steps, newcomers = chart.steps, chart.newcomers
    if not steps:
        return
    canvas.text(_AXES[0], _PAD + 20, words.ratings, _SMALL, FAINT, anchor="lm")
    paths = {
        game: [(index + 1, step.points) for index, step in enumerate(steps) if step.game == game]
        for game in dict.fromkeys(step.game for step in steps)
    }
    for game, path in paths.items():
        if game in newcomers:
            # A single match makes a line, too: from the newcomer's rating to the one after it.
            path.insert(0, (path[0][0] - 1, newcomers[game]))
    scale = _round_scale([points for path in paths.values() for _, points in path])
    axes = _Axes(len(steps), scale, bottom - 34)
    axes.draw(canvas, steps)
    ends: list[tuple[float, float, str]] = []
    for game, path in paths.items():
        line = [axes.at(index, points) for index, points in path]
        end = axes.at(len(steps), path[-1][1])
        colour = line_colour(game)
        if end != line[-1]:  # other games were played since: a faint line leads to the icon
            canvas.line((line[-1], end), EMPTY, 2)
        if len(line) > 1:
            canvas.line(line, colour, 3)
        for x, y in line if len(line) <= _DOTTED else line[-1:]:
            canvas.disc(x, y, 4, colour)
        ends.append((*end, game))
    for x, y, game in _apart(ends):
        draw_icon(canvas, x + 18, y, 22, game)


@dataclass(frozen=True, slots=True)
class _Axes:
    """Maps matches and points to pixels. last: the last match's number; scale: (lowest, highest, every)."""

    last: int
    scale: tuple[int, int, int]
    bottom: float
    top: float = 60.0

    def at(self, number: float, points: float) -> tuple[float, float]:
        left, right = _AXES
        low, high, _ = self.scale
        share = (points - low) / (high - low)
        return left + (right - left) * number / self.last, self.bottom - (self.bottom - self.top) * share

    def draw(self, canvas: Canvas, steps: Sequence[RatingPoint]) -> None:
        left, right = map(float, _AXES)
        low, high, every = self.scale
        for points in range(low, high + 1, every):
            _, y = self.at(0, points)
            canvas.line(((left, y), (right, y)), GRID, 1)
            canvas.text(left - 8, y, str(points), 16, FAINT, anchor="rm")
        days: list[tuple[float, date]] = [(left, steps[0].day), (right, steps[-1].day)]
        if self.last >= _MIDDLE_FROM:
            days.insert(1, ((left + right) / 2, steps[self.last // 2].day))
        shown: dict[date, tuple[float, str]] = {}
        for (x, day), anchor in zip(days, ("lm", "mm", "rm") if len(days) > 2 else ("lm", "rm"), strict=True):
            shown.setdefault(day, (x, anchor))
        for day, (x, anchor) in shown.items():
            canvas.text(x, self.bottom + 18, day.isoformat(), 15, FAINT, anchor=anchor)


def _round_scale(points: Sequence[int]) -> tuple[int, int, int]:
    """Return (lowest, highest, every), a scale of round numbers that covers the points."""
    spread = max(points) - min(points)
    every = next(step for step in (20, 50, 100, 200, 500, 1000, 5000) if spread / step <= 4.5 or step == 5000)
    low = min(points) // every * every
    high = -(-max(points) // every) * every
    return (low, high, every) if high > low else (low - every, high + every, every)


def _apart(ends: Sequence[tuple[float, float, str]]) -> list[tuple[float, float, str]]:
    """Return the ends of the lines, moved apart so that their icons do not overlap."""
    found: list[tuple[float, float, str]] = []
    for x, y, game in sorted(ends, key=lambda end: end[1]):
        lowest = found[-1][1] + 25 if found else y
        found.append((x, max(y, lowest), game))
    return found


def _draw_games(canvas: Canvas, results: Sequence[Results], words: Words, bottom: float) -> None:
    """Draw each game's icon, title, rating and rank, and a bar of won, drawn and lost matches."""
    left, right = _GAMES
    canvas.panel((left, _PAD, right, bottom))
    height = (bottom - _LEGEND - _PAD) / max(3, len(results))
    for index, found in enumerate(results):
        top = _PAD + 6 + height * index + (height - _ROW) / 2
        draw_icon(canvas, left + 42, top + 28, 42, found.game)
        title = right - left - 94.0
        if found.is_favourite:
            width = canvas.width_of(words.favourite, _SMALL)
            canvas.text(right - 20, top + 13, words.favourite, _SMALL, FAINT, anchor="rm")
            canvas.star(right - 32 - width, top + 13, 8, _MEDALS[0])
            title -= width + 30
        canvas.fitted(left + 74, top + 13, found.title, _SMALL, title, FAINT, anchor="lm")
        rank = min(100.0, canvas.width_of(found.rank, _SMALL))
        canvas.fitted(right - 20, top + 39, found.rank, _SMALL, rank, FAINT, anchor="rm")
        canvas.fitted(left + 74, top + 39, found.rating, 26, right - left - 102 - rank, anchor="lm")
        counts = (found.wins, found.draws, found.losses)
        _draw_bar(canvas, (left + 20, top + 58, right - 20, top + 78), counts)
    _draw_legend(canvas, words, bottom - _LEGEND / 2)


def _draw_legend(canvas: Canvas, words: Words, y: float) -> None:
    """Draw the legend of the bars' colours."""
    left, right = _GAMES
    named = list(zip((words.won, words.drawn, words.lost), (_WON, _DRAWN, _LOST), strict=True))
    room = (right - left - 40) / len(named)
    for index, (word, colour) in enumerate(named):
        x = left + 20 + room * index
        canvas.block((x, y - 6, x + 12, y + 6), colour)
        canvas.fitted(x + 18, y, word, _SMALL, room - 22, FAINT, anchor="lm")


def _draw_bar(canvas: Canvas, box: Box, counts: tuple[int, int, int]) -> None:
    """Draw a bar of won, drawn, lost; every non-empty part is wide enough for its number."""
    left, top, right, bottom = box
    shown = [(count, colour) for count, colour in zip(counts, (_WON, _DRAWN, _LOST), strict=True) if count]
    if not shown:
        canvas.block(box, EMPTY)
        return
    least = [14.0 + 9 * len(str(count)) for count, _ in shown]
    spare = max(0.0, right - left - sum(least) - 2 * (len(shown) - 1))
    total = sum(count for count, _ in shown)
    x = left
    for (count, colour), width in zip(shown, least, strict=True):
        end = x + width + spare * count / total
        canvas.block((x, top, end, bottom), colour)
        canvas.text((x + end) / 2, (top + bottom) / 2, str(count), 17)
        x = end + 2


def _draw_accuracy(canvas: Canvas, box: Box, accuracy: float | None) -> None:
    """Draw a ring that is filled in proportion to the accuracy."""
    x, y = _middle(box)
    canvas.ring(x, y, 42, accuracy or 0.0, _ACCURACY, 9)
    canvas.text(x, y, "-" if accuracy is None else f"{accuracy:.0%}", 21)


def _draw_streak(canvas: Canvas, box: Box, chart: ProfileChart, words: Words) -> None:
    """Draw an arrow up or down with the current streak, and the longest one below a bar."""
    _, y = _middle(box)
    left, size, top = box[0] + 24, 12, y - 22
    if chart.streak > 0:
        canvas.shape(((left - size, top + size), (left, top - size), (left + size, top + size)), _WON)
    elif chart.streak < 0:
        canvas.shape(((left - size, top - size), (left, top + size), (left + size, top - size)), _LOST)
    else:
        canvas.block((left - size, top - 4, left + size, top + 4), _DRAWN)
    canvas.line(((box[0] + 12, y + 4), (box[2] - 12, y + 4)), GRID, 2)
    canvas.star(left, y + 28, 10, _MEDALS[0])
    now, best = (top, abs(chart.streak), 30, words.now), (y + 28, chart.best_streak, 24, words.best)
    for middle, number, height, word in (now, best):
        shown = min(60.0, canvas.width_of(str(number), height))
        canvas.fitted(left + 22, middle, str(number), height, shown, anchor="lm")
        canvas.fitted(left + 30 + shown, middle, word, _SMALL, box[2] - left - 38 - shown, FAINT, anchor="lm")


def _draw_medals(canvas: Canvas, box: Box, medals: tuple[int, int, int]) -> None:
    """Draw three medals with their counts; missing ones are hollow."""
    x, y = _middle(box)
    step = min(58.0, (box[2] - box[0]) / 3.2)
    for index, count in enumerate(medals):
        centre = x + (index - 1) * step
        colour = _MEDALS[index] if count else EMPTY
        canvas.shape(((centre - 13, y - 40), (centre + 13, y - 40), (centre, y - 8)), colour)
        canvas.disc(centre, y - 4, 20, colour)
        canvas.disc(centre, y - 4, 15, PANEL if not count else _darker(colour))
        canvas.text(centre, y - 4, str(index + 1), 18, FAINT if not count else INK)
        canvas.text(centre, y + 32, str(count), 18, FAINT if not count else INK)


def _draw_trophy(canvas: Canvas, box: Box, earned: int, earnable: int) -> None:
    """Draw a cup above the numbers of earned and possible achievements."""
    x, y = _middle(box)
    colour = _MEDALS[0] if earned else EMPTY
    for side in (-1, 1):
        canvas.disc(x + side * 19, y - 30, 11, colour)
        canvas.disc(x + side * 19, y - 30, 6, PANEL)
    canvas.shape(((x - 22, y - 44), (x + 22, y - 44), (x + 15, y - 18), (x, y - 8), (x - 15, y - 18)), colour)
    canvas.block((x - 4, y - 12, x + 4, y + 2), colour)
    canvas.block((x - 16, y + 2, x + 16, y + 8), colour)
    canvas.text(x, y + 31, f"{earned} / {earnable}", 22)


def _draw_between(canvas: Canvas, box: Box, between: tuple[int, int, int]) -> None:
    """Draw two heads, and the results between them."""
    x, y = _middle(box)
    for side, colour in ((-1, _WON), (1, _LOST)):
        middle = x + side * 26
        canvas.disc(middle, y - 34, 10, colour)
        canvas.panel((middle - 16, y - 21, middle + 16, y - 3), colour, 9)
    _draw_bar(canvas, (box[0] + 14, y + 16, box[2] - 14, y + 38), between)


def _middle(box: Box) -> tuple[float, float]:
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def _darker(colour: Colour) -> Colour:
    red, green, blue = (part * 2 // 3 for part in colour)
    return red, green, blue
