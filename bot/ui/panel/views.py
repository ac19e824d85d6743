"""The start panel: the game, the strength or the person to play with, and Start.

It has six controls, which take five rows at most on a phone of 390 px. A second page has everything else, a
third one all levels by name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import discord
from discord import ui

from bot.domain.errors import Refusal
from bot.domain.match import Match
from bot.domain.panel_choices import BY_CHANNEL, Against, Mode, Start, is_writable
from bot.domain.rating import Stakes
from bot.domain.strengths import PlainStrength, strength_word, strengths
from bot.domain.terms import Fair, First, are_drawn
from bot.domain.vote import USUAL_VOTE_SECONDS, VOTE_SECONDS
from bot.i18n import Text, shortened
from bot.presentation import CLASSIC, Look, Theme, icon, names, status
from bot.presentation.refusals import refusal_line
from bot.services.checked_terms import (
    CLOCKS,
    NO_CLOCK,
    checked_clock,
    echo_of,
    fair_starts,
    has_echo,
    usual_level,
)
from bot.ui.layout import LABEL, MOST_OPTIONS, Item, box, lines, options_of
from bot.ui.panel.routes import LARGE_BOARDS, MAKE_RATED, PANEL, Press
from engine.agents.algorithms import algorithm, algorithms_of, is_algorithm
from engine.agents.echo import ECHO, is_echo
from engine.agents.levels import Level, levels_of
from engine.agents.roster import Roster
from engine.core import Player, UnknownName
from engine.games import GAMES, spec_of

Row = ui.ActionRow[Any]

ALL_LEVELS = "levels"
"""The choice of an opponent that leads to all levels by name."""


@dataclass(frozen=True, slots=True)
class PanelOffer:
    """The choices of one person in one place.

    levels: of the chosen game on its usual board, weakest first. algorithms: those offered for it.
    is_newcomer: the person has never played. has_others: there are other people here. has_votes: the channel
    may play. rated: a rated match with these choices, and what is at stake. barred: why no bot plays the
    person in that game.
    """

    start: Start
    levels: tuple[Level, ...]
    roster: Roster
    algorithms: tuple[Level, ...] = ()
    is_newcomer: bool = False
    has_others: bool = True
    has_votes: bool = False
    rated: tuple[Match, Stakes] | None = None
    barred: Refusal | None = None

    @property
    def strengths(self) -> dict[PlainStrength, Level]:
        """The five strengths that may be chosen, weakest first."""
        game = self.start.game
        return dict(strengths(game, GAMES[game].boards[0], self.levels))


def offer_of(
    start: Start,
    roster: Roster,
    levels: Sequence[Level],
    *,
    has_algorithms: bool = True,
    is_newcomer: bool = False,
    has_others: bool = True,
    has_votes: bool = False,
) -> PanelOffer:
    """Return the choices, each replaced by a default where it is not available: custom_ids can be forged.

    levels: of the chosen game on its usual board, those that are open here. has_algorithms: they are open,
    too.
    """
    game, levels = start.game, tuple(level for level in levels if is_writable(level.key))
    against = start.against if has_others else Against.BOT
    if (against is Against.FRIEND and start.friend is None) or (against in BY_CHANNEL and not has_votes):
        against = Against.BOT
    level: str | None = start.level
    if has_echo(game, level):  # as strong as the person, so no level of the roster
        level = ECHO
    elif level not in {one.key for one in levels} and not (has_algorithms and _is_algorithm(game, level)):
        level = usual_level(game, levels).key if levels else None
    has_mode = against is Against.BOT or (start.mode is not Mode.COACH and against not in BY_CHANNEL)
    mode = start.mode if has_mode else None
    has_fair = against not in BY_CHANNEL and start.fair in fair_starts(GAMES[game], GAMES[game].boards[0])
    fair = start.fair if has_fair else Fair.USUAL
    clock = start.clock if start.clock in clocks_of(against) else None
    # The first half always begins: which people will be in it, their first votes decide.
    first = First.RANDOM if against is Against.HALVES else start.first
    start = replace(start, level=level, mode=mode, against=against, first=first, fair=fair, clock=clock)
    algorithms = algorithms_of(game) if has_algorithms else ()
    return PanelOffer(start, levels, roster, algorithms, is_newcomer, has_others, has_votes)


def clocks_of(against: Against) -> tuple[int, ...]:
    """Return the numbers of the clocks for that kind of opponent, or the times of a vote."""
    return VOTE_SECONDS if against in BY_CHANNEL else (NO_CLOCK, *CLOCKS)


def _is_algorithm(game: str, key: str | None) -> bool:
    """Return whether the key names an algorithm that plays the game."""
    if key is None or not is_algorithm(key):
        return False
    try:
        return algorithm(key).plays(game)
    except UnknownName:
        return False


def panel_view(t: Text, offer: PanelOffer, look: Look = CLASSIC) -> ui.LayoutView:
    """Return the panel with these choices."""
    start = offer.start
    parts: list[Item] = [
        lines(f"### {t('start_title')}", _summary(t, offer), _label(t, "label_game")),
        _games(t, offer, look),
    ]
    opponents = _opponents(t, offer, look)
    if opponents:
        parts += [lines(_label(t, "label_opponent")), _select(Press.PICK_OPPONENT, start, opponents)]
    if offer.has_others:
        parts += [lines(_label(t, "label_friend")), _friend(t, start)]
    note = _note(t, offer)
    if note is not None:
        parts.append(lines(note))
    return box(
        *parts,
        ui.ActionRow(_begin(t, start), _coach(t, start), _turn(t, Press.MORE, start)),
        colour=names.accent(start.game, Player.FIRST, look.theme),
    )


def more_choices_view(t: Text, offer: PanelOffer, look: Look = CLASSIC) -> ui.LayoutView:
    """Return the second page: first player, kind of start, clock, and whether the match counts."""
    start, rules = offer.start, GAMES[offer.start.game]
    parts: list[Item] = [lines(f"### {t('start_title')}", _summary(t, offer))]
    if _are_colours_drawn(offer):
        parts.append(lines(f"-# {t('first_in_turn')}"))
    elif start.against is not Against.HALVES:
        firsts = ((one, _first(t, start, one)) for one in (First.RANDOM, First.ME, First.OPPONENT))
        parts.append(lines(_label(t, "label_first")))
        parts.append(_select(Press.PICK_FIRST, start, options_of(firsts, start.first)))
    is_voted = start.against in BY_CHANNEL
    if is_voted:
        parts += [lines(_label(t, "label_rival")), _select(Press.PICK_RIVAL, start, _rivals(t, offer, look))]
    fairs = () if is_voted else fair_starts(rules, rules.boards[0])
    if len(fairs) > 1:
        parts.append(lines(_label(t, "label_start")))
        offered = options_of(((one, t(f"start_fair_{one}")) for one in fairs), start.fair)
        for option in offered:
            option.description = shortened(t(f"start_fair_told_{option.value}"), LABEL)
        parts.append(_select(Press.PICK_FAIR, start, offered))
    # A clock that a rated match against a bot cannot have is not offered for it.
    allowed = (number for number in clocks_of(start.against) if _clock(start, number) == number)
    worded = names.time_of if is_voted else names.clock_choice
    clocks = options_of(((str(one), worded(t, one)) for one in allowed), str(_clock(start, start.clock)))
    label = "label_vote" if is_voted else "label_clock"
    parts += [lines(_label(t, label)), _select(Press.PICK_CLOCK, start, clocks)]
    is_rated = start.mode is Mode.RATED
    rated = _tile(
        Press.RATED,
        replace(start, mode=Mode.CASUAL if is_rated else Mode.RATED),
        t("button_rated_on" if is_rated else "button_rated_off"),
        is_on=is_rated,
        is_open=not is_voted,
    )
    return box(
        *parts,
        ui.ActionRow(_begin(t, start), rated, _turn(t, Press.BACK, start)),
        colour=names.accent(start.game, Player.FIRST, look.theme),
    )


def levels_view(t: Text, offer: PanelOffer, look: Look = CLASSIC) -> ui.LayoutView:
    """Return the third page: every level by its name, with its measured strength, then the algorithms."""
    start = offer.start
    own = echo_of(offer.roster, start.game)
    shown = (*own, *offer.levels[len(own) - MOST_OPTIONS :])
    levels = options_of(((one.key, names.level_offer(t, one, start.game)) for one in shown), start.level)
    parts: list[Item] = [lines(f"### {t('start_title')}", _summary(t, offer), _label(t, "label_level"))]
    parts.append(_select(Press.PICK_LEVEL, start, levels, t("start_pick_level")))
    if offer.algorithms:
        algorithms = options_of(
            (
                (one.key, t("level_offered", name=one.name, character=names.character_of(t, one)))
                for one in offer.algorithms[:MOST_OPTIONS]
            ),
            start.level,
        )
        parts.append(lines(_label(t, "label_algorithm")))
        parts.append(_select(Press.PICK_ALGORITHM, start, algorithms, t("start_pick_algorithm")))
    return box(
        *parts,
        ui.ActionRow(_begin(t, start), _turn(t, Press.BACK, start)),
        colour=names.accent(start.game, Player.FIRST, look.theme),
    )


def begun_view(t: Text, start: Start, said: str) -> ui.LayoutView:
    """Return a panel after Start."""
    again = ui.Button[Any](label=t("button_play_again"), custom_id=PANEL(Press.AGAIN, start))
    return box(lines(said), ui.ActionRow(again))


def newcomer_view(t: Text, match: Match) -> ui.LayoutView:
    """Return what a newcomer should know: that boards can be larger, and whether the match may be rated."""
    # With a coach or from a position the match stays casual; with a coach the panel has said so.
    may_be_rated = not (match.rated or match.is_coached or match.opening)
    if not may_be_rated:
        return newcomer_told_view(t)
    rate = ui.Button[Any](label=t("button_make_rated"), custom_id=MAKE_RATED(match.id))
    return newcomer_told_view(t, f"-# {t('start_newcomer')}", rate)


def newcomer_told_view(t: Text, said: str | None = None, *buttons: ui.Button[Any]) -> ui.LayoutView:
    """Return the same with that line and these buttons before the way to large boards."""
    large = ui.Button[Any](label=t("button_large"), custom_id=LARGE_BOARDS())
    return box(lines(said, f"-# {t('start_large')}"), ui.ActionRow(*buttons, large))


def _summary(t: Text, offer: PanelOffer) -> str:
    """Return the chosen match in one line; of the second page the mode, and unusual choices."""
    start = offer.start
    chosen = [_pairing(t, offer, names.game_title(t, start.game)), t(f"start_mode_{start.played_mode}")]
    if start.first is not First.RANDOM and not _are_colours_drawn(offer):
        chosen.append(_first(t, start, start.first))
    if start.fair is not Fair.USUAL:
        chosen.append(t(f"fair_{start.fair}"))
    is_vote = start.against in BY_CHANNEL
    if start.clock is not None or is_vote:
        chosen.append(names.clock_name(t, _clock(start, start.clock), is_vote=is_vote))
    return " · ".join(chosen)


def _first(t: Text, start: Start, first: First) -> str:
    return t(
        "start_first_channel" if first is First.ME and start.against in BY_CHANNEL else f"start_first_{first}"
    )


def _clock(start: Start, chosen: int | None) -> int:
    """Return the clock that the match begins with if that one is chosen."""
    if start.against in BY_CHANNEL:
        return chosen or USUAL_VOTE_SECONDS
    is_rated, has_agent = start.mode is Mode.RATED, start.against is Against.BOT
    return checked_clock(chosen, rated=is_rated, has_agent=has_agent) or NO_CLOCK


def _are_colours_drawn(offer: PanelOffer) -> bool:
    start = offer.start
    is_person = start.against is not Against.BOT
    can_be_rated = is_person or (start.level is not None and offer.roster.level(start.level).is_rated)
    return are_drawn(rated=start.mode is Mode.RATED and can_be_rated, fair=start.fair)


def _pairing(t: Text, offer: PanelOffer, game: str) -> str:
    start = offer.start
    if start.against is Against.FRIEND and start.friend is not None:
        return t("summary", game=game, other=f"<@{start.friend}>")
    if start.against not in (Against.BOT, Against.CHANNEL) or start.level is None:
        return t(f"summary_against_{start.against}", game=game)
    other = names.level_name(t, start.game, offer.roster.level(start.level))
    return t("summary" if start.against is Against.BOT else "summary_votes", game=game, other=other)


def _note(t: Text, offer: PanelOffer) -> str | None:
    if offer.barred is not None:
        return refusal_line(t, offer.barred)
    if _are_colours_drawn(offer):
        stakes = () if offer.rated is None else (status.stakes(t, *offer.rated),)
        return "\n".join((*stakes, f"-# {t('first_in_turn')}"))
    if offer.start.against in BY_CHANNEL:
        return f"-# {t('start_votes')}"
    if offer.rated is not None:
        return status.stakes(t, *offer.rated)
    if offer.start.mode is Mode.COACH:
        return f"-# {t('start_coached')}"
    is_first = offer.is_newcomer and offer.start.played_mode is Mode.CASUAL
    return f"-# {t('start_newcomer')}" if is_first else None


def _games(t: Text, offer: PanelOffer, look: Look) -> Row:
    offered = list(GAMES)[:MOST_OPTIONS]
    options = options_of(((key, names.game_title(t, key)) for key in offered), offer.start.game)
    for option in options:
        option.emoji = _emoji(option.value, look)
    return _select(Press.PICK_GAME, offer.start, options, t("start_pick_game"))


def _emoji(game: str, look: Look) -> str | None:
    """Return the game's icon, or else the disc of the first player; None for letters, which are no emoji."""
    if look.theme is Theme.LETTERS:
        return None
    return spec_of(game).look.icon or icon(game, Player.FIRST, look)


def with_game(start: Start, game: str) -> Start:
    """Return the choices with another game, and its level of the same strength."""
    level = start.level
    if level is not None:
        word = strength_word(start.game, GAMES[start.game].boards[0], level)
        board = GAMES[game].boards[0]
        there = strengths(game, board, levels_of(game, board))
        level = there[word].key if word is not None and word in there else level
    return replace(start, game=game, level=level)


def _strengths(t: Text, offer: PanelOffer, look: Look) -> list[discord.SelectOption]:
    """Return the five strengths."""
    return [
        _option(
            level.key,
            _word(t, word, look),
            t("level_offered", name=names.plain_name(level), character=names.character_of(t, level)),
        )
        for word, level in offer.strengths.items()
    ]


def _rivals(t: Text, offer: PanelOffer, look: Look) -> list[discord.SelectOption]:
    """Return the opponents of a channel: the five strengths, the level that is chosen, and its other half."""
    start, options = offer.start, _strengths(t, offer, look)
    if start.level is not None and start.level not in {option.value for option in options}:
        level = offer.roster.level(start.level)
        options.append(_option(start.level, names.plain_name(level), names.character_of(t, level)))
    options.append(_option(Against.HALVES, f"⚔️ {t('start_halves')}", t("start_halves_told")))
    wanted = Against.HALVES if start.against is Against.HALVES else start.level
    for option in options:
        option.default = option.value == wanted
    return options


def _opponents(t: Text, offer: PanelOffer, look: Look) -> list[discord.SelectOption]:
    """Return the five strengths, My strength, anyone who is here, the channel, and the way to all levels."""
    start, is_bot = offer.start, offer.start.against is Against.BOT
    words, options = offer.strengths, _strengths(t, offer, look)
    chosen = start.level if start.level is None or not is_echo(start.level) else ECHO
    # A menu shows its choice only among its options, so a level from the list of all joins the strengths.
    if chosen is not None and chosen not in {ECHO, *(level.key for level in words.values())}:
        level = offer.roster.level(chosen)
        options.append(_option(chosen, names.plain_name(level), names.character_of(t, level)))
    if has_echo(start.game, ECHO):
        own = offer.roster.level(ECHO)
        options.append(_option(ECHO, f"⚖️ {t('difficulty_own')}", names.character_of(t, own)))
    if offer.has_others:
        options.append(_option(Against.ANYONE, f"🪑 {t('start_anyone')}", t("start_anyone_told")))
    if offer.has_votes:
        told = t("start_channel_told")
        options.append(_option(Against.CHANNEL, f"🗳️ {t('start_channel')}", told))
    if offer.levels or offer.algorithms:
        options.append(
            _option(ALL_LEVELS, t("start_all_levels", n=len(offer.levels)), t("start_all_levels_told"))
        )
    wanted = chosen if is_bot else Against.CHANNEL if start.against in BY_CHANNEL else start.against
    for option in options:
        option.default = option.value == wanted
    return options


def _option(value: str, label: str, description: str) -> discord.SelectOption:
    return discord.SelectOption(
        value=value, label=shortened(label, LABEL), description=shortened(description, LABEL)
    )


def _word(t: Text, word: PlainStrength, look: Look) -> str:
    """Return `●●○○○ Easy`; a screen reader, for which people choose letters, would read each disc."""
    if look.theme is Theme.LETTERS:
        return names.strength(t, word)
    place = list(PlainStrength).index(word) + 1
    return f"{'●' * place}{'○' * (len(PlainStrength) - place)} {names.strength(t, word)}"


def _friend(t: Text, start: Start) -> Row:
    """Return the menu of people; without a choice, the opponent is the one above."""
    is_chosen = start.against is Against.FRIEND and start.friend is not None
    chosen = [
        discord.SelectDefaultValue(id=start.friend or 0, type=discord.SelectDefaultValueType.user)
    ] if is_chosen else []  # fmt: skip
    return ui.ActionRow(
        ui.UserSelect(
            custom_id=PANEL(Press.PICK_FRIEND, start),
            placeholder=t("start_pick_friend"),
            min_values=0,
            default_values=chosen,
        )
    )


def _label(t: Text, key: str) -> str:
    """Return the label of the row below it."""
    return f"-# **{t(key)}**"


def _begin(t: Text, start: Start) -> ui.Button[Any]:
    return ui.Button(
        label=t("button_begin"), style=discord.ButtonStyle.success, custom_id=PANEL(Press.BEGIN, start)
    )


def _coach(t: Text, start: Start) -> ui.Button[Any]:
    """Return the switch of the coach, who is there in matches against a bot alone."""
    is_on = start.mode is Mode.COACH
    switched = replace(start, mode=Mode.CASUAL if is_on else Mode.COACH)
    label = t("button_coach_on" if is_on else "button_coach_off")
    return _tile(Press.COACH, switched, label, is_on=is_on, is_open=start.against is Against.BOT)


def _turn(t: Text, press: Press, start: Start) -> ui.Button[Any]:
    """Return the button to another page."""
    label = t("button_more" if press is Press.MORE else "button_back")
    return ui.Button(label=label, custom_id=PANEL(press, start))


def _tile(press: Press, start: Start, label: str, *, is_on: bool, is_open: bool = True) -> ui.Button[Any]:
    """Return a button for one choice; the current one stands out."""
    style = discord.ButtonStyle.primary if is_on else discord.ButtonStyle.secondary
    return ui.Button(label=label, style=style, disabled=not is_open, custom_id=PANEL(press, start))


def _select(
    press: Press, start: Start, options: list[discord.SelectOption], placeholder: str | None = None
) -> Row:
    return ui.ActionRow(ui.Select(custom_id=PANEL(press, start), options=options, placeholder=placeholder))
