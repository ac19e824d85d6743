"""Make the screens in docs/pictures (looks, boards, start …): messages as Discord shows them.

The messages are the bot's own, laid out by a headless Chromium in the measures of Discord's web app: text of
16 pixels in lines of 22, emoji as high as the line, containers, buttons, and the backgrounds of the four
themes. Run again after changing how boards look: python -m tools.make_screens
"""

from __future__ import annotations

import asyncio
import base64
import html
import io
import re
import shutil
import sys
import time
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from discord import File, ui
from PIL import Image
from playwright.sync_api import sync_playwright

from bot.domain.clock import Clock
from bot.domain.course import PER_GRADE, Course, CourseKind
from bot.domain.location import Channel
from bot.domain.look import Look, Size, Theme
from bot.domain.match import Held, Match
from bot.domain.panel_choices import Mode, Start
from bot.domain.seat import Seat
from bot.domain.terms import Fair
from bot.domain.training import Mistake, TrainingDay, blunders
from bot.i18n import Text, Texts
from bot.presentation import Marks
from bot.presentation.examples import example
from bot.presentation.position import marks_of
from bot.presentation.tiles.grid import all_tiles
from bot.presentation.tiles.tile import Tile, png
from bot.services.courses import CourseAnswer
from bot.services.training import PosedMistake, Trained
from bot.ui.board import board_part, board_with_threats, pictures_of
from bot.ui.layout import box
from bot.ui.match.coach_views import held_view
from bot.ui.match.views import board_view
from bot.ui.panel.views import more_choices_view, offer_of, panel_view
from bot.ui.puzzle.course_views import course_view, over_view
from bot.ui.puzzle.mistake_views import mistake_view, trained_view
from bot.ui.review.views import PLOT, opening_ply, review_message
from engine.agents.roster import Roster
from engine.analysis.evaluators import Estimator
from engine.analysis.puzzles import course, puzzles
from engine.analysis.review import review
from engine.core import Limit, Player, State, replay
from engine.games import GAMES, SPECS, spec_of
from engine.games.notation import parse_moves
from tools.picture_list import note
from tools.twemoji import BACKGROUNDS

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
PHONE, DESKTOP = 390, 620
DRAWN = (Theme.CLASSIC, Theme.DARK, Theme.COLOUR_BLIND, Theme.SHAPES)
ID = 10**18
NOW = datetime(2026, 1, 1, tzinfo=UTC)
HOUR = 3600

THREATS = "11232253456731137563664213557"
"""Moves to a position of Connect Four with every kind of threat."""

AGAINST_MIA = "4456362"
"""A short match: a person's moves, and Mia's answers to them as the engine plays them with seed 3."""

MISTAKEN = "52544232431"
"""A game in which the first player misses a win and lets the other one win at once."""

OVERLOOKED = "1424741"
"""A match against Mia in which the person overlooks three of hers in a column."""

SCALES = {"looks": 1.0}
"""Pixels of a picture for a pixel of Discord, where it is not 1.5."""

FRAME_MILLISECONDS = 1200
LAST_FRAME_MILLISECONDS = 4000

INKS = {"light": "#2E3035", "ash": "#DBDCDF", "dark": "#DFE0E2", "onyx": "#DFE0E2"}
CONTAINERS = {"light": "#FFFFFF", "ash": "#393A41", "dark": "#242429", "onyx": "#131416"}
BUTTONS = {"light": "#ECEDF0", "ash": "#4A4B52", "dark": "#34353B", "onyx": "#26272B"}
COLOURS = {1: "#5865F2", 3: "#00863A", 4: "#D22D39"}
"""Colours of buttons by style; the other styles use the theme's."""

STYLE = """
body { margin: 0; display: inline-flex; align-items: stretch;
       font: 16px/22px "gg sans", "Noto Sans", sans-serif; }
.ground { padding: 16px; box-sizing: border-box; }
.box { border: 1px solid #8884; border-left: 4px solid #8884; border-radius: 8px; padding: 12px 16px;
       max-width: 600px; box-sizing: border-box; display: flex; flex-direction: column; gap: 8px;
       width: fit-content; }
.ground.message .box { width: 100%; }
.ground.message .box + .box { margin-top: 12px; }
.text { white-space: pre-wrap; overflow-wrap: anywhere; }
.text h3 { font-size: 16px; line-height: 22px; margin: 0; }
.text small { display: block; font-size: 13px; line-height: 18px; opacity: .75; }
.text pre { font: 14px/18px "Noto Sans Mono", monospace; margin: 0; padding: 8px; border: 1px solid #8886;
            border-radius: 4px; }
.emoji { width: 1.375em; height: 1.375em; vertical-align: bottom; }
.section { display: flex; justify-content: space-between; gap: 16px; }
.row { display: flex; flex-wrap: wrap; gap: 8px; }
.button { min-width: 60px; height: 32px; box-sizing: border-box; padding: 0 12px; border-radius: 8px;
          font-size: 14px; font-weight: 500; display: flex; align-items: center; justify-content: center;
          gap: 4px; }
.button .emoji { width: 20px; height: 20px; }
.select { width: 100%; min-height: 40px; box-sizing: border-box; padding: 8px 12px; border-radius: 8px;
          display: flex; justify-content: space-between; }
.off { opacity: .5; }
.picture { max-width: 100%; border-radius: 8px; display: block; }
.boards { display: flex; }
.grounds { display: grid; grid-template-columns: auto auto; }
.looks { display: grid; grid-template-columns: auto; gap: 12px; }
.looks .line { display: flex; gap: 12px; align-items: flex-start; }
.looks .picture { width: 220px; }
"""


class Screens:
    """Turns messages into HTML. emoji: each tile's file by its name in a message."""

    def __init__(self) -> None:
        tiles: list[Tile] = list(all_tiles())
        self.written: Mapping[Hashable, str] = {
            tile: f"<:t{number}:{ID}>" for number, tile in enumerate(tiles)
        }
        self._files = {f"t{number}": png(tile) for number, tile in enumerate(tiles)}

    def message(self, view: ui.LayoutView, theme: str, drawn: Iterable[File] = ()) -> str:
        """Return the message as HTML. drawn: pictures beside those of the view's boards."""
        files = (*drawn, *asyncio.run(pictures_of(view)))
        known = {file.filename: file.fp.read() for file in files}
        parts: Any = view.to_components()  # type: ignore[no-untyped-call]
        return "".join(self._part(part, theme, known) for part in parts)

    def _part(self, part: Any, theme: str, pictures: Mapping[str, bytes]) -> str:
        inside = "".join(self._part(child, theme, pictures) for child in part.get("components", ()))
        match part["type"]:
            case 17:
                colour = part.get("accent_color")
                edge = "" if colour is None else f"border-left-color:#{colour:06x}"
                return f'<div class="box" style="background:{CONTAINERS[theme]};{edge}">{inside}</div>'
            case 10:
                return f'<div class="text">{self.text(part["content"])}</div>'
            case 9:
                button = self._part(part["accessory"], theme, pictures)
                return f'<div class="section">{inside}{button}</div>'
            case 1:
                return f'<div class="row">{inside}</div>'
            case 2:
                return self._button(part, theme)
            case 3 | 5:
                return self._select(part, theme)
            case 12:
                files = (
                    pictures[item["media"]["url"].removeprefix("attachment://")] for item in part["items"]
                )
                return "".join(f'<img class="picture" src="{_data(file)}">' for file in files)
        raise ValueError(f"no such part is drawn: {part['type']}")

    def text(self, content: str) -> str:
        blocks = re.split(r"```\n?(.*?)\n?```", content, flags=re.DOTALL)
        return "".join(
            f"<pre>{html.escape(block)}</pre>" if number % 2 else self._lines(block)
            for number, block in enumerate(blocks)
        )

    def _lines(self, block: str) -> str:
        found = []
        for line in block.split("\n"):
            text = self._inline(html.escape(line.removeprefix("### ").removeprefix("-# "), quote=False))
            tag = "h3" if line.startswith("### ") else "small" if line.startswith("-# ") else ""
            found.append(f"<{tag}>{text}</{tag}>" if tag else text + "\n")
        return "".join(found).rstrip("\n")

    def _inline(self, text: str) -> str:
        text = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", text)
        text = re.sub(r"\*(.+?)\*", r"<i>\1</i>", text)
        text = re.sub(r"&lt;t:(\d+):R&gt;", lambda found: _from_now(int(found[1])), text)
        return re.sub(r"&lt;:(\w+):\d+&gt;", lambda found: self._image(found[1]), text)

    def _image(self, name: str) -> str:
        return f'<img class="emoji" src="{_data(self._files[name])}">'

    def _button(self, part: Any, theme: str) -> str:
        image = self._emoji(part)
        colour = COLOURS.get(part["style"])
        style = f"background:{colour or BUTTONS[theme]};" + ("color:#fff" if colour else "")
        off = " off" if part.get("disabled") else ""
        return f'<div class="button{off}" style="{style}">{image}{html.escape(part.get("label") or "")}</div>'

    def _select(self, part: Any, theme: str) -> str:
        chosen = next((option for option in part.get("options", ()) if option.get("default")), None)
        label = html.escape(part.get("placeholder") or "")
        if chosen is not None:
            label = f"{self._emoji(chosen)} {html.escape(chosen['label'])}"
        ground = f"background:{BUTTONS[theme]}"
        return f'<div class="select" style="{ground}"><span>{label}</span><span>⌄</span></div>'

    def _emoji(self, part: Any) -> str:
        """Return the emoji of a button or an option; nothing where it has none."""
        name = (part.get("emoji") or {}).get("name", "")
        return self._image(name) if name in self._files else html.escape(name)


def _from_now(timestamp: int) -> str:
    """Return the time relative to NOW, in the words of Discord's apps."""
    seconds = timestamp - NOW.timestamp()
    return "in 3 days" if abs(seconds) > HOUR else f"in {round(seconds / 60)} minutes"


def _data(file: bytes) -> str:
    return f"data:image/png;base64,{base64.b64encode(file).decode()}"


def _ground(theme: str, inside: str, width: int | None, kind: str) -> str:
    size = "" if width is None else f"width:{width}px;"
    style = f"{size}background:{BACKGROUNDS[theme]};color:{INKS[theme]}"
    return f'<div class="ground {kind}" style="{style}">{inside}</div>'


def _positions(key: str) -> Iterable[tuple[State, Marks]]:
    """Yield the game's example with every mark, and a running match with a proposed move."""
    shown = example(key)
    yield shown.state, shown.marks
    match, rules = _match(key), GAMES[key]
    marks = marks_of(rules, rules.start(match.board), match.moves)
    move = match.state.legal_moves()[len(match.state.legal_moves()) // 3]
    yield match.state, replace(marks, best=rules.cell_of(match.state, move))


def looks_page(screens: Screens, t: Text) -> str:
    """Return a page with every game in every look, on the four backgrounds."""
    columns = []
    for ground in BACKGROUNDS:
        lines = []
        for theme in DRAWN:
            look = Look(theme).written_in(screens.written)
            boards = (
                screens.message(box(board_part(t, key, state, marks, look)), ground)
                for key in SPECS
                for state, marks in _positions(key)
            )
            lines.append(f'<div class="line">{"".join(boards)}</div>')
        columns.append(_ground(ground, f'<div class="looks">{"".join(lines)}</div>', None, "all"))
    return f'<div class="grounds">{"".join(columns)}</div>'


def _match(key: str) -> Match:
    """Return Ada against Ben in the game's example, or a few moves before its end."""
    spec = spec_of(key)
    seats = (Seat("Ada", user_id=1), Seat("Ben", user_id=2))
    match = Match.begin(
        key, spec.rules.boards[0], seats, Channel(1, 2, 3), NOW, rated=True, clock_seconds=259_200
    )
    for name in spec.look.picture_moves.split():
        move = spec.rules.parse_move(match.state, name)
        if match.state.play(move).outcome() is not None:
            break
        match = match.play(match.seat_to_move.user_id or 0, move, NOW)
    return replace(match, id=1)


def boards_page(screens: Screens, t: Text) -> str:
    """Return a page with a running match of each game as its players see it."""
    roster, look, keys = Roster(), Look().written_in(screens.written), list(SPECS)

    def shown(key: str, ground: str) -> str:
        view = board_view(_match(key), t, roster, look)
        return _ground(ground, screens.message(view, ground), 350, "message")

    lines = (
        f'<div class="boards" style="background:{BACKGROUNDS[ground]}">'  # the second row is shorter
        f"{''.join(shown(key, ground) for key in row)}</div>"
        for ground in ("dark", "light")
        for row in (keys[:5], keys[5:])  # all nine in one would be too small on a page
    )
    return f"<div>{''.join(lines)}</div>"


def _against_a_level(moves: int, played: str = AGAINST_MIA, *, is_coached: bool = False) -> Match:
    """Return Ada against Mia in Connect Four after that many moves of those."""
    seats = (Seat("Ada", user_id=1), Seat("Mia", level="mia"))
    rules = GAMES["connect-four"]
    match = Match.begin(
        rules.key, rules.boards[0], seats, Channel(1, 2, 3), NOW, rated=False, is_coached=is_coached
    )
    for move in parse_moves(rules, None, played)[:moves]:
        if match.awaits_agent:
            match = match.play_agent(move, NOW, turn=match.turn, seconds=0.3)
        else:
            match = match.play(1, move, NOW)
    return replace(match, id=1)


def match_page(screens: Screens, t: Text) -> str:
    """Return a running match against a level, on a dark and on a light phone."""
    look = Look().written_in(screens.written)
    view = board_view(_against_a_level(len(AGAINST_MIA) - 1), t, Roster(), look)
    return "".join(
        _ground(ground, screens.message(view, ground), PHONE, "message") for ground in ("dark", "light")
    )


def coach_page(screens: Screens, t: Text) -> str:
    """Return the board while the coach waits, and its private words, on a dark and on a light phone."""
    match, look = _against_a_level(7, OVERLOOKED, is_coached=True), Look().written_in(screens.written)
    four = parse_moves(GAMES[match.game], None, "4")[0]
    held = Held(6, four, four, None, -1, None, 1, is_stopped=True)
    board = board_view(match.hold(held, NOW, turn=match.turn), t, Roster(), look)
    words = held_view(t, match, held)
    return "".join(
        _ground(ground, screens.message(board, ground) + screens.message(words, ground), PHONE, "message")
        for ground in ("dark", "light")
    )


def moves_frames(screens: Screens, t: Text) -> list[str]:
    """Return the message after each move, for an animation."""
    look = Look().written_in(screens.written)
    views = (
        board_view(_against_a_level(number), t, Roster(), look) for number in range(len(AGAINST_MIA) + 1)
    )
    return [_ground("dark", screens.message(view, "dark"), PHONE, "message") for view in views]


def start_page(screens: Screens, t: Text) -> str:
    """Return the panel of /play, wide on a dark background and on a light phone."""
    look, start = Look().written_in(screens.written), Start(next(iter(SPECS)), mode=Mode.COACH)
    return _wide_and_narrow(
        screens, panel_view(t, offer_of(start, Roster(), Roster().levels_of(start.game)), look)
    )


def terms_page(screens: Screens, t: Text) -> str:
    """Its second page."""
    start = Start(next(iter(SPECS)), mode=Mode.RATED, fair=Fair.PIE, clock=Clock(180, 2).number)
    look = Look().written_in(screens.written)
    return _wide_and_narrow(
        screens, more_choices_view(t, offer_of(start, Roster(), Roster().levels_of(start.game)), look)
    )


def _wide_and_narrow(screens: Screens, view: ui.LayoutView) -> str:
    """Return the message, wide on a dark background and on a light phone."""
    return "".join(
        _ground(ground, screens.message(view, ground), width, "message")
        for ground, width in (("dark", DESKTOP), ("light", PHONE))
    )


def review_page(screens: Screens, t: Text) -> str:
    """Return the review of a match that Ada won, at the losing move."""
    match, look = _against_a_level(len(AGAINST_MIA)), Look().written_in(screens.written)
    found = review(GAMES[match.game], match.board, match.moves, time.monotonic)
    shown = asyncio.run(review_message(match, found, t, opening_ply(match, found), look))
    plot = shown.files[0].fp.read()
    return "".join(
        _ground(ground, screens.message(shown.view, ground, [File(io.BytesIO(plot), PLOT)]), width, "message")
        for ground, width in (("dark", DESKTOP), ("light", PHONE))
    )


def storm_page(screens: Screens, t: Text) -> str:
    """Return a running storm and a finished one."""
    look, kind, game = Look().written_in(screens.written), CourseKind.STORM, "connect-four"
    keys = course(6, PER_GRADE[kind], game)
    first, puzzle = Course(1, 1, 3, kind, game, 6, keys[8], 11, NOW, 9, 8, NOW), puzzles()[keys[8]]
    after = first.answered(puzzle, puzzle.best, keys[9], NOW - timedelta(minutes=1))
    running = course_view(
        after, puzzles()[keys[9]], t, look, given=CourseAnswer(after, puzzle, puzzle.best, True)
    )
    missed = {number: puzzles()[keys[number]] for number in (7, 12)}
    over = over_view(replace(after, solved=14, number=16, wrong=(7, 12)).ended(NOW), t, missed)
    return "".join(
        _ground(ground, screens.message(view, ground), PHONE, "message")
        for view, ground in ((running, "dark"), (over, "light"))
    )


def mistakes_page(screens: Screens, t: Text) -> str:
    """Return a position to find a better move in, and the verdicts on a wrong and a right answer."""
    look, rules, today = Look().written_in(screens.written), GAMES["connect-four"], NOW.date()
    moves = parse_moves(rules, None, MISTAKEN)
    match = replace(_against_a_level(0), id=1)
    found = review(rules, None, moves, time.monotonic)
    mistake = Mistake.of(1, 1, rules.key, rules.boards[0], found, blunders(found, [Player.FIRST])[-1], today)
    views = []
    for move in (None, mistake.played, mistake.best):
        waiting = (mistake,) if move is None else ()
        posed = PosedMistake(mistake, match, TrainingDay(waiting, 2 - len(waiting), 14, today))
        if move is None:
            views.append(mistake_view(t, posed, look))
            continue
        reply = Estimator(rules).evaluate(mistake.state.play(move), Limit(seconds=1))
        judged = mistake.judge(move, reply.score)
        after = mistake.answered(today, is_right=mistake.is_right(judged))
        posed = replace(posed, mistake=after)
        trained = Trained(posed, judged, mistake.is_right(judged), reply.best, counts=True)
        views.append(trained_view(t, trained, look))
    return "".join(
        _ground(ground, screens.message(view, ground), PHONE, "message")
        for view, ground in zip(views, ("dark", "light", "light"), strict=True)
    )


def threats_page(screens: Screens, t: Text) -> str:
    """Return a position with threats of both sides, marked as in hints and reviews."""
    rules = GAMES["connect-four"]
    moves = parse_moves(rules, None, THREATS)
    state = replay(rules.start(), moves)
    marks = replace(
        marks_of(rules, rules.start(), moves), threats=tuple(spec_of(rules.key).teach.threats(state))
    )
    columns = []
    for ground, theme in (("dark", Theme.CLASSIC), ("light", Theme.COLOUR_BLIND)):
        look = Look(theme, Size.LARGE).written_in(screens.written)
        view = box(*board_with_threats(t, rules.key, state, marks, look))
        columns.append(_ground(ground, screens.message(view, ground), 420, "message"))
    return "".join(columns)


def pages(screens: Screens, t: Text) -> Mapping[str, Callable[[], str | list[str]]]:
    """Map each picture's name to the function that makes its HTML, or that of an animation's frames."""
    return {
        "match": lambda: match_page(screens, t),
        "coach": lambda: coach_page(screens, t),
        "moves": lambda: moves_frames(screens, t),
        "looks": lambda: looks_page(screens, t),
        "boards": lambda: boards_page(screens, t),
        "start": lambda: start_page(screens, t),
        "start-terms": lambda: terms_page(screens, t),
        "review": lambda: review_page(screens, t),
        "storm": lambda: storm_page(screens, t),
        "mistakes": lambda: mistakes_page(screens, t),
        "threats": lambda: threats_page(screens, t),
    }


def save(shots: list[Image.Image], path: Path) -> None:
    """Save a picture, or an animation of several that stays on its last."""
    if len(shots) == 1:
        shots[0].save(path, optimize=True)
        return
    height = max(shot.height for shot in shots)
    frames = []
    for shot in shots:
        frame = Image.new("RGB", (shots[0].width, height), BACKGROUNDS["dark"])
        frame.paste(shot.convert("RGB"))
        frames.append(frame.quantize(64, dither=Image.Dither.NONE))
    times = [FRAME_MILLISECONDS] * (len(frames) - 1) + [LAST_FRAME_MILLISECONDS]
    frames[0].save(path, save_all=True, append_images=frames[1:], duration=times, optimize=True)


def installed_browser() -> str:
    """Return the path of a browser, or end the program."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    return path or sys.exit("This needs chromium or Chrome on the PATH; on Debian: apt-get install chromium")


def main() -> None:
    known = pages(Screens(), Texts.load().of("en-US"))
    wanted = sys.argv[1:] or list(known)
    made = {name: known[name]() for name in wanted}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=installed_browser(), args=["--no-sandbox"])
        for name, content in made.items():
            page = browser.new_page(
                viewport={"width": 8000, "height": 2000}, device_scale_factor=SCALES.get(name, 1.5)
            )
            shots = []
            for frame in [content] if isinstance(content, str) else content:
                page.set_content(f"<style>{STYLE}</style><body>{frame}</body>")
                with Image.open(io.BytesIO(page.locator("body").screenshot())) as shot:
                    # The few colours fit a palette, a third of the size.
                    shots.append(shot.convert("RGB").quantize(256, dither=Image.Dither.NONE))
            path = FOLDER / f"{name}.{'png' if len(shots) == 1 else 'gif'}"
            save(shots, path)
            note(path)
            print(f"{path.relative_to(FOLDER.parents[1])}: {path.stat().st_size} bytes")
        browser.close()


if __name__ == "__main__":
    main()
