"""Rated matches in turn: nobody gets more first moves by choosing, leaving, or making a match rated."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from random import Random

import pytest

from bot.domain.errors import Refusal, SetupError
from bot.domain.match import Match
from bot.domain.names import CleanName, clean
from bot.domain.outgoing import Fate, Handover, Outgoing, Place
from bot.domain.person import Person
from bot.domain.terms import Fair, First
from tests.bot.sittings import (
    ADA,
    BEN,
    EVE,
    HERE,
    Sitting,
    both_move_twice,
    move_once,
    paired,
    sitting,
    terms_of,
)

GAME = "connect-four"


@pytest.fixture
async def fair_draws(file: Path) -> AsyncIterator[Sitting]:
    """The services, with draws that no test chooses."""
    async with sitting(file) as made:
        made.draws.is_askers = None
        yield made


async def against(table: Sitting, level: str, first: First = First.ME, *, rated: bool = True) -> Match:
    return await table.services.starting.start(ADA, terms_of(GAME, first=first, rated=rated), level, HERE)


async def with_ben(table: Sitting, first: First = First.ME, fair: Fair = Fair.USUAL) -> Match:
    """A rated match to which Ada invites Ben."""
    challenges = table.services.challenges
    asked = await challenges.send(ADA, BEN, terms_of(GAME, first=first, fair=fair), HERE)
    return (await challenges.accept(asked.id, BEN))[1]


async def at_a_table(table: Sitting, asker: Person, guest: Person, *, rated: bool = True) -> Match:
    """A match at the asker's open table, where the asker wished to begin, with a guest of another server."""
    challenges, elsewhere = table.services.challenges, Place(9, 77)
    terms = terms_of(GAME, first=First.ME, rated=rated)
    asked = await challenges.send(asker, None, terms, HERE, is_table=True)
    assert asked.terms.first is (First.RANDOM if rated else First.ME), "it promises nothing else"

    def note(match: Match) -> Outgoing:
        return Outgoing("mirror", match.id, 9, elsewhere, asked.id, "", Fate.SHOWN, table.clock())

    names: dict[int | None, CleanName] = {
        asker.user_id: clean("Chess Club"),
        guest.user_id: clean("Board Nights"),
    }
    handover = Handover(elsewhere, note, ("table", (asked.id, 77)), names)
    return (await challenges.accept(asked.id, guest, handover))[1]


def is_first(match: Match, person: Person = ADA) -> bool:
    return match.seats[0].user_id == person.user_id


async def finish(table: Sitting, match: Match, person: Person = ADA) -> Match:
    """The match counts, and the person resigns."""
    await both_move_twice(table, match)
    return await table.services.playing.resign(match.id, person)


async def leave(table: Sitting, match: Match) -> None:
    """Ada resigns at once, and waits until she may begin rated matches again."""
    await table.services.playing.resign(match.id, ADA)
    table.clock.advance(hours=1)


@pytest.mark.parametrize("level", ["pip", "echo"])
async def test_a_person_and_a_level_take_turns(table: Sitting, level: str) -> None:
    begins = []
    for _ in range(4):
        match = await against(table, level)
        begins.append(is_first(match))
        await finish(table, match)
    assert begins == [True, False, True, False]


async def test_two_people_take_turns_whoever_invites_and_in_each_game_by_itself(table: Sitting) -> None:
    begins = []
    for asker, other in ((ADA, BEN), (BEN, ADA), (BEN, ADA), (ADA, BEN)):
        asked = await table.services.challenges.send(asker, other, terms_of(GAME, first=First.ME), HERE)
        match = (await table.services.challenges.accept(asked.id, other))[1]
        begins.append(is_first(match))
        await finish(table, match)
    assert begins == [True, False, True, False]
    assert is_first(await against(table, "pip")), "another opponent"
    table.draws.is_askers = False
    asked = await table.services.challenges.send(ADA, BEN, terms_of("othello", first=First.ME), HERE)
    assert asked.terms.first is First.RANDOM, "the invitation promises nothing else"
    assert not is_first((await table.services.challenges.accept(asked.id, BEN))[1])


async def test_at_tables_between_servers_two_people_take_turns_as_everywhere(table: Sitting) -> None:
    begins = []
    for number, (asker, guest) in enumerate(((ADA, BEN), (BEN, ADA), (BEN, ADA), (ADA, BEN))):
        match = await (with_ben(table) if number == 2 else at_a_table(table, asker, guest))
        assert match.is_between == (number != 2)
        begins.append(is_first(match))
        await finish(table, match)
    assert begins == [True, False, True, False]
    assert is_first(await at_a_table(table, ADA, BEN, rated=False)), "a casual one is begun as wished"
    table.draws.is_askers = False
    assert not is_first(await at_a_table(table, ADA, EVE)), "the first one of two is drawn"


async def test_a_match_left_early_is_begun_again_by_the_same_side(table: Sitting) -> None:
    table.draws.is_askers = False
    for _ in range(3):
        match = await against(table, "pip")
        assert not is_first(match)
        await leave(table, match)
        table.draws.is_askers = True
    rematch = await table.services.starting.rematch(match.id, ADA, HERE)
    assert isinstance(rematch, Match)
    assert not is_first(rematch)
    again = await table.services.starting.rematch((await finish(table, rematch)).id, ADA, HERE)
    assert isinstance(again, Match)
    assert is_first(again)


async def test_a_match_that_a_moderator_ended_is_begun_again_by_the_same_side(table: Sitting) -> None:
    match = await both_move_twice(table, await with_ben(table))
    await table.services.playing.moderate(match.id, EVE, HERE.channel_id)
    assert is_first(await with_ben(table))


async def test_making_a_match_rated_takes_the_turn_of_the_two(table: Sitting) -> None:
    await finish(table, await against(table, "pip"))
    casual = await against(table, "pip", rated=False)
    assert is_first(casual)
    rated = await table.services.playing.make_rated(casual.id, ADA)
    assert not is_first(rated)
    assert await table.services.matches.match(rated.id) == rated
    await finish(table, rated)
    casual = await against(table, "pip", First.OPPONENT, rated=False)
    table.services.pings.ping(casual)
    await table.services.background.drain()
    casual = await table.services.matches.match(casual.id)
    assert len(casual.moves) == 1
    rated = await table.services.playing.make_rated(casual.id, ADA)
    assert is_first(rated)
    assert await table.services.matches.match(rated.id) == rated, "the agent's move is taken back"
    with pytest.raises(Refusal, match="stale"):
        await table.services.playing.play(rated.id, ADA, 3, turn=casual.turn)


async def test_the_choice_stays_in_casual_matches_and_with_a_fair_start(table: Sitting) -> None:
    for first in (First.ME, First.OPPONENT, First.ME, First.ME):
        assert is_first(await against(table, "pip", first, rated=False)) == (first is First.ME)
        pie = await with_ben(table, first, fair=Fair.PIE)
        assert is_first(pie) == (first is First.ME)
        balanced = await with_ben(table, first, fair=Fair.BALANCED)
        assert (balanced.seat_to_move.user_id == ADA.user_id) == (first is First.ME)


async def test_matches_with_a_chosen_first_move_take_no_turn(table: Sitting) -> None:
    await finish(table, await with_ben(table))
    await finish(table, await with_ben(table, First.OPPONENT, fair=Fair.PIE))
    assert not is_first(await with_ben(table))


async def test_a_pairing_keeps_its_sides_and_takes_the_turn(table: Sitting) -> None:
    for _ in range(2):
        await finish(table, await paired(table, ADA.seat, BEN.seat))
    assert not is_first(await with_ben(table))


@pytest.mark.postgres
async def test_of_two_at_once_the_second_is_refused_until_the_first_has_begun(table: Sitting) -> None:
    challenges = table.services.challenges
    one = await challenges.send(ADA, BEN, terms_of(GAME), HERE)
    other = await challenges.send(ADA, BEN, terms_of(GAME, clock_seconds=3600), HERE)
    both = await asyncio.gather(
        challenges.accept(one.id, BEN), challenges.accept(other.id, BEN), return_exceptions=True
    )
    (begun,) = (answer[1] for answer in both if isinstance(answer, tuple))
    (refused,) = (answer for answer in both if isinstance(answer, SetupError))
    assert (refused.key, refused.params) == ("rated_hardly_begun", {"number": begun.id})
    await both_move_twice(table, begun)
    left = other.id if both[0] is not refused else one.id
    assert is_first((await challenges.accept(left, BEN))[1]) != is_first(begun)


@pytest.mark.slow
async def test_a_farmer_that_leaves_every_match_as_second_gets_one_first_move(fair_draws: Sitting) -> None:
    """Before, 60 of 60 rated matches were hers to begin."""
    table, begun = fair_draws, 0
    for number in range(60):
        match = await against(table, "pip", rated=number % 2 == 0)
        if not match.rated:
            match = await table.services.playing.make_rated(match.id, ADA)
        if is_first(match):
            begun += 1
            await finish(table, match)
        else:
            await leave(table, match)
    assert begun <= 1


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
async def test_whatever_a_farmer_tries_half_of_the_first_moves_are_the_others(
    fair_draws: Sitting, seed: int
) -> None:
    """At random: new matches, casual ones made rated, rematches, several at once, leaving, playing on."""
    table, rng = fair_draws, Random(seed)
    playing, opponents = table.services.playing, ("pip", "echo", "Ben")

    async def begin() -> Match:
        opponent = rng.choice(opponents)
        if opponent == "Ben":
            return await with_ben(table)
        match = await against(table, opponent, rated=rng.random() < 0.5)
        return match if match.rated else await playing.make_rated(match.id, ADA)

    async def play_on(match: Match) -> Match:
        """Both move until the match counts; an agent may wait for another match."""
        for _ in range(8):
            if not match.is_short:
                break
            match = await move_once(table, match)
        return match

    begun: list[Match] = []
    for _ in range(60):
        table.clock.advance(hours=1)
        over = [match for match in begun if match.is_over]
        try:
            if over and rng.random() < 0.3:
                again = await table.services.starting.rematch(rng.choice(over).id, ADA, HERE)
                if not isinstance(again, Match):
                    again = (await table.services.challenges.accept(again.id, BEN))[1]
                begun.append(again)
            elif rng.random() < 0.6:
                begun.append(await begin())
        except Refusal:  # one is hardly begun, or was played again
            pass
        running = [number for number, match in enumerate(begun) if not match.is_over]
        for number in rng.sample(running, len(running) // 2):
            match = begun[number]
            # She leaves what she does not begin, unless she is in a patient mood.
            if match.is_short and not is_first(match) and rng.random() < 0.8:
                begun[number] = await playing.resign(match.id, ADA)
                continue
            begun[number] = match = await play_on(match)
            if not match.is_short and rng.random() < 0.5:
                begun[number] = await playing.resign(match.id, ADA)
    begun = [match for match in begun if not match.is_short]
    assert len(begun) > 3, "the test must try something"
    for opponent in opponents:
        names = [{seat.name.split()[0].lower() for seat in match.seats} for match in begun]
        sides = [
            is_first(match) for match, both in zip(begun, names, strict=True) if opponent.lower() in both
        ]
        assert 2 * sum(sides) <= len(sides) + 1


@pytest.mark.slow
async def test_a_first_match_is_drawn(fair_draws: Sitting) -> None:
    """Of 60 people's first matches against a level about half are theirs to begin, whatever they ask for."""
    begins = 0
    for number in range(100, 160):
        match = await fair_draws.services.starting.start(
            Person(number, f"P{number}"), terms_of(GAME, first=First.ME), "pip", HERE
        )
        begins += match.seats[0].user_id == number
    assert 18 <= begins <= 42


async def test_strangers_matches_are_no_turn_of_ones_own(table: Sitting) -> None:
    await finish(table, await paired(table, EVE.seat, BEN.seat), EVE)
    assert is_first(await with_ben(table))
