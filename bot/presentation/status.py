"""The texts of a match: its players, whose turn it is, its result, its last move and its clock.

Pure functions of a match, for every front end.
"""

from __future__ import annotations

from bot.domain.match import Match, RatingChange
from bot.domain.rating import SETTLED_UNDER, Record, Stake, Stakes
from bot.domain.result import End
from bot.domain.terms import Fair
from bot.i18n import Text, plain, plain_line
from bot.presentation import CLASSIC, Look, Marks, icon, marks_after, names, with_hints
from engine.agents.roster import Roster
from engine.core import Player, UnknownName
from engine.games import game as game_of
from engine.games import spec_of
from engine.games.openings import NamedOpening, opening_at
from engine.games.spec import Layout

WORTH_TELLING_SECONDS = 0.1
"""The shortest time of a move that is shown."""

MOST_OF_REASON = 150
"""The characters of a failed agent's reason that are shown."""


def name_of(match: Match, player: Player) -> str:
    """Return the name of the seat, with its Markdown escaped."""
    return plain(match.seats[player].name)


def disc_of(match: Match, player: Player, look: Look = CLASSIC) -> str:
    return icon(match.game, player, look)


def title(t: Text, match: Match) -> str:
    """Return the game, and its board unless that is the usual one."""
    return names.title(t, match.game, match.board)


def players(t: Text, match: Match, roster: Roster, look: Look = CLASSIC) -> str:
    """Return both seats, one to a line; agents with their character."""
    return "\n".join(_seat(t, match, player, roster, look) for player in Player)


def _seat(t: Text, match: Match, player: Player, roster: Roster, look: Look) -> str:
    seat = f"{disc_of(match, player, look)} **{name_of(match, player)}**"
    level = match.seats[player].level
    if level is None:
        return seat
    try:
        character = names.character_of(t, roster.level(level))
    except UnknownName:  # a plug-in that is no longer installed
        return seat
    return t("seat_with_character", seat=seat, character=plain_line(character, 100))


def terms(t: Text, match: Match) -> str:
    """Return whether the match is rated, its kind of start and its clock."""
    kind = t("coached") if match.is_coached else t("rated") if match.rated else t("casual")
    if match.fair is not Fair.USUAL:
        kind = f"{kind} · {t(f'fair_{match.fair}')}"
    if match.clock_seconds is None:
        return kind
    return f"{kind} · {names.clock_name(t, match.clock_seconds, is_vote=match.is_voted)}"


def marks(match: Match) -> Marks:
    """Return the marks of the board: legal moves only in games that show them, and for people."""
    spec, last = spec_of(match.game), Marks()
    has_hints = spec.look.shows_legal_moves and not match.is_over and not match.awaits_agent
    if match.timed_moves:
        last = marks_after(spec.rules, match.states[-2], match.timed_moves[-1].move, match.state)
    return with_hints(last, spec.rules, match.state) if has_hints else last


def score_line(t: Text, match: Match, look: Look = CLASSIC) -> str | None:
    """Return the points of both sides in games that these decide, else None."""
    points = spec_of(match.game).points_of(match.state)
    if points is None:
        return None
    first, second = points
    left, right = (icon(match.game, player, look) for player in Player)
    return t.left_to_right(f"{left} **{first}** : **{second}** {right}")


def trained_opening(match: Match) -> NamedOpening | None:
    """Return the named opening that the match began with, if any."""
    if not match.opening or match.fair is not Fair.USUAL or match.board != game_of(match.game).boards[0]:
        return None
    return opening_at(match.game, match.moves[: match.opening])


def last_move(t: Text, match: Match) -> str | None:
    """Return the last move, its player and how long it took; None before the first one."""
    if not match.timed_moves:
        return None
    # The moves of a given opening were played by neither side.
    if len(match.timed_moves) == match.opening:
        if match.is_swapped:
            return t("sides_swapped", name=name_of(match, Player.FIRST))
        trained = trained_opening(match)
        if trained is not None:
            return t("from_named", name=names.opening_name(trained))
        key = "from_opening" if match.fair is Fair.BALANCED else "from_position"
        return t(key, n=match.opening)
    spec = spec_of(match.game)
    before, timed = match.states[-2], match.timed_moves[-1]
    name = name_of(match, before.to_move)
    if spec.is_pass(before, timed.move):
        return t("had_to_pass", name=name)
    move = names.move_label(spec, before, timed.move)
    time = "" if timed.seconds < WORTH_TELLING_SECONDS else f" ({names.duration(t, timed.seconds)})"
    group = spec.group_of(before, timed.move)
    if group is not None and f"made_{match.game}_{group.key}" in t:
        line = t(f"made_{match.game}_{group.key}", name=name, move=move, time=time)
    else:
        line = t("played", name=name, move=move, time=time)
    if not timed.forfeit:
        return line
    return f"{line} {t('played_at_random', name=name, reason=plain_line(timed.forfeit, MOST_OF_REASON))}"


def status(t: Text, match: Match, look: Look = CLASSIC, *, ready_in: int | None = None) -> str:
    """Return whose turn it is, or the result. ready_in: seconds until the agent to move can think at all."""
    if match.result is not None:
        return result(t, match, look)
    disc, name = disc_of(match, match.to_move, look), name_of(match, match.to_move)
    if match.is_held:
        person = match.to_move.other
        return t("thinking_again", disc=disc_of(match, person, look), name=name_of(match, person))
    if match.waits_for is not None:
        return t("answer_waits", disc=disc, name=name, number=match.waits_for)
    if ready_in is not None and match.awaits_agent:
        return t("agent_gets_ready", disc=disc, name=name, seconds=ready_in)
    return t("is_thinking" if match.awaits_agent else "to_move", disc=disc, name=name)


def note(t: Text, match: Match, look: Look = CLASSIC, *, in_words: bool = False) -> str | None:
    """Return the game's own note about the position, if there is one.

    in_words: the disc is named by the word of its colour.
    """
    found = None if match.is_over else spec_of(match.game).play.note(match.state)
    if found is None:
        return None
    disc = disc_of(match, found.side, look)
    if in_words:
        side = spec_of(match.game).play.sides[found.side]
        disc = t(f"side_{side}") if f"side_{side}" in t else side
    if f"note_{match.game}_{found.key}" in t:
        return t(f"note_{match.game}_{found.key}", disc=disc, name=name_of(match, match.to_move))
    return f"{disc} {found.text}"


def unrated(t: Text, match: Match) -> str | None:
    """Return a line for rated matches that ended too soon to be rated, else None."""
    is_rated = match.rated and match.result is not None and match.result.counts
    return f"-# {t('result_not_rated')}" if is_rated and not match.counts else None


def deadline(t: Text, match: Match) -> str | None:
    """Return when the side to move loses on time, as a timestamp that Discord counts down."""
    if match.deadline is None:
        return None
    line = t("deadline", name=name_of(match, match.to_move), when=f"<t:{int(match.deadline.timestamp())}:R>")
    other = match.to_move.other
    if match.clock is None or match.clock.increment is None or match.seats[other].is_agent:
        return line
    minutes, seconds = divmod(int(match.time_left(other)), 60)
    return f"{line} {t('clock_waits', name=name_of(match, other), time=f'{minutes}:{seconds:02}')}"


def pie(t: Text, match: Match) -> str | None:
    """Return that the first move may be taken over (the pie rule), else None."""
    if not match.can_swap or match.awaits_agent:
        return None
    return t("pie_offered", name=name_of(match, match.to_move))


def offers(t: Text, match: Match) -> list[tuple[str, Player, str]]:
    """Return what waits for an answer: `draw` or `undo`, the side that asked, and the line that says so."""
    waiting = []
    if match.draw_offer is not None:
        line = t("offers_draw", name=name_of(match, match.draw_offer))
        waiting.append(("draw", match.draw_offer, line))
    if match.undo_request is not None:
        waiting.append(("undo", match.undo_request, _undo_request(t, match, match.undo_request)))
    return waiting


def taken_back(t: Text, before: Match, after: Match) -> str:
    """Return what a take-back has removed: the last move, or a move and everything after it."""
    ply = len(after.timed_moves)
    if ply + 1 >= len(before.timed_moves):
        return t("you_took_back")
    return t("you_took_back_from", move=_move_at(before, ply))


def _move_at(match: Match, ply: int) -> str:
    return names.move_label(spec_of(match.game), match.states[ply], match.moves[ply])


def _undo_request(t: Text, match: Match, player: Player) -> str:
    name, ply = name_of(match, player), match.undo_ply
    # The move is named where it is not the last that its side chose.
    if ply is None or ply == match.last_choice(player):
        return t("asks_undo", name=name)
    return t("asks_undo_of", name=name, move=_move_at(match, ply))


def result(t: Text, match: Match, look: Look = CLASSIC) -> str:
    """Return who won and why; raises ValueError for a running match."""
    if match.result is None:
        raise ValueError(f"match {match.id} is not over")
    winner, end = match.result.winner, match.result.end
    counts = spec_of(match.game).points_of(match.state) or (0, 0)
    if winner is None:
        return t(
            f"drawn_{end}" if f"drawn_{end}" in t else "drawn_other",
            discs=counts[0],
            moves=len(match.timed_moves),
            n=len(match.timed_moves),
        )
    own = match.game
    if winner.other not in match.state.cells() and f"won_{end}_{own}_all_taken" in t:
        own += "_all_taken"
    # The most special text there is: few games have words of their own, and these for few ends.
    return t(
        f"won_{end}_{own}" if f"won_{end}_{own}" in t else f"won_{end}" if f"won_{end}" in t else "won_other",
        disc=disc_of(match, winner, look),
        name=name_of(match, winner),
        other=name_of(match, winner.other),
        line=_line(t, match) if end is End.LINE else "",
        discs=counts[winner],
        fewer=counts[winner.other],
    )


def _line(t: Text, match: Match) -> str:
    """Return `four in a row, slanting, columns 4 to 7`, or the line's name where its cells say no more."""
    name, spec, outcome = _line_name(t, match), spec_of(match.game), match.state.outcome()
    cells = () if outcome is None else outcome.line
    # Two lines at once, and chains, have no direction.
    if len(cells) != spec.play.line_length(match.board) or f"line_{match.game}" in t:
        return name
    places = [spec.places_under(match.state)[cell] for cell in cells]
    columns = sorted({place.column for place in places})
    is_upright, is_across = len(columns) == 1, len({place.row for place in places}) == 1
    direction = "upright" if is_upright else "across" if is_across else "slanting"
    if spec.look.layout is not Layout.COLUMNS:
        first, last = (names.square_words(t, match.game, match.state, cell) for cell in (cells[0], cells[-1]))
        return t(f"lies_{direction}", line=name, where=t("from_square_to", first=first, last=last))
    if is_upright:
        return t("lies_upright", line=name, where=t("move_column", column=columns[0] + 1))
    where = t("from_column_to", first=columns[0] + 1, last=columns[-1] + 1)
    return t(f"lies_{direction}", line=name, where=where)


def _line_name(t: Text, match: Match) -> str:
    """Return `four in a row`, the text for another length, or the game's own."""
    if f"line_{match.game}" in t:
        return t(f"line_{match.game}")
    length = spec_of(match.game).play.line_length(match.board)
    return t(f"in_a_row_{length}") if f"in_a_row_{length}" in t else t("in_a_row_other")


def ratings(t: Text, match: Match) -> str | None:
    """Return how both ratings changed; None if neither did."""
    changes = match.rating_changes
    if not changes:
        return None
    return " · ".join(_rating_change(t, match, player, changes[player]) for player in Player)


def _rating_change(t: Text, match: Match, player: Player, change: RatingChange) -> str:
    name = name_of(match, player)
    if match.seats[player].is_agent and change.after == change.before:
        return t("rating_measured", name=name, rating=change.after)
    after = names.rating(t, change.after, change.margin)
    if change.margin < SETTLED_UNDER:
        return t("rating_changed", name=name, rating=after, change=signed(change.after - change.before))
    # The points of a rating that is not settled say more than is known.
    before = names.rating(t, change.before, change.margin)
    if before == after:
        return t("rating_measured", name=name, rating=after)
    return t("rating_moved", name=name, before=before, after=after)


def signed(points: int) -> str:
    """Return a change of points with its sign."""
    return f"{'+' if points > 0 else '−' if points < 0 else '±'}{abs(points)}"


def stakes(t: Text, match: Match, at_stake: Stakes) -> str:
    """Return both ratings before a rated match, and how a win and a loss would change settled ones."""
    said = " · ".join(_stake(t, match, player, at_stake[player]) for player in Player)
    unclear = unsettled(t, *(stake.record for stake in at_stake if not stake.record.is_fixed))
    return f"-# ⚖️ {said}" if unclear is None else f"-# ⚖️ {said}\n{unclear}"


def _stake(t: Text, match: Match, player: Player, stake: Stake) -> str:
    name, record = name_of(match, player), stake.record
    shown = str(record.points) if record.is_fixed else names.rating(t, record.points, record.margin)
    if record.is_fixed or not record.is_settled:
        return t("rating_measured", name=name, rating=shown)
    return t("rating_stake", name=name, rating=shown, win=signed(stake.win), loss=signed(stake.loss))


def unsettled(t: Text, *ratings: Record | RatingChange) -> str | None:
    """Return the meaning of `about` if one of the ratings has it, else None."""
    is_rough = any(rating.margin >= SETTLED_UNDER for rating in ratings)
    return f"-# {t('rating_unsettled')}" if is_rough else None


def pairing(t: Text, match: Match) -> str:
    """Return the match in one line: game and both names."""
    first, second = (name_of(match, player) for player in Player)
    return t("pairing", game=title(t, match), first=first, second=second)


def thread_name(t: Text, match: Match) -> str:
    """Return the name of the match's thread, without Markdown, since Discord shows names as they are."""
    first, second = (seat.name for seat in match.seats)
    return t("thread_name", game=names.game_title(t, match.game), first=first, second=second)


def summary(t: Text, match: Match, user_id: int) -> str:
    """Return the match in one line for one of its players: game and opponent."""
    return t("summary", game=title(t, match), other=name_of(match, match.player_of(user_id).other))
