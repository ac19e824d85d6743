"""Fair starts: the pie rule and balanced openings, proved or judged, in matches that count."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from bench.othello_openings import best_move
from bot.domain.errors import SetupError
from bot.domain.location import Channel
from bot.domain.match import Match
from bot.domain.person import Person
from bot.domain.seat import Seat
from bot.domain.terms import Fair
from bot.domain.tournament.model import Pairing, System
from bot.domain.tournament.standings import standings
from bot.search.pool import SearchPool
from bot.services.agent_search import AgentSearch
from bot.services.checked_terms import fair_starts
from bot.services.tournaments import TournamentOptions
from engine.agents.roster import Roster
from engine.agents.warm import load
from engine.analysis.searches import EvaluateStates
from engine.core import Limit, State, replay
from engine.games import SPECS, game
from engine.games.connect_four.exact_solver import ConnectFourSolver
from engine.games.openings import balanced_openings, has_openings
from engine.games.othello import OthelloState
from engine.games.othello.searcher import Searcher, weights_for
from engine.games.symmetry import canonical
from tests.bot.domain.tournament.playing import NOW, signed_up
from tests.bot.made_once import all_texts
from tests.bot.services.tournaments.evenings import CHANNEL, HOST, ORGANISER, evening
from tests.bot.sittings import Clock
from tests.bot.table import Table, behind_more, buttons_of, text_of
from tools.make_openings import held


@pytest.fixture(autouse=True, scope="module")
def _loaded() -> None:
    """Compile kernels here if necessary, and not while simcord waits for an answer."""
    load()


async def match_of(table: Table, number: int = 1) -> Match:
    return await table.bot.services.matches.match(number)


@pytest.mark.parametrize(
    ("key", "least", "lengths"), [("connect-four", 400, {4, 5, 6}), ("othello", 300, {8, 9, 10})]
)
def test_there_are_hundreds_of_openings_without_symmetric_duplicates(
    key: str, least: int, lengths: set[int]
) -> None:
    openings = balanced_openings(key)
    states = [replay(game(key).start(), opening.moves) for opening in openings]
    assert len(openings) >= least
    assert {len(opening.moves) for opening in openings} == lengths
    assert len({canonical(state) for state in states}) == len(openings)
    assert all(len(state.legal_moves()) > 1 for state in states)


def test_connect_four_openings_are_proved_draws_with_moves_to_find() -> None:
    solver = ConnectFourSolver()
    for opening in Random(1).sample(balanced_openings("connect-four"), 40):
        state = replay(game("connect-four").start(), opening.moves)
        assert opening.figures == f"0 exact {held(solver, state)}"


def test_othello_openings_are_within_a_disc_at_depth_twenty() -> None:
    for opening in balanced_openings("othello"):
        value, depth = opening.figures.split()
        assert abs(int(value)) <= 1
        assert int(depth.removeprefix("depth-")) >= 20


@pytest.mark.slow
def test_a_sample_of_othello_openings_is_evaluated_again() -> None:
    for opening in Random(1).sample(balanced_openings("othello"), 3):
        state = replay(game("othello").start(), opening.moves)
        assert isinstance(state, OthelloState)
        _, value = best_move(Searcher(weights_for(8), 19), state, 20)
        assert abs(value) <= 1


async def test_a_match_may_begin_after_a_balanced_opening_and_counts(table: Table) -> None:
    board = await table.start(start="balanced", rated=True)
    match = await match_of(table)
    assert match.moves in {opening.moves for opening in balanced_openings("connect-four")}
    assert (match.rated, match.fair, match.opening) == (True, Fair.BALANCED, len(match.moves))
    assert match.seat_to_move.user_id == table.ada.id
    assert "balanced opening" in text_of(board)


async def test_other_boards_have_no_openings_and_people_are_told(table: Table) -> None:
    press = table.ada.slash(table.games, "play", game="connect-four", board="8x8x4", start="balanced")
    assert "no balanced openings" in await table.refused(press)


async def test_with_the_pie_rule_the_second_side_may_take_the_first_move_over(table: Table) -> None:
    board = await table.pair(start="pie")
    assert "Take over the first move" not in buttons_of(board)
    await table.ada.click(board, label="4")
    assert "may answer the first move, or take it over" in text_of(table.board())
    await table.ben.click(table.board(), label="Take over the first move")
    match = await match_of(table)
    assert [seat.user_id for seat in match.seats] == [table.ben.id, table.ada.id]
    assert (match.opening, len(match.moves), match.seat_to_move.user_id) == (1, 1, table.ada.id)
    assert "took over the first move" in text_of(table.board())
    await table.ada.click(table.board(), label="4")
    assert "Take over the first move" not in buttons_of(table.board())


async def test_only_the_second_player_can_swap_and_only_at_once(table: Table) -> None:
    board = await table.pair(start="pie")
    await table.ada.click(board, label="4")
    assert "turn" in await table.refused(table.ada.click(table.board(), label="Take over the first move"))
    old = table.board()
    swap = next(id_ for id_ in ids_of(old) if id_.endswith("swap"))
    await table.ben.click(table.board(), label="1")
    await table.refused(table.forge(table.ben, table.board(), swap))
    assert (await match_of(table)).opening == 0


def ids_of(message: object) -> set[str]:
    from bot.ui.layout import custom_ids

    return custom_ids(message)  # type: ignore[arg-type]


@pytest.mark.parametrize(("column", "taken"), [("4", True), ("1", False)])
async def test_an_agent_takes_a_winning_first_move_and_leaves_a_losing_one(
    table: Table, column: str, taken: bool
) -> None:
    """The solver's values: the middle wins, the edge loses."""
    board = await table.start(start="pie")
    await table.ada.click(board, label=column)
    match = await match_of(table)
    assert (match.seats[0].level == "pip") is taken
    assert match.opening == int(taken)


async def test_an_agent_that_begins_makes_a_move_not_worth_swapping(table: Table) -> None:
    await table.start(start="pie", first="opponent")
    match = await match_of(table)
    assert match.moves in {(2,), (4,)}
    assert match.can_swap


class Watched(SearchPool):
    """A search pool that notes the searches and their limits."""

    def __init__(self) -> None:
        super().__init__(1)
        self.asked: list[tuple[EvaluateStates, Limit]] = []

    async def search(self, *asked: Any, **options: Any) -> Any:
        self.asked.append(asked[2:4])
        return await super().search(*asked, **options)


async def opened(key: str, board: str) -> tuple[State, EvaluateStates, Limit]:
    """The position after the agent's first move by the pie rule, and the search for it with its limit."""
    seats = Seat("Pip", level="pip"), Seat("Ada", 1)
    match = Match.begin(key, board, seats, Channel(1), NOW, rated=False, fair=Fair.PIE)
    pool = Watched()
    try:
        chosen = await AgentSearch(pool, Roster(), Random(1)).choose(match)
    finally:
        await pool.close()
    assert chosen.move is not None
    ((work, limit),) = pool.asked
    return match.state.play(chosen.move), work, limit


@pytest.mark.slow
@pytest.mark.parametrize(
    ("key", "board"),
    [
        (key, board)
        for key, spec in SPECS.items()
        for board in spec.rules.boards
        if not spec.play.has_swap(board)
    ],
)
async def test_an_agent_that_begins_thinks_for_about_two_seconds(key: str, board: str) -> None:
    after, work, limit = await opened(key, board)
    assert after in work.states
    assert limit.seconds is not None
    assert limit.seconds * len(work.states) <= 2.1


async def test_an_agent_that_begins_looks_at_one_of_the_images_of_a_first_move() -> None:
    after, work, limit = await opened("gomoku", "15x15")
    assert after in work.states
    assert len(work.states) == len({canonical(state) for state in work.states}) == 36
    assert (limit.seconds or 0) > 0.05, "enough for an estimate of each"


async def test_a_review_ignores_the_moves_of_an_opening(table: Table) -> None:
    await table.start(start="balanced")
    await table.bot.services.playing.resign(1, table.person(table.ada))
    match = await match_of(table)
    review = await table.bot.services.reviews.whole(match)
    assert review.reviewed == (None,) * len(match.moves)


async def test_a_rematch_has_the_same_opening_with_sides_swapped(table: Table) -> None:
    await table.start(start="balanced")
    await table.bot.services.playing.resign(1, table.person(table.ada))
    old = await match_of(table)
    new = await table.bot.services.starting.rematch(1, table.person(table.ada), old.location)
    assert isinstance(new, Match)
    assert new.moves[: new.opening] == old.moves[: old.opening]
    assert [seat.name for seat in new.seats] == [seat.name for seat in reversed(old.seats)]


async def test_a_position_and_a_fair_start_cannot_be_combined(table: Table) -> None:
    press = table.ada.slash(table.games, "play", game="connect-four", position="44", start="pie")
    assert "but not both" in await table.refused(press)


def test_a_repeated_tournament_pairing_has_the_same_opening_with_sides_swapped() -> None:
    tournament = replace(
        signed_up(System.ROUND_ROBIN, 4, is_twice=True),
        game="connect-four",
        board="6x7x4",
        fair=Fair.BALANCED,
    )
    there = tournament.match_of(Pairing(1, 1, 1, 2), NOW)
    back = tournament.match_of(Pairing(4, 1, 2, 1), NOW)
    others = tournament.match_of(Pairing(1, 2, 3, 4), NOW)
    assert there.moves == back.moves != others.moves
    assert there.seats == (back.seats[1], back.seats[0])
    assert (there.opening, there.seat_to_move) == (len(there.moves), there.seats[0])


@pytest.mark.parametrize("fair", list(Fair))
async def test_a_tournament_accepts_every_start_of_its_board(tmp_path: Path, fair: Fair) -> None:
    async with evening(tmp_path / "discade.db") as here:
        terms = TournamentOptions("Spring", "connect-four", System.SWISS, fair=fair)
        made = await here.tournaments.create(HOST, terms, CHANNEL, ORGANISER)
        assert (await here.tournaments.tournament(made.id)).fair is fair
        await here.tournaments.cancel(made.id, ORGANISER)
        wrong = replace(terms, game="tic-tac-toe", fair=Fair.BALANCED)
        with pytest.raises(SetupError, match="no_balanced_start"):
            await here.tournaments.create(HOST, wrong, CHANNEL, ORGANISER)
        with pytest.raises(SetupError, match="swap_in_rules"):
            await here.tournaments.create(HOST, replace(terms, game="hex", fair=Fair.PIE), CHANNEL, ORGANISER)


@pytest.mark.parametrize(
    ("key", "board", "starts"),
    [
        ("hex", "11x11", {Fair.USUAL}),
        ("gomoku", "15x15-swap2", {Fair.USUAL}),
        ("gomoku", "15x15", {Fair.USUAL, Fair.PIE}),
        ("connect-four", "6x7x4", set(Fair)),
    ],
)
def test_the_pie_rule_is_not_offered_beside_a_swap_of_the_rules(
    key: str, board: str, starts: set[Fair]
) -> None:
    assert set(fair_starts(game(key), board)) == starts


@pytest.mark.slow
async def test_points_are_right_after_a_swap_in_a_tournament(tmp_path: Path) -> None:
    """The other side takes the first move over and wins: the point is theirs, not who began's."""
    async with evening(tmp_path / "discade.db") as here:
        tournament = await here.begin(await here.sign_up(4, fair=Fair.PIE))
        for pairing in tournament.of_round(1):
            match = await here.table.services.matches.match(pairing.match_id or 0)
            cuts, takes = (Person(seat.user_id or 0, seat.name) for seat in match.seats)
            await here.table.services.playing.play(match.id, cuts, 4)
            assert (await here.table.services.playing.swap(match.id, takes)).is_swapped
            await here.table.services.playing.resign(match.id, cuts)
        tournament = await here.step(tournament)
        assert [pairing.halves for pairing in tournament.of_round(1)] == [(0, 2), (0, 2)]
        winners = {pairing.second for pairing in tournament.of_round(1)}
        assert {place.entrant.number for place in standings(tournament) if place.wins} == winners
        assert not any(pairing.absentee for pairing in tournament.pairings)


async def test_leaving_after_a_swap_is_not_a_no_show(tmp_path: Path) -> None:
    clock = Clock()
    async with evening(tmp_path / "discade.db", clock=clock) as here:
        tournament = await here.begin(await here.sign_up(4, fair=Fair.PIE, clock_seconds=60))
        first = await here.table.services.matches.match(tournament.of_round(1)[0].match_id or 0)
        cuts, takes = (Person(seat.user_id or 0, seat.name) for seat in first.seats)
        await here.table.services.playing.play(first.id, cuts, 4)
        await here.table.services.playing.swap(first.id, takes)
        clock.advance(seconds=70)
        await here.table.services.clocks.tick()
        found = (await here.step(tournament)).of_round(1)
        assert [pairing.absentee for pairing in found] == [None, found[1].first]
        assert [pairing.halves for pairing in found] == [(0, 2), (0, 2)]


@pytest.mark.slow
async def test_agents_answer_the_pie_rule_in_tournaments_too(tmp_path: Path) -> None:
    async with evening(tmp_path / "discade.db") as here:
        terms = TournamentOptions("Cup", "connect-four", System.ROUND_ROBIN, fair=Fair.PIE, is_twice=True)
        made = await here.tournaments.create(HOST, terms, CHANNEL, ORGANISER, levels=("pip", "bo"))
        await here.tournaments.join(made.id, HOST)
        tournament = await here.begin(made)
        while tournament.is_active:
            for pairing in tournament.of_round(tournament.round):
                match = await here.table.services.matches.match(pairing.match_id or 0)
                if match.is_watched or match.is_over:
                    continue
                if match.seat_to_move.user_id and not match.timed_moves:
                    # The centre wins, so every agent takes it over.
                    match = await here.table.services.playing.play(match.id, HOST, 3)
                    here.table.services.pings.ping(match)
                    await here.table.services.background.drain()
                    assert (await here.table.services.matches.match(match.id)).is_swapped
                await here.table.services.playing.resign(match.id, HOST)
            tournament = await here.step(tournament)
        (host,) = (entrant.number for entrant in tournament.entrants if not entrant.seat.is_agent)
        for pairing in tournament.pairings:
            if host in pairing.numbers:
                assert pairing.halves == ((0, 2) if pairing.first == host else (2, 0))
        among = [pairing for pairing in tournament.pairings if host not in pairing.numbers]
        assert len(among) == 2
        assert among[0].numbers == among[1].numbers[::-1]


@pytest.mark.slow
async def test_a_tournaments_message_names_the_start_of_its_matches(table: Table) -> None:
    for start, said in (("pie", "second player may take over"), ("balanced", "same one, sides swapped")):
        message = (
            await table.ada.slash(table.games, "tournament create", game="connect-four", start=start)
        ).response
        assert said in text_of(message)
        assert f"{all_texts().of('en')(f'fair_{start}')} ·" in text_of(message)
        await table.cancel_tournament(table.ada)


@pytest.mark.slow
async def test_in_a_tournament_a_first_move_is_taken_over_by_a_button(table: Table) -> None:
    message = (
        await table.ada.slash(table.games, "tournament create", game="tic-tac-toe", start="pie")
    ).response
    people = {person.id: person for person in (table.ada, table.ben, table.eve)}
    for person in people.values():
        await person.click(message, label="Join")
    await table.ada.click(message, label="Start now")
    match = await match_of(table)
    cuts, takes = (people[seat.user_id or 0] for seat in match.seats)

    def board() -> Any:
        return next(one for one in table.games.history() if one.id == match.location.message_id)

    await cuts.click(board(), label="b2")
    await takes.click(board(), label="Take over the first move")
    assert f"{takes.name.capitalize()} took over the first move" in text_of(board())
    asked = await behind_more(takes, board(), "Resign")
    await takes.click(asked.response, label="Yes, resign")
    await table.env.advance_time(10)
    (pairing,) = (await table.bot.services.tournaments.tournament(1)).of_round(1)[:1]
    assert pairing.halves == (2, 0), "the point is for who made the first move"


@pytest.mark.parametrize("key", SPECS)
def test_the_existence_of_openings_is_known_without_reading_them(key: str) -> None:
    for board in SPECS[key].rules.boards:
        assert has_openings(key, board) == bool(balanced_openings(key, board))
