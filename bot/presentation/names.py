"""The names of games, boards, levels, clocks, moves and squares, in a person's language."""

from __future__ import annotations

from bot.domain.clock import Clock
from bot.domain.names import clean
from bot.domain.rating import SETTLED_UNDER, START_MARGIN, first_record
from bot.domain.strengths import PlainStrength, strength_word
from bot.i18n import Text
from bot.presentation import Theme
from bot.presentation.tiles.palette import bar_of
from engine.agents.echo import ECHO
from engine.agents.levels import Level, Strength
from engine.core import Move, Player, State
from engine.games import game as game_of
from engine.games import spec_of
from engine.games.openings import RESULTS, NamedOpening
from engine.games.spec import CLAIMED_DRAWS, OLD_RULE, GameSpec, Layout

CLOCK_KEYS = {
    10: "clock_10_seconds",
    30: "clock_30_seconds",
    60: "clock_1_minute",
    300: "clock_5_minutes",
    3600: "clock_1_hour",
    28_800: "clock_8_hours",
    86_400: "clock_1_day",
    259_200: "clock_3_days",
}


def game_title(t: Text, game: str) -> str:
    """Return the game's translated name, with the engine's own as a fallback."""
    key = f"game_{game}"
    return t(key) if key in t else game_of(game).title


ROUNDED_TO = 50
"""Ratings that are not settled are rounded to it."""


def rating(t: Text, points: int, margin: int) -> str:
    """Return `1204`, or `about 1200` until a rating is settled, or `new` before the first rated match."""
    if margin < SETTLED_UNDER:
        return str(points)
    if margin >= START_MARGIN:
        return t("rating_new")
    return t("rating_about", points=ROUNDED_TO * round(points / ROUNDED_TO))


def exact_rating(points: int, margin: int) -> str:
    """Return `1180 ± 140`: the rating and its margin, for profiles."""
    return f"{points}\u00a0±\u00a0{margin}"


def title(t: Text, game: str, board: str) -> str:
    """Return the game, and its board unless that is the usual one."""
    is_usual = board == spec_of(game).rules.boards[0]
    return game_title(t, game) if is_usual else game_on_board(t, game, board)


def game_on_board(t: Text, game: str, board: str) -> str:
    return t("title_with_board", game=game_title(t, game), board=board_title(t, board))


def board_title(t: Text, board: str) -> str:
    """Return a board in words: `6x7x4` is six rows, seven columns and four in a row; other names stay.

    A variant follows a hyphen: `15x15-swap2`.
    """
    if board.endswith(OLD_RULE):
        return t("board_old_rule", board=board_title(t, board.removesuffix(OLD_RULE)))
    if board.endswith(CLAIMED_DRAWS):
        return t("board_claimed", board=board_title(t, board.removesuffix(CLAIMED_DRAWS)))
    size, hyphen, kind = board.partition("-")
    if hyphen:
        return f"{board_title(t, size)}, {kind}"
    parts = [int(part) for part in board.split("x") if part.isdecimal()]
    if len(parts) not in (2, 3) or "x".join(map(str, parts)) != board:
        return board
    if len(parts) == 3:
        return t("board_with_line", rows=parts[0], columns=parts[1], length=parts[2])
    return t("board_plain", rows=parts[0], columns=parts[1])


def accent(game: str, player: Player, theme: Theme = Theme.CLASSIC) -> int:
    """Return the accent colour of a message while that side is to move, or after it has won."""
    red, green, blue = bar_of(spec_of(game), player, theme)
    return red << 16 | green << 8 | blue


def character_of(t: Text, level: Level) -> str:
    """Return the translated description of a level, with a plug-in's own as a fallback."""
    kind, _, choice = level.key.partition(":")
    if not level.is_rated and f"algorithm_{kind}" in t:
        return t(f"algorithm_{kind}", n=int(choice.rpartition("=")[2] or 0))
    return t(f"character_{kind}") if f"character_{kind}" in t else level.character


def level_word(t: Text, word: Strength) -> str:
    """Return a level's strength, from `beginner` to `master`."""
    return t(f"level_word_{word}")


def strength(t: Text, word: PlainStrength) -> str:
    """Return one of the five strengths, as menus and buttons say it: `Easy`."""
    return t(f"strength_{word}")


def plain_name(level: Level) -> str:
    """Return the level's name alone."""
    return clean(level.name, level.key)


def level_name(t: Text, game: str, level: Level) -> str:
    """Return `Mia (Easy)`, or the name alone of a level between the five strengths."""
    if level.key == ECHO:
        return t("level_named", name=level.name, word=t("level_word_own"))
    return with_word(t, game, level.key, plain_name(level))


def with_word(t: Text, game: str, level: str, name: str) -> str:
    """Return the name of the level with that key, and its strength if that is one of the five."""
    word = strength_word(game, game_of(game).boards[0], level)
    return name if word is None else t("level_named", name=name, word=strength(t, word))


def level_offer(t: Text, level: Level, game: str, *, is_usual_board: bool = True) -> str:
    """Return the level for a menu, with its Elo on the board if that was measured."""
    if level.key == ECHO:
        return t("level_offered", name=t("difficulty_own"), character=character_of(t, level))
    rated = first_record(game, level.key)
    name, character = level_name(t, game, level), character_of(t, level)
    if not is_usual_board or not rated.is_fixed:
        return t("level_offered", name=name, character=character)
    shown = {"elo": rated.points, "margin": rated.margin}
    return t("level_offered_with_elo", name=name, character=character, **shown)


def algorithm_offer(t: Text, level: Level) -> str:
    """Return `Algorithm: Alpha-beta 6, looks 6 moves ahead …` for a menu."""
    return t("offered_algorithm", name=level.name, character=character_of(t, level))


def opening_offer(t: Text, opening: NamedOpening) -> str:
    """Return an opening for a menu: `Tiger: f5d6c3d3c4`, or the moves and the proved result."""
    if opening.has_name:
        return f"{opening.name}: {opening.text}"
    winner = RESULTS[opening.name]
    return t("opening_drawn" if winner is None else f"opening_won_{winner + 1}", moves=opening.text)


def opening_name(opening: NamedOpening) -> str:
    """Return its name, or its moves if it has none."""
    return opening.name if opening.has_name else opening.text


def clock_name(t: Text, number: int | None, *, is_vote: bool = False) -> str:
    """Return `5 minutes per move` or `3+2 for the whole match`; number: None or 0 for no clock.

    is_vote: it is the time of each vote.
    """
    if not number:
        return t("clock_off")
    clock = Clock.of(number)
    if clock.increment is None:
        return t("clock_a_vote" if is_vote else "clock_a_move", time=time_of(t, number))
    return t("clock_whole", minutes=clock.seconds // 60, increment=clock.increment)


def time_of(t: Text, number: int) -> str:
    """Return the time on a clock at the start, of a move or of a whole match."""
    seconds = Clock.of(number).seconds
    return t(CLOCK_KEYS[seconds]) if seconds in CLOCK_KEYS else duration(t, seconds)


def clock_choice(t: Text, number: int) -> str:
    """Return the clock for a menu, which names its kind."""
    clock = Clock.of(number)
    if clock.increment is None:
        return clock_name(t, number)
    return t("clock_whole_offered", minutes=clock.seconds // 60, increment=clock.increment)


def move_label(spec: GameSpec, state: State, move: Move) -> str:
    """Return the label of the move's button: its name, or its label in its group."""
    name, group = spec.rules.move_name(state, move), spec.group_of(state, move)
    return name if group is None else group.label(state, move) or name


def duration(t: Text, seconds: float) -> str:
    """Return a duration with about two digits."""
    if seconds < 9.95:
        return t("time_seconds", value=t.decimal(seconds))
    if seconds < 100:
        return t("time_seconds", value=f"{seconds:.0f}")
    if seconds < 100 * 60:
        return t("time_minutes", value=round(seconds / 60))
    if seconds < 48 * 3600:
        return t("time_hours", value=round(seconds / 3600))
    return t("time_days", n=round(seconds / 86_400))


def square_words(t: Text, game: str, state: State, cell: int | None) -> str:
    """Return `row 3 of column 4`, counted from the bottom, in games with columns; else the cell's name."""
    if cell is None:
        return ""
    spec = spec_of(game)
    place = spec.places_under(state)[cell]
    if spec.look.layout is Layout.COLUMNS:
        return t("square_in_column", row=state.rows - place.row, column=place.column + 1)
    return place.name or place.zone
