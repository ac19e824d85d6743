"""The start panel, first matches, help, and the choices that are remembered."""

from __future__ import annotations

import itertools
import unicodedata
from dataclasses import replace
from typing import Any

import pytest
from discord import ui

from bot.domain.look import Size
from bot.domain.panel_choices import Against, Mode, Start
from bot.domain.preferences import Preferences, ServerSettings
from bot.domain.rating import first_record, newcomer, stakes_between
from bot.domain.strengths import PlainStrength, strengths
from bot.domain.terms import Fair, First
from bot.services.checked_terms import CLOCKS, NO_CLOCK
from bot.ui.panel.help_views import help_view
from bot.ui.panel.views import levels_view, more_choices_view, offer_of, panel_view
from engine.agents.algorithms import algorithms_of
from engine.agents.echo import elo_in
from engine.agents.levels import levels_of
from engine.agents.roster import Roster
from engine.games import GAMES
from tests.bot.made_once import all_texts
from tests.bot.table import Table, behind_more, buttons_of, line_of, options_of, parts_of, text_of


async def opened(table: Table, person: Any = None, label: str = "I go first") -> Any:
    """The panel that /play without options answers with, once the person has chosen to begin."""
    answer = await (person or table.ada).slash(table.games, "play")
    assert answer.ephemeral
    await choose(person or table.ada, answer.response, label)
    await turn_to(person or table.ada, answer.response, BACK)
    return answer.response


async def choose(person: Any, panel: Any, *choices: Any) -> None:
    """Press or pick each choice: a button's label, an option's label or value, or a person.

    A choice that is not on the shown page is looked for on the others, last among all levels.
    """
    for choice in choices:
        wanted = choice if isinstance(choice, str) else "a person"
        for labels in (BACK, MORE, BACK):
            if wanted not in offered_on(panel):
                await turn_to(person, panel, labels)
        if wanted not in offered_on(panel):
            await person.select(panel, ["levels"], custom_id=offered_on(panel)["levels"])
        custom_id = offered_on(panel)[wanted]
        if custom_id is None:
            await person.click(panel, label=choice)
        else:
            value = choice if not isinstance(choice, str) else value_in(panel, choice)
            await person.select(panel, [value], custom_id=custom_id)


async def turn_to(person: Any, panel: Any, labels: tuple[str, ...]) -> None:
    """Press the button to the other page, in whatever language it is there."""
    for label in labels:
        if label in buttons_of(panel):
            await person.click(panel, label=label)
            return


MORE, BACK = ("More…", "Mehr…"), ("Back", "Zurück")


def offered_on(panel: Any) -> dict[str, str | None]:
    """Return the choices on the page, with the custom_id of the menu that has them."""
    offered: dict[str, str | None] = dict.fromkeys(buttons_of(panel))
    for part in parts_of(panel):
        if part["type"] == 5:
            offered["a person"] = part["custom_id"]
        for option in part.get("options", ()):
            offered[named(option)] = offered[option["value"]] = part["custom_id"]
    return offered


def named(option: Any) -> str:
    """Return the option's label without the picture before it."""
    return str(option["label"]).lstrip("●○⚖️🪑 ")


def value_in(panel: Any, choice: str) -> str:
    """Return the value of the option with that label or value."""
    options = [option for part in parts_of(panel) for option in part.get("options", ())]
    return next(str(one["value"]) for one in options if choice in (named(one), one["value"]))


async def begun(table: Table, panel: Any, person: Any = None) -> Any:
    """The public message that Start posts."""
    answer = await (person or table.ada).click(panel, label="Start")
    assert not answer.ephemeral
    return answer.response


async def match(table: Table, person: Any = None) -> Any:
    """The person's only running match."""
    (found,) = await table.bot.services.matches.running((person or table.ada).id)
    return found


def chosen_on(panel: Any) -> list[str]:
    """Labels of the buttons that stand out, and of the chosen options."""
    found = []
    for part in parts_of(panel):
        if part["type"] == 2 and part["style"] == 1:
            found.append(part["label"])
        found += [named(option) for option in part.get("options", ()) if option.get("default")]
    return found


# The panel


async def test_play_without_options_opens_a_private_panel_from_which_one_press_starts(table: Table) -> None:
    panel = (await table.ada.slash(table.games, "play")).response
    for game in GAMES:
        assert all_texts().of("en")(f"game_{game}") in offered_on(panel)
    assert buttons_of(panel) == dict.fromkeys(("Start", "Coach: off", "More…"), True)
    assert {"Easy", "My strength", "Anyone here", "a person"} <= set(offered_on(panel))
    await table.ada.click(panel, label="More…")
    assert buttons_of(panel) == dict.fromkeys(("Start", "Rated: no", "Back"), True)
    assert {"I go first", "Opponent first", "Random", "Pie rule", "No clock"} <= set(offered_on(panel))
    board = await begun(table, panel)
    assert "### Connect Four" in text_of(board)
    assert (await match(table)).location.message_id == board.id


async def test_every_game_has_its_own_icon(table: Table) -> None:
    titles = {all_texts().of("en")(f"game_{game}") for game in GAMES}
    options = [option for part in parts_of(await opened(table)) for option in part.get("options", ())]
    games = [option for option in options if option["label"] in titles]
    assert len({option["emoji"]["name"] for option in games}) == len(games) == len(GAMES)


async def test_help_says_once_that_boards_can_be_letters(table: Table) -> None:
    assert text_of((await table.ada.slash(table.games, "help")).response).count("Letters") == 1


async def test_a_match_that_cannot_be_rated_says_so(table: Table) -> None:
    odd = {"game": "connect-four", "board": "6x7x3", "rated": True}
    answer = await table.ada.slash(table.games, "play", level="pip", first="me", **odd)
    invited = await table.ada.slash(table.games, "challenge", opponent=table.ben, **odd)
    for one in (answer, invited):
        (told,) = one.followups
        assert line_of(told).startswith("This one is casual. Rated matches are played on 6×7")
    usual = await table.ada.slash(
        table.games, "play", game="connect-four", level="pip", first="me", rated=True
    )
    (told,) = usual.followups
    assert line_of(told) == "In a rated match the first move is drawn; after that you take turns."
    unasked = await table.ada.slash(table.games, "play", game="othello", level="pip", rated=True)
    assert unasked.followups == []


@pytest.mark.parametrize("game", list(GAMES))
async def test_each_strength_names_the_level_that_it_means(table: Table, game: str) -> None:
    panel = await opened(table)
    await choose(table.ada, panel, game)
    words = strengths(game, GAMES[game].boards[0], levels_of(game))
    assert [word for word in offered_on(panel) if word.lower() in set(PlainStrength)] == [
        word.capitalize() for word in PlainStrength
    ]
    for word, level in words.items():
        await choose(table.ada, panel, word.capitalize())
        assert f"against **{level.name} ({word.capitalize()})**" in text_of(panel)
    await begun(table, panel)
    assert words[PlainStrength.BEST].name in {seat.name for seat in (await match(table)).seats}


async def test_a_newcomer_is_offered_an_easy_opponent(table: Table) -> None:
    panel = (await table.ada.slash(table.games, "play")).response
    assert "against **Mia (Easy)**" in text_of(panel)
    assert chosen_on(panel) == ["Connect Four", "Easy"]


async def test_each_row_of_the_panel_has_a_label_and_its_face_has_six_controls(table: Table) -> None:
    panel = (await table.ada.slash(table.games, "play")).response
    pages = {
        "": ["Game", "Opponent", "Or a friend"],
        "More…": ["Who goes first", "Fair start", "Clock"],
        "levels": ["Levels, weakest first", "Algorithms"],
    }
    for way, labels in pages.items():
        if way:
            await choose(table.ada, panel, way)
        shown = [one for one in parts_of(panel) if one["type"] in (2, 3, 5, 10)]
        menus = [at for at, one in enumerate(shown) if one["type"] in (3, 5)]
        assert [shown[at - 1]["content"].splitlines()[-1] for at in menus] == [
            f"-# **{label}**" for label in labels
        ]
        assert sum(one["type"] != 10 for one in shown) <= 6


async def test_another_game_keeps_the_strength_that_was_chosen(table: Table) -> None:
    panel = await opened(table)
    for label in ("Hard", "Othello"):
        await choose(table.ada, panel, label)
    assert "Hard" in chosen_on(panel)
    assert "Othello" in chosen_on(panel)


async def test_all_levels_and_then_the_algorithms_are_one_step_deeper_and_played(table: Table) -> None:
    panel = await opened(table)
    await choose(table.ada, panel, "levels")
    levels = [level.key for level in levels_of("connect-four", "6x7x4")]
    algorithms = [level.key for level in algorithms_of("connect-four")]
    assert options_of(panel) == ["echo", *levels, *algorithms]
    assert any(label.startswith("Otto · 1197 ± ") for label in offered_on(panel))
    assert any(label.startswith("Luca (Hard) · 1864 ± ") for label in offered_on(panel))
    await choose(table.ada, panel, "otto")
    assert "against **Otto** · Casual" in text_of(panel)
    assert "Otto" in chosen_on(panel), "a level between the five has a place among them once it is chosen"
    await begun(table, panel)
    assert "Otto" in {seat.name for seat in (await match(table)).seats}


async def test_an_algorithm_is_chosen_from_the_panel_and_remembered(own_table: Table) -> None:
    panel = await opened(own_table)
    await choose(own_table.ada, panel, "levels", "minimax:depth=4")
    assert "against **Minimax 4** · Casual" in text_of(panel)
    await begun(own_table, panel)
    assert "minimax:depth=4" in {seat.level for seat in (await match(own_table)).seats}
    again = (await own_table.ada.slash(own_table.games, "play")).response
    assert "Minimax 4" in chosen_on(again)


async def test_a_server_with_a_highest_level_offers_no_algorithms(table: Table) -> None:
    await table.bot.services.settings.save(table.guild.id, ServerSettings(highest_level=5))
    panel = await opened(table)
    await choose(table.ada, panel, "levels")
    assert not {level.key for level in algorithms_of("connect-four")} & set(offered_on(panel))
    await table.forge(table.ada, panel, f"d1:st:go:{Start('connect-four', 'minimax:depth=2', First.ME)}")
    assert await table.bot.services.matches.running(table.ada.id) == ()


@pytest.mark.parametrize(("label", "place"), [("I go first", 0), ("Opponent first", 1)])
async def test_the_first_player_is_chosen(table: Table, label: str, place: int) -> None:
    panel = await opened(table)
    await choose(table.ada, panel, "More…")
    await choose(table.ada, panel, "pip")
    await choose(table.ada, panel, label)
    await begun(table, panel)
    assert (await match(table)).seats[place].user_id == table.ada.id


@pytest.mark.parametrize(
    ("presses", "is_rated", "is_coached"),
    [
        ((), False, False),
        (("Rated: no",), True, False),
        (("Coach: off",), False, True),
        (("Coach: off", "Coach: on"), False, False),
        (("Rated: no", "Rated: yes"), False, False),
        (("Rated: no", "Coach: off"), False, True),
        (("Coach: off", "Rated: no"), True, False),
    ],
)
async def test_the_coach_and_rated_matches_are_switched_on_and_off(
    table: Table, presses: tuple[str, ...], is_rated: bool, is_coached: bool
) -> None:
    panel = await opened(table)
    await choose(table.ada, panel, *presses)
    await begun(table, panel)
    found = await match(table)
    assert (found.rated, found.is_coached) == (is_rated, is_coached)


async def resigned(table: Table, board: Any) -> None:
    """Play two moves, so that the result counts, and resign."""
    for label in ("4", "1"):
        await table.ada.click(board, label=label)
    asked = await behind_more(table.ada, board, "Resign")
    await table.ada.click(asked.response, label="Yes, resign")


async def test_my_strength_is_an_opponent_that_follows_the_persons_results(own_table: Table) -> None:
    panel = await opened(own_table)
    await choose(own_table.ada, panel, "My strength")
    assert "My strength" in chosen_on(panel)
    assert "**Connect Four** against **Echo (your strength)** · Casual" in text_of(panel)
    board = await begun(own_table, panel)
    first = echo_of(await match(own_table))
    assert abs(first - newcomer("connect-four").points) <= 50
    assert f"Echo {first}" in text_of(board)
    assert "plays as well as you do" in text_of(board)
    await resigned(own_table, board)
    await own_table.ada.click(board, label="Rematch")
    second = echo_of(await match(own_table))
    assert second < first - 50
    await own_table.restart()
    assert echo_of(await match(own_table)) == second


async def test_a_resignation_at_once_changes_no_strength(table: Table) -> None:
    board = await table.start(level="echo", rated=False)
    first = echo_of(await match(table))
    asked = await behind_more(table.ada, board, "Resign")
    await table.ada.click(asked.response, label="Yes, resign")
    await table.ada.click(board, label="Rematch")
    assert echo_of(await match(table)) == first


async def test_a_rated_match_at_my_strength_is_rated_at_the_strength_that_is_played(table: Table) -> None:
    panel = await opened(table)
    await choose(table.ada, panel, "Rated: no", "My strength")
    board = await begun(table, panel)
    strength = echo_of(await match(table))
    own = newcomer("connect-four")
    (stake, _) = stakes_between(own, first_record("connect-four", f"echo:{strength}"))
    assert f"Ada **new** · Echo {strength} **{strength}**" in text_of(board)
    number = (await match(table)).id
    await resigned(table, board)
    over = await table.bot.services.matches.match(number)
    side = 0 if over.seats[0].user_id == table.ada.id else 1
    assert over.rating_changes[side].after == own.points + stake.loss
    assert over.rating_changes[1 - side].before == over.rating_changes[1 - side].after == strength
    agents = await table.bot.services.standings.leaderboard(
        "connect-four", guild_id=None, agents=True, page=1, user_id=table.ada.id
    )
    assert agents.rows == (), "one agent of many strengths has no place there"


async def test_my_strength_is_offered_first_among_the_levels_and_kept_for_other_games(table: Table) -> None:
    offered = await table.ada.autocomplete(table.games, "play", "level", "my str", game="othello")
    assert offered == [{"name": "My strength: plays as well as you do", "value": "echo"}]
    await table.start(game="othello", level="echo", rated=False)
    panel = (await table.ada.slash(table.games, "play")).response
    assert "My strength" in chosen_on(panel)
    await choose(table.ada, panel, "Tic-tac-toe")
    assert "My strength" in chosen_on(panel)


async def test_my_strength_stays_below_a_servers_highest_level(table: Table) -> None:
    await table.bot.services.settings.save(table.guild.id, ServerSettings(highest_level=2))
    await table.start(level="echo", rated=False)
    assert echo_of(await match(table)) <= first_record("connect-four", "bo").points


async def test_agents_that_are_watched_have_no_person_whose_strength_they_could_have(table: Table) -> None:
    refused = await table.refused(
        table.ada.slash(table.games, "watch", game="connect-four", first_level="echo", second_level="bo")
    )
    assert "echo" in refused


def echo_of(found: Any) -> int:
    """Return Echo's strength in the match."""
    return next(elo for seat in found.seats if (elo := elo_in(seat.level)) is not None)


async def test_a_friend_is_chosen_from_a_menu_and_invited(table: Table) -> None:
    panel = (await table.ada.slash(table.games, "play")).response
    await choose(table.ada, panel, table.ben)
    assert f"against **<@{table.ben.id}>**" in text_of(panel)
    assert not buttons_of(panel)["Coach: off"], "a coach is there against bots alone, and keeps its place"
    invitation = await begun(table, panel)
    assert table.ben.mention in text_of(invitation)
    board = (await table.ben.click(invitation, label="Accept")).response
    assert "Casual" in text_of(board)


async def test_a_strength_or_taking_the_friend_back_leads_back_to_the_bot(table: Table) -> None:
    panel = await opened(table)
    await choose(table.ada, panel, table.ben, "Hard")
    assert "against **Luca (Hard)**" in text_of(panel)
    await choose(table.ada, panel, table.ben)
    custom_id = offered_on(panel)["a person"] or ""
    await table.ada.select(panel, [], custom_id=custom_id)
    assert "against **Luca (Hard)**" in text_of(panel)
    await begun(table, panel)
    assert "Luca" in {seat.name for seat in (await match(table)).seats}


async def test_inviting_oneself_is_refused_and_another_choice_works(table: Table) -> None:
    panel = await opened(table)
    await choose(table.ada, panel, table.ada)
    assert "yourself" in await table.refused(table.ada.click(panel, label="Start"))
    await choose(table.ada, panel, table.ben)
    assert table.ben.mention in text_of(await begun(table, panel))


async def test_a_seat_is_left_open_for_anyone(table: Table) -> None:
    panel = await opened(table)
    for label in ("Othello", "Anyone here"):
        await choose(table.ada, panel, label)
    invitation = await begun(table, panel)
    assert "looking for an opponent" in text_of(invitation)
    board = (await table.eve.click(invitation, label="Play")).response
    assert "### Othello" in text_of(board)


async def test_start_pressed_twice_starts_one_match(table: Table) -> None:
    panel = await opened(table)
    table.env.inject_error("PATCH", "/webhooks/*", status=404)
    await table.ada.click(panel, label="Start")
    assert "has already begun" in await table.refused(table.ada.click(panel, label="Start"))
    assert len(await table.bot.services.matches.running(table.ada.id)) == 1


async def test_a_panel_offers_another_match_after_start(own_table: Table) -> None:
    panel = await opened(own_table)
    await own_table.ada.click(panel, label="Start")
    assert buttons_of(panel) == {"Play again": True}
    await own_table.skip(seconds=10)
    await own_table.ada.click(panel, label="Play again")
    await begun(own_table, panel)
    assert len(await own_table.bot.services.matches.running(own_table.ada.id)) == 2
    assert buttons_of(panel) == {"Play again": True}


@pytest.mark.slow
async def test_a_panel_works_after_a_restart_and_for_many_at_once(own_table: Table) -> None:
    hers, his = await opened(own_table), await opened(own_table, own_table.ben)
    await choose(own_table.ada, hers, "Othello")
    await own_table.restart()
    await choose(own_table.ben, his, "Tic-tac-toe")
    await begun(own_table, hers)
    await begun(own_table, his, own_table.ben)
    assert (await match(own_table)).game == "othello"
    assert (await match(own_table, own_table.ben)).game == "tic-tac-toe"


@pytest.mark.slow
async def test_a_server_that_plays_elsewhere_says_where(table: Table) -> None:
    other = table.guild.create_text_channel("arena")
    settings = ServerSettings(play_channels=frozenset({other.id}))
    await table.bot.services.settings.save(table.guild.id, settings)
    assert f"<#{other.id}>" in await table.refused(table.ada.slash(table.games, "play"))


async def test_levels_that_a_server_has_closed_can_be_neither_pressed_nor_forged(table: Table) -> None:
    await table.bot.services.settings.save(table.guild.id, ServerSettings(highest_level=2))
    panel = await opened(table)
    assert "Best" in offered_on(panel)
    assert "Hard" not in offered_on(panel)
    await table.forge(table.ada, panel, f"d1:st:go:{Start('connect-four', 'una', First.ME)}")
    assert await table.bot.services.matches.running(table.ada.id) == ()


@pytest.mark.parametrize(
    "text", ["chess.r.c.b..otto", "connect-four.r.c.b..nobody", "connect-four.r.k.f.1.pip"]
)
async def test_forged_choices_are_replaced_by_available_ones(table: Table, text: str) -> None:
    panel = await opened(table)
    await table.forge(table.ada, panel, f"d1:st:more:{text}")
    assert "Start" in buttons_of(panel)


async def test_the_first_line_names_the_opponent_in_a_sentence(table: Table) -> None:
    panel = await opened(table)
    for label, other in (("Anyone here", "anyone"), ("Beginner", "**Bo (Beginner)**")):
        await choose(table.ada, panel, label)
        assert text_of(panel).splitlines()[1] == f"**Connect Four** against {other} · Casual · I go first"


async def test_in_direct_messages_the_bot_is_the_only_opponent(table: Table) -> None:
    panel = (await table.ada.user.slash("play")).response
    assert "Easy" in offered_on(panel)
    assert not {"Anyone here", "a person"} & set(offered_on(panel))
    board = (await table.ada.user.click(panel, label="Start")).response
    assert "### Connect Four" in text_of(board)


def test_every_panel_fits_into_a_message_and_its_custom_ids_differ() -> None:
    """Under /help, too."""
    t, roster = all_texts().of("de"), Roster()
    for game, first, mode, against in itertools.product(GAMES, First, Mode, Against):
        start = Start(game, None, first, mode, against, 2**64 - 1, Fair.PIE, min(CLOCKS))
        offer = offer_of(start, roster, roster.levels_of(start.game), is_newcomer=True)
        for panel in (panel_view(t, offer), more_choices_view(t, offer), levels_view(t, offer)):
            view = help_view(t, panel, 0.1)
            assert view.total_children_count <= 40
            assert view.content_length() <= 4000
            ids = [item.custom_id for item in view.walk_children() if hasattr(item, "custom_id")]
            assert len(set(ids)) == len(ids)
            assert max(map(len, ids)) <= 100


@pytest.mark.parametrize("language", all_texts().languages)
def test_the_first_page_takes_five_rows_of_controls_at_most_on_a_phone(language: str) -> None:
    """With 8 pixels a visible character and 32 around a button, in the 270 of a message at 390 pixels."""
    t, roster = all_texts().of(language), Roster()
    for game in GAMES:
        rows = 0
        for part in panel_view(t, offer_of(Start(game), roster, roster.levels_of(game))).walk_children():
            if isinstance(part, ui.ActionRow):
                rows, left = rows + 1, 270
                for control in part.children:
                    label = control.label or "" if isinstance(control, ui.Button) else ""
                    seen = sum(unicodedata.category(letter) != "Cf" for letter in label)
                    width = 8 * seen + 32 if isinstance(control, ui.Button) else 270
                    if width > left:
                        rows, left = rows + 1, 270
                    left -= width + 8
        assert rows <= 5


async def test_a_rated_match_says_both_ratings_and_what_is_at_stake_before_it_starts(table: Table) -> None:
    panel = await opened(table)
    assert "⚖️" not in text_of(panel)
    await choose(table.ada, panel, "Rated: no", "otto")
    otto = first_record("connect-four", "otto")
    said = "Ada **new**"
    assert f"-# ⚖️ {said} · Otto **{otto.points}**" in text_of(panel)
    assert "“About” and “new” mean that a rating isn’t settled yet" in text_of(panel)
    board = await begun(table, panel)
    assert said in text_of(board)
    await table.ada.click(board, label="4")
    assert said in text_of(board)


IN_TURN = "-# In a rated match the first move is drawn; after that you take turns."


async def test_the_first_move_of_a_rated_match_is_no_choice_and_the_panel_says_so(table: Table) -> None:
    panel = await opened(table)
    assert IN_TURN not in text_of(panel)
    await choose(table.ada, panel, "Rated: no")
    assert IN_TURN in text_of(panel)
    assert not {"I go first", "Opponent first", "Random"} & set(offered_on(panel))
    assert "I go first" not in text_of(panel)
    await choose(table.ada, panel, "Back")
    assert IN_TURN in text_of(panel).splitlines()
    await choose(table.ada, panel, "Pie rule")
    assert IN_TURN not in text_of(panel)
    assert "I go first" in chosen_on(panel), "with a fair start it is a choice"


async def test_a_rated_match_from_the_panel_begins_with_the_drawn_side(table: Table) -> None:
    panel = await opened(table)
    await choose(table.ada, panel, "Rated: no")
    table.draws.is_askers = False
    await begun(table, panel)
    assert (await match(table)).seats[1].user_id == table.ada.id


# The second page


async def test_a_casual_match_has_no_clock_and_the_second_page_says_so(table: Table) -> None:
    panel = await opened(table)
    await choose(table.ada, panel, "More…")
    assert "No clock" in chosen_on(panel)


async def test_a_clock_and_a_fair_start_are_chosen_on_a_second_page(table: Table) -> None:
    panel = await opened(table)
    assert "Pie rule" not in offered_on(panel)
    for label in ("Rated: no", "Pie rule"):
        await choose(table.ada, panel, label)
    (told,) = [
        one["description"]
        for part in parts_of(panel)
        for one in part.get("options", ())
        if one["value"] == "pie"
    ]
    assert "other side may take it over" in told
    assert "1 day per move" in chosen_on(panel), "the longest clock of a rated match against a bot"
    await choose(table.ada, panel, "-180002")
    assert "3+2: 3 minutes each, and 2 s more per move" in chosen_on(panel)
    assert text_of(panel).splitlines()[1].endswith("· pie rule · 3+2 for the whole match")
    board = await begun(table, panel)
    assert "Rated · pie rule · 3+2" in text_of(board)
    found = await match(table)
    assert (found.fair, found.clock_seconds, found.rated) == (Fair.PIE, -180002, True)


async def test_the_second_page_leads_back_with_all_choices(table: Table) -> None:
    panel = await opened(table)
    for label in ("Hard", "More…", "Balanced opening", "Back"):
        await choose(table.ada, panel, label)
    assert "Hard" in chosen_on(panel)
    assert "balanced opening" in text_of(panel)
    await begun(table, panel)
    assert (await match(table)).opening >= 4


async def test_a_game_without_balanced_openings_offers_none(table: Table) -> None:
    panel = await opened(table)
    for label in ("More…", "Balanced opening", "Back", "Tic-tac-toe"):
        await choose(table.ada, panel, label)
    assert "balanced opening" not in text_of(panel)
    await choose(table.ada, panel, "More…")
    assert {"Usual", "Pie rule"} <= set(offered_on(panel))
    assert "Balanced opening" not in offered_on(panel)
    await begun(table, panel)
    assert not (await match(table)).timed_moves


@pytest.mark.slow
async def test_the_clock_and_the_kind_of_start_are_remembered(own_table: Table) -> None:
    panel = await opened(own_table)
    for label in ("More…", "Pie rule"):
        await choose(own_table.ada, panel, label)
    await choose(own_table.ada, panel, "0")
    await begun(own_table, panel)
    assert (await match(own_table)).clock_seconds is None
    await own_table.restart()
    again = (await own_table.ada.slash(own_table.games, "play")).response
    assert "pie rule · No clock" in text_of(again)
    await own_table.start(start="usual", clock=300, rated=False)
    assert "5 minutes per move" in text_of((await own_table.ada.slash(own_table.games, "play")).response)


@pytest.mark.slow
async def test_a_friend_is_invited_with_the_chosen_options(table: Table) -> None:
    panel = await opened(table)
    await choose(table.ada, panel, table.ben)
    for label in ("More…", "Pie rule"):
        await choose(table.ada, panel, label)
    await choose(table.ada, panel, "60")
    invitation = await begun(table, panel)
    assert "pie rule" in text_of(invitation)
    await table.ben.click(invitation, label="Accept")
    found = await match(table)
    assert (found.fair, found.clock_seconds) == (Fair.PIE, 60)


async def test_a_forged_clock_is_refused(table: Table) -> None:
    panel = await opened(table)
    await choose(table.ada, panel, "More…")
    custom_id = offered_on(panel)["No clock"] or ""
    assert "clock" in await table.refused(table.forge(table.ada, panel, custom_id, ["7"]))
    await table.forge(table.ada, panel, "d1:st:go:connect-four.m.c.b..pip.u7")
    assert (await match(table)).clock_seconds is None


# Under /help


async def test_help_keeps_its_lines_while_the_panel_below_it_is_used(table: Table) -> None:
    asked = await table.ada.slash(table.games, "help")
    assert asked.ephemeral
    panel = asked.response
    for label in ("Othello", "I go first", "More…", "Pie rule", "Back"):
        await choose(table.ada, panel, label)
        assert "### Discade" in text_of(panel)
        assert "All commands" in buttons_of(panel)
    await begun(table, panel)
    assert (await match(table)).game == "othello"
    assert "Play again" in buttons_of(panel)


async def test_in_a_channel_without_matches_help_has_a_button_that_says_where(table: Table) -> None:
    other = table.guild.create_text_channel("arena")
    settings = ServerSettings(play_channels=frozenset({other.id}))
    await table.bot.services.settings.save(table.guild.id, settings)
    panel = (await table.ada.slash(table.games, "help")).response
    assert "Start" not in buttons_of(panel)
    assert f"<#{other.id}>" in await table.refused(table.ada.click(panel, label="Play"))


# First matches, and remembered choices


async def test_a_first_match_is_casual_and_has_a_button_that_makes_it_rated(table: Table) -> None:
    answer = await table.ada.slash(table.games, "play", game="connect-four", level="pip", first="me")
    assert "Casual" in text_of(answer.response)
    (told,) = answer.followups
    assert told.flags.ephemeral
    assert "first match is casual" in text_of(told)
    await table.ada.click(told, label="Make it rated")
    assert "rated now" in line_of(told)
    assert list(buttons_of(told)) == ["Large boards"]
    assert "Rated" in text_of(answer.response)
    assert (await match(table)).rated


async def test_a_first_match_from_a_position_is_not_offered_as_a_rated_one(table: Table) -> None:
    answer = await table.ada.slash(
        table.games, "play", game="connect-four", level="pip", first="me", position="4 4"
    )
    (told,) = answer.followups
    assert list(buttons_of(told)) == ["Large boards"]


async def test_a_first_match_offers_large_boards_once(table: Table) -> None:
    answer = await table.ada.slash(table.games, "play", game="connect-four", level="pip", first="me")
    told = await table.ada.click(answer.followups[0], label="Large boards")
    assert told.ephemeral
    assert "large pictures from the next move on" in line_of(told.response)
    await table.ada.click(answer.response, label="4")
    assert any(part["type"] == 12 for part in parts_of(answer.response))
    await table.ada.click(answer.response, label="More…")
    again = await table.ada.slash(table.games, "play", game="othello", level="pip")
    assert not again.followups


async def test_a_first_match_stays_casual_once_a_move_was_made_and_the_button_goes(table: Table) -> None:
    answer = await table.ada.slash(table.games, "play", game="connect-four", level="pip", first="me")
    await table.ada.click(answer.response, label="4")
    (told,) = answer.followups
    await table.ada.click(told, label="Make it rated")
    assert "already made a move, so this match stays casual" in line_of(told)
    assert list(buttons_of(told)) == ["Large boards"]
    assert not (await match(table)).rated


async def test_a_first_match_that_is_over_is_not_made_rated_and_the_button_goes(table: Table) -> None:
    answer = await table.ada.slash(table.games, "play", game="connect-four", level="pip", first="me")
    (told,) = answer.followups
    await given_up(table, table.ada)
    await table.ada.click(told, label="Make it rated")
    assert "This match is over" in line_of(told)
    assert list(buttons_of(told)) == ["Large boards"]
    await table.ada.click(told, label="Large boards")
    assert table.bot.services.settings.person(table.ada.id).size is Size.LARGE


@pytest.mark.slow
async def test_a_first_match_stays_casual_once_a_hint_was_taken(table: Table) -> None:
    answer = await table.ada.slash(table.games, "play", game="tic-tac-toe", level="pip", first="me")
    await table.ada.slash(table.games, "review hint")
    await table.ada.click(answer.followups[0], label="Make it rated")
    assert "You’ve taken a hint, so this match stays casual" in line_of(answer.followups[0])


async def test_a_first_match_from_the_panel_may_be_made_rated(table: Table) -> None:
    panel = await opened(table)
    assert "first match is casual" in text_of(panel)
    begin = await table.ada.click(panel, label="Start")
    (told,) = begin.followups
    assert told.flags.ephemeral
    assert {"Make it rated", "Large boards"} <= set(buttons_of(told)), "below the board, not above it"
    await table.ada.click(told, label="Make it rated")
    assert "Rated" in text_of(begin.response)


async def test_a_first_match_with_a_coach_offers_large_boards_and_stays_casual(table: Table) -> None:
    panel = await opened(table)
    await table.ada.click(panel, label="Coach: off")
    begin = await table.ada.click(panel, label="Start")
    (told,) = begin.followups
    assert list(buttons_of(told)) == ["Large boards"]


async def given_up(table: Table, person: Any) -> Any:
    """The answer to the press that ends the person's match."""
    asked = await person.slash(table.games, "match resign")
    return await person.click(asked.response, label="Yes, resign")


async def test_matches_are_casual_until_the_person_chooses(table: Table) -> None:
    settings = table.bot.services.settings
    for _ in range(2):
        first = await table.ada.slash(table.games, "play", game="othello", level="pip")
        later = await table.ada.slash(table.games, "play", level="pip")
        assert "Casual" in text_of(first.response)
        assert "Casual" in text_of(later.response)
        start = settings.person(table.ada.id).start
        await settings.prefer(table.ada.id, Preferences())  # as in a start before the first one is stored
    assert start is not None
    assert start.mode is None, "nothing was chosen, so nothing is remembered"
    assert "first match" not in text_of(await opened(table))


async def test_after_the_first_match_a_person_is_asked_once_whether_to_rate_the_next(
    own_table: Table,
) -> None:
    await own_table.ada.slash(own_table.games, "play", game="othello", level="pip")
    (question,) = (await given_up(own_table, own_table.ada)).followups
    assert question.flags.ephemeral
    assert "Rate your next match?" in text_of(question)
    assert list(buttons_of(question)) == ["Yes", "Not yet"]
    await own_table.restart()
    await own_table.ada.click(question, label="Yes")
    assert "rated from now on" in line_of(question)
    assert "Rated" in text_of((await own_table.ada.slash(own_table.games, "play", game="othello")).response)
    assert not (await given_up(own_table, own_table.ada)).followups


async def test_not_yet_leaves_matches_casual_and_is_the_last_word(table: Table) -> None:
    await table.ada.slash(table.games, "play", game="othello", level="pip")
    (question,) = (await given_up(table, table.ada)).followups
    await table.ada.click(question, label="Not yet")
    assert "stay casual" in line_of(question)
    again = await table.ada.slash(table.games, "play", game="othello", level="pip")
    assert "Casual" in text_of(again.response)
    assert not (await given_up(table, table.ada)).followups


async def test_who_has_chosen_rated_matches_is_not_asked(table: Table) -> None:
    await table.start(rated=True)
    assert not (await given_up(table, table.ada)).followups


async def test_a_match_that_ended_without_a_press_is_asked_about_at_the_next_start(table: Table) -> None:
    board = await table.pair(rated=False)
    await table.play(board, "1 7 2 7 3 7")
    (asked,) = (await table.ada.click(board, label="4")).followups
    assert "Rate your next match?" in text_of(asked)
    answer = await table.ben.slash(table.games, "play", game="othello", level="pip")
    assert "Rate your next match?" in text_of(answer.followups[-1])


async def test_a_match_that_a_command_ends_is_asked_about_at_once(table: Table) -> None:
    await table.pair(rated=False)
    await table.ada.slash(table.games, "match draw")
    agreed = await table.ben.slash(table.games, "match draw", answer="accept")
    (question,) = agreed.followups
    assert question.flags.ephemeral
    assert "Rate your next match?" in text_of(question)
    await table.play(await table.pair(rated=False), "1 7 2 7 3 7")
    (question,) = (await table.ada.slash(table.games, "move", to="4")).followups
    assert "Rate your next match?" in text_of(question)


async def test_an_option_that_is_left_out_does_not_change_what_is_remembered(table: Table) -> None:
    settings = table.bot.services.settings
    chosen = Start("othello", "cora", First.ME, Mode.COACH, clock=NO_CLOCK)
    await settings.prefer(table.ada.id, Preferences(start=chosen))
    await table.ada.slash(table.games, "play", game="othello")
    assert settings.person(table.ada.id).start == chosen
    await table.ada.slash(table.games, "play", game="tic-tac-toe")
    assert settings.person(table.ada.id).start == replace(chosen, game="tic-tac-toe", level=None)


async def test_what_a_place_does_not_offer_is_still_remembered(table: Table) -> None:
    settings = table.bot.services.settings
    chosen = Start("connect-four", "sol", First.ME, Mode.COACH)
    await settings.prefer(table.ada.id, Preferences(start=chosen))
    await settings.save(table.guild.id, ServerSettings(highest_level=1))
    panel = (await table.ada.slash(table.games, "play")).response
    await begun(table, panel)
    assert settings.person(table.ada.id).start == chosen


@pytest.mark.slow
async def test_the_last_choice_is_remembered_after_a_restart(own_table: Table) -> None:
    panel = await opened(own_table)
    for label in ("Othello", "Hard", "Coach: off"):
        await choose(own_table.ada, panel, label)
    await begun(own_table, panel)
    await own_table.restart()
    again = (await own_table.ada.slash(own_table.games, "play")).response
    assert chosen_on(again) == ["Othello", "Hard", "Coach: on"]
    assert "With a coach · I go first" in text_of(again)


async def test_options_of_the_command_are_remembered(table: Table) -> None:
    await table.start(game="othello", level="cora", rated=False)
    board = (await table.ada.slash(table.games, "play", first="me")).response
    assert "### Othello" in text_of(board)
    assert "Casual" in text_of(board)
    offered = await table.ada.autocomplete(table.games, "play", "level", "")
    assert "cora" in {choice["value"] for choice in offered}


async def test_a_match_against_an_algorithm_keeps_all_other_preferences_after_a_restart(
    own_table: Table,
) -> None:
    cache = own_table.bot.services.settings
    await cache.prefer(own_table.ada.id, Preferences(language="de"))
    await own_table.start(level="minimax:depth=2")
    await own_table.restart()
    kept = own_table.bot.services.settings.person(own_table.ada.id)
    assert kept.language == "de"
    assert kept.start == Start("connect-four", "minimax:depth=2", First.ME, Mode.RATED)
    assert "Los" in buttons_of(await opened(own_table, label="Ich beginne"))
