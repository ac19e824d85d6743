"""Checks of the terms that people ask for, and of the other options of a new match."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

from bot.domain.clock import Clock
from bot.domain.errors import SetupError
from bot.domain.strengths import PlainStrength, strengths
from bot.domain.terms import Fair
from engine.agents.algorithms import algorithm
from engine.agents.algorithms import allowed as allowed_algorithms
from engine.agents.echo import ECHO, is_echo
from engine.agents.levels import Level, levels_of
from engine.agents.roster import Roster
from engine.arena.elo_table import rated_levels, rating_of
from engine.core import BoardError, Game, IllegalMove, Move, NotationError, UnknownName, replay
from engine.games import GAMES, spec_of
from engine.games.conformance import MAX_COLUMNS
from engine.games.notation import first_moves
from engine.games.openings import NamedOpening, balanced_openings, has_openings, opening_named
from engine.games.typed import compact, fold

CLOCKS = (
    *(10, 30, 60, 300, 3600, 86_400, 259_200),
    *(
        Clock(60 * minutes, seconds).number
        for minutes, seconds in ((3, 2), (5, 3), (10, 5), (15, 10), (30, 20))
    ),
)
"""The numbers of the clocks offered (`bot.domain.clock`): for each move, then for whole matches."""

MOST_OPENING_MOVES = 500
"""Moves up to a position to start from. Games of people are shorter, and every look at a match replays it."""

RATED_CLOCK, BOT_CLOCK, NO_CLOCK = 259_200, 86_400, 0
"""Seconds a move: the default clock of a rated match, its longest one against a bot, and that of none."""

_WRITTEN = re.compile(r"[1-9][0-9]*(x[1-9][0-9]*)+", re.ASCII)


def checked_game(key: str) -> Game:
    """Return the rules of the game; raises SetupError."""
    if key not in GAMES:
        raise SetupError("unknown_game", game=key, allowed=", ".join(game.title for game in GAMES.values()))
    return GAMES[key]


def checked_board(rules: Game, board: str | None) -> str:
    """Return the board's name: an offered one, or for some games any that fits into a message.

    Raises SetupError.
    """
    if board is None:
        return rules.boards[0]
    name, example = compact(board), spec_of(rules.key).play.board_example
    if name in rules.boards or (example and _can_be_named(rules, name)):
        return name
    allowed = ", ".join(rules.boards)
    if not example:
        raise SetupError("unknown_board", board=board, game=rules.key, allowed=allowed)
    raise SetupError(
        "unknown_board_size",
        board=board,
        game=rules.key,
        allowed=allowed,
        example=example,
        most=MAX_COLUMNS,
    )


def board_read(game: str, text: str) -> str | None:
    """As `board_named`, also for the board of an old match or of a record."""
    if game in GAMES and spec_of(game).board_now(text) != text:
        return text
    return board_named(game, text)


def board_again(game: str, board: str, moves: Sequence[Move]) -> str:
    """Return the board on which a new match begins after these moves of a stored one.

    Raises SetupError if the board's rule was mended and they lead to another position by it.
    """
    rules, now = checked_game(game), spec_of(game).board_now(board)
    if now != board:
        try:
            before, after = (replay(rules.start(one), moves) for one in (board, now))
        except IllegalMove:
            raise SetupError("old_rule", game=game) from None
        if (before.cells(), before.to_move) != (after.cells(), after.to_move):
            raise SetupError("old_rule", game=game)
    return now


def _can_be_named(rules: Game, name: str) -> bool:
    """Return whether this is the canonical name of a board that fits into a message."""
    try:
        state = rules.start(name)
    except BoardError:
        return False
    return _WRITTEN.fullmatch(name) is not None and max(state.rows, state.columns) <= MAX_COLUMNS


def board_named(game: str, text: str | None) -> str | None:
    """Return the name of the board, offered or not; None for anything else."""
    try:
        return None if text is None else checked_board(checked_game(game), text)
    except SetupError:
        return None


def checked_clock(seconds: int | None, *, rated: bool, has_agent: bool) -> int | None:
    """Return the chosen clock, or None for NO_CLOCK; a rated match has one by default.

    A rated match against a bot bars help, so it must not last for ever: BOT_CLOCK takes the place of longer
    ones and of none. Raises SetupError.
    """
    if seconds is None:
        seconds = RATED_CLOCK if rated else NO_CLOCK
    if seconds != NO_CLOCK and seconds not in CLOCKS:
        raise SetupError("bad_clock")
    # Clocks for a whole match, which are negative numbers, are all short enough.
    if rated and has_agent and (seconds == NO_CLOCK or seconds > BOT_CLOCK):
        return BOT_CLOCK
    return seconds or None


def has_echo(game: str, text: str | None) -> bool:
    """Whether the text names Echo, with a strength or without, and it plays that game."""
    return text is not None and is_echo(fold(text)) and bool(rated_levels(game))


def checked_algorithm(game: str, text: str) -> Level:
    """The algorithm that the text names, if it plays the game; raises SetupError that says what there is."""
    try:
        level = algorithm(text)
    except UnknownName:
        level = None
    if level is None or not level.plays(game):
        raise SetupError("unknown_algorithm", level=text, allowed=allowed_algorithms(game))
    return level


def echo_of(roster: Roster, game: str) -> tuple[Level, ...]:
    """Return Echo if it plays the game, to be offered before the levels, else ()."""
    return (roster.level(ECHO),) if has_echo(game, ECHO) else ()


def highest_elo(game: str, allowed: Sequence[Level]) -> int | None:
    """Return the Elo of the strongest of these levels that is measured; None if none is."""
    rated = [row.elo for level in allowed if (row := rating_of(game, level.key)) is not None]
    return max(rated, default=None)


def usual_level(game: str, allowed: Sequence[Level], *, above: int = 0) -> Level:
    """Return the easy level, or the one `above` levels higher if allowed; never a plug-in.

    Without an easy level, one from the lower third.
    """
    ladder = levels_of(game)
    easy = strengths(game, GAMES[game].boards[0], ladder).get(PlainStrength.EASY)
    at = len(ladder or allowed) // 3 if easy is None else ladder.index(easy)
    ladder = ladder or tuple(allowed)
    return ladder[min(at + above, len(ladder) - 1, len(allowed) - 1)]


def checked_opening(rules: Game, board: str, text: str | None) -> tuple[Move, ...]:
    """The moves to the position that an opening, a replay's code or a list of moves names; () for the start.

    Raises SetupError.
    """
    if text is None:
        return ()
    opening = named_opening(rules, board, text)
    if opening is not None:
        return opening.moves
    try:
        moves = first_moves(rules, board, text, MOST_OPENING_MOVES + 1)
    except NotationError as error:
        raise SetupError(
            "bad_position",
            position=text,
            character=error.column + 1,
            example=spec_of(rules.key).play.text_example,
        ) from error
    if len(moves) > MOST_OPENING_MOVES:
        raise SetupError("position_too_long", most=MOST_OPENING_MOVES)
    if not replay(rules.start(board), moves).legal_moves():
        raise SetupError("position_over")
    return moves


def named_opening(rules: Game, board: str, text: str | None) -> NamedOpening | None:
    """Return the opening to train with that name, or with exactly these moves; None if there is none."""
    if text is None or board != rules.boards[0]:
        return None
    return opening_named(rules.key, text)


def fair_starts(rules: Game, board: str) -> tuple[Fair, ...]:
    """Return the ways in which a match may begin on that board."""
    can_choose = {
        Fair.PIE: not spec_of(rules.key).play.has_swap(board),
        Fair.BALANCED: has_openings(rules.key, board),
    }
    return tuple(fair for fair in Fair if can_choose.get(fair, True))


def checked_fair(rules: Game, board: str, fair: Fair, position: str | None = None) -> Fair:
    """Return `fair` if a match may begin so on that board; raises SetupError."""
    if fair not in fair_starts(rules, board):
        raise SetupError("swap_in_rules" if fair is Fair.PIE else "no_balanced_start", game=rules.key)
    if fair is not Fair.USUAL and position is not None:
        raise SetupError("start_or_position")
    return fair


def opening_for(rules: Game, board: str, fair: Fair, rng: Random) -> tuple[Move, ...]:
    """Return the moves made before the first player: a random balanced opening, or none."""
    return rng.choice(balanced_openings(rules.key, board)).moves if fair is Fair.BALANCED else ()
