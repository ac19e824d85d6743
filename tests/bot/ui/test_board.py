"""The board message stays within Discord's limits, in every state of every game on every board."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import discord
import pytest

from bot.app import drawings
from bot.domain.location import Channel
from bot.domain.look import Look, Size, Theme
from bot.domain.match import Match
from bot.domain.offers import Offers
from bot.domain.result import End, Result
from bot.domain.seat import Seat
from bot.presentation.plane import is_plane
from bot.presentation.tiles.grid import MAX_TILES
from bot.process.emoji_sync import names_for
from bot.ui.dispatch import ROUTER
from bot.ui.match.views import board_view, moved_view, resign_view
from bot.ui.move_choices import Picked
from engine.agents.roster import Roster
from engine.core import Player
from engine.games import GAMES, spec_of
from engine.games.spec import Layout
from tests.bot.made_once import all_texts

NOW = datetime(2026, 5, 1, tzinfo=UTC)
LATER = NOW + timedelta(days=2)
T = all_texts().of("en-US")
ROSTER = Roster()
LONGEST = "M" * 32
ADA, BEN = Seat(LONGEST, user_id=2**63 - 1), Seat("_" * 32, user_id=2**63 - 2)
PIP = Seat("Pip", level="pip")
BOARDS = [(key, board) for key, game in GAMES.items() for board in game.boards]


def own_emoji() -> dict[Any, str]:
    """As long as any that Discord makes before the year 2090."""
    wanted = drawings()
    names = names_for(wanted, {})
    return {one.key: f"<:{name}:{10**19 - 1}>" for one, name in zip(wanted, names, strict=True)}


LOOKS = [
    Look(theme, size).written_in(emoji)
    for emoji in ({}, own_emoji())
    for theme, size in ((Theme.CLASSIC, Size.NORMAL), (Theme.SHAPES, Size.LARGE), (Theme.DARK, Size.SMALL))
]


def begun(key: str, board: str, seats: tuple[Seat, Seat] = (ADA, BEN), **options: Any) -> Match:
    match = Match.begin(key, board, seats, Channel(1, 2, 3), NOW, **options)
    return replace(match, id=10**17)


def flat(view: discord.ui.LayoutView) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []

    def visit(component: dict[str, Any]) -> None:
        found.append(component)
        for child in component.get("components", []):
            visit(child)

    for part in view.to_components():  # type: ignore[no-untyped-call]
        visit(part)
    return found


def check_limits(view: discord.ui.LayoutView) -> None:
    """Discord, "Component Reference": 40 components, 4,000 characters, ids of 1 to 100 characters."""
    parts = flat(view)
    assert len(parts) <= 40
    texts = [part["content"] for part in parts if part["type"] == 10]
    assert all(texts)
    assert sum(len(text.encode("utf-16-le")) // 2 for text in texts) <= 4000
    ids = [part["custom_id"] for part in parts if "custom_id" in part]
    assert len(set(ids)) == len(ids)
    assert all(1 <= len(text) <= 100 for text in ids)
    assert all(ROUTER.find(text) is not None for text in ids)
    for part in parts:
        if part["type"] == 1:
            assert 1 <= len(part["components"]) <= 5
        if part["type"] == 2:
            assert len(part.get("label") or "") <= 80
            assert part.get("label") or part.get("emoji")
        if part["type"] == 3:
            assert 1 <= len(part["options"]) <= 25


@pytest.mark.parametrize(("key", "board"), BOARDS)
async def test_every_state_of_a_random_game_fits_with_an_offer_pending(key: str, board: str) -> None:
    rng = random.Random(f"{key} {board}")
    is_large = GAMES[key].start(board).columns > 8
    match = begun(key, board, rated=False, clock_seconds=259_200)
    while not match.is_over:
        user_id = match.seat_to_move.user_id
        assert user_id is not None
        look = rng.choice(LOOKS)
        if not is_large or match.state.ply % 10 < 4:  # the opening, and then now and again
            check_limits(board_view(match, T, ROSTER, look))
            pending = replace(match, draws=Offers(Player.FIRST))
            if (
                match.state.ply % 4 < 2
            ):  # of each side's moves one with a picked piece, then one with both offers
                check_limits(board_view(pending, T, ROSTER, look, picked=Picked(0, 1)))
            else:
                check_limits(board_view(replace(pending, undos=Offers(Player.SECOND)), T, ROSTER, look))
        match = match.play(user_id, rng.choice(match.state.legal_moves()), NOW + timedelta(days=2))
    check_limits(board_view(match, T, ROSTER))


@pytest.mark.parametrize(("key", "board"), BOARDS)
async def test_the_fullest_message_still_has_its_board_in_tiles(key: str, board: str) -> None:
    """With the longest names, an offer, a clock, and as many characters on every cell as there can be."""
    start = begun(key, board, rated=False, clock_seconds=259_200)
    rows, columns = start.state.rows, start.state.columns
    spec = spec_of(key)
    if max(rows, columns) > MAX_TILES or spec.look.layout is Layout.GRID or is_plane(spec):
        return
    rng, longest = random.Random(f"full {key} {board}"), 0
    for _ in range(3):
        match = start
        while not match.is_over:
            look = LOOKS[3]
            offered = replace(match, draws=Offers(Player.FIRST))
            parts = flat(board_view(offered, T, ROSTER, look))
            texts = [part["content"] for part in parts if part["type"] == 10]
            drawn = [text for text in texts if text.count("<:") > 8]
            assert len(drawn) == 1, "the board has become a picture"
            # Cells are emptier here than they can be, and each costs a character less.
            longest = max(longest, sum(map(len, texts)) + rows * columns)
            match = match.play(match.seat_to_move.user_id or 0, rng.choice(match.state.legal_moves()), LATER)
    assert longest <= 4000


@pytest.mark.slow
async def test_all_legal_moves_are_reached_by_buttons_or_selects() -> None:
    rng, widest = random.Random(4), 0
    for _ in range(60):
        match = begun("othello", "8x8", rated=False)
        while not match.is_over:
            legal = match.state.legal_moves()
            widest = max(widest, len(legal))
            assert sorted(_offered(match)) == list(legal)
            match = match.play(match.seat_to_move.user_id or 0, rng.choice(legal), NOW)
    assert widest > 20


def _offered(match: Match, picked: Picked | None = None) -> list[int]:
    """The moves that these choices lead to."""
    parts = flat(board_view(match, T, ROSTER, picked=picked))
    values = [part["custom_id"] for part in parts if part["type"] == 2 and not part.get("disabled")]
    values += [option["value"] for part in parts if part["type"] == 3 for option in part["options"]]
    ends = [
        value.split(":")[-1]
        for value in values
        if value.startswith(("d1:m:", "d1:mc:")) or value[0].isdigit()
    ]
    moves = [int(end) for end in ends if end.isdigit()]
    deeper = [Picked.read(end) for end in ends if "." in end]
    steps = 0 if picked is None else picked.steps
    return moves + [move for one in deeper if one.steps > steps for move in _offered(match, one)]


async def test_while_an_agent_thinks_nothing_can_be_played() -> None:
    for key in GAMES:
        match = begun(key, GAMES[key].boards[0], (PIP, ADA))
        parts = flat(board_view(match, T, ROSTER))
        moves = [part for part in parts if part.get("custom_id", "").startswith("d1:m:")]
        assert all(part["disabled"] for part in moves)
        assert "**Pip** is thinking…" in "\n".join(part.get("content", "") for part in parts)


async def test_undo_is_offered_once_a_person_has_moved() -> None:
    moves = [3, 3]

    def offers_undo(match: Match) -> bool:
        parts = flat(board_view(match, T, ROSTER))
        return any(one.get("custom_id", "").endswith(":undo") and not one.get("disabled") for one in parts)

    given = begun("connect-four", "6x7x4", (ADA, PIP), rated=False, opening=moves)
    answered = begun("connect-four", "6x7x4", (PIP, ADA), rated=False).play_agent(3, NOW, turn=0, seconds=0)
    assert not offers_undo(given)
    assert not offers_undo(answered)
    for match in (given, answered):
        assert offers_undo(match.play(ADA.user_id or 0, 0, NOW))


@pytest.mark.parametrize("end", [End.RESIGNATION, End.TIME, End.LINE, End.DISC_COUNT])
async def test_every_victory_says_who_won_and_why(end: End) -> None:
    match = replace(begun("connect-four", "6x7x4"), result=Result(Player.SECOND, end))
    text = "\n".join(part.get("content", "") for part in flat(board_view(match, T, ROSTER)))
    assert "wins" in text
    assert r"\_" * 32 in text


async def test_names_cannot_inject_markdown() -> None:
    seats = (Seat("**[x](http://y)\n# <@1>", user_id=1), Seat("@everyone", user_id=2))
    match = begun("connect-four", "6x7x4", seats)
    text = "\n".join(part.get("content", "") for part in flat(board_view(match, T, ROSTER)))
    assert "@everyone" not in text
    assert "<@1>" not in text.replace("\\<", "")
    assert "[x](" not in text


async def test_an_agent_that_is_no_longer_installed_still_has_its_name() -> None:
    match = begun("othello", "8x8", (ADA, Seat("Gone", level="plugin:gone")))
    assert any("**Gone**" in part.get("content", "") for part in flat(board_view(match, T, ROSTER)))


async def test_the_small_messages_fit_into_discords_limits() -> None:
    match = begun("connect-four", "6x7x4")
    check_limits(moved_view(match, T))
    check_limits(resign_view(match, T, ADA.user_id or 0))


@pytest.mark.parametrize(
    "custom_id",
    [
        "d1:m:1:0:0 ", "d1:m:0:0:0", "d1:m:-1:0:0", "d1:m:1:0:99999", "d1:m:1:1234567:0", "d2:m:1:0:0",
        "d1:m:١:0:0", "d1:m:1:0:0\n", "d1:a:1:0:win", "d1:c:1:maybe", "d1:s:1:0:100", f"d1:m:{10**18}:0:0",
        "d1:l:1:othello:0:people:0", "d1:l:1:OTHELLO:0:people:1", "",
    ],
)  # fmt: skip
def test_an_unknown_custom_id_has_no_meaning(custom_id: str) -> None:
    assert ROUTER.find(custom_id) is None
