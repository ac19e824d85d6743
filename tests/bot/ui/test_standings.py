"""Seasons and profiles in the interface: past months, the picture, the context menu."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from discord import ui

from bot.domain.location import Channel
from bot.domain.look import Theme
from bot.domain.preferences import Preferences
from bot.domain.rating import first_record, newcomer
from bot.domain.terms import First
from bot.services.command_costs import PERSON_MOST, Cost
from tests.bot.sittings import first_match, settle, terms_of
from tests.bot.table import Table, behind_more, line_of, options_of, parts_of, text_of

LINE = "1 7 2 7 3 7 4"


async def finished(table: Table) -> Any:
    """Store Ada's win against Ben; the simulated Discord starts in January 2026."""
    board = await table.pair()
    await table.play(board, LINE)
    return board


async def ben_beats_eve(table: Table) -> None:
    ben, eve, services = table.person(table.ben), table.person(table.eve), table.bot.services
    here = Channel(table.games.id, table.guild.id)
    challenge = await services.challenges.send(ben, eve, terms_of("connect-four", first=First.ME), here)
    match = (await services.challenges.accept(challenge.id, eve))[1]
    for person in (ben, eve, ben, eve):
        await services.playing.play(match.id, person, 0)
    await services.playing.resign(match.id, eve)


def until_february(table: Table) -> timedelta:
    return datetime(2026, 2, 1, tzinfo=UTC) - table.clock()


async def leaderboard(table: Table, person: Any = None, **options: Any) -> Any:
    chosen = {"game": "connect-four", **options}
    return (await (person or table.ada).slash(table.games, "leaderboard", **chosen)).response


@pytest.mark.slow
async def test_a_leaderboard_of_unlisted_people_does_not_claim_to_be_empty(
    table: Table,
) -> None:
    await finished(table)
    shown = text_of(await leaderboard(table, scope="everywhere"))
    assert "Nobody here is listed yet" in shown
    assert "Nobody has finished" not in shown
    assert "**Ada**" in shown


def descriptions_of(message: Any) -> list[str]:
    return [item["description"] for part in parts_of(message) if part["type"] == 12 for item in part["items"]]


# Seasons


@pytest.mark.slow
async def test_a_season_is_named_by_its_month(table: Table) -> None:
    await finished(table)
    await ben_beats_eve(table)
    shown = text_of(await leaderboard(table, season="2026-01"))
    assert "### Connect Four: people, January 2026" in shown
    won = first_match("connect-four")[0]
    assert f"· **Ada** · about {50 * round(won.points / 50)} · " in shown
    assert "season ends <t:1769904000:R>" in shown


@pytest.mark.slow
async def test_a_new_month_starts_empty_and_the_past_one_stays(own_table: Table) -> None:
    await finished(own_table)
    await ben_beats_eve(own_table)
    own_table.clock.ahead += until_february(own_table)
    empty = text_of(await leaderboard(own_table, season="2026-02"))
    assert "Nobody has finished a rated match this season." in empty
    past = text_of(await leaderboard(own_table, season="2026-01"))
    assert "**Ada**" in past
    assert "has no champion: that takes 3 people who have won a match" in past


async def test_seasons_are_suggested_by_name(own_table: Table) -> None:
    await finished(own_table)
    own_table.clock.ahead += until_february(own_table)
    offered = await own_table.ada.autocomplete(
        own_table.games, "leaderboard", "season", "", game="connect-four"
    )
    assert offered == [
        {"name": "February 2026", "value": "2026-02"},
        {"name": "January 2026", "value": "2026-01"},
    ]


@pytest.mark.slow
async def test_the_menu_below_a_leaderboard_shows_another_season(own_table: Table) -> None:
    await finished(own_table)
    board = await leaderboard(own_table)
    assert options_of(board) == ["all", "2026-01"]
    await own_table.ada.select(board, ["2026-01"])
    assert "people, January 2026" in text_of(board)
    await own_table.restart()
    await own_table.ada.select(board, ["all"])
    assert "people, this server" in text_of(board)


@pytest.mark.slow
async def test_another_person_gets_a_copy_of_the_season(own_table: Table) -> None:
    await finished(own_table)
    board = await leaderboard(own_table)
    copy = await own_table.ben.select(board, ["2026-01"])
    assert copy.ephemeral
    assert "people, January 2026" in text_of(copy.response)
    assert "people, this server" in text_of(board)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"season": "soon"}, "isn’t a season"),
        ({"season": "2026-13"}, "write one like `2026-01`"),
        ({"season": "2026-01", "scope": "everywhere"}, "Every server has its own seasons"),
    ],
)
async def test_an_unknown_season_is_refused(table: Table, options: dict[str, str], says: str) -> None:
    asked = table.ada.slash(table.games, "leaderboard", game="connect-four", **options)
    assert says in await table.refused(asked)


@pytest.mark.slow
async def test_another_servers_leaderboard_is_not_shown(table: Table) -> None:
    """A custom_id is a claim: this one was carried into another server's channel."""
    await finished(table)
    other = table.env.create_guild("Another server")
    channel = other.create_text_channel("games")
    stranger = other.add_member(table.env.create_user("stranger"))
    board = (await stranger.slash(channel, "leaderboard", game="connect-four")).response
    component = next(part for part in parts_of(board) if part["type"] == 3)
    assert f":{other.id}:" in component["custom_id"]
    forged = component["custom_id"].replace(f":{other.id}:", f":{table.guild.id}:")
    message = await table.bot.get_partial_messageable(channel.id).fetch_message(board.id)
    await message.edit(view=_with_custom_id(message, component["custom_id"], forged))
    refused = await stranger.select(board, ["all"], custom_id=forged)
    assert refused.ephemeral
    assert "another server" in line_of(refused.response)


def _with_custom_id(message: Any, old: str, new: str) -> Any:
    view = ui.LayoutView.from_message(message, timeout=None)
    for item in view.walk_children():
        if getattr(item, "custom_id", None) == old:
            item.custom_id = new  # type: ignore[attr-defined]
    view.stop()
    return view


@pytest.mark.slow
async def test_the_board_of_a_finished_rated_match_shows_both_ratings_and_their_change(
    table: Table,
) -> None:
    start, (won, lost) = newcomer("connect-four").points, first_match("connect-four")
    board = await table.pair()
    await table.play(board, "1 7 2 7 3 7 4")
    before, after, fallen = (f"about {50 * round(one / 50)}" for one in (start, won.points, lost.points))
    told = f"Ada {before} → **{after}** · Ben {before} → **{fallen}**"
    assert told in text_of(board)
    await table.restart()
    await table.env.advance_time(4)
    assert told in text_of(board)


@pytest.mark.slow
async def test_a_level_keeps_its_measured_rating(table: Table) -> None:
    board = await table.start()
    for column in "45":
        await table.ada.click(board, label=column)
    asked = await table.ada.slash(table.games, "match resign")
    await table.ada.click(asked.response, label="Yes, resign")
    await table.env.advance_time(4)
    assert f"Pip **{first_record('connect-four', 'pip').points}**" in text_of(board)


# Profiles


@pytest.mark.slow
async def test_a_profile_has_a_picture_with_alternative_text(table: Table) -> None:
    await finished(table)
    profile = (await table.ben.slash(table.games, "profile", person=table.ada)).response
    (described,) = descriptions_of(profile)
    start, won = newcomer("connect-four").points, first_match("connect-four")[0]
    assert "The profile of Ada as a picture. Ratings over time: Connect Four now" in described
    assert (
        f"now {won.points}\u00a0±\u00a0{won.margin}, between {start} and {won.points}, after 1 rated"
        in described
    )
    (picture,) = profile.attachments
    assert (await picture.read()).startswith(b"\x89PNG")
    told = ("Favourite game: Connect Four, 1 match", "Ada against Ben: 1 won, 0 drawn", "Achievements: 1 of ")
    assert all(line in described for line in told), "who cannot see the picture is told of its numbers"
    text = text_of(profile)
    assert f"⚔️ Best win: against **Ben**, rated {start} then, in Connect Four" in text
    for said_by_the_picture in ("Favourite", "rating", "drawn", "Achievements", "Accuracy"):
        assert said_by_the_picture not in text


@pytest.mark.slow
async def test_readers_of_boards_in_letters_get_everything_as_text(table: Table) -> None:
    await finished(table)
    await table.bot.services.settings.prefer(table.ben.id, Preferences(theme=Theme.LETTERS))
    text = text_of((await table.ben.slash(table.games, "profile", person=table.ada)).response)
    assert "⭐ Favourite game: **Connect Four**, 1 match" in text
    assert "👥 Ada against Ben: 1 won, 0 drawn, 0 lost" in text
    assert "🏆 Achievements: **1 of " in text


@pytest.mark.slow
async def test_names_that_the_picture_cannot_show_are_in_the_text(table: Table) -> None:
    await finished(table)
    table.env.backend.users[table.ben.id].global_name = "べん"
    text = text_of((await table.ben.slash(table.games, "profile", person=table.ada)).response)
    assert "👥 Ada against" in text


@pytest.mark.slow
async def test_an_own_profile_has_no_score_against_oneself(table: Table) -> None:
    await finished(table)
    text = text_of((await table.ada.slash(table.games, "profile")).response)
    assert "👥" not in text


async def test_a_newcomers_profile_has_no_picture(table: Table) -> None:
    profile = (await table.eve.slash(table.games, "profile")).response
    assert descriptions_of(profile) == []
    assert not profile.attachments


@pytest.mark.slow
async def test_the_first_places_of_a_past_season_are_medals(own_table: Table) -> None:
    await finished(own_table)
    await ben_beats_eve(own_table)
    eve, ada, services = (
        own_table.person(own_table.eve),
        own_table.person(own_table.ada),
        own_table.bot.services,
    )
    here = Channel(own_table.games.id, own_table.guild.id)
    challenge = await services.challenges.send(eve, ada, terms_of("connect-four", first=First.ME), here)
    match = (await services.challenges.accept(challenge.id, ada))[1]
    for person in (eve, ada, eve, ada):
        await services.playing.play(match.id, person, 0)
    await services.playing.resign(match.id, ada)
    await settle(own_table.bot.parts.stores)
    assert "January" not in text_of((await own_table.ada.slash(own_table.games, "profile")).response)
    own_table.clock.ahead += until_february(own_table)
    of_ada = text_of((await own_table.ada.slash(own_table.games, "profile")).response)
    of_ben = text_of((await own_table.ben.slash(own_table.games, "profile")).response)
    assert "🥇 Connect Four, January 2026" in of_ada
    assert "🥈 Connect Four, January 2026" in of_ben


@pytest.mark.slow
async def test_the_menu_entry_on_a_person_shows_their_profile_privately(table: Table) -> None:
    await finished(table)
    shown = await table.eve.context_menu(table.games, "Profile", table.ada)
    assert shown.ephemeral
    assert "### Ada, this server" in text_of(shown.response)
    robot = table.guild.add_member(table.env.create_user("robot", bot=True))
    assert "Bots have no profile" in await table.refused(
        table.eve.context_menu(table.games, "Profile", robot)
    )


@pytest.mark.slow
async def test_an_opponent_beaten_elsewhere_is_not_named_here(table: Table) -> None:
    other = table.env.create_guild("Another server")
    channel = other.create_text_channel("games")
    ada, eve = (other.add_member(person.user) for person in (table.ada, table.eve))
    options = {"opponent": eve, "first": "me", "rated": True}
    invitation = await ada.slash(channel, "challenge", game="connect-four", **options)
    board = (await eve.click(invitation.response, label="Accept")).response
    for person in (ada, eve, ada, eve):
        await person.click(board, label="1")
    asked = await behind_more(eve, board, "Resign")
    await eve.click(asked.response, label="Yes, resign")
    everywhere = {"scope": "everywhere"}
    profile = (await table.ben.slash(table.games, "profile", person=table.ada, **everywhere)).response
    seen = "\n".join((text_of(profile), *descriptions_of(profile)))
    own = (await table.ada.slash(table.games, "profile", **everywhere)).response
    assert "1 won" in seen
    assert "Eve" not in seen
    assert "Eve" not in "\n".join((text_of(own), *descriptions_of(own))), "everybody here reads it"
    alone = await table.ada.user.slash("profile")
    assert "against **Eve**" in text_of(alone.response)


@pytest.mark.slow
async def test_a_nickname_is_shown_and_shared_in_its_server_alone(own_table: Table) -> None:
    other = own_table.env.create_guild("Another server")
    channel = other.create_text_channel("games")
    ada = other.add_member(own_table.ada.user)
    eve = other.add_member(own_table.eve.user, nick="Secret nickname")
    for _ in range(2):
        options = {"opponent": eve, "first": "me", "rated": False}
        invitation = await ada.slash(channel, "challenge", game="connect-four", **options)
        board = (await eve.click(invitation.response, label="Accept")).response
        for person in (ada, eve):
            await person.click(board, label="1")
    assert "Secret nickname" in text_of(board)
    asked = await behind_more(eve, board, "Resign")
    await eve.click(asked.response, label="Yes, resign")
    assert "Secret nickname" in text_of((await ada.slash(channel, "match list")).response)

    (running,) = await own_table.bot.services.matches.running(ada.id)
    number = str(running.id + 1 if running.id == 1 else 1)
    seen = []
    chosen = {"match": number}
    for command, options in (("match list", {}), ("review replay", chosen), ("review analysis", chosen)):
        private = (await own_table.ada.slash(own_table.games, command, **options)).response
        seen.append(private)
        if options:
            seen.extend((await own_table.ada.click(private, label="Share")).followups)
    seen.append((await own_table.ada.context_menu(own_table.games, "Profile", own_table.ada)).response)
    texts = ["\n".join((text_of(message), *descriptions_of(message))) for message in seen]
    assert len(texts) == 6
    assert not any("Secret nickname" in text for text in texts)
    assert all("Eve" in text for text in texts)


@pytest.mark.slow
async def test_the_board_says_that_a_match_was_too_short_to_be_rated(table: Table) -> None:
    board = await table.pair()
    asked = await behind_more(table.ben, board, "Resign")
    await table.ben.click(asked.response, label="Yes, resign")
    assert "Too short to be rated" in text_of(board)
    assert "No rated matches" in text_of((await table.ada.slash(table.games, "profile")).response)


@pytest.mark.slow
async def test_too_many_profiles_are_refused_with_a_message_for_a_while(own_table: Table) -> None:
    for _ in range(int(PERSON_MOST // Cost.PROFILE)):
        assert "###" in text_of((await own_table.ada.slash(own_table.games, "profile")).response)
    line = await own_table.refused(own_table.ada.slash(own_table.games, "profile"))
    assert "Slow down: try again" in line
    assert "<t:" in line
    assert "###" in text_of((await own_table.ben.slash(own_table.games, "profile")).response)
    await own_table.skip(minutes=1)
    assert "###" in text_of((await own_table.ada.slash(own_table.games, "profile")).response)
