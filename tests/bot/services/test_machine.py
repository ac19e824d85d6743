"""Any order of clicks, undos, draws, resignations, clocks and restarts, on a real database file.

Invariants after every step: replaying the stored moves gives the board that was shown last; a match
has at most one result and never loses it; every rated result is counted exactly once; a person has one
running rated match against a bot at most.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, multiple, rule

from bot.domain.errors import HelpBarred, Refusal, SetupError
from bot.domain.match import Match
from bot.domain.person import Person
from bot.domain.terms import First
from bot.services.match_limits import MAX_RUNNING_MATCHES
from bot.store.recount import Recounter
from engine.core import replay
from engine.games import game as game_of
from tests.bot.sittings import ADA, BEN, EVE, HERE, Clock, Screen, Sitting, sitting, terms_of

T = TypeVar("T")

PERSONS = st.sampled_from([ADA, BEN, EVE])


class Evening(RuleBasedStateMachine):
    """Two people, a stranger and an agent at one table."""

    matches = Bundle("matches")

    @initialize()
    def open_table(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.runner = asyncio.Runner()
        self.clock = Clock()
        self.screen = Screen()
        self.known: dict[int, Match] = {}
        self.results: dict[int, object] = {}
        self._start()

    def _start(self) -> None:
        self.context = sitting(self.folder / "discade.db", clock=self.clock, screen=self.screen)
        self.table: Sitting = self.run(self.context.__aenter__())

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self.runner.run(work)

    def teardown(self) -> None:
        if hasattr(self, "runner"):
            assert self.run(Recounter(self.table.stores.database).check()).differences == ()
            self.run(self.context.__aexit__(None, None, None))
            self.runner.close()
            shutil.rmtree(self.folder)

    async def _settle(self, match: Match) -> None:
        self.known[match.id] = match
        self.table.services.pings.ping(match)
        await self.table.services.background.drain()
        for shown in self.table.screen.shown.get(match.id, []):
            if shown.version > self.known[match.id].version:
                self.known[match.id] = shown

    def attempt(self, action: Coroutine[Any, Any, Match]) -> None:
        """A person's press: either it is stored and shown, or it is refused and changes nothing."""

        async def press() -> None:
            try:
                match = await action
            except Refusal:
                return
            await self._settle(match)

        self.run(press())

    def sit_down(self, action: Coroutine[Any, Any, Match]) -> Any:
        """The new match's id, or nothing when Ada has reached a limit."""
        running = self.run(self.table.stores.matches.count_running(ADA.user_id))
        try:
            match = self.run(action)
        except SetupError as refusal:
            if refusal.key == "rated_hardly_begun":
                begun = self.run(self.table.services.matches.match(int(str(refusal.params["number"]))))
                assert (begun.is_over, begun.rated, begun.is_short) == (False, True, True)
            elif (refusal.key, running) != ("too_many_matches", MAX_RUNNING_MATCHES):
                raise
            return multiple()
        except HelpBarred as refusal:
            barring = self.run(self.table.services.matches.match(int(str(refusal.params["number"]))))
            assert (barring.is_over, barring.rated, barring.has_agent) == (False, True, True)
            return multiple()
        assert running < MAX_RUNNING_MATCHES
        self.run(self._settle(match))
        return match.id

    @rule(target=matches, rated=st.booleans(), clock=st.sampled_from([None, 60]))
    def sit_down_together(self, rated: bool, clock: int | None) -> Any:
        async def sit() -> Match:
            challenges = self.table.services.challenges
            challenge = await challenges.send(
                ADA, BEN, terms_of("tic-tac-toe", rated=rated, clock_seconds=clock), HERE
            )
            try:
                return (await challenges.accept(challenge.id, BEN))[1]
            except SetupError:
                await challenges.decline(challenge.id, BEN)
                raise

        return self.sit_down(sit())

    @rule(target=matches, rated=st.booleans(), first=st.sampled_from(First))
    def sit_down_with_the_bot(self, rated: bool, first: First) -> Any:
        return self.sit_down(
            self.table.services.starting.start(
                ADA, terms_of("tic-tac-toe", first=first, rated=rated), "pip", HERE
            )
        )

    @rule(match=matches, person=PERSONS, move=st.integers(-1, 9), age=st.integers(0, 2))
    def press(self, match: int, person: Person, move: int, age: int) -> None:
        turn = self.known[match].turn - age
        self.attempt(self.table.services.playing.play(match, person, move, turn=turn))

    @rule(match=matches, move=st.integers(0, 8))
    def press_in_turn(self, match: int, move: int) -> None:
        seat = self.known[match].seat_to_move
        if seat.user_id is not None:
            person = Person(seat.user_id, seat.name)
            self.attempt(self.table.services.playing.play(match, person, move, turn=self.known[match].turn))

    @rule(match=matches, person=PERSONS)
    def undo(self, match: int, person: Person) -> None:
        self.attempt(self.table.services.playing.ask_undo(match, person))

    @rule(match=matches, person=PERSONS, accept=st.booleans())
    def answer_undo(self, match: int, person: Person, accept: bool) -> None:
        self.attempt(self.table.services.playing.answer_undo(match, person, accept))

    @rule(match=matches, person=PERSONS)
    def offer_draw(self, match: int, person: Person) -> None:
        self.attempt(self.table.services.playing.offer_draw(match, person))

    @rule(match=matches, person=PERSONS, accept=st.booleans())
    def answer_draw(self, match: int, person: Person, accept: bool) -> None:
        self.attempt(self.table.services.playing.answer_draw(match, person, accept))

    @rule(match=matches, person=PERSONS)
    def resign(self, match: int, person: Person) -> None:
        self.attempt(self.table.services.playing.resign(match, person))

    @rule(seconds=st.sampled_from([10, 50, 70]))
    def wait(self, seconds: int) -> None:
        async def pass_time() -> None:
            self.clock.advance(seconds=seconds)
            await self.table.services.clocks.tick()
            await self.table.services.background.drain()

        self.run(pass_time())
        for match_id in self.known:
            self.known[match_id] = self.run(self.table.services.matches.match(match_id))

    @rule()
    def restart(self) -> None:
        self.run(self.context.__aexit__(None, None, None))
        self._start()

        async def resume() -> None:
            await self.table.services.clocks.resume()
            await self.table.services.background.drain()

        self.run(resume())

    @invariant()
    def the_stored_moves_give_the_shown_board(self) -> None:
        for match_id, shown in getattr(self, "known", {}).items():
            stored = self.run(self.table.services.matches.match(match_id))
            assert stored.moves == shown.moves
            replayed = replay(game_of(stored.game).start(stored.board), stored.moves)
            assert replayed == shown.state
            assert (replayed.outcome() is not None) <= stored.is_over

    @invariant()
    def a_result_is_never_lost_or_replaced(self) -> None:
        for match_id in getattr(self, "known", {}):
            stored = self.run(self.table.services.matches.match(match_id))
            if match_id in self.results:
                assert stored.result == self.results[match_id]
            elif stored.result is not None:
                self.results[match_id] = stored.result

    @invariant()
    def one_rated_match_against_a_bot_runs_at_most(self) -> None:
        if hasattr(self, "known"):
            running = self.run(self.table.services.matches.running(ADA.user_id))
            assert sum(match.rated and match.has_agent for match in running) <= 1

    @invariant()
    def every_rated_result_is_counted_once(self) -> None:
        if not hasattr(self, "known"):
            return
        rated = [self.run(self.table.services.matches.match(match_id)) for match_id in self.known]
        finished = [match for match in rated if match.counts]
        for agents in (False, True):
            board = self.run(
                self.table.services.standings.leaderboard(
                    "tic-tac-toe", guild_id=20, agents=agents, page=1, user_id=ADA.user_id
                )
            )
            seats = [seat for match in finished for seat in match.seats if seat.is_agent is agents]
            assert sum(row.games for row in board.rows) == len(seats)


class ManyEvenings(Evening):
    """The same, more of them and longer ones."""


def _of(examples: int, steps: int) -> settings:
    return settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )


Evening.TestCase.settings = _of(8, 20)
TestEvening = pytest.mark.slow(Evening.TestCase)
ManyEvenings.TestCase.settings = _of(40, 30)
TestManyEvenings = pytest.mark.slow(ManyEvenings.TestCase)
