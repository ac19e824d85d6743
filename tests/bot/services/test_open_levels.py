"""Which levels a server's highest strength leaves open, read off the ladder of each game."""

from __future__ import annotations

import pytest

from bot.domain.errors import SetupError
from bot.domain.preferences import UP_TO, ServerSettings
from bot.domain.strengths import PlainStrength, strengths
from engine.agents.levels import STRENGTHS, levels_of, strength_of
from engine.games import GAMES
from tests.bot.sittings import HERE, Sitting


@pytest.mark.parametrize("highest", range(1, len(STRENGTHS) + 1))
async def test_the_highest_strength_is_open_and_the_next_is_closed(table: Sitting, highest: int) -> None:
    guild_id = HERE.guild_id
    assert guild_id is not None
    await table.services.levels._settings.save(guild_id, ServerSettings(highest_level=highest))
    for game in GAMES:
        open_keys = {level.key for level in table.services.levels.of(guild_id, game)}
        for level in levels_of(game):
            strength = strength_of(game, level.key)
            assert strength is not None
            is_open = STRENGTHS.index(strength) < highest
            assert (level.key in open_keys) is is_open, (game, level.key)
            if is_open:
                table.services.levels.check(guild_id, game, (level.key,))
            else:
                with pytest.raises(SetupError):
                    table.services.levels.check(guild_id, game, (level.key,))
        assert {level.key for level in table.services.levels.of(None, game)} >= {
            level.key for level in levels_of(game)
        }


@pytest.mark.parametrize("highest", range(1, len(STRENGTHS) + 1))
async def test_the_usual_level_of_a_server_is_one_that_it_has_opened(table: Sitting, highest: int) -> None:
    guild_id, levels = HERE.guild_id, table.services.levels
    assert guild_id is not None
    await levels._settings.save(guild_id, ServerSettings(highest_level=highest))
    for game in GAMES:
        usual = [levels.named(guild_id, game, None, above=above) for above in (0, 1, 20)]
        assert set(usual) <= set(levels.of(guild_id, game)), game
        assert usual[2] == levels.of(guild_id, game)[-1], "the strongest that is open"


async def test_where_no_server_sets_a_limit_algorithms_are_open(table: Sitting) -> None:
    guild_id, levels = HERE.guild_id, table.services.levels
    assert guild_id is not None
    for place in (None, guild_id):
        levels.check(place, "connect-four", ("minimax",))
    await levels._settings.save(guild_id, ServerSettings(highest_level=len(STRENGTHS)))
    levels.check(None, "connect-four", ("minimax",))
    with pytest.raises(SetupError) as refused:
        levels.check(guild_id, "connect-four", ("minimax",))
    assert refused.value.params["allowed"] == ", ".join(
        level.name for level in levels.of(guild_id, "connect-four")
    )


async def test_a_strength_in_a_word_names_the_level_of_the_game(table: Sitting) -> None:
    guild_id, levels = HERE.guild_id, table.services.levels
    assert guild_id is not None
    assert levels.named(guild_id, "connect-four", "Easy").key == "mia"
    assert levels.named(guild_id, "othello", "best").key == "sage"
    await levels._settings.save(guild_id, ServerSettings(highest_level=3))
    assert levels.named(guild_id, "othello", "best") == levels.of(guild_id, "othello")[-1]


@pytest.mark.parametrize("word", UP_TO)
async def test_a_highest_strength_opens_exactly_the_levels_up_to_it_in_every_game(
    table: Sitting, word: PlainStrength
) -> None:
    guild_id, levels = HERE.guild_id, table.services.levels
    assert guild_id is not None
    await levels._settings.save(guild_id, ServerSettings(highest_level=UP_TO[word]))
    for game in GAMES:
        ladder = levels_of(game)
        top = strengths(game, GAMES[game].boards[0], ladder)[word]
        assert levels.of(guild_id, game) == ladder[: ladder.index(top) + 1]
