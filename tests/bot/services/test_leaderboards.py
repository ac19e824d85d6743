"""Seasons, histories and the recount, through the service, on a real database file."""

from __future__ import annotations

import asyncio
import tempfile
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.domain.errors import SetupError
from bot.domain.leaderboard import SeasonMark
from bot.domain.match import Match
from bot.domain.names import clean
from bot.domain.person import Person
from bot.domain.preferences import Preferences, ServerSettings
from bot.domain.rating import newcomer, rate
from bot.domain.season import Season
from bot.domain.seat import Seat
from bot.domain.terms import First
from bot.services.leaderboards import Row
from bot.store.rating_shares import read_share
from bot.store.ratings import records
from bot.store.recount import Recounter
from engine.core import Player
from tests.bot.sittings import (
    ADA,
    BEN,
    EVE,
    HERE,
    Sitting,
    both_move_twice,
    move_once,
    settle,
    sitting,
    terms_of,
    update_standings,
)

ELSEWHERE = replace(HERE, guild_id=21)
PRIVATE = replace(HERE, guild_id=None)
NEWCOMER = newcomer("connect-four")
MAY, JUNE = Season(2026, 5), Season(2026, 6)


def test_only_a_win_counts_as_won() -> None:
    row = Row(1, "1", clean("Ada"), 1435, 64, wins=10, draws=2, losses=2, streak=3, best_streak=5)
    assert row.win_rate == 10 / 14


async def beats(
    table: Sitting,
    winner: Person,
    loser: Person,
    *,
    game: str = "connect-four",
    location: object = HERE,
    early: bool = False,
) -> Match:
    """A rated match between the two, given up by the loser: after a real game, or as early as it is rated."""
    assert isinstance(location, type(HERE))
    challenge = await table.services.challenges.send(winner, loser, terms_of(game, first=First.ME), location)
    match = (await table.services.challenges.accept(challenge.id, loser))[1]
    match = await both_move_twice(table, match)
    while not early and 4 * match.turn < match.state.rows * match.state.columns:
        person = winner if match.seat_to_move.user_id == winner.user_id else loser
        match = await table.services.playing.play(match.id, person, match.state.legal_moves()[0])
    return await table.services.playing.resign(match.id, loser)


async def people_of(table: Sitting, season: Season | None) -> list[tuple[str, int | None, int]]:
    board = await table.services.standings.leaderboard(
        "connect-four", guild_id=20, agents=False, page=1, user_id=1, season=season
    )
    return [(row.name, row.rank, row.games) for row in board.rows]


async def test_a_season_starts_afresh_and_the_past_one_stays(table: Sitting) -> None:
    await beats(table, ADA, BEN)
    await beats(table, ADA, BEN)
    table.clock.now = datetime(2026, 6, 1, tzinfo=UTC)
    await beats(table, EVE, ADA)
    await settle(table.stores)

    assert await people_of(table, MAY) == [("Ada", 1, 2), ("Ben", 2, 2)]
    assert await people_of(table, JUNE) == [("Eve", 1, 1), ("Ada", 2, 1)]
    assert [name for name, _, games in await people_of(table, None) if games == 3] == ["Ada"]


@pytest.mark.slow
async def test_every_player_begins_a_season_as_a_newcomer(table: Sitting) -> None:
    await beats(table, ADA, BEN)
    table.clock.now = datetime(2026, 6, 1, tzinfo=UTC)
    await beats(table, ADA, BEN)

    board = await table.services.standings.leaderboard(
        "connect-four", guild_id=20, agents=False, page=1, user_id=2, season=JUNE
    )

    expected = [record.points for record in rate(NEWCOMER, NEWCOMER, Player.FIRST)]
    assert [row.rating for row in board.rows] == expected
    assert board.is_current
    assert board.own is not None
    assert board.own.losses == 1
    assert board.seasons == (JUNE, MAY)


async def test_a_match_counts_for_the_month_in_which_it_ends(table: Sitting) -> None:
    table.clock.now = datetime(2026, 5, 31, 23, 59, tzinfo=UTC)
    challenge = await table.services.challenges.send(ADA, BEN, terms_of("connect-four"), HERE)
    match = (await table.services.challenges.accept(challenge.id, BEN))[1]
    await both_move_twice(table, match)
    table.clock.now = datetime(2026, 6, 1, tzinfo=UTC)
    await table.services.playing.resign(match.id, BEN)

    assert await people_of(table, MAY) == []
    assert await people_of(table, JUNE) == [("Ada", None, 1), ("Ben", None, 1)]


async def test_a_season_belongs_to_one_server(table: Sitting) -> None:
    await beats(table, ADA, BEN, location=ELSEWHERE)
    await beats(table, ADA, BEN, location=PRIVATE)

    assert await people_of(table, MAY) == []
    with pytest.raises(SetupError, match="season_without_server"):
        await table.services.standings.leaderboard(
            "connect-four", guild_id=None, agents=False, page=1, user_id=1, season=MAY
        )


@pytest.mark.slow
async def test_the_first_three_of_a_finished_season_are_marked(table: Sitting) -> None:
    dan = Person(4, "Dan")
    for winner, loser in ((ADA, BEN), (ADA, EVE), (BEN, EVE), (BEN, dan), (EVE, dan)):
        await beats(table, winner, loser)
    await settle(table.stores)
    standings = table.services.standings

    running = await standings.profile(ADA.user_id, guild_id=20)
    table.clock.now = datetime(2026, 6, 1, tzinfo=UTC)
    marks = [(await standings.profile(person.user_id, guild_id=20)).marks for person in (ADA, BEN, EVE, dan)]
    elsewhere = await standings.profile(ADA.user_id, guild_id=21)

    assert running.marks == ()
    assert marks == [*((SeasonMark(MAY, "connect-four", rank),) for rank in (1, 2, 3)), ()]
    assert elsewhere.marks == ()


async def test_a_season_with_fewer_than_three_winners_awards_no_medals(table: Sitting) -> None:
    for winner, loser in ((ADA, BEN), (ADA, EVE), (BEN, EVE)):
        await beats(table, winner, loser)
    await settle(table.stores)
    board = await table.services.standings.leaderboard(
        "connect-four", guild_id=20, agents=False, page=1, user_id=1, season=MAY
    )
    table.clock.now = datetime(2026, 6, 1, tzinfo=UTC)
    marks = [(await table.services.standings.profile(who.user_id, guild_id=20)).marks for who in (ADA, BEN)]
    assert marks == [(), ()]
    assert not board.is_crowned


async def test_a_provisional_rating_has_no_rank_or_medal(table: Sitting) -> None:
    for winner, loser in ((ADA, BEN), (BEN, EVE), (EVE, ADA)):
        await beats(table, winner, loser)
    async with table.stores.database.writing() as connection:
        await connection.execute(
            sa.update(records)
            .where(records.c.season == MAY.key, records.c.player == "2")
            .values(deviation=109.0)
        )
        await update_standings(connection)
    board = await table.services.standings.leaderboard(
        "connect-four", guild_id=20, agents=False, page=1, user_id=1, season=MAY
    )
    table.clock.now = datetime(2026, 6, 1, tzinfo=UTC)
    marks = [(await table.services.standings.profile(n, guild_id=20)).marks for n in (1, 2, 3)]

    assert (board.rows[0].rank, board.rows[0].name) == (1, "Ben")
    assert [row.rank for row in board.rows[1:]] == [None, None]
    assert board.is_crowned
    assert marks == [(), (SeasonMark(MAY, "connect-four", 1),), ()]


async def test_a_finished_match_shows_both_rating_changes(table: Sitting) -> None:
    over = await beats(table, ADA, BEN)
    first, second = rate(NEWCOMER, NEWCOMER, Player.FIRST)
    changes = [(change.before, change.after, change.margin) for change in over.rating_changes]
    assert changes == [(NEWCOMER.points, each.points, each.margin) for each in (first, second)]
    found = await table.services.matches.match(over.id)
    assert found.rating_changes == over.rating_changes
    assert (await _casual(table)).rating_changes == ()


@pytest.mark.slow
@pytest.mark.parametrize("with_pip", [False, True])
async def test_two_people_who_only_play_each_other_get_no_medals(table: Sitting, with_pip: bool) -> None:
    dan = Person(4, "Dan")
    for _ in range(3):
        await beats(table, ADA, BEN)
    if with_pip:
        match = await table.services.starting.start(
            ADA, terms_of("connect-four", first=First.ME), "pip", HERE
        )
        await table.services.playing.resign((await both_move_twice(table, match)).id, ADA)
    await beats(table, EVE, dan)
    await beats(table, EVE, Person(5, "Fay"))
    await beats(table, dan, Person(5, "Fay"))
    await settle(table.stores)
    table.clock.now = datetime(2026, 6, 1, tzinfo=UTC)
    standings = table.services.standings

    ranks = [
        [mark.rank for mark in (await standings.profile(person.user_id, guild_id=20)).marks]
        for person in (ADA, BEN, EVE, dan)
    ]

    assert ranks == [[], [], [1], [2]]


async def test_a_pair_that_mostly_plays_agents_gets_its_medals(table: Sitting) -> None:
    await beats(table, ADA, BEN)
    match = await table.services.starting.start(ADA, terms_of("connect-four", first=First.ME), "pip", HERE)
    await table.services.playing.resign((await both_move_twice(table, match)).id, ADA)
    await beats(table, EVE, Person(4, "Dan"))
    await beats(table, Person(4, "Dan"), EVE)
    await settle(table.stores)
    table.clock.now = datetime(2026, 6, 1, tzinfo=UTC)
    marks = [
        (await table.services.standings.profile(person.user_id, guild_id=20)).marks for person in (ADA, BEN)
    ]
    assert [len(found) for found in marks] == [1, 0]


async def test_a_profile_shows_the_rating_history_and_its_highlights(table: Sitting) -> None:
    await beats(table, BEN, EVE)
    await beats(table, ADA, EVE)
    await beats(table, ADA, BEN)
    await beats(table, EVE, ADA, game="othello")
    await table.services.playing.resign((await _casual(table)).id, ADA)

    found = await table.services.standings.profile(ADA.user_id, guild_id=20, reader_id=BEN.user_id)

    own = next(standing.row for standing in found.rows if standing.game == "connect-four")
    assert [step.game for step in found.steps] == ["connect-four", "connect-four", "othello"]
    assert found.steps[1].points == own.rating
    assert found.best_win is not None
    points_of_ben = rate(NEWCOMER, NEWCOMER, Player.FIRST)[0].points
    assert (found.best_win.opponent, found.best_win.points) == ("Ben", points_of_ben)
    assert found.played == (("connect-four", 3), ("othello", 1))
    assert found.between is not None
    assert (found.between.wins, found.between.draws, found.between.losses) == (1, 0, 1)


@pytest.mark.parametrize("moves", [0, 3])
async def test_a_match_that_ends_before_both_players_moved_twice_is_not_counted(
    table: Sitting, moves: int
) -> None:
    challenge = await table.services.challenges.send(ADA, BEN, terms_of("connect-four", first=First.ME), HERE)
    match = (await table.services.challenges.accept(challenge.id, BEN))[1]
    for ply in range(moves):
        match = await table.services.playing.play(match.id, (ADA, BEN)[ply % 2], 0)
    over = await table.services.playing.resign(match.id, BEN)

    found = await table.services.standings.profile(ADA.user_id, guild_id=20)
    assert (over.counts, found.rows, found.steps, found.awards) == (False, (), (), ())
    assert await people_of(table, None) == await people_of(table, MAY) == []
    assert (await Recounter(table.stores.database).check()).matches == 0


async def points_of(table: Sitting, person: Person, season: Season | None = None) -> int:
    board = await table.services.standings.leaderboard(
        "connect-four", guild_id=20, agents=False, page=1, user_id=person.user_id, season=season
    )
    assert board.own is not None
    return board.own.rating


@pytest.mark.slow
@pytest.mark.parametrize(("early", "wins"), [(True, 1), (False, 2)])
async def test_thirty_resignations_of_one_friend_count_as_one_or_two_honest_wins_at_most(
    table: Sitting, early: bool, wins: int
) -> None:
    plain = (NEWCOMER, NEWCOMER)
    for _ in range(wins):
        plain = rate(*plain, Player.FIRST)
    for _ in range(30):
        await beats(table, ADA, BEN, early=early)

    assert NEWCOMER.points < await points_of(table, ADA) <= plain[0].points
    assert await points_of(table, ADA, MAY) == await points_of(table, ADA)
    assert (await Recounter(table.stores.database).check()).differences == ()


async def test_a_win_over_an_equal_agent_is_not_easy_but_one_over_a_newcomer_is(table: Sitting) -> None:
    against_ben = await beats(table, ADA, BEN)
    seats = against_ben.seats[0], Seat("Otto", level="otto")
    async with table.stores.database.reading() as connection:
        over_agent = await read_share(connection, replace(against_ben, seats=seats), (1000, 1000))
        over_newcomer = await read_share(connection, against_ben, (1000, 1000))
    assert (over_agent.is_easy, over_newcomer.is_easy) == (False, True)


@pytest.mark.slow
async def test_an_early_resignation_costs_as_much_as_a_late_one(table: Sitting) -> None:
    await beats(table, ADA, BEN, early=True)
    await beats(table, EVE, Person(4, "Dan"))
    assert await points_of(table, BEN) == await points_of(table, Person(4, "Dan"))
    assert await points_of(table, ADA) < await points_of(table, EVE)


@pytest.mark.slow
async def test_a_day_later_the_same_opponent_counts_in_full_again(table: Sitting) -> None:
    for _ in range(8):
        await beats(table, ADA, BEN)
    before = await points_of(table, ADA)
    await beats(table, ADA, BEN)
    assert await points_of(table, ADA) == before, "a hundredth of a match"
    table.clock.advance(hours=24)
    await beats(table, BEN, ADA)
    assert await points_of(table, ADA) < before - 30


@pytest.mark.slow
async def test_repeated_wins_count_less_only_over_an_opponent_without_other_opponents(
    table: Sitting,
) -> None:
    """A month of one resignation a day by an account that is kept for it, then a person whom many know."""
    gains: list[float] = []
    for _ in range(12):
        before = await points_of(table, ADA) if gains else NEWCOMER.points
        await beats(table, ADA, BEN)
        gains.append(await points_of(table, ADA) - before)
        table.clock.advance(days=1)
    for number in range(5):
        await beats(table, EVE, Person(100 + number, f"P{number}"))
    before = await points_of(table, ADA)
    await beats(table, ADA, EVE)

    assert gains[0] > 20
    assert gains[-1] <= 1
    assert await points_of(table, ADA) > before + 10
    assert (await Recounter(table.stores.database).check()).differences == ()


@pytest.mark.slow
async def test_many_wins_over_far_weaker_people_add_no_rating_and_a_loss_still_counts(
    table: Sitting,
) -> None:
    for number in range(10):
        await beats(table, ADA, Person(100 + number, f"P{number}"))
    last = Person(109, "P9")
    for number in range(5):
        await beats(table, Person(200 + number, f"Q{number}"), last)
    gains: list[float] = []
    for _ in range(12):
        table.clock.advance(days=2)
        before = await points_of(table, ADA)
        await beats(table, ADA, last)
        gains.append(await points_of(table, ADA) - before)
    table.clock.advance(days=2)
    before = await points_of(table, ADA)
    await beats(table, last, ADA)

    assert gains[-1] == 0
    assert await points_of(table, ADA) < before - 30
    assert (await Recounter(table.stores.database).check()).differences == ()


@pytest.mark.slow
async def test_a_closed_pair_has_no_medal_on_any_board(table: Sitting) -> None:
    for _ in range(3):
        await beats(table, ADA, BEN)
    await beats(table, EVE, Person(4, "Dan"))
    await beats(table, EVE, Person(5, "Fay"))
    await beats(table, Person(4, "Dan"), Person(5, "Fay"))
    await settle(table.stores)
    for person in (ADA, BEN, EVE, Person(4, "Dan")):
        await table.stores.preferences.save_preferences(person.user_id, Preferences(is_listed=True))

    async def medals(guild_id: int | None, season: Season | None) -> dict[str, int | None]:
        board = await table.services.standings.leaderboard(
            "connect-four", guild_id=guild_id, agents=False, page=1, user_id=1, season=season
        )
        return {row.name: row.medal for row in board.rows if row.medal or row.name in ("Ada", "Ben")}

    assert await medals(20, MAY) == {"Ada": None, "Ben": None, "Eve": 1, "Dan": 2}
    assert await medals(20, None) == {"Ada": None, "Ben": None, "Eve": 1, "Dan": 2}
    assert await medals(None, None) == {"Ada": None, "Ben": None, "Eve": 1, "Dan": 2}


@pytest.mark.slow
async def test_matches_of_a_private_server_count_only_there(table: Sitting) -> None:
    async def everywhere(person: Person) -> int | None:
        board = await table.services.standings.leaderboard(
            "connect-four", guild_id=None, agents=False, page=1, user_id=person.user_id
        )
        return None if board.own is None else board.own.games

    closed = ServerSettings(is_closed=True)
    await beats(table, ADA, BEN, location=ELSEWHERE)
    await table.stores.preferences.save_settings(20, closed)
    for _ in range(3):
        await beats(table, ADA, BEN)
    inside = await points_of(table, ADA)
    await beats(table, EVE, ADA)

    assert (await everywhere(ADA), await everywhere(EVE)) == (1, None)
    assert len(await people_of(table, MAY)) == 3
    assert inside < rate(*rate(NEWCOMER, NEWCOMER, Player.FIRST), Player.FIRST)[0].points, "fair inside, too"
    assert (await Recounter(table.stores.database).check()).differences == ()
    await table.stores.preferences.save_settings(20, ServerSettings())
    await beats(table, ADA, EVE)
    assert await everywhere(ADA) == 2
    assert (await Recounter(table.stores.database).check()).differences == ()


async def _casual(table: Sitting) -> Match:
    challenge = await table.services.challenges.send(ADA, BEN, terms_of("connect-four", rated=False), HERE)
    return (await table.services.challenges.accept(challenge.id, BEN))[1]


# The recount


@dataclass(frozen=True)
class Evening:
    """One match: its players (None: Pip), its place, its end, and the hours that pass before it."""

    first: int
    second: int | None
    game: str
    guild_id: int | None
    rated: bool
    is_short: bool
    end: str
    hours: int


EVENINGS = st.builds(
    Evening,
    first=st.integers(1, 3),
    second=st.sampled_from([None, 4, 5]),
    game=st.sampled_from(["connect-four", "tic-tac-toe"]),
    guild_id=st.sampled_from([None, 20, 21]),
    rated=st.sampled_from([True, True, False]),
    is_short=st.sampled_from([True, False, False, False]),
    end=st.sampled_from(["resign", "resign", "draw", "abandon", "play"]),
    # A clock may be set back between two matches; the order of counting is still the order of storing.
    hours=st.sampled_from([0, 0, 1, -1, 24 * 20]),
)


async def spend(table: Sitting, evening: Evening) -> None:
    services = table.services
    table.clock.advance(hours=evening.hours)
    first = Person(evening.first, f"P{evening.first}")
    location = replace(HERE, guild_id=evening.guild_id)
    if evening.second is None:
        match = await services.starting.start(
            first, terms_of(evening.game, first=First.ME, rated=evening.rated), "pip", location
        )
        second = None
    else:
        second = Person(evening.second, f"P{evening.second}")
        challenge = await services.challenges.send(
            first, second, terms_of(evening.game, rated=evening.rated), location
        )
        match = (await services.challenges.accept(challenge.id, second))[1]
    if not evening.is_short:
        match = await both_move_twice(table, match)
    if evening.end == "abandon":
        table.clock.advance(days=8)
        await services.clocks.tick()
    elif evening.end == "draw" and second is not None:
        await services.playing.offer_draw(match.id, first)
        await services.playing.answer_draw(match.id, second, accept=True)
    elif evening.end == "play":
        await _play_out(table, match)
    else:
        await services.playing.resign(match.id, first)


async def _play_out(table: Sitting, match: Match) -> None:
    """People play the first legal move, and agents choose freely."""
    while not match.is_over:
        match = await move_once(table, match)


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(st.lists(EVENINGS, max_size=12))
def test_stored_standings_equal_a_recount_of_the_matches(evenings: list[Evening]) -> None:
    async def run() -> None:
        with tempfile.TemporaryDirectory() as folder:
            async with sitting(Path(folder) / "discade.db") as table:
                for evening in evenings:
                    await spend(table, evening)
                found = await Recounter(table.stores.database).check()
                assert found.differences == ()

    asyncio.run(run())


@pytest.mark.slow
async def test_the_recount_finds_and_repairs_wrong_standings(table: Sitting) -> None:
    await beats(table, ADA, BEN)
    await beats(table, BEN, EVE)
    before = await people_of(table, None)
    async with table.stores.database.writing() as connection:
        await connection.execute(sa.update(records).where(records.c.player == "1").values(wins=9))
        await connection.execute(sa.delete(records).where(records.c.player == "3", records.c.scope == 0))
    recounter = Recounter(table.stores.database)

    checked = await recounter.check()
    repaired = await recounter.repair()
    after = await recounter.check()

    assert (checked.matches, len(checked.differences)) == (2, 4)
    assert checked == repaired
    assert after.differences == ()
    assert await people_of(table, None) == before


async def test_forgetting_a_person_leaves_correct_standings(table: Sitting) -> None:
    await beats(table, ADA, BEN)
    await beats(table, BEN, EVE)
    before = await people_of(table, None)

    await table.stores.privacy.erase(BEN.user_id)

    assert (await Recounter(table.stores.database).check()).differences == ()
    after = await people_of(table, MAY)
    assert [row[1:] for row in after] == [row[1:] for row in before]
    assert "Ben" not in [name for name, _, _ in after]


async def test_the_recount_makes_seasons_and_histories_that_are_missing(table: Sitting) -> None:
    await beats(table, ADA, BEN)
    table.clock.advance(hours=1)
    await beats(table, BEN, ADA)
    async with table.stores.database.writing() as connection:
        await connection.execute(sa.text("DELETE FROM rating_steps"))
        await connection.execute(sa.text("DELETE FROM records WHERE season <> ''"))

    repaired = await Recounter(table.stores.database).repair()

    assert len(repaired.differences) == 2 + 2
    found = await table.services.standings.profile(ADA.user_id, guild_id=20)
    assert len(found.steps) == 2
    assert found.steps[0].points > found.steps[1].points


@pytest.mark.slow
async def test_a_nickname_stays_in_its_server(table: Sitting) -> None:
    nick = Person(7, "Secret nickname", "Zoe")
    over = await beats(table, nick, BEN)
    for person in (nick, BEN):
        await table.stores.preferences.save_preferences(person.user_id, Preferences(is_listed=True))
    elsewhere = await table.services.standings.leaderboard(
        "connect-four", guild_id=None, agents=False, page=1, user_id=1
    )
    assert over.seats[0].name == "Secret nickname"
    assert [row.name for row in elsewhere.rows] == ["Zoe", "Ben"]

    rematch = await table.services.starting.rematch(over.id, BEN, HERE)
    assert not isinstance(rematch, Match)
    await table.services.challenges.accept(rematch.id, Person(7, "Secret nickname", "Zoe"))
    assert await table.stores.players.name_of(7) == "Zoe"
    assert await table.stores.players.name_of(BEN.user_id) == "Ben"


async def test_global_boards_name_only_people_who_chose_to_be_listed(table: Sitting) -> None:
    async def everywhere(reader: Person) -> tuple[list[tuple[int | None, str]], int | None]:
        board = await table.services.standings.leaderboard(
            "connect-four", guild_id=None, agents=False, page=1, user_id=reader.user_id
        )
        return [(row.rank, row.name) for row in board.rows], None if board.own is None else board.own.rank

    await beats(table, ADA, BEN)
    await beats(table, ADA, EVE)
    assert await everywhere(ADA) == ([], None), "provisional"
    await settle(table.stores)
    assert await everywhere(ADA) == ([], 1)
    await table.stores.preferences.save_preferences(EVE.user_id, Preferences(is_listed=True))
    assert await everywhere(ADA) == ([(1, "Eve")], 1)
    assert await everywhere(BEN) == ([(1, "Eve")], 2)
    assert len(await people_of(table, None)) == 3, "a server's own board names everybody who played there"
