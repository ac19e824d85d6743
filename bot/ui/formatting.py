"""A match in words: its players, its result, its last move, its clock. Pure functions of a match."""

from __future__ import annotations

from bot.domain.clock import Clock
from bot.domain.lru_dict import LruDict
from bot.domain.match import End, Fair, Location, Match, RatingChange
from bot.domain.rating import SETTLED_UNDER, first_record
from bot.i18n import Text, plain
from bot.presentation import CLASSIC, Look, Marks, Theme, icon, marks_after, with_hints
from bot.presentation.tiles.palette import bar_of
from bot.ui.layout import link
from engine.agents.levels import Level, Word, word_of
from engine.agents.roster import Roster
from engine.core import Move, Player, State, UnknownName, replay
from engine.games import game as game_of
from engine.games import spec_of
from engine.games.spec import GameSpec, Layout

CLOCK_KEYS = {
    10: "clock_10_seconds",
    30: "clock_30_seconds",
    60: "clock_1_minute",
    300: "clock_5_minutes",
    3600: "clock_1_hour",
    86_400: "clock_1_day",
    259_200: "clock_3_days",
}


_positions: LruDict[tuple[str, str, tuple[Move, ...]], State] = LruDict(2000)
"""By game, board and moves."""


def game_title(t: Text, game: str) -> str:
    """The game's name in that language, or the engine's own for a game without a text."""
    key = f"game_{game}"
    return t(key) if key in t else game_of(game).title


def rating(points: int, margin: int) -> str:
    """`1180 ± 140?`: the rating and how far off it may be; the mark says that it is provisional."""
    return f"{points}\u00a0±\u00a0{margin}{'' if margin < SETTLED_UNDER else '?'}"


def board_title(t: Text, board: str) -> str:
    """A board for people: `6x7x4` is six rows, seven columns and four in a row; other names stay.

    What follows a hyphen is the name of a way to play on it, such as `15x15-swap2`.
    """
    size, hyphen, kind = board.partition("-")
    if hyphen:
        return f"{board_title(t, size)}, {kind}"
    parts = [int(part) for part in board.split("x") if part.isdecimal()]
    if len(parts) not in (2, 3) or "x".join(map(str, parts)) != board:
        return board
    if len(parts) == 3:
        return t("board_with_line", rows=parts[0], columns=parts[1], length=parts[2])
    return t("board_plain", rows=parts[0], columns=parts[1])


def name_of(match: Match, player: Player) -> str:
    """What the seat is called, safe to repeat."""
    return plain(match.seats[player].name)


def disc_of(match: Match, player: Player, look: Look = CLASSIC) -> str:
    return icon(match.game, player, look)


def accent(game: str, player: Player, theme: Theme = Theme.CLASSIC) -> int:
    """The colour of a message in that theme while that side moves, or after it has won."""
    red, green, blue = bar_of(spec_of(game), player, theme)
    return red << 16 | green << 8 | blue


def title(t: Text, match: Match) -> str:
    """The game, and its board unless that is the usual one."""
    name = game_title(t, match.game)
    if match.board == game_of(match.game).boards[0]:
        return name
    return t("title_with_board", game=name, board=board_title(t, match.board))


def players(t: Text, match: Match, roster: Roster, look: Look = CLASSIC) -> str:
    """Both seats, each on its own line; agents with their character."""
    return "\n".join(_seat(t, match, player, roster, look) for player in Player)


def _seat(t: Text, match: Match, player: Player, roster: Roster, look: Look) -> str:
    seat = f"{disc_of(match, player, look)} **{name_of(match, player)}**"
    level = match.seats[player].level
    if level is None:
        return seat
    try:
        character = character_of(t, roster.level(level))
    except UnknownName:  # a plug-in that is no longer installed
        return seat
    return t("seat_with_character", seat=seat, character=plain(character, 100))


def character_of(t: Text, level: Level) -> str:
    """What the level says of itself; a plug-in's own words where the catalogue has none."""
    kind, _, choice = level.key.partition(":")
    if not level.is_rated and f"algorithm_{kind}" in t:
        return t(f"algorithm_{kind}", n=int(choice.rpartition("=")[2] or 0))
    return t(f"character_{level.key}") if f"character_{level.key}" in t else level.character


def level_word(t: Text, word: Word) -> str:
    """How strong a level is, from `beginner` to `master`."""
    return t(f"level_word_{word}")


def level_name(t: Text, game: str, level: Level) -> str:
    """`Otto, intermediate`; the name alone of a level whose strength nobody knows."""
    word = word_of(game, level.key)
    return level.name if word is None else t("level_named", name=level.name, word=level_word(t, word))


def level_offer(t: Text, level: Level, game: str, *, is_usual_board: bool = True) -> str:
    """The level in a menu, with its Elo where that was measured: on the usual board alone."""
    rated = first_record(game, level.key)
    name, character = level_name(t, game, level), character_of(t, level)
    if not is_usual_board or not rated.is_fixed:
        return t("level_offered", name=name, character=character)
    shown = {"elo": rated.points, "margin": rated.margin}
    return t("level_offered_with_elo", name=name, character=character, **shown)


def algorithm_offer(t: Text, level: Level) -> str:
    """`Algorithm: Alpha-beta 6, looks 6 moves ahead …`, for menus."""
    return t("offered_algorithm", name=level.name, character=character_of(t, level))


def terms(t: Text, match: Match) -> str:
    """Rated or casual, and the clock."""
    kind = t("coached") if match.is_coached else t("rated") if match.rated else t("casual")
    if match.fair is not Fair.USUAL:
        kind = f"{kind} · {t(f'fair_{match.fair}')}"
    return kind if match.clock_seconds is None else f"{kind} · {clock_name(t, match.clock_seconds)}"


def clock_name(t: Text, number: int | None) -> str:
    """`5 minutes per move`, or `3+2 for the whole match`; number: None or 0 for none."""
    if not number:
        return t("clock_off")
    clock = Clock.of(number)
    if clock.increment is None:
        return t("clock_a_move", time=time_of(t, number))
    return t("clock_whole", minutes=clock.seconds // 60, increment=clock.increment)


def time_of(t: Text, number: int) -> str:
    """The time that a clock gives at the beginning: for a move, or for a whole match."""
    seconds = Clock.of(number).seconds
    return t(CLOCK_KEYS[seconds]) if seconds in CLOCK_KEYS else duration(t, seconds)


def clock_choice(t: Text, number: int) -> str:
    """The clock in a menu, where each kind must say what it is."""
    clock = Clock.of(number)
    if clock.increment is None:
        return clock_name(t, number)
    return t("clock_whole_offered", minutes=clock.seconds // 60, increment=clock.increment)


def marks(match: Match) -> Marks:
    """What to point out on the board; legal moves only where they are hard to see and a person moves."""
    spec, last = spec_of(match.game), Marks()
    has_hints = spec.look.shows_legal_moves and not match.is_over and not match.awaits_agent
    if match.turns:
        last = marks_after(spec.rules, _before_last(match), match.turns[-1].move, match.state)
    return with_hints(last, spec.rules, match.state) if has_hints else last


def score(match: Match) -> tuple[int, int]:
    """How many discs each side has on the board."""
    cells = match.state.cells()
    return cells.count(Player.FIRST), cells.count(Player.SECOND)


def score_line(t: Text, match: Match, look: Look = CLASSIC) -> str | None:
    """The count of discs, where it decides."""
    if not spec_of(match.game).play.counts_discs:
        return None
    first, second = score(match)
    left, right = (icon(match.game, player, look) for player in Player)
    return t.left_to_right(f"{left} **{first}** : **{second}** {right}")


def _before_last(match: Match) -> State:
    """The position before the last move, which was mostly shown when it was the last."""
    board, moves = (match.game, match.board), match.moves
    before = _positions.get((*board, moves[:-1]))
    if before is None:
        before = _positions[*board, moves[:-1]] = replay(game_of(match.game).start(match.board), moves[:-1])
    _positions[*board, moves] = match.state
    return before


def last_move(t: Text, match: Match) -> str | None:
    """Who played what, and how long it took."""
    if not match.turns:
        return None
    if len(match.turns) == match.opening:
        if match.is_swapped:
            return t("sides_swapped", name=name_of(match, Player.FIRST))
        given = "from_opening" if match.fair is Fair.BALANCED else "from_position"
        return t(given, n=match.opening)
    spec = spec_of(match.game)
    before, turn = _before_last(match), match.turns[-1]
    name = name_of(match, before.to_move)
    if spec.is_pass(before, turn.move):
        return t("had_to_pass", name=name)
    move, time = move_label(spec, before, turn.move), duration(t, turn.seconds)
    group = spec.group_of(before, turn.move)
    if group is not None and f"made_{match.game}_{group.key}" in t:
        return t(f"made_{match.game}_{group.key}", name=name, move=move, time=time)
    return t("played", name=name, move=move, time=time)


def move_label(spec: GameSpec, state: State, move: Move) -> str:
    """What the move's button says: its name, or what stands for it in its group."""
    name, group = spec.rules.move_name(state, move), spec.group_of(state, move)
    return name if group is None else group.label(state, move) or name


def status(t: Text, match: Match, look: Look = CLASSIC) -> str:
    """Whose turn it is, or how the match ended."""
    if match.result is not None:
        return result(t, match, look)
    disc, name = disc_of(match, match.to_move, look), name_of(match, match.to_move)
    return t("is_thinking" if match.awaits_agent else "to_move", disc=disc, name=name)


def note(t: Text, match: Match, look: Look = CLASSIC) -> str | None:
    """What the game says of the state besides."""
    found = None if match.is_over else spec_of(match.game).play.note(match.state)
    if found is None:
        return None
    disc = disc_of(match, found.side, look)
    if f"note_{match.game}_{found.key}" in t:
        return t(f"note_{match.game}_{found.key}", disc=disc, name=name_of(match, match.to_move))
    return f"{disc} {found.text}"


def unrated(t: Text, match: Match) -> str | None:
    """That a rated match has ended too soon to be rated."""
    is_rated = match.rated and match.result is not None and match.result.counts
    return f"-# {t('result_not_rated')}" if is_rated and not match.counts else None


def deadline(t: Text, match: Match) -> str | None:
    """When the side to move loses on time; Discord counts it down."""
    if match.deadline is None:
        return None
    line = t("deadline", name=name_of(match, match.to_move), when=f"<t:{int(match.deadline.timestamp())}:R>")
    other = match.to_move.other
    if match.clock is None or match.clock.increment is None or match.seats[other].is_agent:
        return line
    minutes, seconds = divmod(int(match.time_left(other)), 60)
    return f"{line} {t('clock_waits', name=name_of(match, other), time=f'{minutes}:{seconds:02}')}"


def pie(t: Text, match: Match) -> str | None:
    """That the first move may be taken over."""
    if not match.can_swap or match.awaits_agent:
        return None
    return t("pie_offered", name=name_of(match, match.to_move))


def offers(t: Text, match: Match) -> str | None:
    """What waits for an answer."""
    if match.draw_offer is not None:
        return t("offers_draw", name=name_of(match, match.draw_offer))
    if match.undo_request is not None:
        return t("asks_undo", name=name_of(match, match.undo_request))
    return None


def result(t: Text, match: Match, look: Look = CLASSIC) -> str:
    """Who won and why; raises ValueError for a match that is not over."""
    if match.result is None:
        raise ValueError(f"match {match.id} is not over")
    winner, end = match.result.winner, match.result.end
    counts = score(match)
    if winner is None:
        return t(f"drawn_{end}" if f"drawn_{end}" in t else "drawn_other", discs=counts[0])
    return t(
        f"won_{end}" if f"won_{end}" in t else "won_other",
        disc=disc_of(match, winner, look),
        name=name_of(match, winner),
        other=name_of(match, winner.other),
        line=_line_name(t, match) if end is End.LINE else "",
        discs=counts[winner],
        fewer=counts[winner.other],
    )


def _line_name(t: Text, match: Match) -> str:
    """`four in a row`, or of whatever length is told."""
    length = spec_of(match.game).play.line_length(match.board)
    return t(f"in_a_row_{length}") if f"in_a_row_{length}" in t else t("in_a_row_other")


def ratings(t: Text, match: Match) -> str | None:
    """What the match made of both ratings; None for one that changed none."""
    changes = match.rating_changes
    if not changes:
        return None
    return " · ".join(_rating_change(t, match, player, changes[player]) for player in Player)


def _rating_change(t: Text, match: Match, player: Player, change: RatingChange) -> str:
    name, shown = name_of(match, player), rating(change.after, change.margin)
    if match.seats[player].is_agent and change.after == change.before:
        return t("rating_measured", name=name, rating=change.after)
    difference = change.after - change.before
    sign = "+" if difference > 0 else "−" if difference < 0 else "±"
    return t("rating_changed", name=name, rating=shown, change=f"{sign}{abs(difference)}")


def duration(t: Text, seconds: float) -> str:
    """A time that somebody took, to about two digits."""
    if seconds < 0.1:
        return t("time_instant")
    if seconds < 9.95:
        return t("time_seconds", value=t.decimal(seconds))
    if seconds < 100:
        return t("time_seconds", value=f"{seconds:.0f}")
    if seconds < 100 * 60:
        return t("time_minutes", value=round(seconds / 60))
    if seconds < 48 * 3600:
        return t("time_hours", value=round(seconds / 3600))
    return t("time_days", n=round(seconds / 86_400))


def pairing(t: Text, match: Match) -> str:
    """The match in one line for everybody: game and both names."""
    first, second = (name_of(match, player) for player in Player)
    return t("pairing", game=title(t, match), first=first, second=second)


def thread_name(t: Text, match: Match) -> str:
    """What a match's thread is called: plain words, since Discord reads no markup there."""
    first, second = (seat.name for seat in match.seats)
    return t("thread_name", game=game_title(t, match.game), first=first, second=second)


def board_link(location: Location) -> str | None:
    """The address of the message in that place."""
    if location.message_id is None:
        return None
    return link(location.guild_id, location.channel_id, location.message_id)


def linked(t: Text, line: str, location: Location) -> str:
    """The line, and behind it the way to the message in that place, if there is one."""
    address = board_link(location)
    return line if address is None else t("linked", text=line, address=address)


def summary(t: Text, match: Match, user_id: int) -> str:
    """The match in one line for one of its players: game, opponent, and the link to its board."""
    other = name_of(match, match.player_of(user_id).other)
    return linked(t, t("summary", game=title(t, match), other=other), match.location)


def square_words(t: Text, game: str, state: State, cell: int | None) -> str:
    """`row 3 of column 4`, counted from the bottom, where discs drop; else the square's name."""
    if cell is None:
        return ""
    row, column = divmod(cell, state.columns)
    spec = spec_of(game)
    if spec.look.layout is Layout.COLUMNS:
        return t("square_in_column", row=state.rows - row, column=column + 1)
    return spec.rules.move_name(state, cell)
