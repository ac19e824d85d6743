"""Handlers are plain coroutines that need no Discord."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bot.domain.errors import MatchError, SetupError
from bot.domain.match import Match
from bot.domain.preferences import Preferences
from bot.domain.terms import First
from bot.presentation.refusals import refusal_line
from bot.services.checked_terms import checked_board
from bot.services.settings import SettingsCache
from bot.services.training import Training
from bot.ui.match import handlers
from bot.ui.match.routes import PLAY, Action
from bot.ui.move_choices import Picked
from engine.games import GAMES
from tests.bot.made_once import all_texts
from tests.bot.sittings import ADA, BEN, HERE, Sitting, sitting, terms_of

_, SELECT, _ = PLAY.to(handlers.play, handlers.pick)
select = SELECT.handler
"""Handles a choice from a select of moves."""


@dataclass
class Shelf:
    """A display that records the boards and choices that it is given."""

    shown: list[Match] = field(default_factory=list)
    picked: list[Picked] = field(default_factory=list)

    async def answer(self, _interaction: Any, match: Match) -> Match:
        self.shown.append(match)
        return match

    async def offer_next(self, _interaction: Any, _match: Match, picked: Picked) -> None:
        self.picked.append(picked)


def pressed_by(person: Any, table: Sitting, shelf: Shelf, *values: str) -> Any:
    """Return an interaction with the attributes that handlers use."""
    return SimpleNamespace(
        user=SimpleNamespace(
            id=person.user_id, name=person.name, global_name=person.name, display_name=person.name
        ),
        client=SimpleNamespace(services=services_of(table), display=shelf),
        data={"values": list(values)},
        message=None,
        created_at=table.clock(),
    )


def services_of(table: Sitting) -> Any:
    """Return the services of matches, and settings of people who were asked everything."""
    asked = {person.user_id: Preferences(was_asked=True) for person in (ADA, BEN)}
    services = {one.name: getattr(table.services, one.name) for one in fields(table.services)}
    settings = SettingsCache(table.stores.preferences, asked, {})
    training = Training(
        table.stores, table.services.reviews, table.services.allowed_help, settings, clock=table.clock
    )
    return SimpleNamespace(**services, settings=settings, training=training)


async def begun(table: Sitting, game: str = "connect-four") -> Match:
    challenge = await table.services.challenges.send(
        ADA, BEN, terms_of(game, first=First.ME, rated=False), HERE
    )
    return (await table.services.challenges.accept(challenge.id, BEN))[1]


async def test_a_move_a_choice_and_a_draw_are_made_without_discord(tmp_path: Path) -> None:
    async with sitting(tmp_path / "discade.db") as table:
        shelf, match = Shelf(), await begun(table)
        ada, ben = (pressed_by(person, table, shelf) for person in (ADA, BEN))

        await handlers.play(ada, match.id, 0, 3)
        await select(pressed_by(BEN, table, shelf, "4"), match.id, 1)
        await select(pressed_by(ADA, table, shelf, "4.1"), match.id, 2)
        await handlers.act(ada, match.id, 2, Action.DRAW)
        await handlers.act(ben, match.id, 2, Action.DRAW_YES)

        assert [shown.moves for shown in shelf.shown[:2]] == [(3,), (3, 4)]
        assert shelf.picked == [Picked(4, 1)]
        assert shelf.shown[-1].is_over


@pytest.mark.parametrize("values", [(), ("x",), ("-1",), ("99999",), ("4.",), ("4.10",)])
async def test_a_choice_that_is_no_move_is_refused(tmp_path: Path, values: tuple[str, ...]) -> None:
    async with sitting(tmp_path / "discade.db") as table:
        shelf, match = Shelf(), await begun(table)
        with pytest.raises(SetupError, match="unknown_choice"):
            await select(pressed_by(ADA, table, shelf, *values), match.id, 0)
        with pytest.raises(MatchError, match="not_your_turn"):
            await handlers.play(pressed_by(BEN, table, shelf), match.id, 0, 3)
        assert shelf.shown == []


def test_a_refusal_names_the_game_in_the_readers_language() -> None:
    with pytest.raises(SetupError) as refused:
        checked_board(GAMES["connect-four"], "99x2")
    line = refusal_line(all_texts().of("de"), refused.value)
    assert line is not None
    assert "Vier gewinnt" in line
    assert "Connect Four" not in line
