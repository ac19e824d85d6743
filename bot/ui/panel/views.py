"""The start panel: the game, the strength or the person to invite, and Start.

On a phone of 390 px its controls take four rows at most. A second page has everything else.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import starmap
from typing import Any

import discord
from discord import ui

from bot.domain.colours import are_drawn
from bot.domain.match import Fair, Match
from bot.domain.panel_choices import Against, Mode, Start, is_writable
from bot.domain.rating import Stakes
from bot.domain.terms import First
from bot.i18n import Text
from bot.presentation import CLASSIC, Look, Theme, icon, names, status
from bot.services.checked_terms import (
    CLOCKS,
    NO_CLOCK,
    checked_clock,
    echo_of,
    fair_starts,
    has_echo,
    usual_level,
)
from bot.ui.layout import MOST_OPTIONS, Item, box, lines, options_of
from bot.ui.panel.routes import LARGE_BOARDS, MAKE_RATED, PANEL, Press
from engine.agents.echo import ECHO, is_echo
from engine.agents.levels import Difficulty, Level, level_for, levels_of
from engine.agents.roster import Roster
from engine.core import Player
from engine.games import GAMES, spec_of

Row = ui.ActionRow[Any]

_PRESS_OF = {
    Difficulty.EASY: Press.EASY,
    Difficulty.MEDIUM: Press.MEDIUM,
    Difficulty.HARD: Press.HARD,
    Difficulty.BEST: Press.BEST,
}


@dataclass(frozen=True, slots=True)
class PanelOffer:
    """The choices of one person in one place.

    levels: of the chosen game on its usual board, weakest first. is_newcomer: the person has never played.
    has_others: there are other people here. rated: a rated match with these choices, and what is at stake.
    """

    start: Start
    levels: tuple[Level, ...]
    roster: Roster
    is_newcomer: bool = False
    has_others: bool = True
    rated: tuple[Match, Stakes] | None = None


def offer_of(
    start: Start,
    roster: Roster,
    levels: Sequence[Level],
    *,
    is_newcomer: bool = False,
    has_others: bool = True,
) -> PanelOffer:
    """Return the choices, each replaced by a default where it is not available: custom_ids can be forged.

    levels: of the chosen game on its usual board, those that are open here.
    """
    game, levels = start.game, tuple(level for level in levels if is_writable(level.key))
    against = start.against if has_others else Against.BOT
    level: str | None = start.level
    if has_echo(game, level):  # as strong as the person, so no level of the roster
        level = ECHO
    elif level not in {one.key for one in levels}:
        level = usual_level(game, levels).key if levels else None
    mode = None if start.mode is Mode.COACH and against is not Against.BOT else start.mode
    fair = start.fair if start.fair in fair_starts(GAMES[game], GAMES[game].boards[0]) else Fair.USUAL
    clock = start.clock if start.clock in (NO_CLOCK, *CLOCKS) else None
    start = replace(start, level=level, mode=mode, against=against, fair=fair, clock=clock)
    return PanelOffer(start, levels, roster, is_newcomer, has_others)


def panel_view(t: Text, offer: PanelOffer, look: Look = CLASSIC) -> ui.LayoutView:
    """Return the panel with these choices."""
    start = offer.start
    parts: list[Item] = [lines(f"### {t('start_title')}", _summary(t, offer)), _games(t, offer, look)]
    if start.against is Against.BOT:
        parts.extend(_strengths(t, offer))
    elif start.against is Against.FRIEND:
        parts.append(_friend(t, start))
    note = _note(t, offer)
    if note is not None:
        parts.append(lines(note))
    more = ui.Button[Any](label=t("button_more"), custom_id=PANEL(Press.MORE, start))
    return box(
        *parts,
        ui.ActionRow(_begin(t, start), more),
        colour=names.accent(start.game, Player.FIRST, look.theme),
    )


def more_choices_view(t: Text, offer: PanelOffer, look: Look = CLASSIC) -> ui.LayoutView:
    """Return the second page: opponent, all levels, mode, first player, kind of start, and clock."""
    start, rules = offer.start, GAMES[offer.start.game]
    is_against_bot = start.against is Against.BOT
    parts: list[Item] = [lines(f"### {t('start_title')}", _summary(t, offer))]
    if offer.has_others:
        againsts = ((one, t(f"start_against_{one}")) for one in Against)
        parts.append(_one_of(Press.AGAINST, start, "against", againsts))
    if is_against_bot and offer.levels:
        own = echo_of(offer.roster, start.game)
        offered = (*own, *offer.levels[len(own) - MOST_OPTIONS :])
        levels = options_of(
            ((level.key, names.level_offer(t, level, start.game)) for level in offered), start.level
        )
        parts.append(_select(Press.PICK_LEVEL, start, levels, t("start_pick_level")))
    modes = ((one, t(f"start_mode_{one}")) for one in Mode if is_against_bot or one is not Mode.COACH)
    parts.append(_one_of(Press.MODE, start, "mode", modes))
    if _are_colours_drawn(offer):
        parts.append(lines(f"-# {t('first_in_turn')}"))
    else:
        firsts = ((one, t(f"start_first_{one}")) for one in (First.RANDOM, First.ME, First.OPPONENT))
        parts.append(_one_of(Press.FIRST, start, "first", firsts))
    fairs = fair_starts(rules, rules.boards[0])
    if len(fairs) > 1:
        parts.append(lines(f"**{t('label_start')}**", t(f"start_fair_told_{start.fair}")))
        parts.append(_one_of(Press.FAIR, start, "fair", ((one, t(f"start_fair_{one}")) for one in fairs)))
    # A clock that a rated match against a bot cannot have is not offered for it.
    allowed = (number for number in (NO_CLOCK, *CLOCKS) if _clock(start, number) == number)
    clocks = options_of(
        ((str(number), names.clock_choice(t, number)) for number in allowed), str(_clock(start, start.clock))
    )
    parts.append(_select(Press.PICK_CLOCK, start, clocks, t("label_clock")))
    back = ui.Button[Any](label=t("button_back"), custom_id=PANEL(Press.BACK, start))
    return box(
        *parts,
        ui.ActionRow(_begin(t, start), back),
        colour=names.accent(start.game, Player.FIRST, look.theme),
    )


def begun_view(t: Text, start: Start, said: str, *, rate: int | None = None) -> ui.LayoutView:
    """Return a panel after Start. rate: a newcomer's casual match, which may still be made rated."""
    again = ui.Button[Any](label=t("button_play_again"), custom_id=PANEL(Press.AGAIN, start))
    if rate is None:
        return box(lines(said), ui.ActionRow(again))
    return box(lines(said, *_newcomer_lines(t)), ui.ActionRow(*_newcomer_buttons(t, rate), again))


def newcomer_view(t: Text, match_id: int) -> ui.LayoutView:
    """Return what a newcomer should know: that the match is casual, and that boards can be larger."""
    return box(lines(*_newcomer_lines(t)), ui.ActionRow(*_newcomer_buttons(t, match_id)))


def _newcomer_lines(t: Text) -> tuple[str, str]:
    return f"-# {t('start_newcomer')}", f"-# {t('start_large')}"


def _newcomer_buttons(t: Text, match_id: int) -> Iterable[Item]:
    yield ui.Button[Any](label=t("button_make_rated"), custom_id=MAKE_RATED(match_id))
    yield ui.Button[Any](label=t("button_large"), custom_id=LARGE_BOARDS())


def _summary(t: Text, offer: PanelOffer) -> str:
    """Return the chosen match in one line; of the second page the mode, and unusual choices."""
    start = offer.start
    chosen = [_pairing(t, offer, names.game_title(t, start.game)), t(f"start_mode_{start.played_mode}")]
    if start.first is not First.RANDOM and not _are_colours_drawn(offer):
        chosen.append(t(f"start_first_{start.first}"))
    if start.fair is not Fair.USUAL:
        chosen.append(t(f"fair_{start.fair}"))
    if start.clock is not None:
        chosen.append(names.clock_name(t, _clock(start, start.clock)))
    return " · ".join(chosen)


def _clock(start: Start, chosen: int | None) -> int:
    """Return the clock that the match begins with if that one is chosen."""
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
    if start.against is not Against.BOT or start.level is None:
        return t(f"summary_against_{start.against}", game=game)
    return t("summary", game=game, other=names.level_name(t, start.game, offer.roster.level(start.level)))


def _note(t: Text, offer: PanelOffer) -> str | None:
    if _are_colours_drawn(offer):
        stakes = () if offer.rated is None else (status.stakes(t, *offer.rated),)
        return "\n".join((*stakes, f"-# {t('first_in_turn')}"))
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
    """Return the choices with another game, and its level of the same difficulty."""
    level = None
    here, there = levels_of(start.game), levels_of(game)
    for difficulty in Difficulty:
        if here and there and level_for(difficulty, here).key == start.level:
            level = level_for(difficulty, there).key
            break
    else:
        level = start.level
    return replace(start, game=game, level=level)


def _one_of(press: Press, start: Start, field: str, labels: Iterable[tuple[enum.StrEnum, str]]) -> Row:
    """Return a row with a button for each value of that field."""

    def tile(value: enum.StrEnum, label: str) -> ui.Button[Any]:
        chosen: dict[str, Any] = {field: value}
        is_on = value is (start.played_mode if press is Press.MODE else getattr(start, field))
        return _tile(press, replace(start, **chosen), label, is_on=is_on)

    return ui.ActionRow(*starmap(tile, labels))


def _strengths(t: Text, offer: PanelOffer) -> Iterable[Row]:
    """Return a button for each difficulty; the line above names the level that is meant."""
    ladder = levels_of(offer.start.game, GAMES[offer.start.game].boards[0])
    if not ladder:
        return
    is_open = {level.key for level in offer.levels}
    meant = {difficulty: level_for(difficulty, ladder) for difficulty in Difficulty}
    yield ui.ActionRow(
        *(
            _tile(
                _PRESS_OF[difficulty],
                replace(offer.start, level=level.key),
                _difficulty(t, difficulty, level),
                is_on=level.key == offer.start.level,
                is_open=level.key in is_open,
            )
            for difficulty, level in meant.items()
        ),
        *_own_strength(t, offer.start),
    )


def _own_strength(t: Text, start: Start) -> Iterable[ui.Button[Any]]:
    """Return the button for Echo, in games that it plays."""
    if has_echo(start.game, ECHO):
        is_on = is_echo(start.level)
        yield _tile(Press.OWN, replace(start, level=ECHO), t("difficulty_own"), is_on=is_on)


def _difficulty(t: Text, difficulty: Difficulty, level: Level) -> str:
    is_perfect = difficulty is Difficulty.BEST and level.is_perfect
    return t("difficulty_perfect") if is_perfect else t(f"difficulty_{difficulty}")


def _friend(t: Text, start: Start) -> Row:
    chosen = [] if start.friend is None else [
        discord.SelectDefaultValue(id=start.friend, type=discord.SelectDefaultValueType.user)
    ]  # fmt: skip
    return ui.ActionRow(
        ui.UserSelect(
            custom_id=PANEL(Press.PICK_FRIEND, start),
            placeholder=t("start_pick_friend"),
            default_values=chosen,
        )
    )


def _begin(t: Text, start: Start) -> ui.Button[Any]:
    return ui.Button(
        label=t("button_begin"), style=discord.ButtonStyle.success, custom_id=PANEL(Press.BEGIN, start)
    )


def _tile(press: Press, start: Start, label: str, *, is_on: bool, is_open: bool = True) -> ui.Button[Any]:
    """Return a button for one choice; the current one stands out."""
    style = discord.ButtonStyle.primary if is_on else discord.ButtonStyle.secondary
    return ui.Button(label=label, style=style, disabled=not is_open, custom_id=PANEL(press, start))


def _select(press: Press, start: Start, options: list[discord.SelectOption], placeholder: str) -> Row:
    return ui.ActionRow(ui.Select(custom_id=PANEL(press, start), options=options, placeholder=placeholder))
