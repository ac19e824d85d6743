"""Tournaments on a real file: people and agents, absent players, and killed processes."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
import sqlalchemy as sa

from bot.domain.errors import MatchError, NotFound, SetupError
from bot.domain.person import Person
from bot.domain.result import End, Result
from bot.domain.terms import Fair
from bot.domain.tournament.model import ANNOUNCED_ALL, Pairing, Stage, System, Tournament
from bot.domain.tournament.rounds import advance
from bot.domain.tournament.standings import standings
from bot.services.tournaments import MOST_ACTIVE, Organiser, TournamentOptions
from bot.store.match_rows import matches
from bot.store.shared import Conflict
from engine.core import Player
from tests.bot.domain.tournament.test_standings import separately
from tests.bot.made_once import altered
from tests.bot.services.tournaments.evenings import (
    CHANNEL,
    HOST,
    ORGANISER,
    Evening,
    RecordingChannel,
    evening,
)
from tests.bot.sittings import Clock, Screen, both_move_twice

STRANGER = Organiser(999)
ADMIN = Organiser(999, is_admin=True)


# Signing up


async def test_tournament_terms_are_stored(file: Path) -> None:
    async with evening(file) as here:
        made = await here.create(System.ROUND_ROBIN, is_twice=True, rated=False, clock_seconds=300, rounds=3)
        await here.tournaments.join(made.id, Person(1, "Ada"))
    async with evening(file) as here:
        found = await here.tournaments.tournament(made.id)
        assert (found.system, found.is_twice, found.rated) == (System.ROUND_ROBIN, True, False)
        assert (found.clock_seconds, found.rounds, found.closes_at) == (300, 3, made.closes_at)
        assert [entrant.seat.name for entrant in found.entrants] == ["Ada"]
        assert await here.tournaments.of_guild(20) == (found,)
        assert await here.tournaments.of_guild(21) == ()


async def test_only_the_organiser_and_server_managers_may_change_it(file: Path) -> None:
    async with evening(file) as here:
        made = await here.sign_up(3)
        for refused in (
            here.tournaments.start(made.id, STRANGER),
            here.tournaments.cancel(made.id, STRANGER),
            here.tournaments.set_agents(made.id, ["pip"], STRANGER),
            here.tournaments.remove(made.id, 1, STRANGER),
        ):
            with pytest.raises(SetupError, match="tournament_not_yours"):
                await refused
        assert (await here.tournaments.remove(made.id, 1, ORGANISER)).entrants[0].number == 2
        assert (await here.tournaments.cancel(made.id, ADMIN)).stage is Stage.CANCELLED


async def test_invalid_tournament_settings_are_refused(file: Path) -> None:
    async with evening(file) as here:
        for terms, refusal in (
            ({"clock_seconds": 7}, "bad_clock"),
            ({"rounds": 99}, "tournament_bad_rounds"),
            ({"board": "9x9"}, "unknown_board"),
        ):
            with pytest.raises(SetupError, match=refusal):
                await here.create(**terms)
        made = await here.create()
        with pytest.raises(SetupError, match="unknown_level"):
            await here.tournaments.set_agents(made.id, ["nobody"], ORGANISER)
        with pytest.raises(SetupError, match="tournament_no_entrant"):
            await here.tournaments.remove(made.id, 9, ORGANISER)
        with pytest.raises(NotFound, match="unknown_tournament"):
            await here.tournaments.join(99, HOST)


async def test_a_servers_tournaments_are_limited(file: Path) -> None:
    async with evening(file) as here:
        made = await asyncio.gather(*(here.create() for _ in range(MOST_ACTIVE + 2)), return_exceptions=True)
        there = [one for one in made if isinstance(one, Tournament)]
        assert len(there) == MOST_ACTIVE
        with pytest.raises(SetupError, match="tournament_too_many"):
            await here.create()
        await here.tournaments.cancel(there[0].id, ORGANISER)
        assert (await here.create()).stage is Stage.OPEN


@pytest.mark.slow
async def test_a_member_without_manage_permission_organises_one_at_a_time(file: Path) -> None:
    async with evening(file) as here:
        terms = TournamentOptions("Cup", "tic-tac-toe", System.SWISS)
        tries = [here.tournaments.create(HOST, terms, CHANNEL, ORGANISER) for _ in range(3)]
        answers = await asyncio.gather(*tries, return_exceptions=True)
        (made,) = (answer for answer in answers if isinstance(answer, Tournament))
        with pytest.raises(SetupError, match="tournament_one_each"):
            await here.tournaments.create(HOST, terms, CHANNEL, ORGANISER)
        await here.tournaments.cancel(made.id, ORGANISER)
        assert (await here.tournaments.create(HOST, terms, CHANNEL, ORGANISER)).stage is Stage.OPEN


async def test_the_organiser_chooses_all_agents_at_once(file: Path) -> None:
    async with evening(file) as here:
        made = await here.sign_up(1, ("pip", "bo"))
        after = await here.tournaments.set_agents(made.id, ["bo", "mia"], ORGANISER)
        assert [entrant.seat.level for entrant in after.entrants] == [None, "bo", "mia"]
        with pytest.raises(SetupError, match="tournament_not_yours"):
            await here.tournaments.set_agents(made.id, [], STRANGER)
        await here.tournaments.start(made.id, ORGANISER)
        with pytest.raises(SetupError, match="tournament_closed"):
            await here.tournaments.set_agents(made.id, [], ORGANISER)


async def test_many_people_who_join_at_once_are_all_signed_up(file: Path) -> None:
    async with evening(file) as here:
        made = await here.create()
        await asyncio.gather(
            *(here.tournaments.join(made.id, Person(user_id, f"P{user_id}")) for user_id in range(1, 8))
        )
        entrants = (await here.tournaments.tournament(made.id)).entrants
        assert sorted(entrant.seat.user_id or 0 for entrant in entrants) == list(range(1, 8))
        assert [entrant.number for entrant in entrants] == list(range(1, 8))


async def test_a_person_who_joins_during_the_start_is_entered_or_refused(file: Path) -> None:
    async with evening(file) as here:
        made = await here.sign_up(3)
        late = [here.tournaments.join(made.id, Person(user_id, "late")) for user_id in range(50, 56)]
        start = here.tournaments.start(made.id, ORGANISER)
        done = await asyncio.gather(*late[:3], start, *late[3:], return_exceptions=True)
        refused = [answer for answer in done if isinstance(answer, BaseException)]
        assert all(isinstance(answer, SetupError) and answer.key == "tournament_closed" for answer in refused)
        running = await here.tournaments.tournament(made.id)
        assert running.stage is Stage.RUNNING
        assert len(running.entrants) == 9 - len(refused)
        paired = sorted(number for pairing in running.pairings for number in pairing.numbers)
        assert paired == [entrant.number for entrant in running.entrants]


async def test_a_tournament_starts_when_sign_up_closes(file: Path) -> None:
    async with evening(file) as here:
        made = await here.sign_up(4)
        await here.tick()
        assert (await here.tournaments.tournament(made.id)).stage is Stage.OPEN
        here.table.clock.advance(seconds=1803)
        await here.tick()
        running = await here.tournaments.tournament(made.id)
        assert running.stage is Stage.RUNNING
        assert len(here.channel.boards) == 2
        assert here.channel.rounds == [1]
        assert running.announced == 1


async def test_a_playing_organiser_cannot_remove_other_players(file: Path) -> None:
    async with evening(file) as here:
        made = await here.sign_up(4)
        player = Organiser(made.entrants[0].seat.user_id or 0, is_admin=True)
        rival = made.entrants[1].number
        with pytest.raises(SetupError, match="tournament_plays_too"):
            await here.tournaments.remove(made.id, rival, player)
        running = await here.begin(made)
        await here.tournaments.leave(running.id, Person(player.user_id, "P1"))

        for attempt in (
            here.tournaments.remove(running.id, rival, player),
            here.tournaments.cancel(running.id, player),
        ):
            with pytest.raises(SetupError, match="tournament_plays_too"):
                await attempt
        assert (await here.tournaments.remove(running.id, rival, ADMIN)).entrant(rival).is_out


async def test_an_organiser_who_removed_a_rival_cannot_play_afterwards(file: Path) -> None:
    async with evening(file) as here:
        made = await here.sign_up(4)
        rival = made.entrants[0]
        await here.tournaments.remove(made.id, rival.number, ORGANISER)
        for person in (HOST, Person(HOST.user_id, "By another name")):
            with pytest.raises(SetupError, match="tournament_judged"):
                await here.tournaments.join(made.id, person)
        assert (await here.tournaments.join(made.id, Person(9, "P9"))).entrant_of(9) is not None


async def test_an_organiser_who_removed_an_agent_or_left_can_still_play(file: Path) -> None:
    async with evening(file) as here:
        made = await here.sign_up(2, ("pip",))
        await here.tournaments.remove(made.id, made.entrants[-1].number, ORGANISER)
        joined = await here.tournaments.join(made.id, HOST)
        left = await here.tournaments.remove(made.id, joined.entrants[-1].number, ORGANISER)
        assert left.entrant_of(HOST.user_id) is None
        assert (await here.tournaments.join(made.id, HOST)).entrant_of(HOST.user_id) is not None


async def test_a_tournament_with_too_few_players_is_cancelled(file: Path) -> None:
    async with evening(file) as here:
        made = await here.sign_up(2)
        here.table.clock.advance(seconds=1803)
        await here.tick()
        assert (await here.tournaments.tournament(made.id)).stage is Stage.CANCELLED
        assert here.channel.refreshed[-1].stage is Stage.CANCELLED


# Rounds


async def test_a_retried_round_is_stored_once(file: Path) -> None:
    async with evening(file) as here:
        made = await here.sign_up(4)
        store = here.table.stores.tournaments
        before = await here.tournaments.tournament(made.id)
        after = advance(before.start({number: number for number in range(1, 5)}))
        tries = [store.save(before, after, here.table.clock()) for _ in range(3)]
        done = await asyncio.gather(*tries, return_exceptions=True)
        assert sorted(type(answer) is Conflict for answer in done) == [False, True, True]
        assert len(await here.table.stores.matches.running()) == 2


async def test_the_next_round_waits_for_the_last_match(file: Path) -> None:
    async with evening(file) as here:
        running = await here.begin(await here.sign_up(4))
        first, second = running.of_round(1)
        await here.play_out(first.match_id or 0)
        assert (await here.step(running)).round == 1
        await here.play_out(second.match_id or 0)
        assert (await here.step(running)).round == 2
        assert here.channel.rounds == [1, 2]


async def test_a_match_of_a_tournament_has_neither_undo_nor_hints(file: Path) -> None:
    async with evening(file) as here:
        running = await here.begin(await here.sign_up(4, rated=False))
        match = await here.table.services.matches.match(running.of_round(1)[0].match_id or 0)
        mover = Person(match.seat_to_move.user_id or 0, match.seat_to_move.name)
        assert not match.rated
        with pytest.raises(MatchError, match="tournament_without_help"):
            await here.table.services.allowed_help.take_hint(match, mover)
        with pytest.raises(MatchError, match="tournament_without_help"):
            await here.table.services.playing.ask_undo(match.id, mover)
        match = await both_move_twice(here.table, match)
        with pytest.raises(MatchError, match="position_in_play"):
            await here.table.services.allowed_help.check_fair(mover, match.game, match.board, [match.state])


async def test_a_tournament_on_an_unusual_board_is_not_rated(file: Path) -> None:
    async with evening(file) as here:
        terms = TournamentOptions("Odd", "connect-four", System.ROUND_ROBIN, board="6x7x3")
        made = await here.tournaments.create(HOST, terms, CHANNEL, ORGANISER)
        for user_id in (1, 2, 3, 4):
            await here.tournaments.join(made.id, Person(user_id, f"P{user_id}"))
        running = await here.begin(made)
        match = await here.table.services.matches.match(running.of_round(1)[0].match_id or 0)
        assert (made.rated, match.rated) == (False, False)


async def test_on_a_board_without_measured_levels_only_matches_of_people_are_rated(file: Path) -> None:
    async with evening(file) as here:
        terms = TournamentOptions("Swap", "gomoku", System.ROUND_ROBIN, board="15x15-swap2")
        made = await here.tournaments.create(HOST, terms, CHANNEL, ORGANISER, levels=("momo",))
        for user_id in (1, 2, 3):
            await here.tournaments.join(made.id, Person(user_id, f"P{user_id}"))
        running = await here.begin(made)
        matches = [
            await here.table.services.matches.match(pairing.match_id or 0) for pairing in running.of_round(1)
        ]
        assert len(matches) == 2
        assert all(match.rated is not match.has_agent for match in matches)


async def test_a_player_who_leaves_resigns_their_match(file: Path) -> None:
    async with evening(file) as here:
        running = await here.begin(await here.sign_up(4))
        left = await here.tournaments.leave(running.id, Person(1, "P1"))
        pairing = next(pairing for pairing in left.pairings if 1 in pairing.numbers)
        match = await here.table.services.matches.match(pairing.match_id or 0)
        assert match.result is not None
        assert match.result.end is End.RESIGNATION
        assert left.entrant(1).is_out


@pytest.mark.sqlite
async def test_a_player_whose_resignation_failed_can_leave_again(file: Path) -> None:
    async with evening(file) as here:
        running = await here.begin(await here.sign_up(4))
        no_end = "BEFORE UPDATE ON matches WHEN new.end IS NOT NULL BEGIN SELECT raise(ABORT, 'no'); END"
        altered(file, f"CREATE TRIGGER no_end {no_end}")
        with pytest.raises(sa.exc.DBAPIError):
            await here.tournaments.leave(running.id, Person(1, "P1"))
        altered(file, "DROP TRIGGER no_end")
        left = await here.tournaments.leave(running.id, Person(1, "P1"))
        pairing = next(pairing for pairing in left.pairings if 1 in pairing.numbers)
        assert (await here.table.services.matches.match(pairing.match_id or 0)).is_over
        with pytest.raises(SetupError, match="not_joined"):
            await here.tournaments.leave(running.id, Person(1, "P1"))


async def test_cancelling_lets_running_matches_finish_and_makes_no_pairings(file: Path) -> None:
    async with evening(file) as here:
        running = await here.begin(await here.sign_up(4))
        await here.tournaments.cancel(running.id, ORGANISER)
        for pairing in running.pairings:
            assert (await here.play_out(pairing.match_id or 0)).is_over
        assert (await here.step(running)).round == 1


async def test_a_channel_that_cannot_be_written_to_is_tried_again_later(file: Path) -> None:
    async with evening(file) as here:
        here.channel.is_reachable = False
        running = await here.begin(await here.sign_up(4))
        await here.tick()
        here.channel.is_reachable = True
        await here.tick()
        running = await here.tournaments.tournament(running.id)
        assert (running.announced, here.channel.boards) == (0, {})
        here.table.clock.advance(seconds=61)
        await here.tick()
        assert (await here.tournaments.tournament(running.id)).announced == 1
        assert list(here.channel.boards.values()) == [1, 1]


@pytest.mark.slow
async def test_a_step_is_made_only_where_something_has_happened(file: Path) -> None:
    async with evening(file) as here:
        running = await here.begin(await here.sign_up(4))
        await here.tick()
        await here.tick()
        shown = len(here.channel.refreshed)
        for _ in range(3):
            await here.tick()
        assert len(here.channel.refreshed) == shown
        await here.play_out(running.of_round(1)[0].match_id or 0)
        await here.tick()
        assert len(here.channel.refreshed) == shown + 1


@pytest.mark.slow
async def test_an_end_that_cannot_be_announced_is_not_retried_for_ever(file: Path) -> None:
    async with evening(file) as here:
        terms = TournamentOptions("Cup", "tic-tac-toe", System.KNOCKOUT)
        made = await here.tournaments.create(HOST, terms, CHANNEL, ORGANISER, levels=("pip", "bo", "mia"))
        running = await here.begin(made)
        here.channel.is_reachable = False
        for _ in range(90):
            here.table.clock.advance(seconds=61)
            await here.tick()
            await here.table.services.background.drain()
        running = await here.tournaments.tournament(running.id)
        assert (running.stage, running.announced) == (Stage.OVER, ANNOUNCED_ALL)
        assert here.channel.ends == []


# Agents


@pytest.mark.slow
async def test_agents_alone_play_unseen_and_to_the_end(file: Path) -> None:
    async with evening(file) as here:
        terms = TournamentOptions("Cup", "tic-tac-toe", System.ROUND_ROBIN, is_twice=True)
        made = await here.tournaments.create(HOST, terms, CHANNEL, ORGANISER, levels=("pip", "bo", "otto"))
        running = await here.begin(made)
        for _ in range(10):
            running = await here.step(running)
        assert running.stage is Stage.OVER
        assert running.announced == ANNOUNCED_ALL
        assert (here.channel.boards, here.channel.rounds) == ({}, [])
        assert here.channel.ends == [running.id]
        assert len(running.pairings) == 6
        assert await here.table.stores.tournaments.count_watched(CHANNEL.channel_id) == 0
        matches = [
            await here.table.services.matches.match(pairing.match_id or 0) for pairing in running.pairings
        ]
        assert not any(match.rated for match in matches)
        assert [entrant.seat.name for entrant in running.seeded] == ["Otto", "Bo", "Pip"]


async def test_agents_that_play_unseen_do_not_keep_others_from_watching(file: Path) -> None:
    async with evening(file) as here:
        terms = TournamentOptions("Cup", "tic-tac-toe", System.ROUND_ROBIN)
        made = await here.tournaments.create(
            HOST, terms, CHANNEL, ORGANISER, levels=("pip", "bo", "mia", "otto", "kit")
        )
        await here.tournaments.start(made.id, ORGANISER)
        for _ in range(2):
            await here.table.services.starting.watch(HOST, "tic-tac-toe", "pip", "pip", CHANNEL)
        with pytest.raises(SetupError, match="too_many_watched"):
            await here.table.services.starting.watch(HOST, "tic-tac-toe", "pip", "pip", CHANNEL)


# The whole of it


NO_SHOW = 3


async def _play_some(here: Evening, tournament: Tournament, most: int) -> None:
    """People make up to that many moves; absent players make none."""
    for pairing in tournament.of_round(tournament.round):
        match = await here.table.services.matches.match(pairing.match_id) if pairing.match_id else None
        while match is not None and not match.is_over and most:
            if match.awaits_agent or match.seat_to_move.user_id == NO_SHOW:
                break
            match = await here.move(match)
            most -= 1


@pytest.mark.slow
async def test_nine_in_a_swiss_with_a_no_show_and_two_kills_end_as_calculated(file: Path) -> None:
    """Five people and four agents; the process ends in the middle of the second and of the third round.

    It is closed before showing its last stored change, and the next one begins on the same file.
    """
    clock, channel, screen = Clock(), RecordingChannel(), Screen()
    async with evening(file, clock=clock, channel=channel, screen=screen) as here:
        running = await here.begin(await here.sign_up(5, ("pip", "bo", "mia", "otto")))
        assert sum(pairing.second is None for pairing in running.of_round(1)) == 1
        await _play_some(here, running, 99)
        clock.advance(seconds=3603)
        await here.table.services.clocks.tick()
        running = await here.step(running)
        assert running.round == 2
        await _play_some(here, running, 5)

    async with evening(file, clock=clock, channel=channel, screen=screen) as here:
        await here.table.services.background.drain()
        running = await here.tournaments.tournament(running.id)
        await _play_some(here, running, 99)
        clock.advance(seconds=3603)
        await here.table.services.clocks.tick()
        # The round is over, and the process ends before anything follows.
        assert (await here.tournaments.tournament(running.id)).is_round_over

    async with evening(file, clock=clock, channel=channel, screen=screen) as here:
        for _ in range(20):
            running = await here.step(running)
            if not running.is_active:
                break
            await _play_some(here, running, 99)
            clock.advance(seconds=3603)
            await here.table.services.clocks.tick()
        over = await here.step(running)

    assert over.stage is Stage.OVER
    assert (over.rounds, over.round) == (4, 4)
    assert channel.rounds == [1, 2, 3, 4]
    assert channel.ends == [over.id]
    assert set(channel.boards.values()) == {1}
    assert over.entrant(NO_SHOW).is_out
    found = [(place.entrant.number, place.points, list(place.tie_breaks)) for place in standings(over)]
    assert found == [
        (number, float(points), [float(part) for part in breaks])
        for number, points, breaks in separately(over)
    ]


async def out_of_time(here: Evening, clock: Clock, terms: TournamentOptions, line: str) -> Pairing:
    """Play the moves of the line in the first match; S takes them over. Then its clock runs out."""
    made = await here.tournaments.create(HOST, terms, CHANNEL, ADMIN)
    for user_id in range(1, 5):
        await here.tournaments.join(made.id, Person(user_id, f"P{user_id}"))
    running = await here.begin(made)
    playing = here.table.services.playing
    match = await here.table.services.matches.match(running.pairings[0].match_id or 0)
    for word in line.split():
        person = Person(match.seat_to_move.user_id or 0, "")
        match = await (
            playing.swap(match.id, person) if word == "S" else playing.play(match.id, person, int(word))
        )
    clock.advance(seconds=3603)
    await here.table.services.clocks.tick()
    return (await here.tournaments.tournament(made.id)).pairings[0]


@pytest.mark.parametrize(
    ("game", "line", "fair", "late", "is_absent"),
    [
        ("kalah", "", Fair.USUAL, Player.FIRST, True),
        ("kalah", "0", Fair.USUAL, Player.SECOND, True),
        ("kalah", "2", Fair.USUAL, Player.FIRST, False),
        ("kalah", "2 0", Fair.USUAL, Player.SECOND, True),
        ("kalah", "2 0 7", Fair.USUAL, Player.FIRST, False),
        ("kalah", "2 0 8", Fair.USUAL, Player.SECOND, False),
        ("kalah", "2 0 7 2", Fair.USUAL, Player.SECOND, False),
        ("kalah", "2 0", Fair.PIE, Player.SECOND, True),
        ("kalah", "2 0 S", Fair.PIE, Player.FIRST, False),
        ("kalah", "2 0 S 7", Fair.PIE, Player.SECOND, False),
        ("gomoku 15x15-swap2", "0 1 2", Fair.USUAL, Player.SECOND, True),
        ("othello", "", Fair.BALANCED, Player.FIRST, True),
    ],
)
async def test_a_player_without_a_move_is_absent_however_often_the_opponent_moved(
    file: Path, game: str, line: str, fair: Fair, late: Player, is_absent: bool
) -> None:
    clock = Clock()
    async with evening(file, clock=clock) as here:
        key, _, board = game.partition(" ")
        terms = TournamentOptions("Cup", key, System.SWISS, board=board or None, fair=fair)
        pairing = await out_of_time(here, clock, terms, line)
        assert pairing.result == Result(late.other, End.TIME)
        assert pairing.absentee == (pairing.of(late) if is_absent else None)


async def test_damaged_moves_make_nobody_absent_and_leave_the_tournament_readable(file: Path) -> None:
    clock = Clock()
    async with evening(file, clock=clock) as here:
        pairing = await out_of_time(here, clock, TournamentOptions("Cup", "kalah", System.SWISS), "2 0")
        change = sa.update(matches).where(matches.c.id == pairing.match_id).values(packed_moves=b"x")
        async with here.table.stores.database.writing() as connection:
            await connection.execute(change)
        assert (await here.tournaments.tournament(1)).pairings[0].absentee is None


async def test_a_tournament_does_not_start_where_the_bot_may_not_write(tmp_path: Path) -> None:
    clock = Clock()
    async with evening(tmp_path / "discade.db", clock=clock) as tonight:
        tournament = await tonight.sign_up(4)
        tonight.channel.lacks = "tournament_cannot_write"
        with pytest.raises(SetupError, match="tournament_cannot_write"):
            await tonight.tournaments.start(tournament.id, ORGANISER)
        clock.advance(hours=1)
        for _ in range(3):
            await tonight.tick()
        assert (await tonight.tournaments.tournament(tournament.id)).stage is Stage.OPEN
        assert tonight.channel.announced == [(HOST.user_id, "tournament_cannot_write")], "once"
        tonight.channel.lacks = None
        await tonight.tick()
        assert (await tonight.tournaments.tournament(tournament.id)).stage is Stage.RUNNING


async def test_a_tournament_that_may_not_start_for_a_day_is_called_off(tmp_path: Path) -> None:
    clock = Clock()
    async with evening(tmp_path / "discade.db", clock=clock) as tonight:
        tournament = await tonight.sign_up(4)
        tonight.channel.lacks = "tournament_cannot_see"
        clock.advance(days=1, hours=1)
        await tonight.tick()
        assert (await tonight.tournaments.tournament(tournament.id)).stage is Stage.CANCELLED
